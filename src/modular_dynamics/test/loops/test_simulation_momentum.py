"""A robot that floats without weight keeps its momentum, whatever its joints do."""

import numpy as np
import pinocchio
import pytest

import modular_dynamics as md
from helpers.robots.urdf_text import inertial, joint, robot
from modular_dynamics.modular import gaits

EDGE, MASS = 0.09, 0.6  # [m], [kg] of a cube


def organism(gravity=(0.0, 0.0, 0.0)):
    """Six floating cubes with hinges: a body of four, of which the second carries a leg on each side."""
    moments = inertial(MASS, np.zeros(3), MASS * EDGE**2 / 6.0 * np.eye(3))
    parts = [f'<link name="c0">{moments}</link>']
    places = (("c0", 0), ("c1", 0), ("c2", 0), ("c1", np.pi / 2), ("c1", -np.pi / 2))
    for k, (carrier, turn) in enumerate(places, 1):
        centre = EDGE * np.array([np.cos(turn), np.sin(turn), 0.0])
        parts.append(f'<link name="c{k}">{moments}</link>')
        parts.append(joint(f"h{k}", "revolute", carrier, f"c{k}", centre, (0, 0, turn), axis=(0, 1, 0)))
    return md.load_urdf(robot("organism", parts), floating_base=True, gravity=gravity)


def swimming(graph, method, tolerance):
    """A motion of four seconds: feedback towards a wave along all joints, none on the floating base."""
    names = [name for name in graph.joint_names if graph.v_slice(name).stop - graph.v_slice(name).start == 1]
    gait = gaits.Sine(gaits.body_wave(names, 0.4, 0.7, 1.0), ramp=0.5)
    q_columns = [graph.q_slice(name).start for name in names]
    v_columns = [graph.v_slice(name).start for name in names]

    def tau(t, q, v):
        wanted = gait.at(t)
        torques = np.zeros(graph.nv)
        torques[v_columns] = 0.5 * (wanted.q - q[q_columns]) + 0.02 * (wanted.v - v[v_columns])
        return torques

    v = np.zeros(graph.nv)
    v[:6] = 0.3, -0.2, 0.1, 0.5, 0.4, -0.6  # it drifts and turns
    motion = md.simulate(graph, graph.neutral(), v, tau, 4.0, method, rtol=tolerance, atol=tolerance)
    return motion, q_columns


def momenta(graph, motion):
    """[linear; angular about the world's origin] at each time, ours and Pinocchio's."""
    pin = md.crosscheck.PinocchioModel(graph)
    ours, theirs = [], []
    for q, v in zip(motion.coordinates, motion.velocities, strict=True):
        about_centre = md.centroidal_momentum(graph, q, v)
        lever = np.cross(md.centre_of_mass(graph, q).position, about_centre[:3])
        ours.append(about_centre + np.concatenate([np.zeros(3), lever]))
        vector = pinocchio.computeCentroidalMomentum(pin.model, pin.data, pin.q(q), pin.v(v)).vector
        lever = np.cross(pin.data.com[0], vector[:3])
        theirs.append(vector + np.concatenate([np.zeros(3), lever]))
    return np.array(ours), np.array(theirs)


@pytest.mark.parametrize(("method", "tolerance"), [("DOP853", 1e-10), ("RK45", 1e-8), ("LSODA", 1e-9)])
@pytest.mark.parametrize("name", ["organism", "vendor_arm"])
def test_a_floating_robot_keeps_its_momentum(load_robot, name, method, tolerance):
    weightless = {"floating_base": True, "gravity": (0.0, 0.0, 0.0)}
    graph = organism() if name == "organism" else load_robot(name, **weightless)
    motion, columns = swimming(graph, method, tolerance)
    assert motion.t[-1] == 4.0
    assert np.ptp(motion.coordinates[:, columns], axis=0).max() > 0.2  # it has moved
    for values in momenta(graph, motion):
        for part in (values[:, :3], values[:, 3:]):
            size = np.linalg.norm(part[0])
            assert size > 0.0
            # some hundred steps, each within the tolerance
            assert np.abs(part - part[0]).max() < 100.0 * tolerance * size


def test_weight_changes_momentum_by_its_impulse():
    """The same with weight: m g t, so that the test above could fail."""
    graph = organism(gravity=(0.0, 0.0, -9.81))
    motion, _ = swimming(graph, "DOP853", 1e-10)
    values, _ = momenta(graph, motion)
    mass = md.centre_of_mass(graph, graph.neutral()).mass
    expected = values[0, :3] + mass * np.outer(motion.t, graph.gravity)
    assert values[:, :3] == pytest.approx(expected, rel=1e-7, abs=1e-7 * mass)
