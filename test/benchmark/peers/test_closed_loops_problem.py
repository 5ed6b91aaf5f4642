"""The reduction to independent joints: of a lever by hand, and with gears."""

import numpy as np
import pytest

import modular_dynamics as md
from benchmark.peers.closed_loops import PinocchioLoops, Reduction, closed_states
from helpers.paths import ROBOTS
from modular_dynamics.algebra import translation

NAMES = "four_bar", "exoskeleton", "charmie_torso"


def test_a_lever_passes_its_load_on():
    """v_d = 2 v_i: the load of the passive joint counts twice."""
    passed = Reduction(np.eye(2), 1)(np.array([[1.0, -2.0]]), np.array([10.0, 1.0]))
    assert passed == pytest.approx([1.0 + 2.0 * 10.0], abs=1e-13)


@pytest.mark.parametrize("name", NAMES)
def test_motions_of_the_independent_joints_move_all(name):
    """T gives back the velocities of all joints, gears included."""
    graph = md.load_urdf(ROBOTS / f"{name}.urdf")
    states = closed_states(graph, 3)
    names = list(graph.joint_names)
    reduction = states.reduction(names.index)
    columns = np.abs(reduction.motions).max(axis=1) > 0.0
    assert columns.all()
    known = [*reduction.motions[:, : reduction.dependent].argmax(axis=0)]
    free = [names.index(joint) for joint in graph.independent_joint_names]
    for v in states.velocities:
        assert reduction.motions @ v[[*known, *free]] == pytest.approx(v, abs=1e-12)


def test_springs_pull_as_their_energy_falls():
    """tau = -dE/dq by central differences, of the torso's three springs."""
    graph = md.load_urdf(ROBOTS / "charmie_torso.urdf")
    states = closed_states(graph, 1)
    peer = PinocchioLoops(graph.urdf, [])
    torques = states.spring_torques(peer)[0]
    assert len(graph.springs) == 3
    v, q = states.velocities[0], states.coordinates[0]
    step = 1e-6

    def energy(moved):
        total = 0.0
        for spring in graph.springs:
            poses = md.frame_poses(graph.tree, moved, [anchor.link for anchor in spring.anchors])
            first, second = (
                (pose @ [*translation(anchor.x_link_anchor), 1.0])[:3]
                for pose, anchor in zip(poses, spring.anchors, strict=True)
            )
            stretch = np.linalg.norm(second - first) - spring.free_length
            total += spring.initial_force * stretch + 0.5 * spring.stiffness * stretch**2
        return total

    index = np.array([peer.index(name) for name in graph.joint_names])
    power = (energy(q + step * v) - energy(q - step * v)) / (2.0 * step)
    assert torques[index] @ v == pytest.approx(-power, rel=1e-6)
