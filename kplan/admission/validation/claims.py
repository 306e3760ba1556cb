"""What the API server refuses in a claim for storage."""

from collections.abc import Iterator

from kplan.admission.raw import dig
from kplan.admission.refusal import Key, Problem
from kplan.admission.validation.problems import NOT_POSITIVE, forbidden, invalid, required, unsupported
from kplan.objects.formats import dns_subdomain
from kplan.objects.quantity import NANO_PER_UNIT, canonical, nanos
from kplan.sources.fit import Path

_ONCE_POD = "ReadWriteOncePod"
_ACCESS_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", _ONCE_POD)


def claim_problems(spec: object, path: Path) -> Iterator[Problem]:
    """Check the spec of a claim.

    Source: ValidatePersistentVolumeClaimSpec in pkg/apis/core/validation/validation.go.
    """
    modes = dig(spec, "accessModes")
    if not modes:
        yield required((*path, "accessModes"), "at least 1 access mode is required")
    known = set()
    for mode in modes if isinstance(modes, list) else ():
        if mode in _ACCESS_MODES:
            known.add(mode)
        else:
            yield unsupported((*path, "accessModes"), mode, _ACCESS_MODES)
    if _ONCE_POD in known and len(known) > 1:
        yield forbidden((*path, "accessModes"), f"may not use {_ONCE_POD} with other access modes")
    yield from _size(dig(spec, "resources.requests.storage"), path)
    name = dig(spec, "storageClassName")
    if isinstance(name, str) and name:
        yield from (invalid((*path, "storageClassName"), name, words) for words in dns_subdomain(name))
    mode = dig(spec, "volumeMode")
    if mode is not None and mode not in ("Block", "Filesystem"):
        yield unsupported((*path, "volumeMode"), mode, ("Block", "Filesystem"))


def _size(storage: object, path: Path) -> Iterator[Problem]:
    here = (*path, "resources", Key("storage"))
    place = (*path, "resources", "requests", "storage")
    if storage is None:
        yield required(here).written_at(place)
    elif isinstance(storage, str | int | float) and nanos(storage) <= 0:
        yield invalid(here, canonical(storage), NOT_POSITIVE).written_at(place)
    elif isinstance(storage, str | int | float) and nanos(storage) % NANO_PER_UNIT:
        yield invalid(here, canonical(storage), "must be an integer").written_at(place)
