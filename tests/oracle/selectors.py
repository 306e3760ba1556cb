"""Selectors of devices, in CEL, and devices that they are asked about: one question a line for ``kporacle -cel``.

python3 tests/oracle/selectors.py > questions.jsonl      # from the top of the project
tests/oracle/kporacle -cel < questions.jsonl > answers.jsonl
"""

import json
import sys

A = 'device.attributes["gpu.example.com"]'
C = 'device.capacity["gpu.example.com"]'

DEVICES = {
    "full": {
        "name": "full",
        "attributes": {
            "gen": {"int": 3},
            "big": {"int": 9007199254740993},
            "model": {"string": "a100-40g"},
            "ecc": {"bool": True},
            "firmware": {"version": "1.10.0-rc.1"},
            "nums": {"ints": [1, 3, 5]},
            "names": {"strings": ["b", "a"]},
            "x.io/numa": {"int": 0},
            "x.io/serial": {"string": "aé☃"},
        },
        "capacity": {"memory": {"value": "40Gi"}, "cores": {"value": "1500m"}, "x.io/bandwidth": {"value": "10G"}},
    },
    "bare": {"name": "bare"},
    "shared": {
        "name": "shared",
        "allowMultipleAllocations": True,
        "attributes": {"gen": {"string": "three"}, "ecc": {"bool": False}, "firmware": {"version": "0.9.0"}},
        "capacity": {"memory": {"value": "8Gi"}},
    },
}

