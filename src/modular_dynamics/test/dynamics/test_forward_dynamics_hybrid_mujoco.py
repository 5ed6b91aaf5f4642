"""Hybrid dynamics of trees against MuJoCo: hinges, slides and balls, armature and springs."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.oracles.mujoco_saddle_point import MujocoSaddlePoint
from helpers.robots.mjcf_text import random_tree
from modular_dynamics.mjcf.source import compiled


@pytest.mark.parametrize("seed", range(6))
def test_random_trees(seed):
    model = compiled(random_tree(seed, "hsb", 8, terms=True)).model
    graph, rng = md.load_mjcf(model), np.random.default_rng(seed)
    q = graph.random_configuration(rng)
    v, a, tau = rng.normal(size=(3, graph.nv))
    names = [name for name in graph.joint_names if rng.random() < 0.5]
    known = np.zeros(graph.nv, bool)
    for name in names:
        known[graph.v_slice(name)] = True
    result = md.hybrid_dynamics(graph, q, v, a, tau, names)
    accelerations, torques = MujocoSaddlePoint(graph, model, q, v).solve(known, a, tau)
    assert np.abs(result.a - accelerations).max() <= 1e-10 * np.abs(accelerations).max()
    assert np.abs(result.tau - torques).max() <= 1e-10 * np.abs(torques).max()
