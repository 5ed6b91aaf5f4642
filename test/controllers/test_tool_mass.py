"""Where a tool's mass must be known: `pytest -s` prints what is missing at the joints otherwise.

A robot that compensates gravity gets `full_minus_gravity` and adds gravity as it knows it. The sum must be
the inverse dynamics of the robot with its tool.
"""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.robots.urdf_text import inertial, joint, robot

TOOL, ARM = 1.5, 0.4  # kg, m
Q, V, A = np.array([0.3, 0.4]), np.array([0.5, -0.4]), np.array([2.0, 3.0])


def arm():
    body = inertial(3, (0.2, 0, 0), np.diag([0.01, 0.05, 0.05]))
    links = [f'<link name="{name}">{body}</link>' for name in ("base", "upper", "lower")]
    shoulder = joint("shoulder", "revolute", "base", "upper", (0, 0, 0), axis=(0, -1, 0))
    elbow = joint("elbow", "revolute", "upper", "lower", (ARM, 0, 0), axis=(0, -1, 0))
    return md.load_urdf(robot("arm", [*links, shoulder, elbow]))


def with_tool(graph):
    return graph.with_payload("lower", mass=TOOL, com=(ARM, 0.0, 0.0))


def missing(of_node, of_robot):
    """Torques (2,) that the real arm with its tool lacks."""
    needed = md.inverse_dynamics(with_tool(arm()), Q, V, A)
    full_minus_gravity = md.inverse_dynamics(of_node, Q, V, A) - md.gravity_torque(of_node, Q)
    return needed - full_minus_gravity - md.gravity_torque(of_robot, Q)


@pytest.mark.parametrize("in_robot", [True, False])
@pytest.mark.parametrize("in_urdf", [True, False])
def test_the_mass_belongs_into_both(in_urdf, in_robot):
    plain, loaded = arm(), with_tool(arm())
    found = missing(loaded if in_urdf else plain, loaded if in_robot else plain)
    print(f"\ntool in the URDF: {in_urdf}, in the robot: {in_robot}; missing {found.round(3)} N m")
    # closed form: the weight of a point mass, and m J^T (J a + Jdot v), in the plane
    first, both = ARM * np.exp(1j * Q[0]), ARM * np.exp(1j * Q.sum())
    weight = TOOL * 9.81 * np.array([(first + both).real, both.real])
    w, dw = np.array([V[0], V.sum()]), np.array([A[0], A.sum()])
    acceleration = first * (1j * dw[0] - w[0] ** 2) + both * (1j * dw[1] - w[1] ** 2)
    jacobian = np.array([1j * (first + both), 1j * both])
    inertia = TOOL * (jacobian * np.conj(acceleration)).real
    assert found == pytest.approx(weight * (not in_robot) + inertia * (not in_urdf), abs=1e-12)
