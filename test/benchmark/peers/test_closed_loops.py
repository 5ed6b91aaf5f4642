"""Pinocchio's torques of closed loops are ours and those of exported code; they can differ."""

from dataclasses import replace

import numpy as np
import pytest

import modular_dynamics as md
from benchmark.peers.closed_loops import FramePair, PinocchioClosed, PinocchioLoops, closed_states
from helpers.c_compiler import CFunctions, needs_gcc
from helpers.paths import ROBOTS
from helpers.robots.planar_mechanisms import MECHANISMS
from helpers.robots.urdf_text import joint
from modular_dynamics.algebra import to_rotation_translation

#: Without gears, springs and mimic joints, which the peer does not know.
NAMES = ("four_bar.urdf", "slider_crank.urdf", "crane.urdf", "four-bar", "slider-crank", "crane", "yoke")


def with_anchors(graph):
    """The URDF with a link at each anchor of its loop joints, and the pairs of these links."""
    elements, pairs = [], []
    for loop in graph.loop_joints:
        for end, anchor in zip("ps", loop.anchors, strict=True):
            link, xyz = f"{loop.name}_{end}", to_rotation_translation(anchor.x_link_anchor)[1]
            weld = joint(f"fixed_{link}", "fixed", anchor.link, link, xyz)
            elements.append(f'<link name="{link}"/>{weld}')
        pairs.append(FramePair(f"{loop.name}_p", f"{loop.name}_s", 3))
    return graph.urdf.replace("</robot>", "".join(elements) + "</robot>"), pairs


@needs_gcc
@pytest.mark.parametrize("name", NAMES)
def test_exported_torques_equal_pinocchio(tmp_path, name):
    graph = md.load_urdf(ROBOTS / name) if name.endswith(".urdf") else MECHANISMS[name]().graph()
    peer, rng = PinocchioLoops(*with_anchors(graph)), np.random.default_rng(0)
    c = CFunctions(graph.export_c(tmp_path / "robot.c"))
    solver = md.loops.solver_of(graph)
    start, count = solver.reference()[solver.independent_q], len(solver.independent_v)
    independent, compared = [peer.index(name) for name in graph.independent_joint_names], 0
    for _ in range(20):
        q, v, a = start + 0.3 * rng.uniform(-1.0, 1.0, count), *rng.uniform(-2.0, 2.0, (2, count))
        status, coordinates = c.call("close_loops", graph.nq, q)
        if status != 0:
            continue
        there = peer.configuration(dict(zip(graph.joint_names, coordinates.tolist(), strict=True)))
        assert peer.gap(there) < 1e-13
        tau = c.call("inverse_dynamics", count, q, v, a)[1]
        expected = peer.torques(there, independent, v, a)
        assert np.abs(tau - expected).max() <= 1e-12 * max(1.0, np.abs(expected).max())
        compared += 1
    assert compared >= 5


@pytest.mark.parametrize("name", ["four_bar", "exoskeleton", "charmie_torso"])
def test_torques_of_one_state_and_of_many_are_ours(name):
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
