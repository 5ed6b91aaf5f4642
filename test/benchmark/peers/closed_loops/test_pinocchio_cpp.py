"""Pinocchio in C++ gives the torques of Pinocchio in Python; without headers it is said what is missing."""

import numpy as np
import pytest

import modular_dynamics as md
from benchmark.peers import casadi_peer
from benchmark.peers.casadi_peer import BuildError
from benchmark.peers.closed_loops import pinocchio_cpp
from benchmark.peers.closed_loops.pinocchio_closed import PinocchioClosed
from benchmark.peers.closed_loops.problem import closed_states
from benchmark.setting.robots import ROOT
from helpers.paths import ROBOTS


@pytest.mark.parametrize("name", ["four_bar", "exoskeleton", "charmie_torso"])
def test_torques_are_those_of_python(name):
    cache = ROOT / "out/bench/generated"
    if not list(cache.glob("closed_loops_*/torques.so")):
        pytest.skip("compiling takes half a minute: python benchmark/run.py --only loops does it")
    library = pinocchio_cpp.built_torques(cache, lambda what: None)
    states = closed_states(md.load_urdf(ROBOTS / f"{name}.urdf"), 5)
    peer = pinocchio_cpp.PinocchioCpp(library, PinocchioClosed(states), states.graph.urdf)
    peer.timed["single"][0]()
    scale = np.abs(states.torques).max()
    assert np.abs(peer.torques["single"] - states.torques[0]).max() <= 1e-12 * scale
    peer.timed["batch"][0]()
    assert np.abs(peer.torques["batch"] - states.torques).max() <= 1e-12 * scale


def test_missing_headers_are_said(monkeypatch, tmp_path):
    monkeypatch.setattr(casadi_peer.sys, "path", [])
    with pytest.raises(BuildError, match=r"no folder cmeel.prefix"):
        pinocchio_cpp.built_torques(tmp_path, lambda what: None)
