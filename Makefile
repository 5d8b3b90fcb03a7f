# Two commands matter: `make book` and `make test`. `make help` lists them all.
# Every command that needs .venv makes it first. What has to be executed, tools/run.py knows.

.NOTPARALLEL:               # also under -j: two notebooks at once would disturb each other's timings
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

# The first Python that works and is 3.11 or 3.12, with all it takes to make a virtual environment.
# Where there is none, python3: the preflight then says in one line what is wrong.
# Another one:  make PYTHON=/path/to/python3.12 book
FITS := import sys, venv, ensurepip; sys.exit(sys.version_info[:2] not in [(3, 11), (3, 12)])
ifeq ($(origin PYTHON),undefined)
PYTHON := $(shell for p in python3.12 python3.11 python3; do \
            if "$$p" -c "$(FITS)" >/dev/null 2>&1; then echo "$$p"; exit; fi; done; echo python3)
endif

RUN    := .venv/bin/python
WISHES  = $(if $(ALL),--all) $(NAMES)
SHOWS   = $(if $(EDITION),--edition $(EDITION))

.DEFAULT_GOAL := help

.PHONY: help
help:        ## list these commands
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{ printf "%-16s %s\n", $$1, $$2 }'

.PHONY: book
book: .venv  ## execute and compare the pages that changed, build the site, say where it is (NAMES="measuring": only these pages)
	@$(RUN) tools/run.py test $(WISHES)
	@$(RUN) tools/website.py build $(SHOWS)

.PHONY: test
test: .venv  ## every test; of the slow tests, the pages and the site, what changed since it passed (ALL=1: all; NAMES="measuring": only these pages and their rules)
	@$(RUN) tools/suite.py test $(WISHES)

.PHONY: check
check: .venv ## in seconds: ruff, the quick tests, the rules for pages; executes no page
	@$(RUN) tools/suite.py check

.PHONY: site
site: .venv  ## build the site only, from the outputs that are in the pages (EDITION=instructor: with solutions, in _build/instructor)
	@$(RUN) tools/website.py build $(SHOWS)

.PHONY: serve
serve: .venv ## build the site, serve it on this machine, and build it again whenever a file changes
	@$(RUN) tools/website.py serve $(SHOWS)

.PHONY: students
students: .venv ## write the student edition of the exercises into _build/students (NAMES="compilers-exercises")
	@$(RUN) tools/students.py $(NAMES)

.PHONY: colab
colab: .venv ## write the notebooks for Colab into _build/colab, each complete in one file (NAMES="measuring"; TRY=1: run them with Colab's packages)
	@$(RUN) tools/colab.py $(if $(TRY),try,make) $(if $(TRY),$(WISHES),$(NAMES))

.PHONY: zip pdf links
zip: .venv   ## the site as one file, to unpack and open without a server
	@$(RUN) tools/offline.py zip
pdf: .venv   ## the whole book as one PDF, printed by Chromium
	@$(RUN) tools/offline.py pdf
links: .venv ## ask every address that the pages link to, politely (network; some minutes), into _build/links.json
	@$(RUN) tools/offline.py links

.PHONY: outputs
outputs: .venv ## on a quiet machine: execute stale pages, write their outputs and stamps (ALL=1, NAMES="measuring": also fresh ones)
	@$(RUN) tools/used_by.py
	@$(RUN) tools/run.py outputs $(WISHES)

.PHONY: machines
machines: .venv ## run pages as on other machines, into records/machines.json (NAMES="measuring" ON="older narrow busy small bare")
	@$(RUN) tools/machines.py $(if $(ON),--on "$(ON)") $(NAMES)

# No .venv: a machine with a GPU has a PyTorch of its own (GPU_PYTHON=/path/to/python3.12).
GPU_PYTHON ?= python3
.PHONY: gpu
gpu:         ## on a machine with a GPU: run the GPU sections of all lessons, into records/gpu-NAME.json (NAMES="gpu": only these)
	@$(GPU_PYTHON) tools/gpu.py $(NAMES)

# SUBMISSIONS, ROSTER and OUT may hold spaces; the rest are words. instructors/ tells more.
.PHONY: grade
grade: .venv ## grade a class in a sandbox (SUBMISSIONS=folder-or-zip ROSTER=export.csv OUT=folder ASSIGNMENT=compilers-exercises SEED=7)
	@$(if $(and $(SUBMISSIONS),$(OUT)),,echo "error: make grade SUBMISSIONS=folder-or-zip ROSTER=export.csv OUT=folder" >&2; exit 1)
	@$(RUN) tools/grade.py "$(SUBMISSIONS)" "$(OUT)" $(if $(ROSTER),--roster "$(ROSTER)") $(if $(COLUMN),--column "$(COLUMN)") \
	  $(if $(ASSIGNMENT),--assignment "$(ASSIGNMENT)") $(if $(SEED),--seed $(SEED)) $(if $(READ),--read "$(READ)") \
	  $(if $(SCALE),--scale) $(if $(GRADESCOPE),--gradescope) $(if $(PATIENCE),--patience $(PATIENCE)) $(if $(UNSAFE),--unsafe)

.PHONY: bench
bench: .venv ## measure the goals of the lessons, of `compare` and of the site, into _build/bench.json and bench_site.json
	@$(RUN) tools/bench.py
	@$(RUN) tools/bench_site.py

.PHONY: clean
clean:       ## remove what was generated (_build)
	@rm -rf _build

.PHONY: clean-all
clean-all: clean ## remove .venv too
	@rm -rf .venv build dist *.egg-info

# The preflight does nothing where .venv is finished, and says what this machine lacks.
.PHONY: .venv
.venv:
	@"$(PYTHON)" -c "" 2>/dev/null || { echo "error: no working Python here ($(PYTHON)): install 3.11 or 3.12"; exit 1; }
	@"$(PYTHON)" tools/preflight.py .venv
