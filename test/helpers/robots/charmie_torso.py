"""The care robot's torso: its table of parameters, its published motion, its strokes."""

from math import cos, hypot, radians, sin

import numpy as np
import yaml

from helpers.paths import ROBOTS

TABLE = yaml.safe_load((ROBOTS / "generators" / "charmie_torso_parameters.yaml").read_text())
MOTION = yaml.safe_load((ROBOTS.parent / "config" / "charmie_torso_motion.yaml").read_text())
PIVOT = 0.434  # of body 5 on body 4, Table 1
LIFT = 0.29  # of body 4 on body 3 at the zero pose, Table 1
TIMES = np.linspace(0.0, 5.0, 51)
SMOOTH = np.linspace(0.01, 4.99, 50)  # all along the motion, with no jump between neighbours 4 ms away
TORSO = ("act4", "act5")


def motion(graph, t):
    """The published motion (Goncalves et al., section 2): independent q, v, vdot at t."""
    a = np.array([MOTION["accelerations"][name] for name in graph.independent_joint_names])
    if t < 2.5:
        return -0.5 * t * t * a, -t * a, -a
    s = t - 2.5
    return (-3.125 - 2.5 * s + 0.5 * s * s) * a, (s - 2.5) * a, a


def of(graph, name, vector):
    """The entry of one independent joint."""
    return vector[graph.independent_joint_names.index(name)]


def strokes(graph, count):
    """Coordinates all over the strokes of act4 and act5, everything else at zero."""
    limits = [graph.joint(name).limits for name in TORSO]
    for a in np.linspace(limits[0].lower, limits[0].upper, count):
        for b in np.linspace(limits[1].lower, limits[1].upper, count):
            q = np.zeros(19)
            q[[graph.independent_joint_names.index(name) for name in TORSO]] = a, b
            yield q


def lengths(lift, pitch):
    """Lengths of act4, act5 and the springs sr4, s5 at torso coordinates: plane geometry of the table."""
    actuators, lever, s5 = TABLE["actuators"], TABLE["lever"], TABLE["springs"]["s5"]

    def end(table):
        angle = radians(table["angle"])
        return table["lower"][1] + table["length"] * sin(angle), table["lower"][2] + table["length"] * cos(
            angle
        )

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
