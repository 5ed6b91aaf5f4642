"""Rings: which joints are independent, where they close, and what is said where they do not."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.oracles.saddle_point import SaddlePoint, assert_moves_as_pinocchio_allows
from helpers.robots.module_types import chain
from modular_dynamics import modular
from modular_dynamics.exceptions import AssemblyError, StateError


def loop(count, kind="backbone", **options):
    """Modules in a row along x, docked at both ends."""
    return chain(count, kind, **options).dock(f"v{count - 1}", 3, "v0", 4)


def square(kind, other=None):
    """Four modules in a square, closed at zero."""
    other = other or kind
    return (
        modular.Assembly(("v0", kind))
        .dock("v0", 3, "v1", 4, kind=other)
        .dock("v1", 2, "v2", 5, kind=kind)
        .dock("v2", 4, "v3", 3, kind=other)
        .dock("v3", 5, "v0", 2)
    )


@pytest.mark.parametrize("count", [6, 10, 20])
@pytest.mark.parametrize("mount", ["fixed", "floating"])
def test_a_rolling_loop_has_three_freedoms_less_than_hinges(count, mount):
    """All axes are parallel: the loop moves in a plane. The docked ends are one link of double length."""
    ring = loop(count, mount=mount)
    guess = ring.graph().neutral()
    guess[1 - count :] = -2.0 * np.pi / (count - 1)
    graph = ring.graph(guess=guess)
    floating = int(mount == "floating")
    assert len(graph.independent) == count - 1 - 3 + floating
    assert graph.notes == ()
    assert ("v0/floating" in graph.independent) == bool(floating)
    assert_moves_as_pinocchio_allows(graph, md.assemble(graph, guess).coordinates)


def test_turned_modules_close_a_ring_in_the_other_plane():
    """A quarter turn turns the hinge axes from y to z: the ring lies in the horizontal plane."""
    ring = modular.Assembly(("v0", "backbone")).dock("v0", 3, "v1", 4, kind="backbone", turn=1)
    for k in range(2, 7):
        ring = ring.dock(f"v{k - 1}", 3, f"v{k}", 4, kind="backbone")
    ring = ring.dock("v6", 3, "v0", 4, turn=3)
    graph = ring.graph(guess=np.full(6, 1.0))
    assert len(graph.independent) == 3
    closed = md.assemble(graph, np.full(6, 1.0)).coordinates
    heights = md.frame_poses(graph.tree, closed, [f"v{k}/cube" for k in range(7)])
    assert np.ptp(heights[:, 2, 3]) < 1e-9
    assert_moves_as_pinocchio_allows(graph, closed)


@pytest.mark.parametrize(("kinds", "freedoms"), [(("slider",), 2), (("backbone",), 1), (("scout",), 3)])
def test_a_square_closes_at_zero(kinds, freedoms):
    graph = square(*kinds).graph()
    assert len(graph.independent) == freedoms
    rest = np.zeros(freedoms)
    static = md.InverseDynamics(graph).solve(rest, rest, rest)
    assert max(static.residual.values()) < 1e-12
    np.testing.assert_allclose(static.coordinates, 0.0, atol=1e-15)
    np.testing.assert_allclose(
        static.tau, static.projection.T @ md.gravity_torque(graph.tree, static.coordinates), atol=1e-12
    )
    assert graph.passive_joints == ()  # all joints of a ring stay actuated


def test_the_choice_is_that_of_the_rank():
    """As many joints depend on others as J has rank, and their columns are well conditioned."""
    graph = loop(8).graph(guess=np.full(7, -0.9))
    closed = md.assemble(graph, np.full(7, -0.9)).coordinates
    J = SaddlePoint(graph, closed, np.zeros(graph.nv)).J
    dependent = [k for k, name in enumerate(graph.joint_names) if name not in graph.independent]
    own, of_all = (np.linalg.svd(part, compute_uv=False)[:3] for part in (J[:, dependent], J))
    assert len(dependent) == 3 == np.linalg.matrix_rank(J, 1e-6)
    assert own[2] > 0.2 * of_all[2]  # as far from singular as the best three columns nearly are


def test_a_rigid_ring_is_no_loop_joint_and_its_ports_must_meet():
    graph = square("block").graph()
    assert graph.loop_joints == ()
    assert graph.independent is None
    assert square("block").rings[0].module == "v0"
    apart = loop(3, "block")  # docking is none
    for use in (apart.graph, apart.to_urdf):
        with pytest.raises(AssemblyError, match=r"port 3 of .*'v2' and port 4 of .*'v0' do not meet"):
            use()


def test_a_ring_that_cannot_close_is_a_note_and_its_tree_still_moves():
    graph = loop(3).graph()
    assert graph.independent is None
    (note,) = graph.notes
    assert "v2/3-v0/4" in note
    assert md.inverse_dynamics(graph.tree, *np.zeros((3, 2))).shape == (2,)
    with pytest.raises(md.ClosureError, match="v2/3-v0/4"):
        md.assemble(graph)


def test_a_ring_without_mobility_is_a_note_and_can_be_computed():
    """A slide along x and a hinge about y: each would open the ring. A hinge beside it stays free."""
    ring = (
        modular.Assembly(("v0", "block"))
        .dock("v0", 3, "v1", 4, kind="slider")
        .dock("v1", 2, "v2", 5, kind="backbone")
        .dock("v2", 4, "v3", 3, kind="block")
        .dock("v3", 5, "v0", 2)
    )
    graph = ring.graph()
    assert graph.independent == ()
    assert graph.notes == ("the rings v3/5-v0/2 leave no mobility: they hold v1/slide, v2/bend",)
    none = np.zeros(0)
    held = md.InverseDynamics(graph).solve(none, none, none)
    np.testing.assert_array_equal(held.accelerations, 0.0)
    arm = ring.dock("v3", 2, "arm", 5, kind="backbone").graph()
    assert arm.independent == ("arm/bend",)
    assert_moves_as_pinocchio_allows(arm, md.assemble(arm).coordinates)


@pytest.mark.parametrize("assembly", [chain(4), square("slider")])
def test_a_guess_of_the_wrong_shape_is_refused_with_and_without_rings(assembly):
    for guess in ([0.0], np.full(3, np.nan)):
        with pytest.raises(StateError, match="guess"):
            assembly.graph(guess=guess)


def test_releasing_a_ring_leaves_the_tree():
    assert loop(6).undock("v5", 3) == chain(6) == loop(6).undock("v0", 4)


def test_releasing_a_docking_inside_a_ring_keeps_all_modules():
    """The modules beyond are then seen through the ring's docking."""
    ring = loop(6)
    opened = ring.undock("v3")
    assert set(opened) == set(ring)
    assert opened.rings == ()
    assert opened.docked_at("v3", 4) is None
    assert opened.docked_at("v2", 3) is None
    assert opened.docked_at("v0", 4) == ("v5", "3")
    tree = modular.Assembly(("v0", "backbone"))
    for a, port, b, other in (("v0", 3, "v1", 4), ("v0", 4, "v5", 3), ("v1", 3, "v2", 4), ("v5", 4, "v4", 3)):
        tree = tree.dock(a, port, b, other, kind="backbone")
    tree = tree.dock("v4", 4, "v3", 3, kind="backbone")
    assert opened == tree
    state = np.random.default_rng(0).normal(size=(3, 5))
    np.testing.assert_array_equal(
        md.inverse_dynamics(opened.graph(), *state), md.inverse_dynamics(tree.graph(), *state)
    )


