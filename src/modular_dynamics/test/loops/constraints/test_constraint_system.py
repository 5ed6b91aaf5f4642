"""Rows of all loop joints and gears: residual, Jacobian and bias, against poses from the URDF text."""

import numpy as np
import pytest
from hypothesis import assume, given
from scipy.spatial.transform import Rotation

from helpers.oracles.motions import rate
from helpers.oracles.rigid_bodies import RigidBodies, moved
from helpers.random_examples.examples import examples
from helpers.random_examples.joint_trees import joint_trees
from helpers.random_examples.joint_trees import moved as moved_of_all_joints
from helpers.random_examples.mechanisms import ROWS, random_mechanisms
from modular_dynamics.loops import solver_of

MECHANISMS = examples(50)
STEP = 1e-2


def rows(graph, q, v):
    values = solver_of(graph).system.evaluate(q, v)
    return [part.copy() for part in (values.phi, values.J, values.gamma)]


@MECHANISMS
@given(random_mechanisms())
def test_jacobian_and_bias_are_derivatives(drawn):
    """Also where the loops are open: anywhere near."""
    graph = drawn.graph
    q = drawn.q.copy()
    for name in graph.joint_names:
        if graph.joint(name).type.nv == 1:
            q[graph.q_slice(name)] += drawn.rng.uniform(-0.3, 0.3)
    v = drawn.rng.uniform(-1, 1, graph.nv)
    _, J, gamma = rows(graph, q, v)
    # nine joints of some rad/s: eighth derivatives of 1e2 at most, times 1e-16; rounding 1e-15 / 1e-2
    scale = 1.0 + np.abs(J).max(initial=0.0) + np.abs(gamma).max(initial=0.0)
    change = rate(lambda t: rows(graph, moved(graph, q, v * t), v)[0], STEP)
    assert J @ v == pytest.approx(change, abs=1e-9 * scale)
    drift = rate(lambda t: rows(graph, moved(graph, q, v * t), v)[1] @ v, STEP)
    assert gamma == pytest.approx(drift, abs=1e-9 * scale)
    for unit, column in zip(np.eye(graph.nv), J.T, strict=True):
        along = rate(lambda t, unit=unit: rows(graph, moved(graph, q, unit * t), unit)[0], STEP)
        assert column == pytest.approx(along, abs=1e-9 * scale)


@MECHANISMS
@given(random_mechanisms())
def test_residual_is_what_the_joint_forbids(drawn):
    """Zero in the drawn configuration, whose anchors differ by what each joint allows; no row is missing."""
    graph = drawn.graph
    phi = rows(graph, drawn.q, np.zeros(graph.nv))[0]
    assert phi == pytest.approx(np.zeros(len(phi)), abs=1e-12)
    assert len(phi) == sum(ROWS[loop.type] for loop in graph.loop_joints) + len(graph.gears)
    q = moved(graph, drawn.q, drawn.rng.uniform(-0.2, 0.2, graph.nv))
    phi, bodies, at = rows(graph, q, np.zeros(graph.nv))[0], RigidBodies(graph), 0
    for loop in graph.loop_joints:
        X = bodies.gap(loop.name, q)
        residual, at = phi[at : at + ROWS[loop.type]], at + ROWS[loop.type]
        off = X[:3, 3] - loop.axis * (loop.axis @ X[:3, 3] if loop.type in ("prismatic", "planar") else 0.0)
        points = 2 if loop.type in ("prismatic", "planar") else 3
        assert np.linalg.norm(residual[:points]) == pytest.approx(np.linalg.norm(off), abs=1e-12)
        angle = None
        if loop.type == "revolute":  # between the axes
            turned = X[:3, :3] @ loop.axis
            angle = np.arctan2(np.linalg.norm(np.cross(loop.axis, turned)), loop.axis @ turned)
        if loop.type in ("fixed", "prismatic"):
            angle = Rotation.from_matrix(X[:3, :3]).magnitude()
        if angle is not None:
            assert np.linalg.norm(residual[points:]) == pytest.approx(2 * np.sin(angle / 2), abs=1e-12)
    for gear, left in zip(graph.gears, phi[at:], strict=True):
        driven, driver = (q[graph.q_slice(name)].item() for name in (gear.joint, gear.driver))
        assert left == pytest.approx(driven - gear.ratio * driver - gear.offset, abs=1e-12)


# Rows of loop joints that close trees of all joint types: Jacobian and bias against differences.

LOOP = (
    '<loop_joint name="loop" type="{}"><predecessor link="link_0" xyz="0.3 0.1 0.2" rpy="0.1 0.2 0.3"/>'
    '<successor link="{{last}}" xyz="0.2 -0.1 0.3" rpy="0.4 0.1 -0.2"/><axis xyz="0.6 0 0.8"/></loop_joint>'
)


@pytest.mark.parametrize("kind", ["fixed", "universal"])
def test_jacobian_and_bias_are_derivatives_all_joints(kind):
    @examples(20)
    @given(tree=joint_trees(largest=8, more_tags=(LOOP.format(kind),)))
    def check(tree):
        graph = tree.graph
        q, v, _ = tree.state(graph)
        v = v / max(1.0, np.abs(v).max())
        for name in graph.joint_names:
            if graph.joint(name).type.nv > 1:
                q[graph.q_slice(name)][-4:] /= np.linalg.norm(q[graph.q_slice(name)][-4:])
        phi, J, gamma = rows(graph, q, v)
        # frames that are reversed within the step have no derivative: 2 sin(angle / 2) is 2 there
        assume(kind != "fixed" or np.linalg.norm(phi[3:]) < 1.9)
        scale = 1.0 + np.abs(J).max() + np.abs(gamma).max()
        change = rate(lambda t: rows(graph, moved_of_all_joints(graph, q, v * t), v)[0], STEP)
        assert J @ v == pytest.approx(change, abs=1e-8 * scale)
        drift = rate(lambda t: rows(graph, moved_of_all_joints(graph, q, v * t), v)[1] @ v, STEP)
        assert gamma == pytest.approx(drift, abs=1e-8 * scale)

    check()
