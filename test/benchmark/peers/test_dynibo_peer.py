"""dynibo on trees: its order of joints is found, and its results are Pinocchio's, at the graph's gravity."""

import numpy as np
import pytest

import modular_dynamics as md
from benchmark.peers.mujoco_peer import UnsupportedRobotError
from benchmark.peers.pinocchio_peer import PinocchioPeer
from benchmark.setting.robots import ROBOTS, random_states, random_tree, read, seven_joint_arm

pytest.importorskip("dynibo")
from benchmark.peers import dynibo_peer


@pytest.mark.parametrize("urdf", [*map(read, ROBOTS), random_tree(38), seven_joint_arm()])
def test_dynibo_gives_pinocchios_numbers(urdf):
    graph = md.load_urdf(urdf)
    states = random_states(graph, 2)
    ours = dynibo_peer.DyniboPeer(graph, states).results()
    theirs = PinocchioPeer(graph, states).results()
    assert set(ours) == {"torques", "mass matrix", "accelerations"}
    for quantity, array in ours.items():
        scale = np.abs(theirs[quantity]).max()
        # forward dynamics of light links at the end of heavy arms is ill-conditioned
        assert np.abs(array - theirs[quantity]).max() <= 1e-11 * scale, quantity


def test_a_missing_dynibo_and_a_floating_base_are_said(monkeypatch):
    graph = md.load_urdf(seven_joint_arm(), floating_base=True)
    with pytest.raises(UnsupportedRobotError, match="dynibo"):
        dynibo_peer.DyniboPeer(graph, random_states(graph, 1))
    monkeypatch.setattr(dynibo_peer, "dynibo", None)
    with pytest.raises(UnsupportedRobotError, match="dynibo is not installed"):
        dynibo_peer.DyniboPeer(graph, random_states(graph, 1))
