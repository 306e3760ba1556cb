"""The shape of the project: what is listed is there, what is there is listed, and no file grows past reading."""

import ast
import importlib
import importlib.util
import re
import sys
import tomllib
from collections import Counter
from pathlib import Path
from types import ModuleType

import grimp
import pytest

import kplan
from kplan.plugins.registry import OLD, REGISTRY

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "kplan"
MODULES = sorted(PACKAGE.rglob("*.py"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
CONTRACTS = PROJECT["tool"]["importlinter"]["contracts"]
LONGEST = 400
ARRAYS_FROM = {
    "course",
    "reasons",
    "remedies",
    "wording",
    "extenders",
    "cluster",
    "framework",
    "plugins",
    "config",
    "result",
    "scenario",
    "pipeline",
    "studies",
    "render",
    "cli",
    "api",
    "bind",
    *(OVER_COMMANDS := ("notebook", "pytest")),
}
FACTS = ("course", "reasons", "remedies", "studies")
"""Floors that tell by facts; what is said of them is made in ``wording``."""
TWO_WORDS = re.compile(r"[A-Za-z']{2,}[,;:.]? +[a-z]{2,}")
POINTS = {
    *("pre_enqueue", "sort_key", "pre_filter", "filter", "score", "post_filter", "reserve", "permit", "pre_bind"),
    *("placement_feasible", "placements", "score_placements", "pod_group_post_filter"),
}
"""Methods of a plugin that decide something; one without them has nothing to test."""


def snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def contract(kind: str, forbidden: str = "", container: str = "kplan") -> dict[str, list[str]]:
    of_kind = [c for c in CONTRACTS if c["type"] == kind and c.get("containers", [container]) == [container]]
    [found] = [c for c in of_kind if not forbidden or forbidden in c["forbidden_modules"]]
    return found


def parts_of_the_package() -> set[str]:
    """Names of the packages and modules right under kplan."""
    paths = [path for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()]
    return {path.stem for path in paths} - {"__init__", "__main__"}


def test_a_long_module_says_why_at_its_top() -> None:
    long = [path for path in MODULES if len(path.read_text().splitlines()) > LONGEST]
    unexplained = [
        str(path.relative_to(ROOT))
        for path in long
        if not re.search(
            r"^Long(er than 400 lines)? because", ast.get_docstring(ast.parse(path.read_text())) or "", re.MULTILINE
        )
    ]
    assert unexplained == []


def test_every_module_has_a_docstring_of_its_own() -> None:
    docs = {path: ast.get_docstring(ast.parse(path.read_text())) or "" for path in MODULES}
    assert [str(path.relative_to(ROOT)) for path, doc in docs.items() if len(doc.split()) < 3] == []


SAME_NAME = {
    "Answer": "kplan.Answer is public, and the other is the name of a part in the published schemas",
    "DeviceAttribute": "the object of the API, and the part of the published schemas that tells of it",
    "DeviceConstraint": "the object of the API, and the part of the published schemas that tells of it",
    "DeviceRequest": "the object of the API, and the part of the published schemas that tells of it",
    "Volume": "the object of the API, and the part of the published schemas that tells of it",
    "Counter": "of devices, an object of the API; of pods, part of the contract of plugins (cluster.counters)",
    "NodeStatus": "the object of the API, and what the scheduler calls so: part of the contract of plugins",
    "NodeAffinity": "the object of the API, and the plugin, which has its name from Kubernetes",
}
"""Class names that stand twice, each with the reason why both are right."""


def test_a_class_has_a_name_of_its_own() -> None:
    classes = Counter(
        node.name
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef)
    )
    assert {name: number for name, number in classes.items() if number > 1} == dict.fromkeys(SAME_NAME, 2)


def test_the_public_names_are_sorted_and_there() -> None:
    assert kplan.__all__ == sorted(kplan.__all__)
    assert [name for name in kplan.__all__ if not hasattr(kplan, name)] == []


def words_in(tree: ast.AST) -> list[str]:
    """Strings of two or more words outside docstrings, raised errors and assertions."""
    silent: set[int] = set()
    for found in ast.walk(tree):
        if isinstance(found, ast.Raise | ast.Assert) or (
            isinstance(found, ast.Expr) and isinstance(found.value, ast.Constant)
        ):
            silent |= {id(part) for part in ast.walk(found)}
    strings = (part for part in ast.walk(tree) if isinstance(part, ast.Constant) and isinstance(part.value, str))
    return [str(part.value) for part in strings if id(part) not in silent and TWO_WORDS.search(str(part.value))]


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ('text = "no node fits"', ["no node fits"]),
        ('text = f"{name} fits no node"', [" fits no node"]),
        ('def f():\n    """Say it."""\n    raise ValueError("not this one")', []),
        ('code = "taint-not-tolerated"', []),
        ('CONST = 1\n"""What is meant by it."""', []),
    ],
)
def test_words_are_found(code: str, found: list[str]) -> None:
    assert words_in(ast.parse(code)) == found


