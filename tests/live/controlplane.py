#!/usr/bin/env python3
"""A real Kubernetes control plane on 127.0.0.1, for tests.

Starts etcd and kube-apiserver (and, when asked, kube-scheduler and
kube-controller-manager) from the folder in KUBEBUILDER_ASSETS, which build.sh
fills. There is no kubelet: nodes are only objects, and no container ever runs.

From a shell:

    python3 controlplane.py up --dir /tmp/cp --scheduler
    kubectl --kubeconfig /tmp/cp/kubeconfig get pods -A
    python3 controlplane.py down --dir /tmp/cp

From Python:

    with ControlPlane() as cp:
        cp.add_node("n1", cpu="4", memory="8Gi")
        cp.post("/api/v1/namespaces/default/pods", {...})

Only the standard library is used. Linux only (it reads /proc).
"""

import argparse
import base64
import contextlib
import http.client
import json
import os
import re
import secrets
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlencode

KUBE_VERSION = "1.37.2"
STATE = "state.json"
ETCD, APISERVER = "etcd", "kube-apiserver"
SCHEDULER, CONTROLLER_MANAGER = "kube-scheduler", "kube-controller-manager"

# What `controller_manager=True` runs. The node controllers are left out on
# purpose: without kubelets they would soon mark every node unreachable.
CONTROLLERS = (
    "deployment-controller",
    "replicaset-controller",
    "statefulset-controller",
    "daemonset-controller",
    "job-controller",
    "disruption-controller",
    "namespace-controller",
    "serviceaccount-controller",
    "garbage-collector-controller",
    "clusterrole-aggregation-controller",
    "resourceclaim-controller",
    "podgroup-protection-controller",
    "persistentvolume-binder-controller",
)

# user name -> groups. "viewer" has no rights until a test grants some.
USERS = {
    "admin": ("system:masters",),
    "viewer": (),
    "system:kube-scheduler": (),
    "system:kube-controller-manager": ("system:masters",),
}

# Only what people (or the program under test) ask for is written down.
AUDIT_POLICY = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived"],
    "rules": [
        {"level": "None", "userGroups": ["system:serviceaccounts", "system:unauthenticated"]},
        {"level": "None", "users": ["system:apiserver", "system:kube-scheduler", "system:kube-controller-manager"]},
        {"level": "Metadata"},
    ],
}


class ControlPlaneError(Exception):
    pass


class AssetsMissing(ControlPlaneError):
    """A binary is not built yet; a test suite may want to skip on this."""


class GaveUp(ControlPlaneError):
    """Something did not come about in time."""


class ApiError(ControlPlaneError):
    def __init__(self, status, body, what):
        self.status = status
        self.body = body
        self.reason = body.get("reason") if isinstance(body, dict) else None
        self.message = body.get("message") if isinstance(body, dict) else str(body)
        super().__init__(f"{what}: HTTP {status} {self.reason or ''}: {self.message}")


_CACHE = os.environ.get("XDG_CACHE_HOME", "")
"""Where the server is, before a test has a cache of its own."""


def default_assets():
    named = os.environ.get("KUBEBUILDER_ASSETS")
    if named:
        return Path(named)
    return (Path(_CACHE) if _CACHE else Path.home() / ".cache") / "kplan" / f"assets-{KUBE_VERSION}"


def have_assets(names=(ETCD, APISERVER), assets=None):
    folder = Path(assets) if assets else default_assets()
    return all(os.access(folder / n, os.X_OK) for n in names)


def wait_for(probe, timeout=30.0, interval=0.05, what="condition"):
    """Call probe() until it returns something true, and return that."""
    end = time.monotonic() + timeout
    while True:
        value = probe()
        if value:
            return value
        if time.monotonic() > end:
            raise GaveUp(f"gave up after {timeout:g} s waiting for {what}")
        time.sleep(interval)


# ---------------------------------------------------------------- processes


