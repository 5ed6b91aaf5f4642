"""Docking types: Table II for Backbone and Scout, and what hinge axes decide elsewhere."""

from itertools import product

import numpy as np
import pytest

from helpers.robots.module_types import own_types, port
from modular_dynamics import JointType, modular
from modular_dynamics.modular import docking_type

TYPES = {**modular.shipped_types(), **own_types()}
#: Table II.
SERIAL = {(2, 2), (2, 5), (5, 2), (5, 5)}
PARALLEL = {(3, 3), (3, 4), (4, 3), (4, 4)}
ORTHOGONAL = {(2, 3), (2, 4), (3, 2), (3, 5), (4, 2), (4, 5), (5, 3), (5, 4)}


def type_of(a, face, b, other, turn=0):
    a, b = (TYPES.get(kind, kind) for kind in (a, b))
    return docking_type(a, a.port(face), b, b.port(other), turn)


@pytest.mark.parametrize("kinds", product(["backbone", "scout"], repeat=2))
def test_table_2(kinds):
    found = {"DS": set(), "DP": set(), "DO": set()}
    for pair in product([2, 3, 4, 5], repeat=2):
        found[type_of(kinds[0], pair[0], kinds[1], pair[1])].add(pair)
    assert found == {"DS": SERIAL, "DP": PARALLEL, "DO": ORTHOGONAL}


@pytest.mark.parametrize("turn", [1, 2, 3])
def test_a_quarter_turn_makes_parallel_axes_orthogonal_and_leaves_the_others(turn):
    for pair in SERIAL:
        assert type_of("backbone", pair[0], "backbone", pair[1], turn) == "DS"
    for pair in ORTHOGONAL:
        assert type_of("backbone", pair[0], "backbone", pair[1], turn) == "DO"
    for pair in PARALLEL:
        assert type_of("backbone", pair[0], "scout", pair[1], turn) == ("DP" if turn == 2 else "DO")


@pytest.mark.parametrize("kind", ["block", "slider", "telescope", "arm"])
def test_kinds_without_one_hinge_have_none(kind):
    other = next(iter(TYPES[kind].ports.values())).number
    assert type_of("backbone", 3, kind, other) == "-"
    assert type_of(kind, other, "backbone", 3) == "-"


def hinged(axis, origin=(0.0, 0.0, 0.0)):
    """A kind of two bodies with a hinge, and ports in front and behind."""
    axis = np.array(axis) / np.linalg.norm(axis)
    joint = modular.ModuleJoint("hinge", JointType.CONTINUOUS, "base", "lid", axis, np.array(origin))
    ports = [port("a", 1, "base", (-0.05, 0, 0), (-1, 0, 0)), port("b", 2, "lid", (0.05, 0, 0), (1, 0, 0))]
    bodies = {name: modular.ModuleBody(name, 1.0) for name in ("base", "lid")}
    return modular.ModuleType("hinged", bodies, (joint,), {p.name: p for p in ports}, "base")


@pytest.mark.parametrize(
    ("axis", "origin", "expected"),
    [
        ((0, 1, 0), (0.0, 0.0, 0.0), "DP"),
        ((0, -2, 0), (0.0, 3.0, 0.0), "DP"),
        ((0, 1, 0), (-0.1, 5.0, 0.0), "DS"),  # 0.1 m behind its frame's origin: on the Backbone's axis
        ((0, 1, 0), (-0.1, 0.0, 0.01), "DP"),
        ((1, 0, 3), (0.0, 0.0, 0.0), "DO"),  # axes that do not meet can be orthogonal too
        ((1, 1, 0), (0.0, 0.0, 0.0), "-"),
        ((0.0, 1.0, 1e-9), (0.0, 0.0, 0.0), "DP"),  # rounded numbers in a file
        ((0.0, 1.0, 1e-4), (0.0, 0.0, 0.0), "-"),
    ],
)
def test_the_hinge_axes_decide(axis, origin, expected):
    kind = hinged(axis, origin)
    front = port("front", 3, "cube", (0.05, 0, 0), (1, 0, 0))
    assert docking_type(TYPES["backbone"], front, kind, kind.ports["a"], 0) == expected
    assert docking_type(kind, kind.ports["a"], TYPES["backbone"], front, 0) == expected
