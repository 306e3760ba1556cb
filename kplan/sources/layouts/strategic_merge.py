"""Strategic merge patches, as far as records of nodes, pods and workloads need them."""

from typing import Any

_DIRECTIVES = ("$setElementOrder/", "$deleteFromPrimitiveList/", "$retainKeys")
_DELETE_FROM = "$deleteFromPrimitiveList/"

_MERGE_KEYS = {
    "conditions": "type",
    "addresses": "type",
    "containers": "name",
    "initContainers": "name",
    "ephemeralContainers": "name",
    "volumes": "name",
    "env": "name",
    "imagePullSecrets": "name",
    "volumeMounts": "mountPath",
    "ports": "containerPort",
    "ownerReferences": "uid",
    "podIPs": "ip",
    "hostIPs": "ip",
    "resourceClaims": "name",
    "topologySpreadConstraints": "topologyKey",
}
"""Key by which the elements of a list are merged; other lists are replaced."""

_UNITED = frozenset({"finalizers", "podCIDRs"})
"""Lists of strings that are united."""


def merged(base: Any, patch: Any) -> Any:
    """Merge a patch into a value and give the result; neither is changed.

    Source: apimachinery v0.37.2 ``StrategicMergePatch``.
    """
    if not isinstance(base, dict) or not isinstance(patch, dict):
        return patch
    if patch.get("$patch") == "replace":
        return {key: value for key, value in patch.items() if key != "$patch"}
    result = dict(base)
    for key, change in patch.items():
        if key.startswith(_DELETE_FROM):
            name = key.removeprefix(_DELETE_FROM)
            result[name] = [item for item in _list(result.get(name)) if item not in _list(change)]
        elif key.startswith(_DIRECTIVES) or key == "$patch":
            continue
        elif change is None:
            result.pop(key, None)
        elif isinstance(change, list):
            result[key] = _merged_list(key, _list(result.get(key)), change)
        else:
            result[key] = merged(result.get(key) or {}, change) if isinstance(change, dict) else change
    return result


def _list(value: Any) -> list[Any]:
    """Give a list; an empty one for what is none, as a damaged record may have there."""
    return value if isinstance(value, list) else []


def _merged_list(name: str, base: list[Any], changes: list[Any]) -> list[Any]:
    if name in _UNITED:
        return [*base, *(item for item in changes if item not in base)]
    by = _MERGE_KEYS.get(name)
    if not by or not all(isinstance(item, dict) and isinstance(item.get(by), str | int) for item in (*base, *changes)):
        return [item for item in changes if not (isinstance(item, dict) and "$patch" in item)]
    elements = {item[by]: item for item in base}
    for change in changes:
        if change.get("$patch") == "delete":
            elements.pop(change[by], None)
        else:
            elements[change[by]] = merged(elements.get(change[by], {}), change)
    return list(elements.values())
