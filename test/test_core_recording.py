"""Functions that the compiled core records; what cannot be recorded is refused."""

import numpy as np
import pinocchio
import pytest
from hypothesis import given

import modular_dynamics as md
from helpers.paths import ROBOTS
from helpers.random_examples.examples import examples
from helpers.random_examples.trees import random_trees
from helpers.robots.parallel_mechanisms import bricard
from helpers.tree_dynamics import random_states
from modular_dynamics import _core
from modular_dynamics.codegen.program import program
from modular_dynamics.dynamics.core_robot import core_robot
from modular_dynamics.loops.core_loops import core_loops

TERMS = _core.ARMATURE + _core.SPRINGS


def values(recorded, *vectors):
    """What a recorded function gives at one state."""
    count = len(recorded[2])
    function = program("f", "", [("x", len(v)) for v in vectors], recorded, [("out", (count,), "")])
    return function.values([v[None] for v in vectors])[0][0]


@examples(20)
@given(tree=random_trees(largest=8))
def test_random_trees_beside_pinocchio(tree):
    graph = md.load_urdf(tree.urdf)
    robot, pin = core_robot(graph), md.crosscheck.PinocchioModel(graph)
    q, v, a = tree.state(graph)
    tau = pin.tau(pinocchio.rnea(pin.model, pin.data, pin.q(q), pin.v(v), pin.v(a)))
    ours = values(robot.record("inverse_dynamics", 3, 0), q, v, a)
    terms = max(
        np.abs(tau).max(),
        np.abs(md.nonlinear_effects(graph, q, v)).max(),
        np.abs(md.mass_matrix(graph, q) @ a).max(),
    )
    assert np.abs(ours - tau).max() <= 1e-12 * terms


def test_pivots_are_not_positive_where_a_motion_moves_no_inertia():
    graph = md.load_urdf(ROBOTS / "charmie.urdf", floating_base=True)
    recorded = core_robot(graph).record("forward_dynamics", 3)
    q, v, tau = (rows[0] for rows in random_states(graph, 1))
    pivots = values((*recorded[:2], recorded[3], *recorded[3:]), q, v, tau)
    assert not (pivots > 0.0).all()


def test_what_cannot_be_recorded_is_refused():
    text = (ROBOTS / "four_link.urdf").read_text().replace("<axis", '<dynamics friction="0.1"/><axis')
    tree = core_robot(md.load_urdf(text))
    graph, other = md.load_urdf(ROBOTS / "four_bar.urdf"), md.load_urdf(bricard().urdf())
    loops, near, far = core_loops(graph), np.zeros(graph.nq), np.full(1, np.inf)
    for call, arguments, message in [
        (tree.record, ("torques", 3), "'torques' is not recorded"),
        (tree.record, ("inverse_dynamics", 4), "inputs is 4: 1 to 3 are possible"),
        (tree.record, ("inverse_dynamics", 3, TERMS + _core.FRICTION), "a branch on numbers that are not"),
        (loops.record, ("jacobian", 1, True, near, far), "of loops, 'jacobian' is not recorded"),
        (loops.record, ("coordinates", 1, True, near, np.zeros(2)), r"farthest must have the shape \(1,\)"),
        (
            core_loops(other).record,
            ("coordinates", 1, True, np.zeros(other.nq), far),
            "by Newton's method are not",
        ),
    ]:
        with pytest.raises(ValueError, match=message):
            call(*arguments)
