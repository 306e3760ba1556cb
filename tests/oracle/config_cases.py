#!/usr/bin/env python3
"""Write configurations as cases of the oracle (JSON lines).

    python3 config_cases.py profiles 40 | ./kporacle        # what profiles run, by mode "profiles"
    python3 config_cases.py invalid 80 | ./kporacle         # configurations with a fault each
    python3 config_cases.py older 40 | v125/kpconvert       # bare configurations of v1beta2 and v1beta3

The same arguments give the same cases.
"""

import json
import random
import sys

API = "kubescheduler.config.k8s.io/"
POINTS = {
    "preFilter": ["NodeAffinity", "NodePorts", "NodeResourcesFit", "VolumeRestrictions", "VolumeBinding",
                  "PodTopologySpread", "InterPodAffinity"],
    "filter": ["NodeUnschedulable", "NodeName", "TaintToleration", "NodeAffinity", "NodePorts", "NodeResourcesFit",
               "VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding", "VolumeZone", "PodTopologySpread",
               "InterPodAffinity"],
    "preScore": ["TaintToleration", "NodeAffinity", "PodTopologySpread", "InterPodAffinity"],
    "score": ["TaintToleration", "NodeAffinity", "NodeResourcesFit", "PodTopologySpread", "InterPodAffinity",
              "NodeResourcesBalancedAllocation", "ImageLocality"],
    "postFilter": ["DefaultPreemption"],
    "reserve": ["VolumeBinding"],
    "preBind": ["VolumeBinding"],
}
EVERY = sorted({name for names in POINTS.values() for name in names})


def plugin_set(rnd, names, scored):
    given = {}
    disabled = rnd.sample(names, rnd.randint(0, min(2, len(names))))
    if rnd.random() < 0.15:
        disabled = ["*"]
    enabled = rnd.sample(names, rnd.randint(0, min(3, len(names))))
    if disabled:
        given["disabled"] = [{"name": name} for name in disabled]
    if enabled:
        given["enabled"] = [
            {"name": name, **({"weight": rnd.randint(1, 9)} if scored and rnd.random() < 0.8 else {})} for name in enabled
        ]
    return given


