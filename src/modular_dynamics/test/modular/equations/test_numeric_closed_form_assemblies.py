"""The paper's equations on random assemblies: eq. 36 beside the composition and Pinocchio."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.oracles.pinocchio_tree import PinocchioTree
from helpers.random_examples.assemblies import random_assembly
from helpers.random_examples.examples import some
from helpers.tree_dynamics import assert_close
from modular_dynamics.modular.equations import closed_form


@pytest.mark.parametrize("seed", some(range(100)))
def test_the_closed_form_is_the_composition_and_pinocchio(seed):
    assembly = random_assembly(seed)
    if assembly.mount.floating:  # in the paper a moving base has virtual joints
        assembly = assembly.with_base(assembly.base)
    graph = assembly.graph().tree
    q, v, a = np.random.default_rng(seed).normal(size=(3, graph.nv))
    equations = closed_form(graph)
    M, C = equations.M(q), equations.C(q, v)
    tau = M @ a + C @ v + equations.N(q)
    assert_close(md.compose(graph, q, v, a).tau, tau, 1e-10)
    assert_close(PinocchioTree(graph).inverse_dynamics(q, v, a), tau, 1e-10)
    assert_close(M, M.T, 1e-14)
    assert np.linalg.eigvalsh(M).min(initial=1.0) > 0.0
