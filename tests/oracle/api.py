#!/usr/bin/env python3
"""Writes kplan/data/api.json: the kinds, the versions and the fields of the Kubernetes API, by minor version.

    python3 tests/oracle/api.py $(go env GOMODCACHE) > kplan/data/api.json

It reads, of each minor version, from the Go module k8s.io/kubernetes:

- api/openapi-spec/swagger.json: which kinds exist in which version, and every field they have, those of disabled
  versions and gates among them;
- pkg/controlplane/instance.go: which versions a server serves that is told nothing else.

What it writes has one type a line, so that a difference is one of that type. A set of minor versions is a sum of bits:
1 for 1.34, 2 for 1.35, 4 for 1.36, 8 for 1.37. A field is what its value is made of, "T" (a map of fields), "[]T" (a
list of them), "{}T" (a map whose values are) or "" (anything else), and after a space the versions that have it, where
not all have it that have the type; "[]A 3,[]B 12" where versions differ.
"""

import json
import re
import sys
from pathlib import Path

RELEASES = {34: "1.34.4", 35: "1.35.4", 36: "1.36.3", 37: "1.37.2"}
BITS = {minor: 1 << bit for bit, minor in enumerate(RELEASES)}
ALWAYS = ("apiextensions.k8s.io/v1", "apiregistration.k8s.io/v1")
"""Served by the servers around the core one, which instance.go does not name."""

COLLECTION = re.compile(r"/apis?/(?P<version>v1|[^/]+/v[^/]+)/(?:namespaces/\{namespace\}/)?[a-z]+")
ENABLED = re.compile(r"StableAPIGroupVersionsEnabledByDefault = \[\]schema\.GroupVersion\{(.*?)\}", re.DOTALL | re.I)
IMPORT = re.compile(r'^\s*(\w+) "k8s\.io/(?:api|kubernetes/pkg/apis)/(\w+)/(\w+)"$', re.MULTILINE)
SHORT = ("io.k8s.api.", "io.k8s.apimachinery.pkg.apis.", "io.k8s.kube-aggregator.pkg.apis.",
         "io.k8s.apiextensions-apiserver.pkg.apis.", "io.k8s.apimachinery.pkg.")


def short(name):
    """Name of a type without what all begin with."""
    for prefix in SHORT:
        if name.startswith(prefix):
            return name.removeprefix(prefix)
    return name


def made_of(schema):
    """Say what a field's value is made of; "" for what has no fields."""
    if "$ref" in schema:
        return short(schema["$ref"].rpartition("/")[2])
    if schema.get("type") == "array":
        return inner("[]", schema.get("items", {}))
    if isinstance(schema.get("additionalProperties"), dict):
        return inner("{}", schema["additionalProperties"])
    return ""


def inner(form, schema):
    """What a list or map is made of; lists of lists are looked into no further."""
    found = made_of(schema)
    return f"{form}{found}" if found and found[0] not in "[{" else ""


def served(modules, release):
    """Group versions that are on by default."""
    text = (modules / f"k8s.io/kubernetes@v{release}/pkg/controlplane/instance.go").read_text()
    packages = {alias: (folder, version) for alias, folder, version in IMPORT.findall(text)}
    found = set(ALWAYS)
    for block in ENABLED.findall(text):
        for alias in re.findall(r"(\w+)\.SchemeGroupVersion", block):
            folder, version = packages[alias]
            source = modules / f"k8s.io/api@v0.{release[2:]}" / folder / version / "register.go"
            group = re.search(r'GroupName = "([^"]*)"', source.read_text())[1]
            found.add(f"{group}/{version}" if group else version)
    return found


def main():
    modules = Path(sys.argv[1])
    on, kinds, types, fields = {}, {}, {}, {}
    for minor, release in RELEASES.items():
        bit = BITS[minor]
        spec = json.loads((modules / f"k8s.io/kubernetes@v{release}/api/openapi-spec/swagger.json").read_text())
        definitions = {short(name): schema for name, schema in spec["definitions"].items()}
        structs = {name for name, schema in definitions.items() if schema.get("properties")}
        tops = {}
        for name, schema in definitions.items():
            for one in schema.get("x-kubernetes-group-version-kind", ()):
                version = f"{one['group']}/{one['version']}" if one["group"] else one["version"]
                tops.setdefault((version, one["kind"]), name)
        default = served(modules, release)
        wanted = []
        for path, verbs in spec["paths"].items():
            if not COLLECTION.fullmatch(path):
                continue
            one = (verbs.get("post") or verbs.get("get") or {}).get("x-kubernetes-group-version-kind")
            if not one:
                continue
            version = f"{one['group']}/{one['version']}" if one["group"] else one["version"]
            on.setdefault(version, 0)
            if version in default:
                on[version] |= bit
            name = tops[version, one["kind"]]
            kind = kinds.setdefault(f"{version} {one['kind']}", [0, name])
            if not kind[0] & bit:
                kind[0] |= bit
                assert kind[1] == name
                wanted.append(name)
        while wanted:
            name = wanted.pop()
            if types.get(name, 0) & bit:
                continue
            types[name] = types.get(name, 0) | bit
            for field, schema in definitions[name]["properties"].items():
                form = made_of(schema)
                target = form.lstrip("[]{}")
                if target in structs:
                    wanted.append(target)
                else:
                    form = ""
                made = fields.setdefault(name, {}).setdefault(field, {})
                made[form] = made.get(form, 0) | bit
    print('{"minors":', json.dumps(list(RELEASES)), ",", sep="")
    print('"on":', json.dumps(dict(sorted(on.items()))), ",", sep="")
    print('"kinds":{')
    print(",\n".join(f"{json.dumps(name)}:{json.dumps(kind)}" for name, kind in sorted(kinds.items())))
    print('},\n"types":{')
    print(",\n".join(f"{json.dumps(name)}:{written(fields[name], types[name])}" for name in sorted(fields)))
    print("}}")


def written(found, everywhere):
    """Fields of a type on one line."""
    shown = {}
    for name, forms in sorted(found.items()):
        if list(forms.values()) == [everywhere]:
            shown[name] = next(iter(forms))
        else:
            shown[name] = ",".join(f"{form} {bits}" for form, bits in sorted(forms.items()))
    return json.dumps(shown, separators=(",", ":"))


if __name__ == "__main__":
    main()
