"""Module types of several bodies that can be entered at any of them; and modules in a row."""

import numpy as np

from modular_dynamics import JointType, modular
from modular_dynamics.algebra import from_rotation_translation
from modular_dynamics.model import Limits


def port(name, number, body, xyz, normal, up=(0, 0, 1)):
    """A port that fits those of the shipped modules."""
    z, x = np.array(normal, float), np.array(up, float)
    rotation = np.column_stack([x, np.cross(z, x), z])
    return modular.Port(name, number, body, from_rotation_translation(rotation, xyz), "h", "dock")


def body(name, mass, com, seed):
    """A body with an inertia that no axis is principal of, drawn as a cylinder and a sphere."""
    half = np.random.default_rng(seed).normal(size=(3, 3)) * 0.02
    moments = half @ half.T
    inertia = mass * (np.trace(moments) * np.eye(3) - moments)
    tilted = from_rotation_translation(np.eye(3), com)
    shapes = (
        modular.Shape("cylinder", (0.02, 0.1), tilted, (0.2, 0.4, 0.6, 1.0)),
        modular.Shape("sphere", (0.03,)),
    )
    return modular.ModuleBody(name, mass, np.array(com), inertia, shapes)


def telescope():
    """A slide between two bodies, with ports at both."""
    slide = modular.ModuleJoint(
        "slide",
        JointType.PRISMATIC,
        "stator",
        "slider",
        np.array([1.0, 0.0, 0.0]),
        np.array([0.01, 0.0, 0.02]),
        Limits(-0.1, 0.2, 50.0, 0.4),
        damping=0.3,
        friction=0.2,
        armature=0.05,
    )
    ports = [
        port("back", 4, "stator", (-0.045, 0, 0), (-1, 0, 0)),
        port("side", 2, "stator", (0, 0.045, 0), (0, 1, 0)),
        port("front", 3, "slider", (0.135, 0, 0), (1, 0, 0)),
    ]
    bodies = [body("stator", 0.7, [0.01, 0.02, 0.0], 1), body("slider", 0.4, [0.09, -0.01, 0.01], 2)]
    return modular.ModuleType(
        "telescope", {b.name: b for b in bodies}, (slide,), {p.name: p for p in ports}, "stator"
    )


def arm():
    """Three bodies in a row: an elbow without a range, and a wrist about an oblique axis."""
    elbow = modular.ModuleJoint(
        "elbow", JointType.CONTINUOUS, "upper", "fore", np.array([0.0, 0.0, 1.0]), np.array([0.1, 0.0, 0.0])
    )
    wrist = modular.ModuleJoint(
        "wrist",
        JointType.REVOLUTE,
        "fore",
        "hand",
        np.array([0.6, 0.0, 0.8]),
        np.array([0.2, 0.0, 0.0]),
        Limits(None, None, 3.0, None),
        damping=0.01,
    )
    ports = [
        port("shoulder", 4, "upper", (0, 0, 0), (-1, 0, 0)),
        port("middle", 1, "fore", (0.15, 0.03, 0), (0, 1, 0)),
        port("grip", 3, "hand", (0.25, 0, 0), (1, 0, 0), (0, 1, 0)),
    ]
    bodies = [
        body("upper", 0.5, [0.05, 0.01, 0.0], 3),
        body("fore", 0.4, [0.15, 0.0, 0.01], 4),
        body("hand", 0.2, [0.22, 0.0, 0.0], 5),
    ]
    return modular.ModuleType(
        "arm", {b.name: b for b in bodies}, (elbow, wrist), {p.name: p for p in ports}, "fore"
    )


def own_types():
    """Both, by name."""
    return {kind.name: kind for kind in (telescope(), arm())}


def chain(count, kind="backbone", **options):
    """Modules v0, v1, ... in a row along x."""
    assembly = modular.Assembly(("v0", kind), **options)
    for k in range(1, count):
        assembly = assembly.dock(f"v{k - 1}", 3, f"v{k}", 4, kind=kind)
    return assembly
