"""Codes of a status and the extension points, by the names Kubernetes gives them."""

from enum import Enum, Flag, StrEnum, auto


class Code(StrEnum):
    """Outcome of asking one plugin about one node or one pod.

    Source: kube-scheduler v0.37.2 framework/interface.go Code.
    """

    SUCCESS = "Success"
    ERROR = "Error"
    UNSCHEDULABLE = "Unschedulable"
    UNSCHEDULABLE_AND_UNRESOLVABLE = "UnschedulableAndUnresolvable"
    WAIT = "Wait"
    SKIP = "Skip"
    PENDING = "Pending"


class Point(StrEnum):
    """Extension points in running order, named as the fields of KubeSchedulerConfiguration's ``plugins``."""

    PRE_ENQUEUE = "preEnqueue"
    QUEUE_SORT = "queueSort"
    PRE_FILTER = "preFilter"
    FILTER = "filter"
    POST_FILTER = "postFilter"
    PRE_SCORE = "preScore"
    SCORE = "score"
    RESERVE = "reserve"
    PERMIT = "permit"
    PRE_BIND = "preBind"
    BIND = "bind"
    POST_BIND = "postBind"
    PLACEMENT_GENERATE = "placementGenerate"
    PLACEMENT_SCORE = "placementScore"
    POD_GROUP_POST_FILTER = "podGroupPostFilter"


class Reads(Flag):
    """What an answer of a plugin depends on; the pipeline decides from it what may be kept between cycles."""

    NODE = auto()
    """Labels, taints, allocatable, images, features: what only an edit of a node changes."""
    USAGE = auto()
    """Amounts requested on the node itself."""
    PODS = auto()
    """Which pods run where, on any node."""
    STORAGE = auto()
    """Volumes, claims, attachments."""
    DEVICES = auto()
    """Resource claims and slices."""
    OBJECTS = auto()
    """Namespaces, Services, controllers, budgets."""


class Cost(Enum):
    """How a filter works: on columns for all nodes at once, or by a search of its own for each node."""

    COLUMNS = auto()
    SEARCH = auto()


class Compares(Enum):
    """What the score of a node depends on besides the node, among the nodes that are scored together."""

    NOTHING = auto()
    """It is the same whichever other nodes are scored."""
    EXTREMES = auto()
    """The raw score is the same; its normalisation depends on the highest and the lowest raw score alone."""
    SET = auto()
    """All of them, unless the plugin says more (``framework.plugin.ComparingPlugin``)."""
