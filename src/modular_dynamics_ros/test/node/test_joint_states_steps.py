"""Positions that no joint can reach: of an encoder, or of publishers that contradict each other."""

import numpy as np
import pytest

import modular_dynamics as md
from modular_dynamics_ros.computation.robot import robot_of
from modular_dynamics_ros.node.joint_states import JointSteps

pytestmark = pytest.mark.ros

MS = 1_000_000  # [ns]
INERTIA = '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
LINK = f'<link name="{{}}"><inertial><mass value="1"/>{INERTIA}</inertial></link>'
JOINT = '<joint name="{0}" type="{1}"><parent link="{2}"/><child link="{3}"/><axis xyz="0 0 1"/>{4}</joint>'
LIMIT = '<limit lower="-3" upper="3" effort="1" velocity="{}"/>'
TWO = ("/joint_state_broadcaster", "/joint_state_publisher")


def steps_of(*joints, publishers=TWO):
    """Joints by type and velocity limit, None without limits."""
    parts = [LINK.format("l0")]
    for k, (kind, velocity) in enumerate(joints):
        limit = "" if velocity is None else LIMIT.format(velocity)
        parts += [LINK.format(f"l{k + 1}"), JOINT.format(f"j{k}", kind, f"l{k}", f"l{k + 1}", limit)]
    graph = md.load_urdf(f"<robot name='arm'>\n{''.join(parts)}</robot>")
    return JointSteps(robot_of(graph), lambda: publishers)


def fed(steps, messages):
    """What is said of messages of all joints: (time [ms], positions)."""
    found = [steps.take(np.arange(len(q)), np.array(q, float), round(at * MS)) for at, q in messages]
    return [one for one in found if one.text]


ARM = (("revolute", 2.0), ("prismatic", 0.5))


def test_zeros_beside_a_broadcaster_are_counted_and_both_are_named():
    messages = [
        (10 * k + 4 * other, (0.6 * (1 - other), 0.2 * (1 - other))) for k in range(10) for other in (0, 1)
    ]
    found = fed(steps_of(*ARM), messages)
    assert len(found) == 19  # all but the first
    assert all(one.joints == ["j0", "j1"] for one in found)
    assert found[0].text == (
        "'j0' steps from 0.600 to 0.000 rad within 10.0 ms; at 2.000 rad/s it can move 0.0200 rad: "
        "'/joint_state_broadcaster', '/joint_state_publisher' publish joint states; if both know this joint, "
        "torques go to and fro"
    )


def test_a_step_of_the_only_publisher_is_said_with_figures():
    steps = steps_of(*ARM, publishers=TWO[:1])
    found = fed(steps, [(20 * k, (0.1 + (k >= 5), 0.2)) for k in range(10)])
    assert [one.joints for one in found] == [["j0"]]
    assert found[0].text == (
        "'j0' steps from 0.100 to 1.100 rad within 20.0 ms; at 2.000 rad/s it can move 0.0400 rad: look at "
        "its encoder and its driver, and whether the velocity limit is right"
    )


@pytest.mark.parametrize("joint", [("revolute", 0), ("continuous", None), ("revolute", 1e16)])
def test_a_joint_without_a_limit_steps_only_where_there_are_several_publishers(joint):
    messages = [(10 * k, (1.2 * (k % 2),)) for k in range(9)]
    assert len(fed(steps_of(joint), messages)) == 8
    assert not fed(steps_of(joint, publishers=TWO[:1]), messages)


def test_publishers_of_different_joints_make_no_step_and_each_joint_has_its_own():
    steps, found = steps_of(*ARM), []
    for k in range(10):
        for joint in (0, 1):
            q = np.array([0.2 + (0.5 if joint and k >= 5 else 0.0)])
            found.append(steps.take(np.array([joint]), q, (10 * k + joint) * MS))
    assert [one.joints for one in found if one.text] == [["j1"]]


QUIET = {
    "the first message": [(0, (2.5, 0.4))],
    "motion at twice the limit": [(10 * k, (-2 + 0.04 * k, 0.2)) for k in range(100)],
    "noise of encoders": [
        (k, (0.5 + 2e-3 * np.sin(37 * k), 0.2 + 1e-3 * np.cos(53 * k))) for k in range(300)
    ],
    "equal stamps": [(10 * (k // 4), (0.005 * k, 0.2)) for k in range(100)],
    "a pause": [(10 * k + 900 * (k > 5), (2.0 * (k > 5), 0.2)) for k in range(10)],
    "messages that were lost": [(10 * k, (0.015 * k, 0.2)) for k in range(0, 100, 7)],
    "a late message": [(0, (0, 0)), (10, (0.02, 0)), (5, (0.01, 0)), (15, (0.03, 0))],
    "a relay": [(10 * k + 6 * late, (np.sin(0.02 * k), 0.1)) for k in range(200) for late in (0, 1)],
}


@pytest.mark.parametrize("publishers", [TWO[:1], TWO])
@pytest.mark.parametrize("name", QUIET)
def test_nothing_is_said_of(name, publishers):
    assert not fed(steps_of(*ARM, publishers=publishers), QUIET[name])


def test_nothing_is_said_of_a_joint_that_goes_around():
    """0.2 rad in 10 ms, from pi to -pi; a revolute joint cannot do that."""
    angles = [np.angle(np.exp(0.2j * k)) for k in range(100)]
    for kind, said in (("continuous", 0), ("revolute", 3)):
        steps = steps_of((kind, 30.0), publishers=TWO[:1])
        assert len(fed(steps, [(10 * k, (angle,)) for k, angle in enumerate(angles)])) == said


def test_nothing_is_said_after_the_clock_was_set_back():
    steps = steps_of(*ARM, publishers=TWO[:1])
    steps.note_time(50 * MS)
    assert not fed(steps, [(50, (2.0, 0.4))])
    steps.note_time(0)
    assert not fed(steps, [(0, (0.0, 0.0))])
