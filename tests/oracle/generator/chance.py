"""What is drawn: chances, picks and amounts, all from one seed."""


class Chance:
    """What is drawn: chances, picks and amounts, all from one seed."""

    def p(self, x):
        return self.r.random() < x

    def pick(self, xs):
        return self.r.choice(xs)

    def some(self, xs, lo=0, hi=None):
        hi = len(xs) if hi is None else min(hi, len(xs))
        return self.r.sample(xs, self.r.randint(min(lo, hi), hi))

    def cpu(self, lo=50, hi=3000):
        m = self.r.randint(lo, hi)
        return self.pick([f"{m}m", f"{m // 1000 or 1}", f"{m / 1000:.1f}" if m >= 100 else f"{m}m", f"{m}m"])

    def mem(self, lo=16, hi=4096):
        m = self.r.randint(lo, hi)
        return self.pick([f"{m}Mi", f"{m}M", f"{m * 1024}Ki", f"{m * 1000000}", f"{max(1, m // 1024)}Gi", f"{m / 1000:.3f}G", f"{m}e6"])
