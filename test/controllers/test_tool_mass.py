"""Where a tool's mass must be known: `pytest -s` prints what is missing at the joints otherwise.

A robot that compensates gravity gets `full_minus_gravity` and adds gravity as it knows it. The sum must be
the inverse dynamics of the robot with its tool.
"""

import numpy as np
import pytest

import modular_dynamics as md

LINK = '<link name="{}"><inertial><origin xyz="0.2 0 0"/><mass value="3"/>{}</inertial></link>'
INERTIA = '<inertia ixx="0.01" iyy="0.05" izz="0.05" ixy="0" ixz="0" iyz="0"/>'
JOINT = """<joint name="{}" type="revolute"><origin xyz="{} 0 0"/><parent link="{}"/><child link="{}"/>
<axis xyz="0 -1 0"/><limit lower="-3" upper="3" effort="90" velocity="3"/></joint>"""
TOOL, ARM = 1.5, 0.4  # kg, m
Q, V, A = np.array([0.3, 0.4]), np.array([0.5, -0.4]), np.array([2.0, 3.0])


def arm():
    links = LINK.format("base", INERTIA), LINK.format("upper", INERTIA), LINK.format("lower", INERTIA)
    joints = JOINT.format("shoulder", 0, "base", "upper"), JOINT.format("elbow", ARM, "upper", "lower")
    return md.load_urdf(f"<robot name='arm'>\n{''.join((*links, *joints))}</robot>")


def with_tool(graph):
    return graph.with_payload("lower", mass=TOOL, com=(ARM, 0.0, 0.0))


def missing(of_node, of_robot):
    """Torques (2,) that the real arm with its tool lacks."""
    needed = md.inverse_dynamics(with_tool(arm()), Q, V, A)
    full_minus_gravity = md.inverse_dynamics(of_node, Q, V, A) - md.gravity_torque(of_node, Q)
    return needed - full_minus_gravity - md.gravity_torque(of_robot, Q)


@pytest.mark.parametrize(
    ("node", "robot", "where"),
    [
        (True, True, "both"),
        (True, False, "the URDF alone"),
        (False, True, "the robot alone"),
        (False, False, "neither"),
    ],
)
def test_the_mass_belongs_into_both(node, robot, where):
    plain, loaded = arm(), with_tool(arm())
    found = missing(loaded if node else plain, loaded if robot else plain)
    print(f"\ntool in {where}: missing {np.array2string(found, precision=3)} N m")
    # closed form: the weight of a point mass, and m J^T (J a + Jdot v), in the plane
    first, both = ARM * np.exp(1j * Q[0]), ARM * np.exp(1j * Q.sum())
    weight = TOOL * 9.81 * np.array([(first + both).real, both.real])
    w, dw = np.array([V[0], V.sum()]), np.array([A[0], A.sum()])
    acceleration = first * (1j * dw[0] - w[0] ** 2) + both * (1j * dw[1] - w[1] ** 2)
    jacobian = np.array([1j * (first + both), 1j * both])
    inertia = TOOL * (jacobian * np.conj(acceleration)).real
    assert found == pytest.approx(weight * (not robot) + inertia * (not node), abs=1e-12)
