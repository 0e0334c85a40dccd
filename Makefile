# Every command does its own set-up. The environment is .venv; it is made again when a pin or a dependency changes.
# ORRERY_TORCH_INDEX=URL takes torch from another wheel index (a CPU or another CUDA build).

PYTHON ?= python3
BIN := .venv/bin
TORCH_VERSION := $(shell sed -n 's/^torch==//p' constraints.txt)
TORCH_INDEX := $(if $(ORRERY_TORCH_INDEX),--index-url $(ORRERY_TORCH_INDEX))
# Node and the tools of package.json read the page's scripts and style sheets; nothing of theirs is served.
PAGE_TOOLS := PATH="$(CURDIR)/$(BIN):$$PATH" node_modules/.bin
# Preact, its signals and htm as the one file that every page imports.
VENDORED := frontend/page/vendor/preact
BUNDLE := $(PAGE_TOOLS)/esbuild $(VENDORED).ts --bundle --format=esm --target=es2022 --minify --legal-comments=none
# Two at a time, whole files together, in the order of tests/conftest.py: the tests are made for two cores.
PYTEST := $(BIN)/python -m pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder
SYSTEM_PACKAGES := chromium-headless-shell fonts-dejavu-core libegl1 libegl-mesa0 libgl1-mesa-dri


GUARDRAIL := .venv-guardrail

.PHONY: install guardrail serve test test-slow pocket-test robot-minute studio-opening studio-screens tuning-demonstration vendor check format clean system-packages

install: .venv/installed

.venv/installed: pyproject.toml packages/pocket/pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt setuptools wheel
	@$(BIN)/python -c 'import torch' 2>/dev/null || echo "Installing torch $(TORCH_VERSION): 0.2 GB as a CPU build, about 3 GB as a CUDA build."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(TORCH_INDEX) torch==$(TORCH_VERSION)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation -c constraints.txt \
	  -e '.[engine,backend,frontend,robot,agents,dev]' -e packages/pocket
	@# The meshes of the simulated arm; its own dependencies are an older MuJoCo and a gym.
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -c constraints.txt gym-hil
	@# A policy's client, for the tests; it wants a NumPy of before 2, and works with ours.
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -c constraints.txt openpi-client
	@touch $@

# NVIDIA's guardrail in an environment of its own; its models are gated: ask for nvidia/Cosmos-1.0-Guardrail, set HF_TOKEN.
guardrail: $(GUARDRAIL)/installed
	@echo "Start it with $(GUARDRAIL)/bin/python -m guardrail, then orrery serve --guardrail-url http://127.0.0.1:7861"

$(GUARDRAIL)/installed: guardrail/requirements.txt
	@test -x $(GUARDRAIL)/bin/python || $(PYTHON) -m venv $(GUARDRAIL)
	@echo "Installing cosmos-guardrail with a torch and torchvision of its own: about 3 GB as CUDA builds."
	$(GUARDRAIL)/bin/python -m pip install --quiet --disable-pip-version-check $(TORCH_INDEX) -r $<
	@touch $@

serve: install
	@$(BIN)/orrery serve --robot simulated

test: install system-packages
	$(PYTEST) -m 'not slow and not gpu'

test-slow: install system-packages pocket-test
	$(PYTEST) -m 'slow and not gpu'

# How the pocket is made, quick and slow.
pocket-test: install
	$(PYTEST) -m 'not gpu' packages/pocket/tests

# Two cores, a page, an image job and the simulated arm for a minute: the table of docs/robot-safety.md.
robot-minute: install system-packages
	PYTHONPATH=.:tests $(BIN)/python tests/robot_minute.py

# Two cores, a browser and 10,000 artefacts: how soon each page can be used.
studio-opening: install system-packages
	PYTHONPATH=.:tests $(BIN)/python tests/studio_opening.py

# A new colour, a new kind of question and corrected recordings, each learnt by the pocket: the figures of docs/tuning.md.
tuning-demonstration: install
	PYTHONPATH=.:tests $(BIN)/python -m tuning_demonstration colours questions policy

# Every page, light and dark, desktop and phone: the pictures in docs/screens and the clips in docs/clips, some minutes.
studio-screens: install system-packages
	PYTHONPATH=.:tests $(BIN)/python tests/studio_screens.py

node_modules/installed: package.json .venv/installed
	PATH="$(CURDIR)/$(BIN):$$PATH" npm install --silent --no-package-lock --no-audit --no-fund
	@touch $@

# Again after another version stands in package.json; LICENSES.txt by hand.
vendor: node_modules/installed
	$(BUNDLE) > $(VENDORED).js

check: install node_modules/installed
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright
	$(BIN)/lint-imports
	$(PAGE_TOOLS)/biome ci --error-on-warnings
	$(PAGE_TOOLS)/tsc
	$(BUNDLE) | cmp - $(VENDORED).js

format: install node_modules/installed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(PAGE_TOOLS)/biome check --write

# The browser tests need Chromium. As root this installs it; otherwise it says how, and those tests say so too.
system-packages:
	@if command -v chromium-headless-shell >/dev/null 2>&1; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $(SYSTEM_PACKAGES) >/dev/null; \
	else echo "The browser tests need Chromium: sudo apt-get install $(SYSTEM_PACKAGES)"; exit 1; fi

clean:
	rm -rf .venv node_modules .pytest_cache .ruff_cache .hypothesis .import_linter_cache *.egg-info packages/pocket/*.egg-info