def test_verdicts_are_put_in_words_in_one_place() -> None:
    said = {}
    for path in (path for floor in FACTS for path in sorted((PACKAGE / floor).rglob("*.py"))):
        name = path.relative_to(PACKAGE).as_posix()
        if words := words_in(ast.parse(path.read_text())):
            said[name] = words
    assert said == {}


@pytest.mark.parametrize("name", sorted(part for part in parts_of_the_package() if (PACKAGE / part).is_dir()))
def test_what_a_package_exports_is_there(name: str) -> None:
    package = importlib.import_module(f"kplan.{name}")
    exported = getattr(package, "__all__", [])
    assert [one for one in exported if not hasattr(package, one)] == []
    assert len(exported) == len(set(exported))


def test_every_package_has_its_layer() -> None:
    layers = {name.strip(" ()") for layer in contract("layers")["layers"] for name in re.split("[|:]", layer)}
    assert parts_of_the_package() - layers == set()


def test_only_commands_and_renderers_may_import_the_terminal_libraries() -> None:
    checked = {name.removeprefix("kplan.") for name in contract("forbidden", "rich")["source_modules"]}
    assert parts_of_the_package() - checked == parts_of_the_package() & {"cli", "render", *OVER_COMMANDS}


def test_no_package_below_the_cluster_may_import_numpy() -> None:
    checked = {name.removeprefix("kplan.") for name in contract("forbidden", "numpy")["source_modules"]}
    assert parts_of_the_package() - ARRAYS_FROM - checked == set()


def test_only_the_live_source_and_bind_may_import_the_client() -> None:
    client = contract("forbidden", "kubernetes")
    checked = {name.removeprefix("kplan.") for name in client["source_modules"]}
    assert parts_of_the_package() - checked == parts_of_the_package() & {"bind", *OVER_COMMANDS}
    assert set(client["ignore_imports"]) == {
        "kplan.sources.live.** -> kubernetes",
        "kplan.sources.live.** -> urllib3",
        "kplan.extenders.http -> urllib3",
    }


def circles(imports: dict[str, set[str]]) -> list[list[str]]:
    """Sets of modules each of which can be reached from every other, sorted.

    Args:
        imports: by module, the modules that it imports itself.
    """
    reached: dict[str, set[str]] = {}
    for module in imports:
        seen, ahead = set[str](), [module]
        while ahead:
            for other in imports[ahead.pop()] - seen:
                seen.add(other)
                ahead.append(other)
        reached[module] = seen
    return [
        list(circle)
        for circle in sorted(
            {
                tuple(sorted(other for other in reached[module] if module in reached[other]))
                for module in imports
                if module in reached[module]
            }
        )
    ]


@pytest.mark.parametrize(
    ("imports", "expected"),
    [
        pytest.param({"a": {"b"}, "b": {"c"}, "c": set()}, [], id="a chain is no circle"),
        pytest.param({"a": {"b"}, "b": {"a"}, "c": {"a"}}, [["a", "b"]], id="two know each other, a third knows both"),
        pytest.param({"a": {"b"}, "b": {"c"}, "c": {"a"}}, [["a", "b", "c"]], id="the long way round"),
    ],
)
def test_circles_are_found(imports: dict[str, set[str]], expected: list[list[str]]) -> None:
    assert circles(imports) == expected


def test_no_two_modules_know_each_other() -> None:
    graph = grimp.build_graph("kplan", cache_dir=None)
    imports = {module: set(graph.find_modules_directly_imported_by(module)) for module in graph.modules}
    # what a package's own file takes from its modules to hand it on is the one exception
    found = circles({module: {m for m in imports[module] if not m.startswith(f"{module}.")} for module in imports})
    assert found == []


def test_every_library_that_is_imported_is_declared() -> None:
    declared = {re.split(r"[^\w.-]", line)[0].lower() for line in PROJECT["project"]["dependencies"]}
    for extra in PROJECT["project"]["optional-dependencies"].values():
        declared |= {re.split(r"[^\w.-]", line)[0].lower() for line in extra}
    # what is imported, by the name it is installed by
    own_names = {"yaml": "pyyaml", "dask": "distributed", "cel_expr_python": "cel-expr-python"}
    imported: set[str] = set()
    for path in MODULES:
        if path == PACKAGE / "pytest.py":
            continue  # pytest itself loads it
        for part in ast.walk(ast.parse(path.read_text())):
            if isinstance(part, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in part.names}
            elif isinstance(part, ast.ImportFrom) and not part.level:
                imported.add((part.module or "").partition(".")[0])
    outside = imported - set(sys.stdlib_module_names) - {"kplan"}
    assert {own_names.get(name, name) for name in outside} == declared


