# Everything a user or a developer calls: run, test, check.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed

.PHONY: run quick test nightly check format clean

run: $(STAMP) ## the main job: job-shop heuristics with the built-in writer, about a minute
	$(BIN)/preceptor run jssp --method preceptor --option generations=4 --option tune_rollouts=1024

quick: $(STAMP)-dev ## for every save: what starts no process and takes no time
	$(BIN)/python -m pytest -n 2 -m "not slow and not nightly"

test: $(STAMP)-dev
	$(BIN)/python -m pytest -n auto

nightly: $(STAMP)-dev ## kills, a crowd, an outage, a cluster, compiled against Python: most of an hour
	$(BIN)/python -m pytest -m nightly

check: $(STAMP)-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(MAKE) test

format: $(STAMP)-dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache

.venv/bin/python:
	$(PYTHON) -m venv .venv

$(STAMP): pyproject.toml .venv/bin/python
	$(BIN)/pip install --quiet -e .
	touch $@

$(STAMP)-dev: pyproject.toml .venv/bin/python
	$(BIN)/pip install --quiet -e ".[dev]"
	touch $@ $(STAMP)
