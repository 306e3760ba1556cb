"""Examples of each command, as its help shows them; tests take every one apart."""

from __future__ import annotations

EXAMPLES: dict[str, tuple[tuple[str, str], ...]] = {
    "explain pod": (
        ("kplan explain pod -A", "every pod that waits, by cause"),
        ("kplan explain pod db-2 -n shop", "one of them: why, and what would help"),
        ("kplan explain pod db-2 -n shop --fix 1", "the command or patch of the first remedy"),
        ("kplan explain pod db-2 -n shop --add-node like=node-b,count=1", ""),
    ),
    "explain node": (("kplan explain node node-a", "what it refuses, and what wins over it"),),
    "nodes": (
        ("kplan nodes --sort-by full", "the fullest first"),
        ("kplan nodes --devices", "devices, free and used, by pool and class"),
    ),
    "diff": (
        ("kplan diff 1.36 1.37", "what an upgrade moves"),
        ("kplan diff before.json.gz after.json.gz", "two snapshots"),
    ),
    "simulate": (
        ("kplan simulate", "what becomes of all that waits"),
        ("kplan simulate deploy.yaml", "and of a manifest, after it"),
        ("helm template . | kplan simulate -", "of a chart"),
        ("kplan simulate --drain node-a --scale deploy/shop/web=5", ""),
    ),
    "capacity": (
        ("kplan capacity deploy/shop/web", "how many more fit"),
        ("kplan capacity app.yaml --replicas 20", "do 20, and how many nodes would it take"),
    ),
    "moves": (("kplan moves shop/db-2 --save moves.yaml", "and simulate --scenario moves.yaml"),),
    "pack": (("kplan pack --keep-free 15%", "which nodes could go, in which order"),),
    "drain": (
        ("kplan drain node-a", "can it go, and where does each pod land"),
        ("kplan drain node-a node-b --rolling", "one after the other, each back before the next"),
        ("kplan drain node-a --then-delete", "and where its pods land once it is deleted"),
        ("kplan drain --find", "which nodes could go at all"),
    ),
    "fail": (
        ("kplan fail node-a", "what its loss comes to, and when"),
        ("kplan fail --each zone", "each zone by itself"),
    ),
    "sweep": (("kplan sweep scenarios.yaml -j 4", "many at once"),),
    "check": (
        ("kplan check deploy/ --snapshot cluster.json.gz", "exit 1: something does not fit"),
        ("kplan check deploy/ --survive zone --headroom 10%", ""),
        ("kplan check deploy/ -o junit=kplan.xml -o sarif=kplan.sarif", ""),
    ),
    "snapshot": (
        ("kplan snapshot cluster.json.gz", "of the current context"),
        ("kplan snapshot away.json.gz --redact --redact-map home.json", ""),
        ("kplan snapshot --every 1h --keep 48 snapshots/", ""),
    ),
    "bind": (
        ("kplan bind -n shop", "shows what would be bound"),
        ("kplan bind -n shop --save-plan plan.json", "then --plan plan.json --apply"),
    ),
    "config": (("kplan config --config scheduler.yaml", "what that scheduler runs"),),
}
"""By command: command lines, each with what it is for; empty where that is plain."""