def test_plugins_are_independent_of_each_other() -> None:
    assert contract("independence")["modules"] == ["kplan.plugins.*"]


@pytest.mark.parametrize("name", [*REGISTRY, *OLD])
def test_a_plugin_has_a_file_and_an_entry_in_the_docs(name: str) -> None:
    file = PACKAGE / "plugins" / snake_case(name)
    assert file.with_suffix(".py").exists() or (file / "__init__.py").exists()
    assert f"\n## {name}\n" in (ROOT / "docs" / "plugins.md").read_text()


@pytest.mark.parametrize("name", [name for name, plugin in {**REGISTRY, **OLD}.items() if POINTS & set(dir(plugin))])
def test_a_plugin_that_decides_anything_has_a_table_test(name: str) -> None:
    test = ROOT / "tests" / "plugins" / f"test_{snake_case(name)}.py"
    assert "parametrize" in test.read_text()


def test_everything_the_project_needs_is_locked_with_hashes() -> None:
    lines = (ROOT / "requirements-dev.lock").read_text().splitlines()
    locked = {line.partition("==")[0]: lines[i + 1] for i, line in enumerate(lines) if "==" in line}
    wanted = [
        *PROJECT["project"]["dependencies"],
        *PROJECT["dependency-groups"]["dev"],
        *(line for extra in PROJECT["project"]["optional-dependencies"].values() for line in extra),
    ]
    names = {re.split(r"[^\w.-]", line)[0].lower() for line in wanted}
    assert names - set(locked) == set()
    assert [name for name, after in locked.items() if not after.strip().startswith("--hash=sha256:")] == []


def test_decisions_have_a_number_each_and_their_parts() -> None:
    decisions = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    numbers = [int(path.name[:4]) for path in decisions]
    assert numbers == sorted(set(numbers))
    for path in decisions:
        headings = re.findall(r"^## (.*)$", path.read_text(), re.MULTILINE)
        assert headings == ["Motivation", "Non-goals", "Proposal", "Alternatives considered"], path.name


def test_links_between_documents_lead_somewhere() -> None:
    documents = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "tests" / "oracle" / "README.md"]
    broken = [
        f"{path.relative_to(ROOT)}: {link}"
        for path in documents
        for link in re.findall(r"\]\((?!https:)([^)#:]+)[^)]*\)", path.read_text())
        if not (path.parent / link).exists()
    ]
    assert broken == []


def is_there(name: str) -> bool:
    """Whether something of kplan is called so: a folder, a module, or what is in one, as ``words.count``."""
    if "/" in name or name.endswith(".py"):
        path = PACKAGE / name
        return path.exists() or path.with_suffix(".py").exists()
    here: object = kplan
    at = "kplan"
    for part in name.split("."):
        at = f"{at}.{part}"
        if isinstance(here, ModuleType) and hasattr(here, "__path__") and importlib.util.find_spec(at) is not None:
            here = importlib.import_module(at)
        elif part in getattr(here, "__annotations__", {}):
            here = None
        elif hasattr(here, part):
            here = getattr(here, part)
        else:
            return False
    return True


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("cluster/", True),
        ("cluster/schema.py", True),
        ("cluster.schema", True),
        ("render/text", True),
        ("words.count", True),
        ("result.Plan.events", True),
        ("cluster/scheme.py", False),
        ("words.counted", False),
    ],
)
def test_what_is_named_is_looked_up(name: str, expected: bool) -> None:
    assert is_there(name) == expected


def test_what_docstrings_and_documents_name_is_there() -> None:
    # decisions tell how things were, the changelog of names in files that users write
    documents = [ROOT / "CONTRIBUTING.md", ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *MODULES]
    first = "|".join(sorted(parts_of_the_package()))
    named = re.compile(rf"`(?:kplan[./])?((?:{first})[./](?:[A-Za-z_]+[./])*[A-Za-z_]*)`")
    missing = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in documents
        for name in named.findall(path.read_text())
        if not is_there(name)
    ]
    assert missing == []


def test_every_target_the_documents_name_is_in_the_makefile() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    documents = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    named = {target for path in documents for target in re.findall(r"`make ([a-z-]+)", path.read_text())}
    assert named - targets == set()


