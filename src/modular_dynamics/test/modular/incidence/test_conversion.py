"""Assembly -> incidence matrix -> assembly, and what no assembly has as its matrix."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from helpers.random_examples.assemblies import random_assembly
from helpers.random_examples.examples import some
from helpers.robots.module_types import own_types, port
from helpers.robots.paper_organism import DOCKING_TYPES, FACES, organism
from modular_dynamics import JointType, modular
from modular_dynamics.exceptions import AssemblyError, UnknownNameError
from modular_dynamics.modular import IncidenceMatrix, docking_type

build = modular.Assembly.from_incidence_matrix


def test_the_papers_organism_has_the_matrix_of_figure_5_and_the_matrix_is_the_organism():
    aim = organism().incidence_matrix()
    assert aim.matrix.tolist() == [list(row) for row in FACES]
    assert aim.docking_types == DOCKING_TYPES
    assert aim == IncidenceMatrix(FACES, "backbone", docking_types=DOCKING_TYPES)
    assert build(FACES, "backbone") == organism()
    assert build(aim) == organism()


@pytest.mark.parametrize("seed", some(range(100)))
def test_matrix_to_assembly_to_matrix_is_the_identity(seed):
    assembly = random_assembly(seed)
    aim = assembly.incidence_matrix()
    again = build(aim, types=assembly.types, mount=assembly.mount)
    assert again.incidence_matrix() == aim
    assert again.kinds == assembly.kinds
    assert again.dockings == assembly.dockings
    assert [{ring[:2], ring[2:4]} for ring in again.rings] == [
        {ring[:2], ring[2:4]} for ring in assembly.rings
    ]


def test_a_column_stands_where_its_docking_was_made_rings_among_them():
    square = modular.Assembly(base=("a", "backbone")).dock("a", 3, "b", 4, kind="block")
    square = square.dock("a", 2, "c", 5, kind="block").dock("b", 2, "d", 5, kind="scout")
    square = square.dock("d", 4, "c", 3).dock("d", 2, "e", 5, kind="slider")
    aim = square.incidence_matrix()
    assert len(square.rings) == 1
    assert aim.matrix[:, 3].tolist() == [0, 0, 3, 4, 0]
    assert aim.matrix[:, 4].tolist() == [0, 0, 0, 2, 5]
    assert build(aim).incidence_matrix() == aim


def test_rows_and_columns_in_any_order_are_the_same_robot():
    aim = organism().incidence_matrix()
    rows, columns = np.random.default_rng(0).permutation(9), np.random.default_rng(1).permutation(8)
    names = [f"v{row}" for row in rows]
    given = IncidenceMatrix(aim.matrix[rows][:, columns], ["backbone"] * 9, names, base="v0")
    mixed = build(given).incidence_matrix()
    back = [mixed.modules.index(name) for name in aim.modules]
    of_modules = {frozenset(zip(*pair, strict=True)) for pair in entries(aim.matrix)}
    assert {frozenset(zip(*pair, strict=True)) for pair in entries(mixed.matrix[back])} == of_modules
    assert mixed.base == "v0"


def entries(matrix):
    """Rows and faces of each column."""
    return [(np.flatnonzero(column).tolist(), column[column != 0].tolist()) for column in matrix.T]


def test_another_base_is_seen_from_there():
    aim = organism().incidence_matrix()
    other, turned = build(replace(aim, base="v4")), organism().with_base("v4")
    assert other.base == other.incidence_matrix().modules[0] == "v4"
    assert set(other.dockings) == set(turned.dockings)


def test_one_module_has_no_columns():
    alone = modular.Assembly(base=("v0", "scout"))
    aim = alone.incidence_matrix()
    assert aim.matrix.shape == (1, 0)
    assert build(aim) == build([[]], "scout") == alone


PAIR = [[3], [4]]
LINE = [[3, 0], [4, 3], [0, 4]]


@pytest.mark.parametrize(
    ("matrix", "kinds", "message"),
    [
        (
            [[3], [1]],
            "backbone",
            "column 'e1', face 3 of module 'v0' and face 1 .*: port 1 of module 'v1' cannot .* 2, 3, 4, 5",
        ),
        (PAIR, ["backbone", "wheel"], "unknown kind 'wheel' of module 'v1'; known: backbone, block"),
        (PAIR, ["wheel", "backbone"], "'wheel' of module 'v0'"),
        (
            IncidenceMatrix(LINE, "backbone", docking_types=["DP", "DS"]),
            None,
            "column 'e2', face 3 of module 'v1' and face 4 of module 'v2': .* 'DS'; 'DP' is right",
        ),
        (PAIR, None, "kinds are for a matrix of numbers"),
        (organism().incidence_matrix(), "backbone", "kinds are for a matrix of numbers"),
    ],
)
def test_what_no_assembly_has_is_named(matrix, kinds, message):
    with pytest.raises((AssemblyError, UnknownNameError), match=message):
        build(matrix, kinds)


# Docking types: Table II for Backbone and Scout, and what hinge axes decide elsewhere.


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
