"""urdf/ur5e.urdf beside UR's table of Denavit-Hartenberg parameters, masses and centres of mass."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.tree_dynamics import differences

# a, d [m], alpha [rad], mass [kg], centre of mass in the row's frame [m] (urdf/README.md, source 6)
TABLE = [
    (0.0, 0.1625, np.pi / 2, 3.761, (0.0, -0.02561, 0.00193)),
    (-0.425, 0.0, 0.0, 8.058, (0.2125, 0.0, 0.11336)),
    (-0.3922, 0.0, 0.0, 2.846, (0.15, 0.0, 0.0265)),
    (0.0, 0.1333, np.pi / 2, 1.37, (0.0, -0.0018, 0.01634)),
    (0.0, 0.0997, -np.pi / 2, 1.3, (0.0, 0.0018, 0.01634)),
    (0.0, 0.0996, 0.0, 0.365, (0.0, 0.0, -0.001159)),
]


def row_transform(theta, a, d, alpha):
    """T (4, 4) = Rz(theta) Tz(d) Tx(a) Rx(alpha)."""
    c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    return np.array([[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, d], [0, 0, 0, 1]])


def frames(q):
    """Of the rows, in base_link, whose x axis points against that of UR's base."""
    pose = np.diag([-1.0, -1.0, 1.0, 1.0])
    for theta, (a, d, alpha, _, _) in zip(q, TABLE, strict=True):
        pose = pose @ row_transform(theta, a, d, alpha)
        yield pose


def potential_energy(q):
    poses = zip(frames(q), TABLE, strict=True)
    return sum(9.81 * mass * (pose @ [*com, 1.0])[2] for pose, (_, _, _, mass, com) in poses)


@pytest.mark.parametrize("seed", range(3))
def test_flange_and_weight_are_those_of_the_table(load_robot, seed):
    graph = load_robot("ur5e")
    q = graph.random_configuration(np.random.default_rng(seed))
    *_, flange = frames(q)
    assert md.frame_poses(graph, q, ["tool0"])[0] == pytest.approx(flange, abs=1e-12)
    slope = differences(lambda x: np.array([potential_energy(x)]), q)[0]
    assert md.gravity_torque(graph, q) == pytest.approx(slope, abs=1e-6)  # central differences of 1e-6 rad
