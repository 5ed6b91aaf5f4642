"""A graph that was read back differently is noticed, whatever differs."""

from dataclasses import replace

import numpy as np
import pytest

import modular_dynamics as md
from helpers.paths import ROBOTS
from modular_dynamics.algebra import from_xyz_rpy
from modular_dynamics.model import Limits
from modular_dynamics.urdf.writing import difference

STEP = from_xyz_rpy([1e-6, 0, 0], [0, 0, 0])


def first(items, **fields):
    """The items, the first one with other fields."""
    return (replace(items[0], **fields), *items[1:])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda g: replace(g, name="other"), "the name"),
        (lambda g: replace(g, gravity=np.array([0, 0, -9.8])), "gravity"),
        (lambda g: replace(g, passive_joints=()), "passive joints"),
        (lambda g: g.with_independent_joints(g.joint_names[-1]), "the independent joints"),
        (lambda g: replace(g, joints=first(g.joints, limits=Limits(-2.0, 3.0))), "joint '"),
        (lambda g: replace(g, joints=first(g.joints, armature=0.1)), "joint '"),
        (
            lambda g: replace(g, joints=first(g.joints, x_parent_joint=STEP * g.joints[0].x_parent_joint)),
            "joint '",
        ),
        (lambda g: replace(g, joints=first(g.joints, axis=-g.joints[0].axis)), "joint '"),
        (lambda g: g.with_payload(g.links[-1], mass=1e-6), "mass or inertia of body"),
        (
            lambda g: replace(g, bodies=first(g.bodies, inertia=g.bodies[0].inertia * (1 + 1e-8))),
            "mass or inertia",
        ),
        (lambda g: replace(g, bodies=first(g.bodies, com=g.bodies[0].com + 1e-8)), "centre of mass"),
        (lambda g: replace(g, loop_joints=g.loop_joints[1:]), "would be lost"),
        (lambda g: replace(g, loop_joints=first(g.loop_joints, type="universal")), "loop joint '"),
        (lambda g: replace(g, gears=g.gears[1:]), "would be lost"),
        (lambda g: replace(g, gears=first(g.gears, ratio=7.0)), "the gear of joint"),
        (lambda g: replace(g, springs=first(g.springs, stiffness=7.0)), "spring '"),
        (lambda g: replace(g, subsystems=first(g.subsystems, name="other")), "would be lost"),
        (lambda g: replace(g, subsystems=first(g.subsystems, black_box=True)), "subsystem '"),
    ],
)
def test_a_difference_is_named(change, words):
    graph = md.load_urdf(ROBOTS / "exoskeleton.urdf")
    other = change(graph)
    assert words in difference(graph, other)
    assert difference(other, graph)
    assert not difference(graph, graph)
    assert not difference(other, other)


def test_what_is_there_in_addition_is_named():
    graph = md.load_urdf(ROBOTS / "exoskeleton.urdf")
    assert difference(replace(graph, springs=()), graph).endswith("would be read back")