def _proc_stat(pid):
    """(state letter, start time in ticks) of a process, or None if it is gone."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    rest = text.rpartition(")")[2].split()
    return rest[0], int(rest[19])


def _alive(entry):
    """True if the recorded process still runs; a re-used pid does not count."""
    found = _proc_stat(entry["pid"])
    return found is not None and found[0] not in "ZX" and found[1] == entry["start"]


def _signal_group(entry, sig):
    if _alive(entry):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(entry["pid"], sig)


def _stop_entries(entries, grace, popens=None):
    """Ask the processes to stop, then make them. All in `entries` together."""
    popens = popens or {}

    def running():
        for entry in entries:
            child = popens.get(entry["pid"])
            if child is not None:
                child.poll()  # reap our own child, so it does not stay a zombie
        return [e for e in entries if _alive(e)]

    for sig, limit in ((signal.SIGTERM, grace), (signal.SIGKILL, 10.0)):
        for entry in running():
            _signal_group(entry, sig)
        end = time.monotonic() + limit
        while running() and time.monotonic() < end:
            time.sleep(0.02)
    return [e["name"] for e in running()]


def _stop_order(entries):
    """Clients first, then the API server, then its store."""
    return (
        [e for e in entries if e["name"] not in (APISERVER, ETCD)],
        [e for e in entries if e["name"] == APISERVER],
        [e for e in entries if e["name"] == ETCD],
    )


def _free_ports(count):
    held, ports = [], []
    try:
        for _ in range(count):
            s = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            s.bind(("127.0.0.1", 0))
            held.append(s)
            ports.append(s.getsockname()[1])
    finally:
        for s in held:
            s.close()
    return ports


def _tail(path, lines=15):
    try:
        return "\n".join(Path(path).read_text(errors="replace").splitlines()[-lines:])
    except FileNotFoundError:
        return ""


def _write(path, text, mode=0o600):
    """Write a file in one step, so that a reader never sees half of it."""
    path = Path(path)
    tmp = path.with_name(path.name + ".tmp")
    fd = os.open(tmp, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with os.fdopen(fd, "w") as f:
        f.write(text)
    tmp.replace(path)


def _ec_key_pem():
    """A new P-256 private key in the SEC 1 form, which needs no curve arithmetic.

    It signs the service-account tokens of one short-lived test cluster. The top
    bit is cleared, so that the number is surely below the order of the curve.
    """
    secret = bytearray(secrets.token_bytes(32))
    secret[0] &= 0x7F
    prime256v1 = bytes.fromhex("06082a8648ce3d030107")
    body = b"\x02\x01\x01" + b"\x04\x20" + bytes(secret)
    body += b"\xa0" + bytes([len(prime256v1)]) + prime256v1
    der = b"\x30" + bytes([len(body)]) + body
    text = base64.encodebytes(der).decode()
    return f"-----BEGIN EC PRIVATE KEY-----\n{text}-----END EC PRIVATE KEY-----\n"


def _drop_top_level(text, keys):
    """Remove top-level blocks (`key:` and what is indented under it) from YAML text."""
    out, dropping = [], False
    for line in text.splitlines():
        if line[:1] not in ("", " ", "\t", "#", "-"):
            dropping = line.split(":", 1)[0].strip().strip("'\"") in keys
        if not dropping:
            out.append(line)
    return "\n".join(out) + "\n"


def scheduler_config_text(config, kubeconfig):
    """A KubeSchedulerConfiguration that talks to this cluster, without leader election.

    `config` is None (defaults), a dict, or the path of a YAML or JSON file; its
    own clientConnection.kubeconfig and leaderElection are replaced.
    """
    text = None
    if config is None:
        config = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
    elif not isinstance(config, dict):
        text = Path(config).read_text()
        if text.lstrip().startswith("{"):
            config = json.loads(text)
            text = None
    if text is None:
        config = json.loads(json.dumps(config))
        config.setdefault("clientConnection", {})["kubeconfig"] = str(kubeconfig)
        config["leaderElection"] = {"leaderElect": False}
        return json.dumps(config, indent=1) + "\n"
    text = _drop_top_level(text, ("clientConnection", "leaderElection"))
    quoted = json.dumps(str(kubeconfig))
    return text + f"clientConnection:\n  kubeconfig: {quoted}\nleaderElection:\n  leaderElect: false\n"


# ------------------------------------------------------------- control plane


class ControlPlane:
    """One control plane in one folder. Use it as a context manager, or start()/stop()."""

    # What people and the program under test are led through: called with the control plane, gives something with
    # `url` and `close()`. Components, and request() below, go to the server itself. None for nothing in between.
    front = None

    def __init__(
        self,
        dir=None,
        *,
        assets=None,
        scheduler=False,
        controller_manager=False,
        feature_gates=None,
        runtime_config=None,
        service_account_admission=False,
        audit=True,
        apiserver_args=(),
        scheduler_args=(),
        controller_manager_args=(),
        start_timeout=90.0,
        stop_grace=5.0,
        guard=True,
    ):
        """
        dir                 folder for data, logs and kubeconfig; None makes a temporary one,
                            which stop() removes
        scheduler           False, True, or a scheduler configuration (path or dict)
        controller_manager  False, True (see CONTROLLERS), or a list of controller names
        feature_gates       dict name -> bool, given to every component
        runtime_config      dict such as {"scheduling.k8s.io/v1beta1": True}
        service_account_admission  keep the ServiceAccount admission plugin on; a namespace
                            then needs a service account "default" before pods can be made
        audit               write audit.log (or the path of a policy file of your own)
        guard               watch over this process: if it dies without stop(), the servers
                            are stopped all the same
        """
        self._own_dir = dir is None
        self.dir = Path(dir).resolve() if dir else None
        self.assets = Path(assets) if assets else default_assets()
        self.want_scheduler = scheduler
        self.want_controller_manager = controller_manager
        self.feature_gates = dict(feature_gates or {})
        self.runtime_config = dict(runtime_config or {})
        self.service_account_admission = service_account_admission
        self.audit = audit
        self.apiserver_args = list(apiserver_args)
        self.scheduler_args = list(scheduler_args)
        self.controller_manager_args = list(controller_manager_args)
        self.start_timeout = start_timeout
        self.stop_grace = stop_grace
        self.want_guard = guard
        self.timings = {}
        self.tokens = {}
        self.port = None
        self.etcd_url = None  # for a test that compacts the store
        self._front = None
        self._children = {}  # pid -> Popen
        self._entries = []  # what state.json says
        self._guard = None
        self._tls = None

    # -- life cycle

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *exc):
        self.stop()
        return False

    def start(self):
        began = time.monotonic()
        needed = [ETCD, APISERVER]
        needed += [SCHEDULER] if self.want_scheduler else []
        needed += [CONTROLLER_MANAGER] if self.want_controller_manager else []
        for name in needed:
            self._binary(name)
        self._prepare_dir()
        try:
            if self.want_guard:
                self._start_guard()
            self._start_core()
            if self.want_controller_manager:
                names = self.want_controller_manager
                self.start_controller_manager(None if names is True else names)
            if self.want_scheduler:
                config = self.want_scheduler
                self.start_scheduler(None if config is True else config)
        except BaseException:
            self.stop()  # the error text quotes the log
            raise
        self.timings["ready"] = time.monotonic() - began
        return self

    def stop(self):
        """Stop everything; safe to call twice. A temporary folder is removed."""
        if self._front is not None:
            self._front.close()
        left = []
        for group in _stop_order(self._entries):
            left += _stop_entries(group, self.stop_grace, self._children)
        if not left:
            for child in self._children.values():
                child.wait(10)  # it has ended; this reaps it
            self._entries = []
            self._children = {}
        if self.dir and self.dir.is_dir():
            self._save_state()
        if self._guard is not None:
            try:
                self._guard.stdin.write(b"stopped\n")
                self._guard.stdin.close()
            except OSError:
                pass
            try:
                self._guard.wait(10)
            except subprocess.TimeoutExpired:
                self._guard.kill()
                self._guard.wait()
            self._guard = None
        if left:
            raise ControlPlaneError(f"still running: {', '.join(left)}")
        if self._own_dir and self.dir:
            shutil.rmtree(self.dir, ignore_errors=True)
            self.dir = None  # a later start() makes a new one

    def stop_component(self, name):
        """Stop one process, for instance to see how a program copes without it."""
        mine = [e for e in self._entries if e["name"] == name]
        left = _stop_entries(mine, self.stop_grace, self._children)
        if left:
            raise ControlPlaneError(f"{name} did not stop")
        self._entries = [e for e in self._entries if e["name"] != name]
        self._save_state()

    @classmethod
    def attach(cls, dir):
        """Use a control plane that `up` started; stop() then stops it."""
        folder = Path(dir).resolve()
        try:
            state = json.loads((folder / STATE).read_text())
        except FileNotFoundError:
            raise ControlPlaneError(f"no control plane in {folder}") from None
        cp = cls(
            folder,
            assets=state["assets"],
            feature_gates=state["feature_gates"],
            runtime_config=state["runtime_config"],
            guard=False,
        )
        cp.port, cp.tokens = state["port"], state["tokens"]
        cp._entries = state["processes"]
        return cp

    def _binary(self, name):
        path = self.assets / name
        if not os.access(path, os.X_OK):
            raise AssetsMissing(f"{path} is missing: run build.sh first")
        return str(path)

    def _prepare_dir(self):
        if self.dir is None:
            self.dir = Path(tempfile.mkdtemp(prefix="kplan-live-"))
        self.dir.mkdir(parents=True, exist_ok=True)
        state = self.dir / STATE
        if state.exists():
            old = json.loads(state.read_text())
            if any(_alive(e) for e in old["processes"]):
                raise ControlPlaneError(f"a control plane already runs in {self.dir}")
        elif any(self.dir.iterdir()):
            raise ControlPlaneError(f"{self.dir} is not empty and holds no control plane")
        for sub in ("etcd", "certs", "logs"):
            shutil.rmtree(self.dir / sub, ignore_errors=True)
            (self.dir / sub).mkdir(mode=0o700)
        (self.dir / "audit.log").unlink(missing_ok=True)
        self.tokens = {user: secrets.token_hex(16) for user in USERS}
        self._save_state()
        rows = []
        for number, (user, groups) in enumerate(USERS.items()):
            row = f"{self.tokens[user]},{user},uid-{number}"
            rows.append(row + (f',"{",".join(groups)}"' if groups else ""))
        _write(self.dir / "tokens.csv", "\n".join(rows) + "\n")
        _write(self.dir / "sa.key", _ec_key_pem())

    def _save_state(self):
        _write(
            self.dir / STATE,
            json.dumps(
                {
                    "version": KUBE_VERSION,
                    "assets": str(self.assets),
                    "port": self.port,
                    "tokens": self.tokens,
                    "processes": self._entries,
                    "feature_gates": self.feature_gates,
                    "runtime_config": self.runtime_config,
                },
                indent=1,
            ),
        )

    def _spawn(self, name, args, label=None):
        label = label or name
        with (self.dir / "logs" / f"{label}.log").open("ab") as log:
            child = subprocess.Popen(
                [self._binary(name), *args],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self.dir,
                start_new_session=True,
            )
        self._children[child.pid] = child
        found = _proc_stat(child.pid)
        self._entries.append({"name": label, "pid": child.pid, "start": found[1] if found else 0})
        self._save_state()
        return child

    def _start_guard(self):
        self._guard = subprocess.Popen(
            [
                sys.executable,
                str(Path(__file__).resolve()),
                "_guard",
                str(self.dir),
                "remove" if self._own_dir else "keep",
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def _await(self, child, label, probe):
        """Wait for probe(); a process that ends first is an error with its log."""

        def step():
            if child.poll() is not None:
                raise ControlPlaneError(
                    f"{label} ended with code {child.returncode}:\n" + _tail(self.dir / "logs" / f"{label}.log")
                )
            return probe()

        try:
            wait_for(step, self.start_timeout, what=f"{label} to be ready")
        except GaveUp as e:
            raise GaveUp(f"{e}\n" + _tail(self.dir / "logs" / f"{label}.log")) from None

    def _start_core(self):
        for attempt in (1, 2, 3):
            try:
                return self._try_core()
            except ControlPlaneError as e:
                # another program may take a port between our look and the server's bind
                if "address already in use" not in str(e) or attempt == 3:
                    raise
                for group in _stop_order(self._entries):
                    _stop_entries(group, self.stop_grace, self._children)
                self._entries = []
                shutil.rmtree(self.dir / "etcd")
                (self.dir / "etcd").mkdir(mode=0o700)
                for log in (self.dir / "logs").iterdir():
                    log.unlink()

    def _try_core(self):
        began = time.monotonic()
        client, peer, self.port = _free_ports(3)
        client_url, peer_url = self.etcd_url, _ = f"http://127.0.0.1:{client}", f"http://127.0.0.1:{peer}"
        etcd = self._spawn(
            ETCD,
            [
                f"--data-dir={self.dir / 'etcd'}",
                "--name=kplan",
                f"--listen-client-urls={client_url}",
                f"--advertise-client-urls={client_url}",
                f"--listen-peer-urls={peer_url}",
                f"--initial-advertise-peer-urls={peer_url}",
                f"--initial-cluster=kplan={peer_url}",
                "--unsafe-no-fsync",
                "--log-level=warn",
            ],
        )
        args = [
            f"--etcd-servers={client_url}",
            "--bind-address=127.0.0.1",
            "--advertise-address=127.0.0.1",
            f"--secure-port={self.port}",
            f"--cert-dir={self.dir / 'certs'}",
            "--endpoint-reconciler-type=none",
            "--service-cluster-ip-range=10.0.0.0/24",
            "--allow-privileged=true",
            "--authorization-mode=RBAC",
            f"--token-auth-file={self.dir / 'tokens.csv'}",
            "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
            f"--service-account-key-file={self.dir / 'sa.key'}",
            f"--service-account-signing-key-file={self.dir / 'sa.key'}",
        ]
        if not self.service_account_admission:
            args.append("--disable-admission-plugins=ServiceAccount")
        if self.audit:
            policy = self.dir / "audit-policy.json"
            if self.audit is True:
                _write(policy, json.dumps(AUDIT_POLICY, indent=1))
            else:
                policy = Path(self.audit).resolve()
            args += [f"--audit-policy-file={policy}", f"--audit-log-path={self.dir / 'audit.log'}"]
        args += self._gates()
        if self.runtime_config:
            pairs = (f"{k}={str(v).lower()}" for k, v in self.runtime_config.items())
            args.append("--runtime-config=" + ",".join(pairs))
        # etcd need not answer first: the API server keeps trying
        self._tls = None
        api = self._spawn(APISERVER, args + self.apiserver_args)

        def ready():
            if etcd.poll() is not None:
                raise ControlPlaneError(
                    f"etcd ended with code {etcd.returncode}:\n" + _tail(self.dir / "logs" / "etcd.log")
                )
            return (
                self._answers("/readyz")
                and self._answers("/api/v1/namespaces/default")
                and self._answers("/api/v1/namespaces/kube-system")
            )

        self._await(api, APISERVER, ready)
        self._save_state()
        self._write_kubeconfigs()
        self.timings["apiserver"] = time.monotonic() - began

    def _gates(self):
        if not self.feature_gates:
            return []
        pairs = (f"{k}={str(v).lower()}" for k, v in self.feature_gates.items())
        return ["--feature-gates=" + ",".join(pairs)]

    def _answers(self, path):
        try:
            return self.request("GET", path, timeout=5)[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    # -- optional components

    def start_scheduler(self, config=None, *, name=SCHEDULER, args=()):
        """Run the real kube-scheduler until stop() or stop_component(name)."""
        began = time.monotonic()
        path = self.dir / f"{name}-config.yaml"
        kubeconfig = self.dir / "kube-scheduler.kubeconfig"
        _write(path, scheduler_config_text(config, kubeconfig))
        child, port = self._start_client(SCHEDULER, name, kubeconfig, [f"--config={path}", *self.scheduler_args, *args])
        self._await(child, name, lambda: _https_ok(port, "/readyz"))
        self.timings[name] = time.monotonic() - began

    def start_controller_manager(self, controllers=None, *, args=()):
        """Run the real kube-controller-manager with the named controllers."""
        began = time.monotonic()
        kubeconfig = self.dir / "kube-controller-manager.kubeconfig"
        names = list(controllers or CONTROLLERS)
        child, port = self._start_client(
            CONTROLLER_MANAGER,
            CONTROLLER_MANAGER,
            kubeconfig,
            [
                f"--kubeconfig={kubeconfig}",
                "--leader-elect=false",
                "--controllers=" + ",".join(names),
                f"--service-account-private-key-file={self.dir / 'sa.key'}",
                f"--root-ca-file={self.ca_file}",
                *self.controller_manager_args,
                *args,
            ],
        )
        self._await(child, CONTROLLER_MANAGER, lambda: _https_ok(port, "/healthz"))
        self.timings[CONTROLLER_MANAGER] = time.monotonic() - began

    def _start_client(self, binary, label, kubeconfig, args):
        port = _free_ports(1)[0]
        child = self._spawn(
            binary,
            [
                "--bind-address=127.0.0.1",
                f"--secure-port={port}",
                f"--cert-dir={self.dir / 'certs' / label}",
                f"--authentication-kubeconfig={kubeconfig}",
                f"--authorization-kubeconfig={kubeconfig}",
                "--authentication-skip-lookup=true",  # this cluster has no client CA to look up
                *self._gates(),
                *args,
            ],
            label,
        )
        for entry in self._entries:
            if entry["pid"] == child.pid:
                entry["port"] = port
        self._save_state()
        return child, port

    # -- how to reach it

    @property
    def url(self):
        return self._front.url if self._front is not None else self.own_url

    @property
    def own_url(self):
        return f"https://127.0.0.1:{self.port}"

    @property
    def ca_file(self):
        return self.dir / "certs" / "apiserver.crt"

    @property
    def kubeconfig(self):
        return self.dir / "kubeconfig"

    def kubeconfig_text(self, users, current, server=None):
        ca = base64.b64encode(self.ca_file.read_bytes()).decode()
        lines = [
            "apiVersion: v1",
            "kind: Config",
            f'current-context: "{current}"',
            "clusters:",
            "- name: kplan-live",
            "  cluster:",
            f"    server: {server or self.url}",
            f"    certificate-authority-data: {ca}",
            "contexts:",
        ]
        for u in users:
            lines += [
                f'- name: "{u}"',
                "  context:",
                "    cluster: kplan-live",
                f'    user: "{u}"',
                "    namespace: default",
            ]
        lines.append("users:")
        for u in users:
            lines += [f'- name: "{u}"', "  user:", f'    token: "{self.tokens[u]}"']
        return "\n".join(lines) + "\n"

    def _write_kubeconfigs(self):
        if type(self).front is not None:
            self._front = type(self).front(self)
        _write(self.kubeconfig, self.kubeconfig_text(("admin", "viewer"), "admin"))
        for component in (SCHEDULER, CONTROLLER_MANAGER):
            user = f"system:{component}"
            _write(self.dir / f"{component}.kubeconfig", self.kubeconfig_text((user,), user, self.own_url))

    # -- a small API client, so that a test needs no other package

    def request(
        self, method, path, body=None, *, user="admin", query=None, content_type="application/json", timeout=30
    ):
        """One request; returns (HTTP status, decoded JSON or text). Raises only on no answer."""
        if self._tls is None:
            if not self.ca_file.exists():
                raise ConnectionError("the API server has written no certificate yet")
            self._tls = ssl.create_default_context(cafile=str(self.ca_file))
        conn = http.client.HTTPSConnection("127.0.0.1", self.port, context=self._tls, timeout=timeout)
        headers = {"Accept": "application/json"}
        if user is not None:
            headers["Authorization"] = "Bearer " + self.tokens[user]
        data = None
        if body is not None:
            data = body if isinstance(body, (bytes, str)) else json.dumps(body)
            headers["Content-Type"] = content_type
        if query:
            path += ("&" if "?" in path else "?") + urlencode(query)
        try:
            conn.request(method, path, body=data, headers=headers)
            answer = conn.getresponse()
            raw = answer.read()
            if answer.headers.get_content_type() == "application/json":
                return answer.status, json.loads(raw)
            return answer.status, raw.decode(errors="replace")
        finally:
            conn.close()

    def _checked(self, method, path, body=None, **kw):
        status, out = self.request(method, path, body, **kw)
        if status >= 300:
            raise ApiError(status, out, f"{method} {path}")
        return out

    def get(self, path, **kw):
        return self._checked("GET", path, **kw)

    def post(self, path, body, **kw):
        return self._checked("POST", path, body, **kw)

    def put(self, path, body, **kw):
        return self._checked("PUT", path, body, **kw)

    def patch(self, path, body, **kw):
        kw.setdefault("content_type", "application/merge-patch+json")
        return self._checked("PATCH", path, body, **kw)

    def delete(self, path, body=None, **kw):
        return self._checked("DELETE", path, body, **kw)

    # -- helpers that stand in for the kubelet

    def create_namespace(self, name, labels=None):
        out = self.post("/api/v1/namespaces", {"metadata": {"name": name, "labels": dict(labels or {})}})
        if self.service_account_admission and not self._runs(CONTROLLER_MANAGER):
            self.post(f"/api/v1/namespaces/{name}/serviceaccounts", {"metadata": {"name": "default"}})
        return out

    def _runs(self, name):
        return any(e["name"] == name and _alive(e) for e in self._entries)

    def add_node(
        self,
        name,
        cpu="4",
        memory="8Gi",
        pods=110,
        *,
        labels=None,
        taints=(),
        extra=None,
        allocatable=None,
        unschedulable=False,
        ready=True,
    ):
        """Create a node that looks as if a kubelet had reported it.

        `extra` adds resources such as {"nvidia.com/gpu": "2"}; `allocatable` overrides
        single values of the allocatable map.
        """
        capacity = {
            "cpu": str(cpu),
            "memory": str(memory),
            "pods": str(pods),
            "ephemeral-storage": "100Gi",
            **(extra or {}),
        }
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        status = {
            "capacity": capacity,
            "allocatable": {**capacity, **(allocatable or {})},
            "addresses": [{"type": "Hostname", "address": name}],
            "conditions": [
                {
                    "type": "Ready",
                    "status": "True" if ready else "False",
                    "reason": "KubeletReady" if ready else "KubeletNotReady",
                    "message": "set by the test harness",
                    "lastHeartbeatTime": now,
                    "lastTransitionTime": now,
                }
            ],
        }
        path = f"/api/v1/nodes/{name}"
        self.post(
            "/api/v1/nodes",
            {
                "metadata": {
                    "name": name,
                    "labels": {
                        "kubernetes.io/hostname": name,
                        "kubernetes.io/os": "linux",
                        "kubernetes.io/arch": "amd64",
                        **(labels or {}),
                    },
                },
                "spec": {"unschedulable": True} if unschedulable else {},
            },
        )
        self.patch(path + "/status", {"status": status})
        # TaintNodesByCondition puts the not-ready taint on every new node. In a whole
        # cluster the node controller takes it away once the kubelet reports Ready.
        wanted = [dict(t) for t in taints]
        if not ready:
            wanted.append({"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"})
        if unschedulable:
            wanted.append({"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"})
        return self.patch(path, {"spec": {"taints": wanted or None}})

    def set_pod_running(self, namespace, name, ready=True):
        """Report a bound pod as running, as its kubelet would."""
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        value = "True" if ready else "False"
        return self.patch(
            f"/api/v1/namespaces/{namespace}/pods/{name}/status",
            {
                "status": {
                    "phase": "Running",
                    "startTime": now,
                    "conditions": [
                        {"type": t, "status": s, "lastTransitionTime": now}
                        for t, s in (
                            ("PodScheduled", "True"),
                            ("Initialized", "True"),
                            ("ContainersReady", value),
                            ("Ready", value),
                        )
                    ],
                }
            },
        )

    def finish_deletions(self, namespace=None):
        """Remove the pods that wait for a kubelet to confirm that they stopped."""
        base = f"/api/v1/namespaces/{namespace}/pods" if namespace else "/api/v1/pods"
        gone = []
        for pod in self.get(base)["items"]:
            meta = pod["metadata"]
            if meta.get("deletionTimestamp"):
                self.request(
                    "DELETE",
                    f"/api/v1/namespaces/{meta['namespace']}/pods/" + meta["name"],
                    {
                        "kind": "DeleteOptions",
                        "apiVersion": "v1",
                        "gracePeriodSeconds": 0,
                        "preconditions": {"uid": meta["uid"]},
                    },
                )
                gone.append(f"{meta['namespace']}/{meta['name']}")
        return gone

    def grant(self, user, rules, namespace=None, name=None):
        """Give a user RBAC rights, and wait until the API server applies them.

        `rules` is a list of PolicyRule dicts. Without a namespace: cluster-wide.
        """
        name = name or f"test-{user}-{secrets.token_hex(4)}"
        base = "/apis/rbac.authorization.k8s.io/v1"
        kind = "Role" if namespace else "ClusterRole"
        where = f"{base}/namespaces/{namespace}" if namespace else base
        self.post(f"{where}/{kind.lower()}s", {"metadata": {"name": name}, "rules": rules})
        self.post(
            f"{where}/{kind.lower()}bindings",
            {
                "metadata": {"name": name},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": name},
                "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}],
            },
        )
        rule = next((r for r in rules if r.get("resources")), None)
        if rule:
            resource, _, sub = rule["resources"][-1].partition("/")
            attributes = {
                "verb": rule["verbs"][-1],
                "group": rule["apiGroups"][-1],
                "resource": resource,
                "subresource": sub,
                "namespace": namespace or "",
            }
            if rule.get("resourceNames"):
                attributes["name"] = rule["resourceNames"][-1]
            wait_for(
                lambda: self.post(
                    "/apis/authorization.k8s.io/v1/subjectaccessreviews",
                    {"spec": {"user": user, "groups": ["system:authenticated"], "resourceAttributes": attributes}},
                )["status"]["allowed"],
                10,
                what="the new rights",
            )
        return name

    # -- what a test may want to look at

    def audit_events(self, user=None):
        """The audit log so far, oldest first, perhaps of one user only.

        Each event has verb, requestURI, objectRef, responseStatus.code, user.username.
        The API server writes an event before it sends the answer.
        """
        path = self.dir / "audit.log"
        if not path.exists():
            return []
        events = [json.loads(line) for line in path.read_text().splitlines() if line]
        return [e for e in events if user is None or e["user"].get("username") == user]

    def memory_mib(self):
        """Resident memory now and at its highest, in MiB, by process."""
        out = {}
        for entry in self._entries:
            if _alive(entry):
                text = Path(f"/proc/{entry['pid']}/status").read_text()
                out[entry["name"]] = tuple(
                    round(int(re.search(rf"^{key}:\s+(\d+) kB", text, re.M)[1]) / 1024) for key in ("VmRSS", "VmHWM")
                )
        return out

    def log(self, name, lines=50):
        return _tail(self.dir / "logs" / f"{name}.log", lines)


def _https_ok(port, path):
    """Is there a 200 at this path? The components' own certificates are not checked."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    conn = http.client.HTTPSConnection("127.0.0.1", port, context=context, timeout=5)
    try:
        conn.request("GET", path)
        return conn.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        conn.close()


