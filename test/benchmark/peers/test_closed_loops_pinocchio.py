"""Pinocchio's torques of closed loops are ours, one state and many; they can differ."""

from dataclasses import replace

import numpy as np
import pytest

import modular_dynamics as md
from benchmark.peers.closed_loops import PinocchioClosed, closed_states
from helpers.paths import ROBOTS

NAMES = "four_bar", "exoskeleton", "charmie_torso"


@pytest.mark.parametrize("name", NAMES)
def test_torques_are_ours(name):
    states = closed_states(md.load_urdf(ROBOTS / f"{name}.urdf"), 5)
    peer = PinocchioClosed(states)
    for call, _ in peer.timed.values():
        call()
    scale = np.abs(states.torques).max()
    assert np.abs(peer.torques["single"] - states.torques[0]).max() <= 1e-12 * scale
    assert np.abs(peer.torques["batch"] - states.torques).max() <= 1e-12 * scale


def test_wrong_accelerations_are_seen():
    states = closed_states(md.load_urdf(ROBOTS / "four_bar.urdf"), 2)
    peer = PinocchioClosed(replace(states, accelerations=states.accelerations + 1e-3))
    peer.timed["batch"][0]()
    assert np.abs(peer.torques["batch"] - states.torques).max() > 1e-6
