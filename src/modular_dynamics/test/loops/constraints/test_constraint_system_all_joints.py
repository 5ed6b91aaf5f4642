"""Rows of loop joints that close trees of all joint types: Jacobian and bias against differences."""

import numpy as np
import pytest
from hypothesis import assume, given

from helpers.oracles.motions import rate
from helpers.random_examples.examples import examples
from helpers.random_examples.joint_trees import joint_trees, moved
from modular_dynamics.loops import solver_of

STEP = 1e-2
LOOP = (
    '<loop_joint name="loop" type="{}"><predecessor link="link_0" xyz="0.3 0.1 0.2" rpy="0.1 0.2 0.3"/>'
    '<successor link="{{last}}" xyz="0.2 -0.1 0.3" rpy="0.4 0.1 -0.2"/><axis xyz="0.6 0 0.8"/></loop_joint>'
)


def rows(graph, q, v):
    values = solver_of(graph).system.evaluate(q, v)
    return [part.copy() for part in (values.phi, values.J, values.gamma)]


@pytest.mark.parametrize("kind", ["fixed", "universal"])
def test_jacobian_and_bias_are_derivatives(kind):
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
        change = rate(lambda t: rows(graph, moved(graph, q, v * t), v)[0], STEP)
        assert J @ v == pytest.approx(change, abs=1e-8 * scale)
        drift = rate(lambda t: rows(graph, moved(graph, q, v * t), v)[1] @ v, STEP)
        assert gamma == pytest.approx(drift, abs=1e-8 * scale)

    check()
