# Two commands matter: `make book` and `make test`. `make help` lists them all.
# A command that needs .venv makes it first; make itself knows which notebooks have to be executed.

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

RUN       := .venv/bin/python
VENV      := .venv/finished
HELPERS   := $(wildcard d2l_helpers/*.py d2l_helpers/*.c d2l_helpers/*.csv)
NOTEBOOKS := $(shell "$(PYTHON)" tools/preflight.py pages 2>/dev/null)
MARKS     := $(NOTEBOOKS:chapters/%.ipynb=_build/tested/%.ok)

.DEFAULT_GOAL := help

.PHONY: help
help:        ## list these commands
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{ printf "%-16s %s\n", $$1, $$2 }'

.PHONY: book
book: tested ## test the notebooks that changed, build the site, say where it is
	@$(RUN) tools/site.py build

.PHONY: test
test: $(VENV) ## run every test: helpers, tools, all notebooks (executed and compared), site
	@built=yes; $(RUN) tools/site.py build || built=no; \
	$(RUN) -m pytest --nbval tests/helpers tests/tools tests/notebooks $(NOTEBOOKS) tests/site; status=$$?; \
	if [ $$built = no ]; then echo "The site was not built: the lines above the tests say why."; exit 1; fi; \
	exit $$status

.PHONY: site
site: $(VENV) ## build the site only, from the outputs that are in the notebooks
	@$(RUN) tools/site.py build

.PHONY: serve
serve: site  ## build the site, serve it on this machine and open it
	@$(RUN) tools/site.py serve

.PHONY: outputs
outputs: $(VENV) ## execute stale notebooks, write their outputs and stamps (ALL=1, NAMES="measuring": also fresh ones)
	@$(RUN) tools/notebooks.py outputs $(if $(ALL),--all) $(NAMES)

.PHONY: bench
bench: $(VENV) ## measure the goals of the lessons and of `compare`, into _build/bench.json
	@$(RUN) tools/notebooks.py bench

.PHONY: clean
clean:       ## remove what was generated (_build)
	@rm -rf _build

.PHONY: clean-all
clean-all: clean ## remove .venv too
	@rm -rf .venv build dist *.egg-info

# --- how: each rule below makes one thing

.PHONY: preflight
preflight:
	@"$(PYTHON)" -c "" 2>/dev/null || { echo "error: no working Python here ($(PYTHON)): install 3.11 or 3.12"; exit 1; }
	@"$(PYTHON)" tools/preflight.py check

# The mark `finished` is written last, so an interrupted .venv is made again.
$(VENV): requirements.txt pyproject.toml | preflight
	@"$(PYTHON)" tools/preflight.py install .venv

# A notebook is executed when it, the helper module or .venv is newer than the mark of its last success.
# Make collects those that are due; one run then executes them in turn, and a failure does not stop the rest.
.PHONY: tested
tested: start-of-list $(MARKS)
	@if [ -s _build/tested/due ]; then $(RUN) tools/notebooks.py test --marks _build/tested $$(cat _build/tested/due); \
	else echo "All notebooks passed before, and nothing has changed since."; fi

.PHONY: start-of-list
start-of-list: $(VENV)
	@mkdir -p _build/tested && : > _build/tested/due

$(MARKS): _build/tested/%.ok: chapters/%.ipynb $(HELPERS) $(VENV) | start-of-list
	@echo $* >> _build/tested/due