# ----------------------------------------------------------------- command line


def _guard_main(folder, then):
    """Wait for the owner: a line means that it stopped all itself, an end without one
    that it died."""
    if sys.stdin.buffer.readline():
        return 0
    try:
        entries = json.loads((Path(folder) / STATE).read_text())["processes"]
    except (FileNotFoundError, ValueError):
        return 0
    for group in _stop_order(entries):
        _stop_entries(group, 5.0)
    if then == "remove":
        shutil.rmtree(folder, ignore_errors=True)
    return 0


def _pairs(values, convert):
    out = {}
    for value in values or ():
        for part in value.split(","):
            key, sep, text = part.partition("=")
            if not sep:
                raise SystemExit(f"controlplane: expected KEY=VALUE, not {part!r}")
            out[key] = convert(text)
    return out


def _true(text):
    if text.lower() not in ("true", "false"):
        raise SystemExit(f"controlplane: expected true or false, not {text!r}")
    return text.lower() == "true"


def main(argv=None):
    argv = sys.argv[1:] if argv is None else argv
    if argv[:1] == ["_guard"]:
        return _guard_main(*argv[1:])
    parser = argparse.ArgumentParser(
        prog="controlplane.py", description="A real Kubernetes control plane on 127.0.0.1."
    )
    sub = parser.add_subparsers(dest="command", required=True)
    up = sub.add_parser("up", help="start; the servers keep running until `down`")
    up.add_argument("--dir", required=True)
    up.add_argument("--scheduler", action="store_true", help="also run kube-scheduler")
    up.add_argument("--scheduler-config", metavar="FILE", help="its KubeSchedulerConfiguration (implies --scheduler)")
    up.add_argument("--controller-manager", action="store_true", help="also run kube-controller-manager")
    up.add_argument("--controllers", metavar="A,B", help="its controllers (implies --controller-manager)")
    up.add_argument("--feature-gates", action="append", metavar="A=true,B=false")
    up.add_argument("--runtime-config", action="append", metavar="GROUP/VERSION=true")
    up.add_argument("--service-account-admission", action="store_true")
    up.add_argument("--no-audit", action="store_true")
    up.add_argument(
        "--apiserver-arg",
        action="append",
        default=[],
        metavar="FLAG",
        help="one more flag for kube-apiserver, as --apiserver-arg=--FLAG=VALUE",
    )
    for name, text in (("down", "stop"), ("status", "say what runs")):
        one = sub.add_parser(name, help=text)
        one.add_argument("--dir", required=True)
        if name == "down":
            one.add_argument("--remove", action="store_true", help="remove the folder, too")
    args = parser.parse_args(argv)
    try:
        if args.command == "up":
            controllers = args.controllers.split(",") if args.controllers else None
            cp = ControlPlane(
                args.dir,
                scheduler=args.scheduler_config or args.scheduler,
                controller_manager=controllers or args.controller_manager,
                feature_gates=_pairs(args.feature_gates, _true),
                runtime_config=_pairs(args.runtime_config, str),
                service_account_admission=args.service_account_admission,
                audit=not args.no_audit,
                apiserver_args=args.apiserver_arg,
                guard=False,
            )
            cp.start()
            print(f"ready after {cp.timings['ready']:.1f} s: {cp.url}")
            print(f"export KUBECONFIG={cp.kubeconfig}")
        elif args.command == "down":
            cp = ControlPlane.attach(args.dir)
            cp.stop()
            if args.remove:
                shutil.rmtree(cp.dir)
            print("stopped")
        else:
            cp = ControlPlane.attach(args.dir)
            memory = cp.memory_mib()
            for entry in cp._entries:
                now = memory.get(entry["name"])
                print(f"{entry['name']}: " + (f"pid {entry['pid']}, {now[0]} MiB" if now else "not running"))
            return 0 if memory else 1
    except ControlPlaneError as e:
        print(f"controlplane: {e}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
