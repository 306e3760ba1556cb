#!/usr/bin/env bash
# What a stranger does with kplan, on a machine that has never seen it: a fresh clone, the README's commands, completion
# in the shells that are here, and the wheel on each Python with the oldest and the newest dependencies that it allows.
#   tests/stranger.sh [PYTHON...]        python3 and every python3.11 and newer on PATH, if none is named
# It ends with 0 and one line, or with what failed. A Python newer than NEWEST for which a dependency has no wheel yet is
# named and passed over.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work/home XDG_CACHE_HOME=$work/cache
mkdir -p "$HOME"
NEWEST=14 # the newest minor of Python that every dependency has a wheel for
unset KPLAN_SNAPSHOT KUBECONFIG VIRTUAL_ENV PYTHONPATH

say() { printf '%s\n' "stranger: $*"; }
fail() { printf '%s\n' "stranger: FAILED: $*" >&2; exit 1; }
has() { grep -q -- "$2" <<<"$1" || fail "$3: no \"$2\" in: $(head -c 400 <<<"$1")"; }

pythons=("$@")
if [ ${#pythons[@]} -eq 0 ]; then
  pythons=(python3)
  for minor in 11 12 13 14 15; do
    command -v "python3.$minor" >/dev/null && "python3.$minor" -c '' 2>/dev/null && pythons+=("python3.$minor")
  done
fi

say "a fresh clone, and the README's first command"
git -c safe.directory='*' clone --quiet "$root" "$work/clone"
cd "$work/clone"
demo=$(make --no-print-directory demo)
has "$demo" "PENDING\|BLOCKED\|PARTLY" "make demo"

say "a wheel and an sdist, twice the same bytes"
made=$(make --no-print-directory dist)
has "$made" "the same bytes" "make dist"
wheel=$(echo dist/kplan-*.whl)

check() { # ENVIRONMENT: the commands of the first five minutes
  local kplan=$1/bin/kplan data
  has "$("$kplan" --version)" "^kplan " "--version"
  data=$("$1/bin/python" -c 'import kplan, pathlib; print(pathlib.Path(kplan.__file__).parent / "data" / "demo.yaml")')
  has "$("$kplan" explain pod shop/db-2 --snapshot "$data")" "^PENDING" "explain"
  has "$("$kplan" nodes --snapshot "$data")" "^NODES" "nodes"
  has "$("$kplan" drain node-b --snapshot "$data" || true)" "^BLOCKED" "drain"
  has "$("$kplan" simulate --snapshot "$data" -o html || true)" "<!doctype html>" "html"
  has "$("$1/bin/kubectl-plan" --help)" "Usage" "kubectl plan"
  written "$kplan" "$data"
}

# The same bytes on every Python and with every set of dependencies.
written() { # KPLAN DATA
  local told
  cp "$2" "$work/demo.yaml"
  told=$(
    for words in "explain pod -A" "nodes" "simulate" "drain node-b" "fail --each node" "sweep --fail-each zone" "pack"; do
      # shellcheck disable=SC2086  # words of a command
      "$1" $words --snapshot "$work/demo.yaml" -o json || true
    done | sha256sum
  )
  [ "${same:-$told}" = "$told" ] || fail "$1 writes other bytes than the Python before it"
  same=$told
}

floors() { # ENVIRONMENT MINOR: of each dependency that pyproject.toml names, the oldest version that it allows is there
  "$1/bin/python" - "$2" <<'PYTHON'
import re, sys
from importlib.metadata import requires, version
number = lambda text: [int(part) for part in re.findall(r"\d+", text)]
for line in requires("kplan"):
    if "extra ==" in line:
        continue
    name, floor = re.match(r"([\w.-]+).*?>=([\d.]+)", line).groups()
    have, least = number(version(name)), number(floor)
    same = have[: len(least)] == least
    # on a newer Python the oldest version may have no wheel
    if have < least or (sys.argv[1] == "11" and not same):
        sys.exit(f"{name} {version(name)}, where {floor} is the oldest allowed")
    print(name, version(name), end="; ")
PYTHON
}

for python in "${pythons[@]}"; do
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || continue
  named=$("$python" -c 'import platform; print(platform.python_version())')
  minor=$("$python" -c 'import sys; print(sys.version_info.minor)')
  for which in newest oldest; do
    env=$work/$minor-$which
    say "the wheel on Python $named with the $which dependencies"
    "$python" -m venv --clear "$env"
    "$env/bin/python" -m pip install --quiet --disable-pip-version-check uv
    if ! "$env/bin/uv" pip install --quiet --python "$env/bin/python" --only-binary :all: \
      --resolution "$([ $which = newest ] && echo highest || echo lowest)" "$wheel" 2>"$work/install.log"; then
      [ "$minor" -gt "$NEWEST" ] || fail "install on $named with the $which: $(cat "$work/install.log")"
      say "  passed over, as a dependency has no wheel for it: $(grep -o "for .*(v[^)]*)" "$work/install.log" | tail -1)"
      break
    fi
    [ $which = newest ] || { said=$(floors "$env" "$minor") || fail "oldest on $named"; say "  ${said%; }"; }
    check "$env"
    good=$env
  done
done

say "completion"
for shell in bash zsh fish; do
  command -v "$shell" >/dev/null || { say "  no $shell here"; continue; }
  script=$("$good/bin/kplan" completion "$shell") || fail "completion $shell"
  printf '%s\n' "$script" >"$work/completion.$shell"
  "$shell" -n "$work/completion.$shell" || fail "completion $shell is no $shell"
done
if command -v bash >/dev/null; then
  got=$(cd "$work" && PATH=$good/bin:$PATH bash -c '
    source completion.bash
    COMP_WORDS=(kplan dra) COMP_CWORD=1 COMPREPLY=()
    $(complete -p kplan | sed -n "s/.*-F \([^ ]*\) .*/\1/p") kplan
    printf "%s\n" "${COMPREPLY[@]}"')
  has "$got" "^drain" "completion in bash"
fi
say "all went well"
