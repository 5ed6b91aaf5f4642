"""Positions that no joint can reach, and publishers that contradict each other."""

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
    """What is said of messages of all joints: (time [ms], positions, number)."""
    found = [
        steps.take(np.arange(len(q)), np.array(q, float), round(at * MS), 1, number)
        for at, q, number in messages
    ]
    return [one for one in found if one.text]


ARM = (("revolute", 2.0), ("prismatic", 0.5))


def test_zeros_beside_a_broadcaster_are_counted_and_both_are_named():
    """Of 20 messages the first two say nothing: no publisher has come back yet."""
    steps = steps_of(*ARM)
    messages = []
    for k in range(10):
        messages += [(10 * k, (0.6, 0.2), 500 + k), (10 * k + 4, (0, 0), 7 + k)]
    found = fed(steps, messages)
    assert len(found) == 18
    assert all(one.contradicting == ["j0", "j1"] and not one.stepping for one in found)
    assert found[0].text == (
        "'/joint_state_broadcaster', '/joint_state_publisher' contradict each other: 'j0' is at 0.000 and "
        "at 0.600 rad within 10.0 ms; torques go to and fro until one of them stops, or leaves it out"
    )


@pytest.mark.parametrize("slow", [2, 10, 50])
def test_a_slow_publisher_beside_a_fast_one_that_moves(slow):
    """The zeros are counted, and the next message of the robot, but for the first of them."""
    steps, messages = steps_of(*ARM), []
    for k in range(501):
        messages.append((2 * k, (0.8 + 0.3 * np.sin(0.004 * k), 0.3), 9000 + k))
        if k % slow == 1:
            messages.append((2 * k + 1, (0, 0), 1 + k // slow))
    found = fed(steps, messages)
    assert len(found) == 2 * (len(messages) - 501) - 1
    assert not any(one.stepping for one in found)


@pytest.mark.parametrize("phase", [5, 30, 50])
@pytest.mark.parametrize("joint", [("continuous", None), ("revolute", 10.0), ("revolute", 2.0)])
def test_two_slow_publishers(phase, joint):
    """At 10 Hz 0.9 rad are at least 18 rad/s one way, and as little as 9.5 rad/s straight back."""
    messages = [(100 * k + phase * other, (0.9 * (1 - other),), 1 + k) for k in range(20) for other in (0, 1)]
    assert len(fed(steps_of(joint), messages)) == 38


@pytest.mark.parametrize("period", [2, 10, 100])
def test_two_publishers_of_one_motion(period):
    """The second is 4 ms late, both move at up to twice the limit of 2 rad/s."""
    messages = []
    for k in range(200):
        for other in (0, 1):
            at = 1e-3 * (period * k + other * 1.0)
            q = 2.0 * np.sin(2.0 * (at - 4e-3 * other))
            messages.append((1e3 * at, (q, 0.2), 1 + k + 5000 * other))
    assert not fed(steps_of(*ARM), messages)


def test_publishers_in_step_with_the_same_numbers():
    messages = [(10 * k + 5 * other, (0.6 * (1 - other), 0), 1 + k) for k in range(20) for other in (0, 1)]
    assert len(fed(steps_of(*ARM), messages)) == 38


@pytest.mark.parametrize("joint", [("revolute", 0), ("continuous", None), ("revolute", 1e16)])
def test_publishers_contradict_each_other_about_a_joint_without_a_limit(joint):
    steps = steps_of(joint)
    messages = [
        (10 * k + 5 * other, (1.2 * other,), 1 + k + 80 * other) for k in range(9) for other in (0, 1)
    ]
    assert len(fed(steps, messages)) >= 15
    assert not fed(steps_of(joint, publishers=TWO[:1]), [(10 * k, (k % 2,), 1 + k) for k in range(9)])


def test_publishers_that_hold_some_of_the_joints_contradict_each_other_about_those():
    steps, found = steps_of(*ARM), []
    for k in range(10):
        found.append(steps.take(np.arange(2), np.array([0.6, 0.2]), 10 * k * MS, 1, 100 + k))
        found.append(steps.take(np.array([1]), np.array([0.1]), (10 * k + 3) * MS, 2, 9000 + k))
    said = [one for one in found if one.text]
    assert len(said) == 18
    assert all(one.contradicting == ["j1"] for one in said)


def test_three_publishers_are_all_named():
    steps = steps_of(*ARM, publishers=("/a", "/b", "/c"))
    found = fed(steps, [(5 * k, (0.6 * (k % 2), 0), (k % 2) * 50 + k) for k in range(20)])
    assert found[0].text.startswith("two of '/a', '/b', '/c' contradict each other: 'j0' is at ")


def test_a_step_beyond_limit_and_time_is_said_with_figures():
    steps = steps_of(*ARM, publishers=TWO[:1])
    found = fed(steps, [(20 * k, (0.1 + (k >= 5), 0.2), k + 1) for k in range(10)])
    assert [one.stepping for one in found] == [["j0"]]
    assert found[0].contradicting == []
    assert found[0].text == (
        "'j0' steps from 0.100 to 1.100 rad within 20.0 ms; with its velocity limit, 2.000 rad/s, it can "
        "move 0.0400 rad: look at its encoder and its driver, and whether the limit is right"
    )


def test_a_step_of_one_of_two_publishers_of_different_joints_is_no_contradiction():
    steps, found = steps_of(*ARM), []
    for k in range(10):
        for joint in (0, 1):
            q = np.array([0.2 + (0.5 if joint and k >= 5 else 0.0)])
            found.append(
                steps.take(np.array([joint]), q, (10 * k + joint) * MS, joint + 1, 100 * joint + k + 1)
            )
    said = [one for one in found if one.text]
    assert [(one.stepping, one.contradicting) for one in said] == [(["j1"], [])]


def noise(k):
    """0.5 rad and 0.2 m, give or take 2 mrad and 1 mm."""
    return np.random.default_rng(k).normal((0.5, 0.2), (2e-3, 1e-3))


QUIET = {
    "the first message": [(0, (2.5, 0.4), 1)],
    "motion at twice the limit": [(10 * k, (-2 + 0.04 * k, 0.2), 1 + k) for k in range(100)],
    "noise of encoders": [(1 * k, noise(k), 1 + k) for k in range(300)],
    "equal stamps": [(10 * (k // 4), (0.005 * k, 0.2), 1 + k) for k in range(100)],
    "a pause": [(10 * k + 900 * (k > 5), (2.0 * (k > 5), 0.2), 1 + k) for k in range(10)],
    "messages that were lost": [(10 * k, (0.015 * k, 0.2), 1 + k) for k in range(0, 100, 7)],
    "a late message": [(0, (0, 0), 1), (10, (0.02, 0), 2), (5, (0.01, 0), 3), (15, (0.03, 0), 4)],
}


@pytest.mark.parametrize("publishers", [TWO[:1], TWO])
@pytest.mark.parametrize("name", QUIET)
def test_nothing_is_said_of(name, publishers):
    assert not fed(steps_of(*ARM, publishers=publishers), QUIET[name])


def test_nothing_is_said_of_a_publisher_that_was_started_again():
    """DDS knows the old one for a moment longer; without it, the robot has made a step."""
    messages = [*((10 * k, (1.0, 0.2), 900 + k) for k in range(5))]
    messages += [(60 + 10 * k, (0.0, 0.0), 1 + k) for k in range(50)]
    assert not fed(steps_of(*ARM), messages)
    assert [one.stepping for one in fed(steps_of(*ARM, publishers=TWO[:1]), messages)] == [["j0", "j1"]]


def test_nothing_is_said_where_publishers_of_one_joint_agree():
    """A relay repeats each position 6 ms later."""
    steps, messages = steps_of(*ARM), []
    for k in range(200):
        q = (np.sin(0.02 * k), 0.1)
        messages += [(10 * k, q, 800 + k), (10 * k + 6, q, 3 + k)]
    assert not fed(steps, messages)


def test_nothing_is_said_of_a_joint_that_goes_around():
    """0.2 rad in 10 ms, from pi to -pi; a revolute joint cannot do that."""
    angles = [np.angle(np.exp(0.2j * k)) for k in range(100)]
    for kind, said in (("continuous", 0), ("revolute", 3)):
        steps = steps_of((kind, 30.0), publishers=TWO[:1])
        assert len(fed(steps, [(10 * k, (angle,), 1 + k) for k, angle in enumerate(angles)])) == said


def test_nothing_is_said_after_the_clock_was_set_back():
    steps = steps_of(*ARM, publishers=TWO[:1])
    steps.note_time(50 * MS)
    assert not fed(steps, [(50, (2.0, 0.4), 51)])
    steps.note_time(0)
    assert not fed(steps, [(0, (0.0, 0.0), 52)])
