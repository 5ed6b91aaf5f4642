"""The core called from C++ has the torques of Python; without a compiler it is said what is missing."""

import shutil

import numpy as np
import pytest

import modular_dynamics as md
from benchmark.peers.closed_loops import closed_states
from benchmark.peers.compiled import BuildError, CoreInCpp
from benchmark.setting.robots import random_states
from helpers.paths import ROBOTS

needs_compiler = pytest.mark.skipif(shutil.which("c++") is None, reason="no compiler")


@needs_compiler
def test_torques_of_a_tree_are_those_of_python():
    graph = md.load_urdf(ROBOTS / "four_link.urdf")
    states = random_states(graph, 3)
    core = CoreInCpp(graph, "rows", states.q, states.v, states.a)
    core.timed["rows"][0]()
    ours = md.inverse_dynamics(graph, *states.first)
    assert np.abs(core.torques["rows"] - ours).max() <= 1e-14 * np.abs(ours).max()


@needs_compiler
@pytest.mark.nightly  # test_cpp_package.py compiles the same headers by day
def test_torques_of_closed_loops_are_those_of_python():
    states = closed_states(md.load_urdf(ROBOTS / "four_bar.urdf"), 5)
    core = CoreInCpp(states.graph, "single", *states.independent, guess=states.first)
    core.timed["single"][0]()
    scale = np.abs(states.torques).max()
    assert np.abs(core.torques["single"] - states.torques[0]).max() <= 1e-12 * scale


def test_a_missing_compiler_is_said(monkeypatch):
    monkeypatch.setenv("CXX", "no_such_compiler")
    graph = md.load_urdf(ROBOTS / "four_link.urdf")
    with pytest.raises(BuildError, match="no_such_compiler is missing"):
        CoreInCpp(graph, "rows", *np.zeros((3, 1, graph.nv)))
