"""How a scheduler is set up: its version, feature gates and KubeSchedulerConfiguration, down to profiles."""

from kplan.config.extenders import DOUBT as EXTENDER_DOUBT
from kplan.config.extenders import extender_doubt, is_interested
from kplan.config.kube_scheduler_configuration import (
    SchedulerConfiguration,
    default_configuration,
    default_profile,
    load,
)
from kplan.config.policy_wire import provider_policy
from kplan.config.profile import Profile
from kplan.config.versions import features
from kplan.framework.doubt import Doubt

__all__ = [
    "EXTENDER_DOUBT",
    "Doubt",
    "Profile",
    "SchedulerConfiguration",
    "default_configuration",
    "default_profile",
    "extender_doubt",
    "features",
    "is_interested",
    "load",
    "provider_policy",
]
