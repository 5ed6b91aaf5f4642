"""Pinocchio in C++ gives the torques of Pinocchio in Python; without headers it is said what is missing."""

import numpy as np
import pytest

import modular_dynamics as md
from benchmark.peers import compiled
from benchmark.peers.closed_loops import PinocchioClosed, closed_states
from benchmark.peers.compiled import BuildError
from benchmark.setting.robots import ROOT, random_states
from helpers.paths import ROBOTS


@pytest.fixture
def library():
    cache = ROOT / "out/bench/generated"
    if not list(cache.glob("closed_loops_*/torques.so")):
        pytest.skip("compiling takes half a minute: python benchmark/run.py --only loops does it")
    try:
        return compiled.built_torques(cache, lambda what: None)
    except BuildError as error:
        pytest.skip(str(error))


def test_torques_of_a_tree_are_ours(library):
    graph = md.load_urdf(ROBOTS / "branched_38dof.urdf")
    states = random_states(graph, 3)
    peer = compiled.PinocchioTreeCpp(library, graph, states)
    for call, _ in peer.timed.values():
        call()
    ours = md.inverse_dynamics(graph, *states.first)
    ((_, theirs),) = peer.results().values()
    assert np.abs(theirs - ours).max() <= 1e-13 * np.abs(ours).max()


@pytest.mark.parametrize("name", ["four_bar", "exoskeleton", "charmie_torso"])
def test_torques_are_those_of_python(library, name):
    states = closed_states(md.load_urdf(ROBOTS / f"{name}.urdf"), 5)
    peer = compiled.PinocchioCpp(library, PinocchioClosed(states), states.graph.urdf)
    peer.timed["single"][0]()
    scale = np.abs(states.torques).max()
    assert np.abs(peer.torques["single"] - states.torques[0]).max() <= 1e-12 * scale
    peer.timed["batch"][0]()
    assert np.abs(peer.torques["batch"] - states.torques).max() <= 1e-12 * scale


def test_missing_headers_are_said(monkeypatch, tmp_path):
    monkeypatch.setattr(compiled.sys, "path", [])
    with pytest.raises(BuildError, match=r"no folder cmeel.prefix"):
        compiled.built_torques(tmp_path, lambda what: None)
