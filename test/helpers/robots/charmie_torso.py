"""The care robot's torso: its table of parameters, its published motion, its strokes."""

from itertools import product
from math import cos, hypot, radians, sin

import numpy as np
import yaml

from helpers.paths import ROBOTS
from modular_dynamics.loops import read_rules
from papers.charmie_torso.reactions import motion_at
from papers.charmie_torso.torso_mujoco import instants

URDF = (ROBOTS / "charmie_torso.urdf").read_text()
RULES = read_rules(ROBOTS / "charmie_torso_rules.yaml")
TABLE = yaml.safe_load((ROBOTS / "generators" / "charmie_torso_parameters.yaml").read_text())
MOTION = yaml.safe_load((ROBOTS.parent / "config" / "charmie_torso_motion.yaml").read_text())
PIVOT = 0.434  # of body 5 on body 4, Table 1
LIFT = 0.29  # of body 4 on body 3 at the zero pose, Table 1
TIMES = np.linspace(0.0, 5.0, 51)
INSTANTS = instants(MOTION, 101)  # both sides of the jump among them
TORSO = ("act4", "act5")
EQUILIBRIUM = 1e-9  # N and N m, of forces of some 500 N
SAME = 1e-11  # N and N m between two codes: their rounding, 100 ulps of 545 N


def motion(graph, t):
    """The published motion (Goncalves et al., section 2): independent q, v, a at t."""
    return motion_at(MOTION, graph, t)


def of(graph, name, vector):
    """The entry of one independent joint."""
    return vector[graph.independent_joint_names.index(name)]


def strokes(graph, count):
    """Coordinates all over the strokes of act4 and act5, everything else at zero."""
    limits = [graph.joint(name).limits for name in TORSO]
    for pair in product(*(np.linspace(limit.lower, limit.upper, count) for limit in limits)):
        q = np.zeros(19)
        q[[graph.independent_joint_names.index(name) for name in TORSO]] = pair
        yield q


def lengths(lift, pitch):
    """Lengths of act4, act5 and the springs sr4, s5 at torso coordinates: plane geometry of the table."""
    actuators, lever, s5 = TABLE["actuators"], TABLE["lever"], TABLE["springs"]["s5"]

    def end(table):
        (_, y, z), length, angle = table["lower"], table["length"], radians(table["angle"])
        return y + length * sin(angle), z + length * cos(angle)

    def leaning(y, z):  # a point of body 5, seen from body 4
        return y * cos(pitch) + z * sin(pitch), PIVOT - y * sin(pitch) + z * cos(pitch)

    act4, act5 = actuators["act4"], actuators["act5"]
    y4, z4 = end(act4)
    y5, z5 = end(act5)
    y5, z5 = leaning(y5, z5 - PIVOT)
    ys, zs = leaning(*s5["body_5"][1:])
    raised = np.arcsin((LIFT + lift + lever["slot_height"] - 0.341) / lever["pin_arm"])
    arm, angle = lever["spring_arm"], radians(lever["spring_angle"]) + raised
    x, z = 0.245 + arm * cos(angle), 0.341 - arm * sin(angle)
    return np.array(
        [
            hypot(y4 - act4["lower"][1], z4 + lift - act4["lower"][2]),
            hypot(y5 - act5["lower"][1], z5 - act5["lower"][2]),
            hypot(x - lever["anchor"][0], z - lever["anchor"][2]),
            hypot(ys - s5["body_4"][1], zs - s5["body_4"][2]),
        ]
    )
