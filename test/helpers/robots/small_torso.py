"""A torso with the care robot's topology and other numbers."""

import warnings

import numpy as np

import modular_dynamics as md
from helpers.robots.urdf_text import inertial, joint, loop_joint, robot, spring

ORIGIN, X, Z = (0, 0, 0), (1, 0, 0), (0, 0, 1)
R4, R5 = np.radians(-7.0), np.radians(-4.0)  # leaning of the actuators
LIFT, PITCH = np.array([0.01, 0.0, 0.29]), np.array([0.0, 0.012, 0.43])
LOW4, LOW5 = np.array([0.015, 0.08, 0.155]), np.array([-0.02, -0.07, 0.01])
TOP4 = LOW4 + 0.48 * np.array([0.0, np.sin(R4), np.cos(R4)]) - LIFT
TOP5 = LOW5 + 0.40 * np.array([0.0, np.sin(R5), np.cos(R5)]) - PITCH
HINGES = {"r": np.array([0.25, 0.003, 0.341]), "l": np.array([-0.24, -0.004, 0.345])}
PINS = {"r": np.array([-0.15, 0.0, 0.01]), "l": np.array([0.14, 0.0, -0.01])}


def link(name, mass=0.0, com=(0, 0, 0), inertia=(0, 0, 0, 0, 0, 0)):
    """Inertia: xx, yy, zz, xy, xz, yz."""
    if mass == 0.0:
        return f'<link name="{name}"/>'
    xx, yy, zz, xy, xz, yz = inertia
    return f'<link name="{name}">{inertial(mass, com, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])}</link>'


def small_torso_text():
    parts = [
        link("world"),
        link("body_3", 30.0, (0.01, -0.02, 0.15), (1.2, 1.3, 1.6, 0.011, 0.003, -0.05)),
        link("body_4", 7.0, (0.02, 0.01, 0.2), (0.12, 0.17, 0.09, 0.002, -0.001, -0.007)),
        link("body_5", 5.0, (-0.01, 0.015, 0.25), (0.08, 0.08, 0.03, 0.0023, -0.0002, 0.005)),
        link("arm", 2.0, (0.0, 0.1, -0.2), (0.02, 0.021, 0.005, 0.001, 0.0, 0.002)),
        joint("base_yaw", "revolute", "world", "body_3", ORIGIN, axis=Z, limits=(-4, 4)),
        joint("torso_lift", "prismatic", "body_3", "body_4", LIFT, axis=Z, limits=(-1, 1)),
        joint("torso_pitch", "revolute", "body_4", "body_5", PITCH, axis=(-1, 0, 0), limits=(-1, 1)),
        joint("shoulder", "revolute", "body_5", "arm", (0.2, 0.0, 0.4), axis=(0.6, 0, 0.8), limits=(-4, 4)),
    ]
    tags = []
    for k, base, tip, low, top, lean, length in (
        (4, "body_3", "body_4", LOW4, TOP4, R4, 0.48),
        (5, "body_4", "body_5", LOW5, TOP5, R5, 0.40),
    ):
        tube, rod = f"act{k}_tube", f"act{k}_rod"
        parts += [link(tube), link(rod)]
        parts.append(joint(f"act{k}_pivot", "revolute", base, tube, low, (-lean, 0, 0), X))
        parts.append(joint(f"act{k}", "prismatic", tube, rod, (0, 0, length), axis=Z))
        tags.append(loop_joint(f"act{k}_pin", "revolute", (rod, ORIGIN), (tip, top), X))
    for side, sign in (("r", 1), ("l", -1)):
        lever, block = f"body_4s{side}", f"s{side}t4_block"
        slot = HINGES[side] + PINS[side] - LIFT
        parts += [link(lever), link(block)]
        parts.append(joint(f"j{side}4", "revolute", "body_3", lever, HINGES[side], axis=(0, sign, 0)))
        parts.append(joint(f"s{side}t4_slide", "prismatic", "body_4", block, slot, axis=(sign, 0, 0)))
        tags.append(loop_joint(f"s{side}t4", "revolute", (lever, PINS[side]), (block, ORIGIN), (0, 1, 0)))
        anchors = ("body_3", (sign * 0.2, HINGES[side][1], 0.16)), (lever, (sign * 0.07, 0.0, -0.05))
        tags.append(spring(f"s{side}4", anchors, 1380.0, 0.1055, 27.1))
    anchors = ("body_4", (0.05, -0.09, 0.3)), ("body_5", (0.05, -0.07, -0.04))
    tags.append(spring("s5", anchors, 1029.0, 0.077, 15.1))
    passive = "torso_lift torso_pitch act4_pivot act5_pivot jr4 jl4 srt4_slide slt4_slide"
    tags += [f'<passive joint="{name}"/>' for name in passive.split()]
    return robot("small_torso", parts, tags)


def load(source):
    """A graph; the warnings of links without mass at the ends of chains are expected."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.ModelWarning)
        return md.load_urdf(source)
