"""The text of a configuration file, YAML or JSON, as plain values; repeated keys are reported.

The one place where config parses text.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

import yaml

from kplan.errors import ConfigError
from kplan.sources.json_text import readable

_Loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def parse(text: str) -> Any:
    """Parse a configuration file; of several YAML documents the first counts, as kube-scheduler reads it.

    Args:
        text: JSON where it starts with a brace, else YAML.

    Raises:
        ConfigError: ``config-syntax`` for what is neither, ``config-duplicate-field`` for a key given twice.
    """
    return _json(text) if text.lstrip().startswith("{") else _yaml(text)


def _json(text: str) -> Any:
    def refuse(constant: str) -> Any:
        raise ValueError(f"{constant} is not JSON")

    try:
        text = readable(text.encode(errors="surrogatepass")).decode()
        tree = json.loads(text, object_pairs_hook=_Object, parse_constant=refuse)
        repeated = list(_repeated_fields(tree, ""))
    except (ValueError, RecursionError) as error:
        raise _syntax(str(error)) from error
    if repeated:
        raise _duplicates([f'duplicate field "{path}"' for path in repeated])
    return tree


class _Object(dict[str, Any]):
    """A JSON object that remembers the keys it was given twice."""

    def __init__(self, pairs: Iterable[tuple[str, Any]]) -> None:
        pairs = list(pairs)
        super().__init__(pairs)
        self.repeated = _repeated(key for key, _ in pairs)


def _repeated_fields(tree: Any, path: str) -> Iterator[str]:
    if isinstance(tree, _Object):
        prefix = f"{path}." if path else ""
        yield from (f"{prefix}{key}" for key in tree.repeated)
        for key, item in tree.items():
            yield from _repeated_fields(item, f"{prefix}{key}")
    elif isinstance(tree, list):
        for i, item in enumerate(tree):
            yield from _repeated_fields(item, f"{path}[{i}]")


def _yaml(text: str) -> Any:
    loader = _Loader(text)
    try:
        root = loader.get_node() if loader.check_node() else None
        repeated: list[str] = []
        tree = None if root is None else _Tree(loader, repeated).value(root)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise _syntax(" ".join(str(error).split())) from error
    finally:
        loader.dispose()
    if repeated:
        raise _duplicates(repeated)
    return tree


class _Tree:
    """Plain values of YAML nodes, with the types Kubernetes gives them on the way to JSON."""

    def __init__(self, loader: yaml.SafeLoader, repeated: list[str]) -> None:
        self.loader = loader
        self.repeated = repeated
        self.done: dict[int, Any] = {}
        self.open: set[int] = set()

    def value(self, node: yaml.Node) -> Any:
        if id(node) in self.done:
            return self.done[id(node)]
        if id(node) in self.open:
            raise ValueError("an anchor contains itself")
        self.open.add(id(node))
        parsed: Any
        if isinstance(node, yaml.MappingNode):
            parsed = self._mapping(node)
        elif isinstance(node, yaml.SequenceNode):
            parsed = [self.value(item) for item in node.value]
        else:
            parsed = self._scalar(node)
        self.open.discard(id(node))
        self.done[id(node)] = parsed
        return parsed

    def _mapping(self, node: yaml.MappingNode) -> dict[str, Any]:
        own: set[str] = set()
        for key, _ in node.value:
            if key.tag != "tag:yaml.org,2002:merge":
                name = self._key(key)
                if name in own:
                    self.repeated.append(f'line {key.start_mark.line + 1}: key "{name}" already set in map')
                own.add(name)
        self.loader.flatten_mapping(node)  # merge keys (<<)
        return {self._key(key): self.value(item) for key, item in node.value}

    def _key(self, node: yaml.Node) -> str:
        if not isinstance(node, yaml.ScalarNode):
            raise ValueError(f"line {node.start_mark.line + 1}: a key must be a scalar")
        return str(node.value)

    def _scalar(self, node: yaml.Node) -> Any:
        if not node.tag.endswith((":bool", ":int", ":float", ":null")):
            return str(node.value)  # timestamps and the like are text to Kubernetes
        scalar = self.loader.construct_object(node)
        # Kubernetes turns YAML into JSON first, and Go writes 16.0 as 16 there.
        return int(scalar) if isinstance(scalar, float) and scalar.is_integer() else scalar


def _repeated(keys: Iterable[str]) -> list[str]:
    seen: set[str] = set()
    repeated: dict[str, None] = {}
    for key in keys:
        if key in seen:
            repeated[key] = None
        seen.add(key)
    return list(repeated)


def _syntax(problem: str) -> ConfigError:
    return ConfigError(
        f"the configuration is neither YAML nor JSON: {problem}",
        code="config-syntax",
        hint="check the file with a YAML linter",
    )


def _duplicates(repeated: list[str]) -> ConfigError:
    return ConfigError(
        f"strict decoding error: {', '.join(repeated)}",
        code="config-duplicate-field",
        hint="keep one of them: kube-scheduler refuses a file that gives a field twice",
    )
