# Everything below sets up what is missing first: .venv from requirements/, then the overlay in install/ (scripts/setup.sh).
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup demo test test-nightly robustness lint bench docs docs-figures papers paper-silva paper-meister paper-schappler paper-kumar paper-goncalves study clean distclean

# A ROS domain of this run's own and only this machine: no robot, and no other run, hears or disturbs it.
# exec: the command takes the shell's place, so that a signal to it reaches it.
domain := export ROS_DOMAIN_ID=$$(( $$$$ % 100 + 1 )) ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST; unset ROS_LOCALHOST_ONLY;
activate := . scripts/activate.sh;
pytest := python -m pytest
# One process of tests for each core, at most four: many wait for nodes.
workers := --numprocesses auto --maxprocesses 4 --dist worksteal

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' Makefile

setup: ## install everything into .venv, build the core and the ROS packages into install/
	@scripts/setup.sh

demo: setup ## play the care robot's published motion through ROS 2; prints a table, plots in out/demo/
	@$(activate) $(domain) exec python -m examples.demo

test: setup ## all tests but the long ones of test-nightly. Fewer: pytest -m "not slow and not ros"
	@$(activate) $(domain) exec $(pytest) $(workers)

test-nightly: setup ## all tests, with forty times as many random examples, new ones every time; the core's also under sanitizers; robustness in short
	@$(activate) scripts/test_sanitized.sh -q $(workers)
	@$(activate) $(domain) $(pytest) $(workers) --hypothesis-profile=nightly
	@$(activate) $(domain) cd test; exec python -m robustness --short

# One kind of fault, another seed, a longer soak: make robustness ROBUSTNESS="--only soak --seed 7 --soak-minutes 120"
robustness: setup ## faults given to nodes and library: a table of what was right, refused, wrong, died; about 50 minutes
	@$(activate) $(domain) cd test; exec python -m robustness $(ROBUSTNESS)

lint: ## ruff, mypy --strict on the library and the nodes, oldest Python, allowed import directions
	@scripts/setup.sh
	@$(activate) ruff check .; ruff format --check .; python -m mypy; \
	vermin --target=3.10- --violations --no-tips --quiet src scripts benchmark papers docs/*.py docs/generate test examples conftest.py; PYTHONPATH=".:$$PYTHONPATH" lint-imports --no-cache

bench: ## measure and print all timed figures; JSON in out/bench/
	@scripts/setup.sh bench
	@$(activate) $(domain) exec python benchmark/run.py

docs: ## the site in out/docs/, with its internal links checked
	@scripts/setup.sh docs
	@$(activate) sphinx-build -q -W --keep-going -b html docs out/docs; sphinx-build -q -W --keep-going -b linkcheck docs out/docs/linkcheck; \
	echo "Open out/docs/index.html"

docs-figures: setup ## make the pictures and tables of docs/generated/ anew
	@$(activate) exec python -m docs.generate

papers: paper-silva paper-meister paper-schappler paper-kumar paper-goncalves ## all papers: tables, figures

paper-silva: setup ## Silva & Adorno: Table II, Figures 1, 3, 4, 5, black boxes, three algebras; out/papers/
	@$(activate) exec python -m papers.modular_composition

paper-meister: setup ## Meister & Gutenkunst: Tables I, II, III, Figures 4 to 8, equations 1 to 39, gaits; out/papers/
	@$(activate) exec python -m papers.modular_robots

paper-kumar: setup ## Kumar et al.: equations 9 to 23, Figures 4, 5, 6 beside DeNOC, energies and MuJoCo; out/papers/
	@$(activate) exec python -m papers.four_bar_denoc

paper-schappler: setup ## Schappler et al.: Table 1, Figures 2, 3; three symbolic methods beside each other and MuJoCo; out/papers/
	@$(activate) exec python -m papers.closed_loop_elimination

paper-goncalves: setup ## Gonçalves et al.: Table 1, equations 5 to 25, Figures 2 to 6 beside MuJoCo, pendulum, sweep; out/papers/
	@$(activate) exec python -m papers.charmie_torso

study: setup ## the care robot's design study: loads of 53,235 torsos over a minute; report in out/study/report.md
	@$(activate) mkdir -p out; time python -m modular_dynamics study run config/charmie_study.yaml -o out/study; exec python -m modular_dynamics study report out/study

clean: ## remove everything that was built or written, except .venv
	@rm -rf build install log out docs/gallery docs/articles .mypy_cache .ruff_cache .hypothesis
	@find src test benchmark papers docs examples scripts -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
	@find src -name '*.egg-info' -type d -prune -exec rm -rf {} +

distclean: clean ## also remove .venv
	@rm -rf .venv
