"""Nodes: how full they are by the scheduler's own counting, and the story of one of them."""

from kplan.studies.nodes.devices import with_devices
from kplan.studies.nodes.listing import NodesAsked, list_nodes
from kplan.studies.nodes.story import elsewhere, explain_node

__all__ = ["NodesAsked", "elsewhere", "explain_node", "list_nodes", "with_devices"]
