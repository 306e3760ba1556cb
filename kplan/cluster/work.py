"""Work: what a question does on a cluster, counted in operations and never in time, and the most that it may be.

A file of a few megabytes can hold more to work out than anybody waits for: pods that each evict others, spread, or have
to choose. What is asked about a small text may do so much work; what is left then is not tried, on any machine alike.
Whoever does what takes long charges it before it is done.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import Struct, field

SMALL = 10_000_000
"""Length of a text that is answered within ten seconds, whatever is in it [bytes]. A cluster of which more would have
to be worked out is longer, or live: it is planned whole."""
MOST = 7_500_000
"""Units that a question about a small text may take. A unit is about what an ordinary machine does in a microsecond."""

POD, KILOBYTE, YAML = 40, 60, 60
"""Units for each pod that is read and told of, each kilobyte of the text, and each object that is read from YAML."""
AGAIN = 15
"""Units for each pod where columns are built once more."""
EXPANDED = 600
"""Units for each object of manifests that is held against the rules of the API and of which pods are made."""
LEAST = 300_000
"""Units that are left whatever reading took."""
STEP = 10
"""Units for each turn of a pod."""
CYCLE, ROW = 60, 0.03
"""Units for each cycle, and each node of it."""
ASKED, WORLD = 12, 0.01
"""Units for each time that a plugin is asked, and each node, or state of a node, that it is asked about."""
MOVED = 350
"""Units for each time that pods are put back while victims are searched for, beside their nodes."""
VICTIM, BUDGET = 0.2, 70
"""Units for each pod that might be evicted, and each budget that is held against them."""
SEARCHED = 10
"""Units for each node that a plugin searches by itself, which it charges where it does."""
TERM = 50
"""Units for each node selector term that a pod requires: it may be one that was not looked up before."""
NOMINATED = 6
"""Units for each nominated pod that may hold room against the one that is tried."""
COUNTER, CLASS, CELL = 800, 3, 0.15
"""Units for a rule that is new, for each class of pods that it is held against, and for each that there is: its table
has a cell for each."""
TOLD, TOLD_NODE = 300, 0.3
"""Units for a cause, or an answer about one pod, that is told in full, and for each node that the answer may name."""
COMES_BACK = 150
"""Units for each pod that leaves its node and may be made again."""
ASLEEP = 8
"""Units for each pod that waits, where those that are refused are looked for before a change."""
SERVES = 0.5
"""Units for each pod of the namespaces of which it is counted how many serve for a workload."""
COMPARED = 60
"""Units for each number of the nodes that a live scheduler may look at on which scores hang, for an answer in full."""
TOLD_GROUP = 250
"""Units for each group of nodes that refuse a pod of which a plan tells why it is not placed."""
SCENARIO, OF_NODE, OF_POD = 200, 0.5, 0.02
"""Units for each scenario, loss and drain that is tried, and each node and pod of the cluster that it changes."""


class NoWorkLeftError(Exception):
    """A cycle would be more than the work that is left; never leaves the pipeline."""


class Work(Struct):
    """The work on one cluster.

    Attributes:
        most: units that it may be.
        spent: units that it was.
        left: how many cycles there was no work left for.
        again: units that it takes to build the cluster once more.
        met: what this question has paid for already, by key.
    """

    most: float = sys.maxsize
    spent: float = 0
    left: int = 0
    again: float = 0
    met: set[object] = field(default_factory=set)
    _within: int = 0

    @property
    def done(self) -> bool:
        """Whether no more is to be tried."""
        return self.spent > self.most

    def charge(self, units: float) -> None:
        """Take note of work that is to be done.

        Raises:
            NoWorkLeftError: within a cycle, where it is more than is left.
        """
        self.spent += units
        if self.spent > self.most and self._within:
            raise NoWorkLeftError

    def charge_once(self, key: object, units: float) -> None:
        """Take note of work whose outcome the cluster keeps: each question pays for it, whoever asked before.

        Raises:
            NoWorkLeftError: within a cycle, where it is more than is left.
        """
        if key not in self.met:
            self.met.add(key)
            self.charge(units)

    def charge_trial(self, nodes: int, pods: int) -> None:
        """Take note of a scenario, loss or drain that is to be tried on so many nodes and pods."""
        self.charge(SCENARIO + OF_NODE * nodes + OF_POD * pods)

    def refuses(self) -> bool:
        """Whether there is no work left for what would be tried next; if so, it is counted as not tried."""
        self.left += self.done
        return self.done

    @classmethod
    def of(cls, text: int, pods: int, of_yaml: int = 0, worked: float = 0) -> Work:
        """The work on what was read of a text.

        Args:
            text: its length [bytes]; 0 for a live cluster and for objects in memory.
            pods: how many there are: each is read, and told of.
            of_yaml: how many objects were read from YAML.
            worked: units that the question has taken already.
        """
        if not 0 < text <= SMALL:
            return cls()
        read = pods * POD + text // 1_000 * KILOBYTE + of_yaml * YAML + worked
        return cls(max(MOST - read, min(LEAST, MOST)), again=AGAIN * pods)

    @contextmanager
    def cycle(self) -> Iterator[None]:
        """Let work be refused within the block, whose end is to say so.

        Raises:
            NoWorkLeftError: there is none left.
        """
        self._within += 1
        try:
            if self.done:
                raise NoWorkLeftError
            yield
        except NoWorkLeftError:
            self.left += 1
            raise
        finally:
            self._within -= 1

    @property
    def with_building(self) -> float:
        """Units that it was, and that building the cluster once more takes; 0 where there is no most."""
        return self.spent + self.again if self.bounded else 0

    @property
    def bounded(self) -> bool:
        """Whether there is a most."""
        return self.most < sys.maxsize

    def renew(self) -> None:
        """Begin another question about the same cluster."""
        self.spent, self.left = 0, 0
        self.met.clear()

    def builds(self, times: int) -> bool:
        """Whether at least half of the work is left once the cluster was built so many times more."""
        return self.again * times <= self.most / 2

    def built_again(self) -> Work:
        """The same work, for the cluster that goes on with it: it was built once more."""
        self.met.clear()
        self.charge(self.again)
        return self

    def share(self, parts: int) -> None:
        """Leave one part of the work to whoever goes on, of so many who do, each on a cluster that is built for it."""
        if self.bounded:
            self.most = max(self.most - self.again * (parts - 1), min(LEAST, self.most)) / parts

    def up_to(self, part: float) -> float:
        """What may have been spent once a part of what is left is; the rest is for what comes behind."""
        return self.most if self.most == sys.maxsize else self.spent + max(0.0, self.most - self.spent) * part

    @contextmanager
    def within(self, most: float) -> Iterator[None]:
        """Let the block go no further than so much, all in all."""
        before = self.most
        self.most = most
        try:
            yield
        finally:
            self.most = before
