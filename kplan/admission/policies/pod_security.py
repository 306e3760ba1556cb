"""What Pod Security admission plainly refuses: what the level ``baseline``, and so ``restricted``, forbids since 1.0.

Not modelled: capabilities, profiles (AppArmor, SELinux, seccomp), sysctls, procMount, Windows' hostProcess and what
``restricted`` asks for beside; users, namespaces and runtime classes that the API server's configuration exempts.

Source: check_hostNamespaces.go, check_privileged.go, check_hostPathVolumes.go and check_hostPorts.go in
staging/src/k8s.io/pod-security-admission/policy.
"""

from collections.abc import Iterator, Mapping

from kplan.admission.raw import dig, dig_int, dig_text, spread_out

ENFORCE = "pod-security.kubernetes.io/enforce"
"""Label of a namespace."""
_LEVELS = ("baseline", "restricted")
_HOST = ("hostNetwork", "hostPID", "hostIPC")
_CONTAINERS = ("initContainers", "containers", "ephemeralContainers")


def forbidden(level: str, spec: Mapping[str, object]) -> list[str]:
    """Name the fields of a pod that a level forbids, each with its value or its name; empty for none that is known.

    Args:
        level: ``privileged``, ``baseline`` or ``restricted``.
        spec: of the pod, as written.
    """
    return list(dict.fromkeys(_baseline(spec))) if level in _LEVELS else []


def _baseline(spec: Mapping[str, object]) -> Iterator[str]:
    yield from (f"{field} true" for field in _HOST if spec.get(field) is True)
    for part in _CONTAINERS:
        for name, container in spread_out(spec, part):
            if dig(container, "securityContext.privileged") is True:
                yield f"privileged true of container {name}"
            for _, port in spread_out(container, "ports"):
                number = dig_int(port, "hostPort", 0)
                if number:
                    yield f"hostPort {number} of container {name}"
    for name, volume in spread_out(spec, "volumes"):
        if dig(volume, "hostPath") is not None:
            yield f"hostPath {dig_text(volume, 'hostPath.path')} of volume {name}"
