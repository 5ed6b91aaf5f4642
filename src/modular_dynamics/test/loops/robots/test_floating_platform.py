"""A platform on six legs (Stewart) as one passive floating joint, against Pinocchio and its other tree."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import modular_dynamics as md
from helpers.oracles.saddle_point import SaddlePoint
from helpers.robots.spatial_mechanisms import platform
from modular_dynamics.exceptions import SingularityError
from modular_dynamics.loops import solver_of

RATES = np.random.default_rng(0).normal(size=(2, 6))


@pytest.fixture(scope="module")
def floating():
    return platform(floating=True)


@pytest.fixture(scope="module")
def carried():
    """The same platform, carried by its first leg."""
    return platform()


def pose_of(graph, coordinates):
    return md.frame_poses(graph.tree, coordinates, ["platform"])[0]


@pytest.mark.parametrize("seed", range(3))
def test_both_trees_give_the_same_torques(floating, carried, seed):
    q = 0.05 * np.random.default_rng(seed).normal(size=6)
    results = [md.InverseDynamics(graph).solve(q, *RATES) for graph in (floating, carried)]
    assert results[0].tau == pytest.approx(results[1].tau, rel=1e-10, abs=1e-10)
    poses = [pose_of(graph, r.coordinates) for graph, r in zip((floating, carried), results, strict=True)]
    assert poses[0] == pytest.approx(poses[1], abs=1e-9)


def test_it_is_followed_over_a_long_motion(floating):
    """Legs that move apart turn the platform by much; every pose agrees with Pinocchio's system."""
    solver, coordinates = solver_of(floating), None
    known = np.zeros(floating.nv, bool)
    known[solver.independent_v] = True
    turned = 0.0
    for part in np.linspace(0.0, 1.0, 6):
        q = part * np.array([0.25, -0.1, 0.2, -0.15, 0.2, -0.1])
        result = md.InverseDynamics(floating).solve(q, *RATES, guess=coordinates)
        coordinates, full = result.coordinates, np.zeros(floating.nv)
        full[solver.independent_v] = RATES[1]
        oracle = SaddlePoint(floating, coordinates, result.velocities)
        assert oracle.open < 1e-11
        accelerations, tau, _ = oracle.solve(known, full, np.zeros(floating.nv))
        assert np.abs(result.tau - tau).max() <= 1e-10 * np.abs(tau).max()
        assert np.abs(result.accelerations - accelerations).max() <= 1e-10 * np.abs(accelerations).max()
        quaternion = coordinates[floating.q_slice("pose")][3:]
        assert np.linalg.norm(quaternion) == pytest.approx(1.0, abs=1e-12)
        turned = max(turned, Rotation.from_quat(quaternion[[1, 2, 3, 0]]).magnitude())
    assert turned > 0.3
    assert md.close_loops(floating, q) == pytest.approx(coordinates, abs=1e-8)  # at once, from zero


def test_it_closes_from_a_guess_far_away(floating):
    closed = md.close_loops(floating, np.full(6, 0.03))
    guess = closed.copy()
    pose = floating.q_slice("pose")
    guess[pose] += [0.1, -0.1, 0.1, 0.5, 0.1, -0.1, 0.2]  # not of unit length
    again = md.close_loops(floating, np.full(6, 0.03), guess)
    assert again == pytest.approx(closed, abs=1e-8)


def test_velocities_are_those_of_the_projection(floating):
    """dq/dt of the closed configurations by differences, the platform's twist in its own frame."""
    q, step = np.full(6, 0.02), 1e-5
    W = md.explicit_constraint_jacobian(floating, q)
    middle = md.close_loops(floating, q)
    ahead, behind = (md.close_loops(floating, q + s * step * RATES[0], middle) for s in (1, -1))
    rate = (ahead - behind) / (2.0 * step)
    pose, twist = floating.q_slice("pose"), floating.v_slice("pose")
    w, *axis = middle[pose][3:]
    turn = Rotation.from_quat([*axis, w])
    omega = 2.0 * (turn.inv() * Rotation.from_quat(rate[pose][[4, 5, 6, 3]])).as_quat()[:3]
    omega *= np.linalg.norm(rate[pose][3:])
    v = W @ RATES[0]
    assert turn.inv().apply(rate[pose][:3]) == pytest.approx(v[twist][:3], abs=1e-7)
    assert omega == pytest.approx(v[twist][3:], abs=1e-7)
    others = np.delete(np.arange(floating.nq), np.arange(pose.start, pose.stop))
    assert rate[others] == pytest.approx(np.delete(v, np.arange(twist.start, twist.stop)), abs=1e-7)


def test_forward_dynamics_and_energy(floating):
    result = md.InverseDynamics(floating).solve(np.zeros(6), *RATES)
    state = floating, result.coordinates, result.velocities
    motion = md.constrained_dynamics(*state, result.tau)
    assert motion.a == pytest.approx(result.accelerations, rel=1e-9, abs=1e-8)
    falling = md.simulate(floating, np.zeros(6), 0.1 * RATES[0], None, 0.05)
    assert np.abs(falling.energy - falling.energy[0]).max() < 1e-8
    assert falling.residual.max() < 1e-9


def test_a_platform_on_five_legs_is_not_determined():
    """The sixth leg's motor is chosen to be dependent: the platform is named, not free."""
    graph = platform(floating=True)
    short = graph.with_independent_joints(*graph.independent_joint_names[:5])
    with pytest.raises(SingularityError, match=r"do not determine .*pose.*more joints must be independent"):
        md.InverseDynamics(short).solve(np.zeros(5), np.zeros(5), np.zeros(5))
