# Everything below sets up what is missing first: .venv from requirements/, then the overlay in install/ (scripts/setup.sh).
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup demo test lint bench exoskeleton-table torso-reactions torso-figure clean distclean

# A ROS domain of this run's own and only this machine: no robot, and no other run, hears or disturbs it.
# exec: the command takes the shell's place, so that a signal to it reaches it.
domain := export ROS_DOMAIN_ID=$$(( $$$$ % 100 + 1 )) ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST; unset ROS_LOCALHOST_ONLY;
activate := . scripts/activate.sh;
pytest := python -m pytest -p no:cacheprovider

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' Makefile

setup: ## only the set-up: .venv and the overlay in install/
	@scripts/setup.sh

demo: setup ## play the care robot's published motion through ROS 2; table here, plots in out/demo/
	@$(activate) $(domain) exec python -m modular_dynamics_ros.demo

test: setup ## all tests; the kernels' also without the compiler
	@$(activate) $(domain) NUMBA_DISABLE_JIT=1 $(pytest) -q src/modular_dynamics/test/kernels; exec $(pytest)

lint: setup ## ruff, mypy --strict on the library, import directions
	@$(activate) ruff check .; ruff format --check .; python -m mypy; PYTHONPATH=".:$$PYTHONPATH" lint-imports --no-cache

bench: ## timed figures; nothing else prints them
	@scripts/setup.sh bench
	@$(activate) $(domain) exec python benchmark/run.py

exoskeleton-table: setup ## operations of three symbolic methods for closed loops, beside the published ones
	@$(activate) exec python -m benchmark.studies.exoskeleton_methods

torso-reactions: setup ## the care robot's torso: the paper's sharing of reactions beside the general solution
	@$(activate) exec python -m benchmark.studies.torso_reactions

torso-figure: setup ## the care robot's torso: reactions on body 3 over the motion, ours over MuJoCo's, in out/torso/
	@$(activate) exec python -m benchmark.studies.torso_figure

clean: ## remove what was built or written, but not .venv
	@rm -rf build install log out .mypy_cache .ruff_cache .hypothesis
	@find src test benchmark launch urdf scripts -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
	@find src -name '*.egg-info' -type d -prune -exec rm -rf {} +

distclean: clean ## also remove .venv
	@rm -rf .venv