def test_only_the_planner_and_bind_change_a_cluster() -> None:
    """Whatever is tried goes through a trial of the planner, which takes it back.

    Scores of nodes that an extender gave back whole are those of nodes without pods: within one call they are. A streak
    asks what nodes say with more pods of its template, and takes these back within one call too (decision 0098).
    """
    change = re.compile(r"cluster\.(apply|undo)\(")
    found = {path.relative_to(PACKAGE).as_posix() for path in MODULES if change.search(path.read_text())}
    assert {name for name in found if not name.startswith(("cluster/", "bind/"))} == {
        "pipeline/planner.py",
        "pipeline/scoring.py",
        "pipeline/streak.py",
    }


NUMBERS_OF_TEXT = "objects/whole_numbers.py"
READS_TEXT = {"isdecimal", "isdigit", "isnumeric"}
"""By these a text is taken for a number; Python's say yes to digits that Go refuses, and to any number of them."""
NOT_FROM_OUTSIDE = {
    "cli/output.py": "COLUMNS is read by Python's own library",
    "wording/remedies_table.py": "an amount of kplan's own is shown with its resource or without",
    "plugins/shared/devices/cel_functions.py": "CEL's own conversion refuses the rest",
    "plugins/shared/devices/cel_values.py": "a version is cut into parts, none is read",
}


def test_a_text_becomes_a_number_in_one_place() -> None:
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in MODULES
        for part in ast.walk(ast.parse(path.read_text()))
        if isinstance(part, ast.Attribute) and part.attr in READS_TEXT
    }
    assert found - {NUMBERS_OF_TEXT} <= set(NOT_FROM_OUTSIDE)


OPENS = {"read_text", "read_bytes", "write_text", "write_bytes", "open"}
FILES = {
    "sources/opening.py": "reads files",
    "sources/writing.py": "writes files",
    "cli/diff_sides.py": "looks at what a side is",
    "cli/output.py": "opens what swallows the rest of an answer",
    "cli/streams.py": "settles the streams",
    "sources/archives.py": "reads members of archives",
    "sources/layouts/__init__.py": "reads archives where they lie",
    "sources/live/kubeconfig.py": "reads the namespace of the pod that it runs in",
    "studies/sweep/results.py": "adds lines to a file of results",
    "bind/run/journal.py": "adds lines to a journal",
    "bind/run/record.py": "mends a journal",
    "extenders/tls.py": "writes a key for Python's own TLS",
    "render/html.py": "reads what comes with kplan",
    "cli/snapshot.py": "reads what comes with kplan",
    "admission/validation/api.py": "reads what comes with kplan",
}


def test_files_are_opened_in_few_places() -> None:
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in MODULES
        for part in ast.walk(ast.parse(path.read_text()))
        if isinstance(part, ast.Call)
        and isinstance(part.func, ast.Attribute)
        and part.func.attr in OPENS
        and not (
            isinstance(part.func.value, ast.Name) and part.func.value.id in ("opener", "self", "archive", "tarfile")
        )
    }
    assert sorted(found - set(FILES)) == []


DECODES = {
    "config/text.py": "a configuration, held against its types afterwards",
    "config/effective.py": "what kplan wrote itself",
    "render/jsonpath.py": "a value in a template: a number, true, false",
    "render/rows.py": "a document of kplan's own",
    "notebook.py": "an answer of kplan's own",
    "studies/pack/prices.py": "a list of prices, of which texts are taken",
    "extenders/wire.py": "an answer, typed in the same line",
    "cli/completing.py": "names to complete; whatever goes wrong there, nothing is completed",
    "cli/snapshot.py": "names of a redacted snapshot, typed behind it",
    "bind/wire/leases.py": "a configuration that was accepted",
    "bind/wire/client.py": "an answer of the server, typed where it is an object",
    "admission/controllers/changes.py": "a manifest as it was applied, of which no part is taken for granted",
}
"""Where text becomes values without a type, outside of ``sources``, which is the door."""


def test_text_becomes_values_without_a_type_in_few_places() -> None:
    def untyped(call: ast.Call) -> bool:
        name = ast.unparse(call.func)
        typed = any(keyword.arg == "type" for keyword in call.keywords)
        return name in ("json.loads", "json.load", "yaml.safe_load", "yaml.load") or (
            name in ("msgspec.json.decode", "msgspec.msgpack.decode") and not typed
        )

    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in MODULES
        for part in ast.walk(ast.parse(path.read_text()))
        if isinstance(part, ast.Call) and untyped(part)
    }
    assert {name for name in found if not name.startswith("sources/")} - set(DECODES) == set()
