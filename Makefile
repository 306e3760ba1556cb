# Needs make and Python 3.11 or newer; everything else goes into .venv, from requirements-dev.lock.
#   make demo    what kplan shows, on a cluster that comes with it
#   make test    all tests
#   make check   what CI runs: format, lint, types, layers, generated docs, tests

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
RUN := $(BIN)/python
READY := $(VENV)/ready
UV := uv==0.13.9
PEX := pex==2.105.2
CYCLONEDX := cyclonedx-bom==7.5.0
SITE := mkdocs-material==9.8.2
PIP := $(RUN) -m pip --disable-pip-version-check --quiet
VERSIONS := 134 135 136
ORACLES := tests/oracle/kporacle $(VERSIONS:%=tests/oracle/v%/kporacle) tests/oracle/schedbench


.DEFAULT_GOAL := help
.PHONY: help setup demo test shown fuzz test-live test-faults test-browser check format lint types layers docs-check docs site readme schema-release check-goldens fmt conformance bench record oracle goldens lock dist single sbom clean

help:
	@sed -n 's/^#   //p' Makefile

setup: $(READY)

# Everything comes from the lock, by hash; kplan itself is built with what was locked.
$(READY): requirements-dev.lock pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info; v >= (3, 11) or sys.exit("kplan needs Python 3.11 or newer, this is %d.%d; try make PYTHON=python3.12" % v[:2])'
	@test -x $(RUN) || $(PYTHON) -m venv $(VENV)
	@echo "setting up $(VENV)"
	@$(PIP) install --require-hashes --requirement requirements-dev.lock
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

demo: $(READY)
	@$(BIN)/kplan demo

# What tests show would help is kept in build/shown, and carried out once they have run (tests/questions/shown.py).
test: $(READY)
	@$(RUN) -m pytest -n auto -p tests.questions.shown --shown build/shown

# What the last make test has kept, carried out once more.
shown: $(READY)
	@$(RUN) -m tests.questions.shown build/shown

check: format lint types layers docs-check test

# Mutated inputs for ten minutes, or as long as SECONDS says; what breaks is shown with the number that makes it again.
fuzz: $(READY)
	@$(RUN) -m tests.hostile.fuzz --count $(or $(COUNT),100000) --seconds $(or $(SECONDS),3600) --seed $(or $(SEED),1)

# Against a real API server, which is built first if it is not there: some minutes, and Go.
test-live: $(READY)
	@tests/live/build.sh
	@KPLAN_REQUIRE_LIVE=1 $(RUN) -m pytest tests/live

# kplan bind through twelve kinds of fault on a real API server, RUNS of each: half an hour for a hundred.
test-faults: $(READY)
	@tests/live/build.sh
	@$(RUN) -m tests.live.drawn_faults --runs $(or $(RUNS),100) --keep tests/live/drawn_faults.json

# The HTML report in a headless Chromium, which has to be there: apt-get install chromium.
test-browser: $(READY)
	@CI=true $(RUN) -m pytest tests/browser

format: $(READY)
	@$(BIN)/ruff format --check --quiet . || { $(BIN)/ruff format --check .; exit 1; }

lint: $(READY)
	@$(BIN)/ruff check --quiet .

types: $(READY)
	@$(BIN)/mypy --no-error-summary

layers: $(READY)
	@$(BIN)/lint-imports --no-cache > $(VENV)/layers.log || { cat $(VENV)/layers.log; exit 1; }

docs-check: $(READY)
	@$(RUN) -m docs.generate --check

docs: $(READY)
	@$(RUN) -m docs.generate

# The site, of docs/, into build/site; its generator comes into a .venv of its own.
site: docs
	@test -x build/mkdocs/bin/mkdocs || $(PYTHON) -m venv build/mkdocs
	@build/mkdocs/bin/python -m pip --quiet --disable-pip-version-check install '$(SITE)'
	@build/mkdocs/bin/mkdocs build --strict --quiet

# Run the examples of the README again and write down what they print.
readme: $(READY)
	@$(RUN) -m tests.test_readme

fmt: $(READY)
	@$(BIN)/ruff check --fix --quiet .
	@$(BIN)/ruff format --quiet .

# At a release: write down the schemas of what -o json writes, which later changes are held against.
schema-release: $(READY)
	@$(RUN) -m tests.test_schema_compat

# The golden files of kplan check in every format: look at what changes.
check-goldens: $(READY)
	@$(RUN) -m tests.render.sample

# The whole corpus, with what is not covered yet: a table by theme and version.
conformance: $(READY)
	@$(RUN) -m tests.conformance.report

bench: $(READY)
	@$(RUN) -m tests.bench.page

# What every command prints, into build/record: before a change and after it, to be compared.
record: $(READY)
	@$(RUN) -m tests.record build/record -j 2

# The real scheduler, as programs that answer cases: needs Go 1.26 or newer and some minutes.
oracle: $(ORACLES)

tests/oracle/v%/kporacle: $(wildcard tests/oracle/*.go) tests/oracle/v%/go.mod tests/oracle/v%/go.sum
	cd tests/oracle && go build -modfile=v$*/go.mod -tags k$* -o v$*/kporacle .

tests/oracle/kporacle: $(wildcard tests/oracle/*.go) tests/oracle/go.mod tests/oracle/go.sum
	cd $(@D) && go build -o kporacle .

# Ask them again about every case of the corpus.
goldens: $(READY) $(ORACLES)
	@$(RUN) -m tests.conformance.goldens

lock: $(READY)
	@$(PIP) install '$(UV)'
	@$(BIN)/uv pip compile pyproject.toml --group dev --all-extras --universal --python-version 3.11 --generate-hashes \
		--upgrade --quiet --custom-compile-command 'make lock' --output-file requirements-dev.lock

# What a release consists of, made twice and compared: wheel, sdist, Homebrew formula, krew manifest.
dist: $(READY)
	@$(RUN) -m release.dist --twice $(if $(HOME_URL),--home $(HOME_URL))

# The same as one file, for hosts without pip that have this minor of Python and this platform.
single: $(READY)
	@$(RUN) -m release.dist >/dev/null
	@$(PIP) install --upgrade --target build/pex '$(PEX)'
	@$(RUN) -m release.pins > build/pins.txt
	@PYTHONPATH=build/pex $(RUN) -m pex dist/kplan-*.whl --script kplan --constraints build/pins.txt --use-pip-config \
		--output-file "dist/$$($(RUN) -m release.pins --name)"

# Everything that an installation consists of, in CycloneDX.
sbom: $(READY)
	@$(RUN) -m release.dist >/dev/null
	@$(PYTHON) -m venv --clear build/cyclonedx
	@build/cyclonedx/bin/python -m pip --quiet --disable-pip-version-check install '$(CYCLONEDX)'
	@$(RUN) -m release.pins > build/pins.txt
	@$(PYTHON) -m venv --clear build/installed
	@build/installed/bin/python -m pip --quiet --disable-pip-version-check install --constraint build/pins.txt dist/kplan-*.whl
	@build/cyclonedx/bin/cyclonedx-py environment --output-reproducible --pyproject pyproject.toml \
		--output-file dist/kplan.cdx.json build/installed

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find kplan tests docs -name __pycache__ -type d -exec rm -rf {} +

tests/oracle/schedbench: tests/oracle/bench/main.go
	@cd tests/oracle && go build -o schedbench ./bench
