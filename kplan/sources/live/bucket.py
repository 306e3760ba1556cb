"""A token bucket: so many requests a second, and a burst of them at once."""

import threading
import time
from collections.abc import Callable


class TokenBucket:
    """Holds requests back, for all threads together, as client-go's flow control does.

    Args:
        qps: requests a second in the long run; 0 or less for no limit.
        burst: requests that may go out at once.
        clock: monotonic seconds.
        sleep: waits for so many seconds.
    """

    def __init__(
        self,
        qps: float,
        burst: int,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._qps = qps
        self._burst = max(burst, 1)
        self._clock = clock
        self._sleep = sleep
        self._lock = threading.Lock()
        self._tokens = float(self._burst)
        self._at = clock()

    def acquire(self) -> None:
        """Wait until the next request may go out."""
        if self._qps <= 0:
            return
        with self._lock:
            now = self._clock()
            self._tokens = min(self._burst, self._tokens + (now - self._at) * self._qps)
            self._at = now
            self._tokens -= 1  # below zero: taken in advance, by those who wait
            wait = -self._tokens / self._qps
        if wait > 0:
            self._sleep(wait)
