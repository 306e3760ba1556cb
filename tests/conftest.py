"""What holds for every test: a document that any of them has written is what its JSON Schema says."""

import json
import signal
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from hypothesis import settings
from jsonschema import Draft202012Validator

from kplan.cli import output
from kplan.render.data import json_schema, to_json

settings.register_profile("seeded", derandomize=True, deadline=None)  # each run tries the same
settings.load_profile("seeded")


def pytest_configure() -> None:
    """No test is one of how fast a machine is, and interrupts come through.

    They do also where the run was started in the background of a shell, which ignores them.
    """
    settings.register_profile("kplan", deadline=None)
    settings.load_profile("kplan")
    signal.signal(signal.SIGINT, signal.default_int_handler)


@cache
def validator(kind: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads(json_schema(kind)))


@pytest.fixture(autouse=True, scope="session")
def nothing_is_kept_in_the_home_and_what_is_written_is_what_the_schema_says(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[None]:
    formats = output.formats

    def checked(document: Any, *others: Any) -> Any:
        written = json.loads(to_json(document))
        errors = validator(written["kind"]).iter_errors(written)
        assert [f"{error.json_path}: {error.message}" for error in errors] == []
        return formats(document, *others)

    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))
        patched.setattr(output, "formats", checked)
        yield
