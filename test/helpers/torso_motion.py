"""The care robot's torso along its published motion, for tests."""

import yaml

from benchmark.studies.torso_curves import instants
from helpers.tree_strategies import ROBOTS
from modular_dynamics.closure.reactions.rule_reader import read_rules

URDF = (ROBOTS / "charmie_torso.urdf").read_text()
RULES = read_rules(ROBOTS / "charmie_torso_rules.yaml")
MOTION = yaml.safe_load((ROBOTS.parent / "config" / "charmie_torso_motion.yaml").read_text())
TIMES = instants(MOTION, 101)  # both sides of the jump among them
EQUILIBRIUM = 1e-9  # N and N m, of forces of some 500 N
SAME = 1e-11  # N and N m between two codes: their rounding, 100 ulps of 545 N
