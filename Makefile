# What contributors run; CONTRIBUTING.md says when. `make check` sets itself up on a fresh clone.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: check test ci format

check: $(VENV)/.made  ## format, lint, types, layers and unit tests; under a minute once set up
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -n auto tests/unit

test: $(VENV)/.made  ## the whole default suite, in parallel
	$(BIN)/python -m pytest -n auto

format: $(VENV)/.made
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

ci:  ## everything, in a fresh copy and a fresh environment
	bash .ci/run

$(VENV)/.made: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -e '.[dev]'
	touch $@