def test_rings_come_along_in_merges_splits_and_changes_of_the_base():
    ring = square("slider")
    merged = chain(2).merge(ring, "v1", 3, "v1", 3, prefix="b_")
    assert len(merged.rings) == 1
    assert {*merged} == {"v0", "v1", "b_v0", "b_v1", "b_v2", "b_v3"}
    cut = merged.with_base("b_v1").undock("v1")
    assert merged.undock("b_v1") == chain(2)
    assert (cut.base, len(cut), len(cut.rings)) == ("b_v1", 4, 1)
    turned = ring.with_base("v2")
    before, after = (
        {frozenset([end[:2], end[2:4]]) for end in (*one.dockings, *one.rings)} for one in (ring, turned)
    )
    assert after == before
    for assembly in (merged, cut, turned.with_base("v2", "floating")):
        graph = assembly.graph()
        assert graph.independent is not None
        assert_moves_as_pinocchio_allows(graph, md.assemble(graph).coordinates)


def test_a_ring_that_cannot_close_is_an_error_where_that_is_asked_for():
    """Two modules side by side, whose ports on one side look the same way."""
    pair = chain(2).dock("v0", 2, "v1", 2)
    assert pair.graph().independent is None
    ends = "port 2 of module 'v0' and port 2 of module 'v1'"
    with pytest.raises(AssemblyError, match=f"{ends} cannot close a ring: .* do not close"):
        pair.graph(require_closed=True)


@pytest.mark.parametrize("ring", [loop(6), loop(20), loop(8, "scout"), square("backbone"), chain(4)])
def test_rings_that_close_somewhere_are_accepted_also_where_they_are_open_or_in_line_at_zero(ring):
    assert ring.graph(require_closed=True).independent == ring.graph().independent
