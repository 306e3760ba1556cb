"""Groups of pods."""

from generator.chance import Chance


class Groups(Chance):
    """Groups of pods."""

    def gangs(self, placed, pending):
        r = self.r
        made = {}
        for q in placed + pending:
            if not self.p(.6):
                continue
            ns, name = q["metadata"]["namespace"], self.pick(["train", "mpi"])
            q["spec"]["schedulingGroup"] = {"podGroupName": name}
            if (ns, name) not in made:
                made[ns, name] = g = {"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "metadata": {"name": name, "namespace": ns, "uid": f"pg-{ns}-{name}"},
                                      "spec": {"schedulingPolicy": self.pick([{"basic": {}}, {"gang": {"minCount": r.randint(1, 6)}}, {"gang": {"minCount": r.randint(1, 3)}}])}}
                if self.p(.6):
                    g["spec"]["disruptionMode"] = self.pick([{"all": {}}, {"single": {}}])
                if self.p(.8):
                    g["spec"]["priority"] = self.pick([0, 0, 10, 100])
                if self.p(.93):
                    self.objs.append(g)
            g = made[ns, name]
            q["spec"]["priority"] = g["spec"].get("priority", 0)