EXPRESSIONS = [
    # the device itself
    'device.driver == "gpu.example.com"', 'device.driver != "gpu.example.com"', 'device.driver.startsWith("gpu.")',
    "device.allowMultipleAllocations", "!device.allowMultipleAllocations", "has(device.driver)",
    "has(device.allowMultipleAllocations)", "device.allowMultipleAllocations == false", 'device["driver"] == "x"',
    "device == device", "device.name == 'full'", "devices.driver == ''", "true", "false", "null", "1", "'text'",
    "1.5", "[true]", "{'a': true}", "", " ", "true && ", "(true", "true)", "1 +", "device.", "device.driver.foo", "=",
    "a.b.c",
    # attributes
    f"{A}.gen == 3", f"{A}.gen != 3", f"{A}.gen >= 2", f"{A}.gen > 3", f"{A}.gen < 4 && {A}.gen > 0",
    f"{A}.gen in [1, 3]", f"{A}.gen == 3.0", f"{A}.gen < 3.5", f"{A}.gen >= 3u", f"{A}.gen == 'three'",
    f"{A}.gen + 1 == 4", f"{A}.gen * 2 > 5", f"{A}.gen / 0 == 1", f"{A}.gen % 0 == 1", f"{A}.gen % 2 == 1",
    f"-{A}.gen == -3", f"!{A}.gen", f"{A}.gen", f"{A}.big == 9007199254740993", f"{A}.big + 9223372036854775807 > 0",
    f"{A}.model == 'a100-40g'", f"{A}.model.startsWith('a1')", f"{A}.model.endsWith('40g')",
    f"{A}.model.contains('00')", f"{A}.model.matches('^a[0-9]+-')", f"{A}.model.matches('[')",
    f"{A}.model.size() == 8", f"size({A}.model) > 3", f"{A}.model.lowerAscii() == {A}.model",
    f"{A}.model.upperAscii() == 'A100-40G'", f"{A}.model.split('-') == ['a100', '40g']",
    f"{A}.model.split('-')[1] == '40g'", f"{A}.model.replace('a', 'h') == 'h100-40g'",
    f"{A}.model.substring(1) == '100-40g'", f"{A}.model.substring(1, 4) == '100'", f"{A}.model.charAt(0) == 'a'",
    f"{A}.model.indexOf('0') == 2", f"{A}.model.lastIndexOf('0') == 6", f"{A}.model.trim() == 'a100-40g'",
    f"{A}.model + 'x' == 'a100-40gx'", f"{A}.model < 'b'", f"{A}.model > 3", f"{A}.model",
    f"{A}.model.find('[0-9]+') == '100'", f"{A}.model.findAll('[0-9]+') == ['100', '40']",
    f"{A}.model.findAll('[0-9]+', 1) == ['100']", f"{A}.ecc", f"!{A}.ecc", f"{A}.ecc == true",
    f"{A}.ecc && {A}.missing == 1", f"{A}.ecc || {A}.missing == 1", f"{A}.missing == 1 || {A}.ecc",
    f"{A}.missing == 1 && {A}.ecc", f"{A}.ecc ? true : false", f"{A}.missing", f"{A}.missing == 1",
    f"{A}['missing'] == 1", f"{A}['gen'] == 3", f"has({A}.gen)", f"has({A}.missing)", f"has({A}.gen) && {A}.gen == 3",
    f"'gen' in {A}", f"'missing' in {A}", f"!('gen' in {A})", f"{A}.size() > 0", f"size({A}) == 7",
    f"{A}.?gen.orValue(0) == 3", f"{A}.?missing.orValue(7) == 7", f"{A}[?'gen'].hasValue()",
    f"{A}.?missing.hasValue()", f"{A}.exists(k, k == 'gen')", f"{A}.all(k, k != 'gen')",
    f"{A}.exists(k, v, k == 'gen' && v == 3)", f"{A}.exists_one(k, k.startsWith('n'))", f"type({A}.gen) == int",
    f"type({A}.model) == string", f"type({A}.gen) == type(1)", f"string({A}.gen) == '3'", f"int({A}.model) == 3",
    f"double({A}.gen) == 3.0", f"dyn({A}.gen) == 3", f"bool('true')", "bool('maybe')", f"{A}.nums == [1, 3, 5]",
    f"3 in {A}.nums", f"4 in {A}.nums", f"{A}.nums.size() == 3", f"{A}.nums[0] == 1", f"{A}.nums[5] == 1",
    f"{A}.nums.exists(n, n > 4)", f"{A}.nums.all(n, n % 2 == 1)", f"{A}.nums.map(n, n * 2) == [2, 6, 10]",
    f"{A}.nums.filter(n, n > 1) == [3, 5]", f"{A}.nums.sum() == 9", f"{A}.nums.max() == 5", f"{A}.nums.min() == 1",
    f"{A}.nums.isSorted()", f"{A}.names.isSorted()", f"{A}.nums.includes(3)", f"{A}.gen.includes(3)",
    f"{A}.names.includes('a')", f"{A}.model.includes('a100-40g')", f"{A}.ecc.includes(true)",
    f"sets.contains({A}.nums, [3])", f"sets.intersects({A}.nums, [3, 4])", f"sets.equivalent({A}.nums, [5, 3, 1])",
    "[1, 2].sum() == 3", "[].max() == 1", "[3, 1].max() == 3", "['b', 'a'].min() == 'a'",
    "[1, 2, 3].slice(0, 2) == [1, 2]", "[1, [2]].flatten() == [1, 2]", "[2, 1].sort() == [1, 2]",
    "[1, 1].distinct() == [1]", "lists.range(3) == [0, 1, 2]", "[1, 2].reverse() == [2, 1]",
    # domains
    'device.attributes["x.io"].numa == 0', 'device.attributes["x.io"].serial.size() == 3',
    'device.attributes["y.io"].numa == 0', 'device.attributes["y.io"].?numa.orValue(4) == 4',
    '"x.io" in device.attributes', '"y.io" in device.attributes', 'has(device.attributes["y.io"].numa)',
    'device.attributes["y.io"].size() == 0', "device.attributes.size() == 2", "size(device.attributes) == 0",
    "device.attributes.exists(d, d == 'x.io')", "device.attributes.all(d, d.endsWith('.com'))",
    "device.attributes[device.driver].gen == 3", "device.attributes.gpu == 3",
    "device.attributes[?'x.io'].?numa.orValue(9) == 0", "device.attributes[?'y.io'].hasValue()",
    "cel.bind(d, device.attributes['gpu.example.com'], d.gen == 3 && d.ecc)", "device.attributes[3].gen == 3",
    "device.attributes['x.io'].numa == 0 && device.driver == 'other'",
    # capacity
    f"{C}.memory == quantity('40Gi')", f"{C}.memory.compareTo(quantity('40Gi')) == 0",
    f"{C}.memory.compareTo(quantity('8Gi')) >= 0", f"{C}.memory.isGreaterThan(quantity('39Gi'))",
    f"{C}.memory.isLessThan(quantity('41Gi'))", f"{C}.memory > quantity('1Gi')", f"{C}.memory == '40Gi'",
    f"{C}.memory.asInteger() == 42949672960", f"{C}.memory.isInteger()", f"{C}.cores.isInteger()",
    f"{C}.cores.asInteger() == 1", f"{C}.cores.asApproximateFloat() == 1.5", f"sign({C}.memory) == 1",
    f"{C}.memory.sign() == 1", f"{C}.memory.add(quantity('2Gi')) == quantity('42Gi')",
    f"{C}.memory.sub(1).isLessThan({C}.memory)", f"{C}.memory.add(1).asInteger() == 42949672961",
    f"{C}.missing.isGreaterThan(quantity('1'))", f"has({C}.memory)", f"has({C}.missing)", f"'memory' in {C}",
    f"{C}.?missing.orValue(quantity('3')) == quantity('3')", "device.capacity['x.io'].bandwidth == quantity('10G')",
    "device.capacity['y.io'].bandwidth == quantity('10G')", "device.capacity.size() == 2", f"{C}.size() == 2",
    f"{C}.memory", f"{C}.memory.value == 3", f"{C}.memory + {C}.memory == quantity('80Gi')",
    "quantity('x') == quantity('1')", "isQuantity('1Gi')", "isQuantity('1Xi')", "quantity('1000m') == quantity('1')",
    "quantity('1Ki').asInteger() == 1024", "quantity('1e3').asInteger() == 1000", "sign(quantity('-1')) == -1",
    "sign(quantity('0')) == 0", "quantity('9223372036854775808').asInteger() > 0",
    "quantity('9223372036854775808').isInteger()", "quantity(3).asInteger() == 3",
    # versions
    f"{A}.firmware == semver('1.10.0-rc.1')", f"{A}.firmware.isGreaterThan(semver('1.9.0'))",
    f"{A}.firmware.isLessThan(semver('1.10.0'))", f"{A}.firmware.compareTo(semver('1.0.0')) > 0",
    f"{A}.firmware.major() == 1", f"{A}.firmware.minor() == 10", f"{A}.firmware.patch() == 0",
    f"{A}.firmware == '1.10.0-rc.1'", f"{A}.firmware > semver('1.0.0')", f"{A}.firmware", "semver('1.0')",
    "semver('1.0').major() == 1", "semver('v1.2', true).minor() == 2", "isSemver('1.2.3')", "isSemver('1.2')",
    "isSemver('v1.2', true)", "semver('01.2.3', true).major() == 1", "semver('1.2.3+build') == semver('1.2.3')",
    "semver('1.0.0-alpha').isLessThan(semver('1.0.0'))",
    "semver('1.0.0-alpha.1').isLessThan(semver('1.0.0-alpha.beta'))", f"{A}.gen.isGreaterThan(semver('1.0.0'))",
    f"type({A}.firmware) == semver", "type(quantity('1')) == quantity",
    # addresses and the like
    "ip('10.0.0.1').isLoopback()", "ip('127.0.0.1').isLoopback()", "ip('::1').family() == 6", "isIP('10.0.0.1')",
    "isIP('10.0.0')", "ip('10.0.0.x') == ip('10.0.0.1')", "ip.isCanonical('::1')",
    "ip('fe80::1').isLinkLocalUnicast()", "ip('224.0.0.1').isLinkLocalMulticast()", "ip('0.0.0.0').isUnspecified()",
    "ip('8.8.8.8').isGlobalUnicast()", "string(ip('10.0.0.1')) == '10.0.0.1'",
    "cidr('10.0.0.0/8').containsIP('10.1.1.1')", "cidr('10.0.0.0/8').containsIP(ip('11.1.1.1'))",
    "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')", "cidr('10.0.0.0/8').prefixLength() == 8",
    "isCIDR('10.0.0.0/33')", "cidr('10.0.0.0/8').ip() == ip('10.0.0.0')",
    "cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8')", "url('https://a.b:80/x?y=1').getPort() == '80'",
    "url('https://a.b/x').getHost() == 'a.b'", "isURL('a b')", "url('https://a.b/x?y=1').getQuery() == {'y': ['1']}",
    "'%s' == '%s'", "'%d'.format([3]) == '3'", "b'a' == b'a'",
    "timestamp('2026-01-01T00:00:00Z').getFullYear() == 2026", "duration('1h').getHours() == 1",
    "duration('x') == duration('1s')", "[1, 'a'].size() == 2", "1 == 1.0", "1 < 1.5", "1u < 2", "'a' < 'b'",
    "'a' < 1", "[1] + [2] == [1, 2]", "{'a': 1}.a == 1", "{'a': 1}['b'] == 1", "{'a': 1} == {'a': 1}",
    "[1, 2, 3].indexOf(3) == 2", "math.greatest(1, 2) == 2", "undefined(3)", "true ? 1 : 'a'", "true || 1 / 0 == 1",
    "1 / 0 == 1 || true", "1 / 0 == 1 && false", "int('9223372036854775807') + 1 > 0", "'a'.foo()",
    "r'\\d' == '\\\\d'", "'\\u2603' == '☃'", "\"\"\"a\"\"\" == 'a'", "0x10 == 16", "1e3 == 1000.0",
    "// comment\ntrue", "true // comment", "device . driver == 'x'", "in == 3", "as == 3", "has(device)", "has(1)",
    "[1,2].all(x, y, x < y)", "'a'.includes(1)", "1.includes(1)", "dyn(1).includes('a')", "dyn([1]).includes('a')",
    "dyn({'a': 1}).includes('a')", "[1].includes('a')", "1.5.includes(1.5)", "[true].includes(1)",
    "bool(string(device.driver))", "[1][dyn(2)] == 1", "[1][-1] == 1", "dyn(1.5)", "dyn([1])", "dyn({'a': 1})",
    "dyn(null)", "dyn(b'a')", "dyn(quantity('1'))", "quantity(device.driver).isInteger()",
    # what is written out and cannot be right; lists of mixed types; the device as a whole; what has more types here
    f"{A}.firmware != '1.10.0-rc.1'", f"{A}.gen == 4 && {A}.firmware == '1.2.0'",
    f"{A}.firmware == '1.2.0' && {A}.gen == 3", f"'1.2.0' == {A}.firmware", "[device].all(d, d.driver == 'gpu.example.com')",
    "[device, device].size() == 2", "device.driver == 'gpu.example.com' && device == device", "device.foo == 1",
    "['a', device.driver].exists(x, x == 'a')", "[1, 2].map(x, [x, 'a']).size() == 2",
    "[quantity('1'), quantity('2')].size() == 2", "[1, 2.0].size() == 2", "[1, 2u].size() == 2",
    "[dyn(1), 'a'].size() == 2", "[[1], [2]].size() == 2", "[[1], ['a']].size() == 2", "'x' in ['x', 1]",
    "'abc'.indexOf('c', 1) == 2", "'abc'.indexOf('c', 4) == 2", "'abca'.lastIndexOf('a', 2) == 0",
    "'abc'.lastIndexOf('a', 9) == 0", "'abc'.indexOf('') == 0", "'abc'.lastIndexOf('') == 3", "'abc'.indexOf('', 3) == 3",
    "['a', 'b', 'a'].lastIndexOf('a') == 2", "['a'].indexOf(1) == -1", "'a'.indexOf(1) == 2", "[1, 2].indexOf(3) == -1",
    f"{A}.model.indexOf('0', 3) == 3", f"{A}.nums.indexOf(3) == 1", f"{A}.names.lastIndexOf('z') == -1",
    "string(cidr('10.0.0.0/8')) == '10.0.0.0/8'", "string(ip('::1')) == '::1'", "string(1) == '1'", "string(1.5) == '1.5'",
    "'x'.matches('[[:alpha:]]')", "'x'.matches('(?=x)')", "matches('x', '[')", "device.driver.matches('(?i)GPU.*')",
    "timestamp('x') == timestamp('y')", "timestamp('2026-01-01T00:00:00Z') == timestamp('2026-01-01T00:00:00Z')",
    "int('x') == 1", "int('7') == 7", "uint('-1') == 1u", "double('x') == 1.0", "false && int('x') == 1",
    "bool('true')", "duration('1h') == duration('60m')", "false && duration('x') == duration('1s')",
    "'a'.find('[') == ''", "device.driver == 'x' ? [1, 'a'].size() == 2 : true",
]  # fmt: skip


def questions() -> list[dict[str, object]]:
    """Each expression about each device."""
    return [
        {"expression": expression, "driver": "gpu.example.com", "device": device}
        for expression in EXPRESSIONS
        for device in DEVICES.values()
    ]


if __name__ == "__main__":
    for question in questions():
        sys.stdout.write(json.dumps(question, ensure_ascii=False) + "\n")