ARGS = {
    "DefaultPreemption": lambda rnd: {"minCandidateNodesPercentage": rnd.randint(0, 100), "minCandidateNodesAbsolute": rnd.randint(1, 500)},
    "InterPodAffinity": lambda rnd: {"hardPodAffinityWeight": rnd.randint(0, 100)},
    "NodeAffinity": lambda rnd: {"addedAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "pool", "operator": "In", "values": ["a"]}]}]}}},
    "NodeResourcesBalancedAllocation": lambda rnd: {"resources": [{"name": "cpu", "weight": 1}]},
    "NodeResourcesFit": lambda rnd: {"scoringStrategy": {"type": rnd.choice(["LeastAllocated", "MostAllocated"]), "resources": [{"name": "cpu", "weight": rnd.randint(1, 100)}]}},
    "PodTopologySpread": lambda rnd: {"defaultingType": "List", "defaultConstraints": [{"maxSkew": rnd.randint(1, 5), "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}]},
    "VolumeBinding": lambda rnd: {"bindTimeoutSeconds": rnd.randint(0, 900)},
}


def profile(rnd, version, number):
    made = {}
    if number or rnd.random() < 0.5:
        made["schedulerName"] = f"scheduler-{number}"
    plugins = {}
    for point in rnd.sample(sorted(POINTS), rnd.randint(0, 4)):
        plugins[point] = plugin_set(rnd, POINTS[point], point == "score")
    if rnd.random() < (0.25 if version == "v1beta2" else 0.6):
        plugins["multiPoint"] = plugin_set(rnd, EVERY, True)
        if version == "v1beta2" and rnd.random() < 0.5:
            del plugins["multiPoint"]
    if plugins or rnd.random() < 0.5:
        made["plugins"] = plugins
    names = rnd.sample(sorted(ARGS), rnd.randint(0, 3))
    if names:
        made["pluginConfig"] = [{"name": name, "args": ARGS[name](rnd)} for name in names]
        if version != "v1":
            for one in made["pluginConfig"][:1]:
                one["args"].update(apiVersion=API + version, kind=one["name"] + "Args")
    return made


def configuration(rnd, version):
    made = {"apiVersion": API + version, "kind": "KubeSchedulerConfiguration"}
    profiles = [profile(rnd, version, number) for number in range(rnd.choice([0, 1, 1, 1, 2]))]
    if len(profiles) > 1:
        profiles[0]["schedulerName"] = "scheduler-0"
    if profiles:
        made["profiles"] = profiles
    if rnd.random() < 0.3:
        made["percentageOfNodesToScore"] = rnd.randint(0, 100)
    return made


def at(tree, path, value):
    """Put a value at a path of keys and indices, making what is missing."""
    *above, last = path
    for i, key in enumerate(above):
        following = path[i + 1]
        if isinstance(key, int):
            while len(tree) <= key:
                tree.append([] if isinstance(following, int) else {})
        elif not tree.get(key):
            tree[key] = [] if isinstance(following, int) else {}
        tree = tree[key]
    if isinstance(last, int) and len(tree) <= last:
        tree.append(value)
    else:
        tree[last] = value


def args(name, **given):
    return [(("profiles", 0, "pluginConfig"), [{"name": name, "args": given}])]


def plugins(point, enabled=(), disabled=()):
    return [(("profiles", 0, "plugins", point), {"enabled": [{"name": n} if isinstance(n, str) else n for n in enabled], "disabled": [{"name": n} for n in disabled]})]


def spread(**given):
    return args("PodTopologySpread", defaultingType="List", defaultConstraints=[{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", **given}])


EXTENDER = {"urlPrefix": "http://127.0.0.1:1", "filterVerb": "filter"}
FAULTS = [
    [(("parallelism",), 0)],
    [(("parallelism",), -3)],
    [(("parallelism",), "many")],
    [(("parallelism",), 1.5)],
    [(("percentageOfNodesToScore",), 101)],
    [(("percentageOfNodesToScore",), -1)],
    [(("percentageOfNodesToScore",), 5000000000)],
    [(("podInitialBackoffSeconds",), 0)],
    [(("podMaxBackoffSeconds",), 0)],
    [(("podInitialBackoffSeconds",), 20), (("podMaxBackoffSeconds",), 5)],
    [(("profiles", 0, "percentageOfNodesToScore"), 200)],
    [(("profiles", 0, "schedulerName"), "")],
    [(("profiles",), [{"schedulerName": "a"}, {"schedulerName": "a"}])],
    [(("profiles",), [{"schedulerName": "a"}, {}])],
    [(("profiles",), {"a": 1})],
    [(("profil",), [])],
    [(("profiles", 0, "plugin"), {})],
    [(("profiles", 0, "plugins", "filters"), {})],
    [(("profiles", 0, "plugins", "filter"), [])],
    [(("leaderElection", "leaseDuration"), "5s"), (("leaderElection", "renewDeadline"), "10s")],
    [(("leaderElection", "leaseDuration"), "-5s")],
    [(("leaderElection", "retryPeriod"), "-1s")],
    [(("leaderElection", "leaseDuration"), "5 s")],
    [(("leaderElection", "resourceLock"), "endpoints")],
    [(("clientConnection", "burst"), -1)],
    [(("clientConnection", "qps"), "fast")],
    plugins("filter", ["NoSuchPlugin"]),
    plugins("multiPoint", ["NoSuchPlugin"]),
    plugins("score", ["NodeName"]),
    plugins("filter", ["ImageLocality"]),
    plugins("filter", ["EBSLimits"]),
    plugins("filter", ["NodeName", "NodeName"], ["*"]),
    plugins("multiPoint", ["NodeName", "NodeName"], ["*"]),
    plugins("queueSort", [], ["*"]) + [(("profiles", 0, "plugins", "multiPoint"), {"disabled": [{"name": "PrioritySort"}]})],
    plugins("bind", [], ["*"]),
    plugins("multiPoint", [], ["*"]),
    plugins("score", [{"name": "NodeAffinity", "weight": 2147483647}, {"name": "TaintToleration", "weight": 2147483647}]),
    plugins("score", [{"name": "NodeAffinity", "weight": "2"}]),
    args("DefaultPreemption", minCandidateNodesPercentage=101),
    args("DefaultPreemption", minCandidateNodesAbsolute=-1),
    args("DefaultPreemption", minCandidateNodesPercentage=0, minCandidateNodesAbsolute=0),
    args("DefaultPreemption", minCandidateNodes=10),
    args("InterPodAffinity", hardPodAffinityWeight=101),
    args("InterPodAffinity", hardPodAffinityWeight=-1),
    args("NodeResourcesBalancedAllocation", resources=[{"name": "cpu", "weight": 2}]),
    args("NodeResourcesBalancedAllocation", resources=[{"name": "cpu", "weight": 1}, {"name": "cpu", "weight": 1}]),
    args("NodeResourcesFit", scoringStrategy={"type": "Best"}),
    args("NodeResourcesFit", scoringStrategy={"type": "LeastAllocated", "resources": [{"name": "cpu", "weight": 101}]}),
    args("NodeResourcesFit", ignoredResources=["a b"]),
    args("NodeResourcesFit", ignoredResourceGroups=["example.com/x"]),
    args("NodeResourcesFit", scoringStrategy={"type": "RequestedToCapacityRatio"}),
    args("NodeResourcesFit", scoringStrategy={"type": "RequestedToCapacityRatio", "requestedToCapacityRatio": {"shape": []}}),
    args("NodeResourcesFit", scoringStrategy={"type": "RequestedToCapacityRatio", "requestedToCapacityRatio": {"shape": [{"utilization": 50, "score": 1}, {"utilization": 20, "score": 2}]}}),
    args("NodeResourcesFit", scoringStrategy={"type": "RequestedToCapacityRatio", "requestedToCapacityRatio": {"shape": [{"utilization": 101, "score": 11}]}}),
    args("NodeAffinity", addedAffinity={"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "Near"}]}]}}),
    args("NodeAffinity", addedAffinity={"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "In"}]}]}}),
    spread(maxSkew=0),
    spread(topologyKey=""),
    spread(whenUnsatisfiable="Never"),
    spread(labelSelector={"matchLabels": {"a": "b"}}),
    args("PodTopologySpread", defaultingType="Some"),
    args("PodTopologySpread", defaultingType="System", defaultConstraints=[{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}]),
    args("VolumeBinding", bindTimeoutSeconds=-1),
    args("VolumeBinding", shape=[{"utilization": 0, "score": 0}]),
    args("VolumeBinding", kind="NodeAffinityArgs"),
    args("VolumeBinding", apiVersion=API + "v1beta3"),
    [(("profiles", 0, "pluginConfig"), [{"name": "InterPodAffinity", "args": {}}, {"name": "InterPodAffinity", "args": {}}])],
    [(("profiles",), [{"schedulerName": "a"}, {"schedulerName": "b", "plugins": {"queueSort": {"enabled": [{"name": "PrioritySort"}]}}}])],
    [(("extenders",), [{**EXTENDER, "prioritizeVerb": "p"}])],
    [(("extenders",), [{**EXTENDER, "prioritizeVerb": "p", "weight": -1}])],
    [(("extenders",), [{**EXTENDER, "bindVerb": "b"}, {**EXTENDER, "bindVerb": "b"}])],
    [(("extenders",), [{**EXTENDER, "managedResources": [{"name": "cpu"}]}])],
    [(("extenders",), [{**EXTENDER, "managedResources": [{"name": "a b/c"}]}])],
    [(("extenders",), [{**EXTENDER, "managedResources": [{"name": "example.com/x"}, {"name": "example.com/x"}]}])],
    [(("extenders",), [{**EXTENDER, "enableHTTPS": True, "tlsConfig": {"insecure": True, "caData": "AA=="}}])],
    [(("extenders",), [{**EXTENDER, "httpTimeout": 5}])],
    [(("extenders",), [{**EXTENDER, "filterverb": "f"}])],
    [(("apiVersion",), API + "v1beta3")],
    [(("apiVersion",), API + "v2")],
    [(("kind",), "Policy")],
    [(("kind",), "")],
]


def cases(theme, count):
    rnd = random.Random(f"{theme} 1")
    for number in range(count):
        if theme == "older":
            yield configuration(rnd, "v1beta2" if number % 2 else "v1beta3")
        elif theme == "profiles":
            yield {"name": f"profiles-{number}", "mode": "profiles", "objects": [], "config": configuration(rnd, "v1")}
        elif number < len(FAULTS):
            made = {"apiVersion": API + "v1", "kind": "KubeSchedulerConfiguration", "profiles": [{}]}
            for path, value in FAULTS[number]:
                at(made, path, value)
            yield {"name": f"invalid-{number}", "mode": "profiles", "objects": [], "config": made}


if __name__ == "__main__":
    for case in cases(sys.argv[1], int(sys.argv[2])):
        print(json.dumps(case, separators=(",", ":")))
