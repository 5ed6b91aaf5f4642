"""Wrenches of black boxes at other poses than they were measured at, against the whole robot in Pinocchio."""

from dataclasses import replace

import numpy as np
import pytest

import modular_dynamics as md
from helpers.oracles.pinocchio_tree import PinocchioTree
from helpers.query_subjects import solve, subject_of
from helpers.robots.urdf_text import inertial, joint, robot
from helpers.wrenches import NOW
from modular_dynamics_ros.computation.black_boxes.static_load import Load
from modular_dynamics_ros.computation.queries.errors import code_of
from modular_dynamics_ros.exceptions import BadMessage

pytestmark = pytest.mark.ros

MASS, COM = 1.5, np.array([0.02, -0.05, 0.11])
THERE, HERE = np.array([0.3, -0.8, 0.5]), np.array([-1.1, 0.9, -0.4])
PUSH = np.array([3.0, -2.0, 7.0, 0.3, 0.5, -0.2])  # what else the sensor measures
AXES = (0, 0, 1), (0, 1, 0), (1, 0, 0)


@pytest.fixture
def arm(tmp_path):
    """(URDF of an arm with a tool that is fixed to it, path of a partition whose black box is the tool)."""
    parts = ["<link name='foot'/>"]
    for k, axis in enumerate(AXES, 1):
        parent = f"l{k - 1}" if k > 1 else "foot"
        parts.append(f"<link name='l{k}'>{inertial(2.0, (0.1, 0.02, 0.05), 0.02 * np.eye(3))}</link>")
        parts.append(joint(f"j{k}", "revolute", parent, f"l{k}", (0.2, 0, 0.1), (0.1, 0.2, k), axis))
    parts.append(f"<link name='tool'>{inertial(MASS, COM, 0.001 * np.eye(3))}</link>")
    parts.append(joint("mount", "fixed", "l3", "tool", (0.1, 0.05, 0.2), (0.4, -0.3, 1.2)))
    partition = tmp_path / "tool.yaml"
    partition.write_text(
        "version: 1\nsubsystems:\n  - {name: arm, joints: [j1, j2, j3]}\n"
        "  - {name: tool, root_link: tool, black_box: true}\n"
    )
    return robot("arm", parts), str(partition)


def weight(text, q):
    """[force, moment] that carries the tool at rest, at and in the frame of its link."""
    (H,) = md.frame_poses(md.load_urdf(text), q, ["tool"])
    force = H[:3, :3].T @ [0.0, 0.0, 9.81 * MASS]
    return np.concatenate((force, np.cross(COM, force)))


def subject(arm, push=0.0, **more):
    text, partition = arm
    boxes = {"tool": weight(text, THERE) + push}
    return subject_of(text, partition=partition, last=(THERE, 0 * THERE), boxes=boxes, **more)


def torques(solved):
    return solved.model.solver.solve(solved.configuration, solved.state, solved.wrenches).tau


def replace_stamp(answer, stamp):
    return answer._replace(state=answer.state._replace(stamp=stamp))


LOADS = {"tool": Load(MASS, COM)}


@pytest.mark.parametrize("q", [THERE, HERE])
def test_a_known_load_weighs_at_any_pose_what_it_weighs(arm, q):
    whole = PinocchioTree(md.load_urdf(arm[0]))
    assert torques(solve(subject(arm, loads=LOADS), q)) == pytest.approx(
        whole.inverse_dynamics(q, 0 * q, 0 * q), abs=1e-12
    )


def test_what_else_was_measured_goes_on(arm):
    pushed = solve(subject(arm, PUSH, loads=LOADS), HERE).wrenches.black_box["tool"]
    assert pushed - solve(subject(arm, loads=LOADS), HERE).wrenches.black_box["tool"] == pytest.approx(PUSH)


def test_where_it_was_measured_the_load_need_not_be_known(arm):
    whole = PinocchioTree(md.load_urdf(arm[0]))
    gravity = whole.inverse_dynamics(THERE, 0 * THERE, 0 * THERE)
    assert torques(solve(subject(arm), THERE)) == pytest.approx(gravity, abs=1e-12)
    with pytest.raises(BadMessage, match="'tool' was measured at another pose") as refused:
        solve(subject(arm), HERE)
    assert code_of(refused.value) == "REFUSED"
    assert "black_box_loads" in str(refused.value)


def test_a_turn_about_the_vertical_needs_no_load(arm):
    text, partition = arm
    upright = text.replace('rpy="0.1 0.2 1.0"', 'rpy="0 0 0"')
    one = subject((upright, partition))
    turned = THERE + np.array([2.0, 0.0, 0.0])
    whole = PinocchioTree(md.load_urdf(upright))
    gravity = whole.inverse_dynamics(turned, 0 * turned, 0 * turned)
    assert torques(solve(one, turned)) == pytest.approx(gravity, abs=1e-12)


def test_zeros_of_a_wrench_that_has_stopped_stay(arm):
    text, partition = arm
    last = THERE, 0 * THERE
    stopped = subject_of(text, partition=partition, last=last, boxes={"tool": np.zeros(6)}, loads=LOADS)
    assert not solve(stopped, HERE).wrenches.black_box["tool"].any()


@pytest.mark.parametrize("loads", [None, LOADS])
def test_of_a_wrench_from_another_time_nobody_knows_where_it_was_measured(arm, loads):
    """As with on_stale_black_box: hold. Where the robot was answered last, it counts as it does there."""
    one = replace(subject(arm, loads=loads, on_stale_black_box="hold"), now=NOW + 5 * 10**9)
    late = replace(one, last=replace_stamp(one.last, NOW + 5 * 10**9))
    assert solve(late, THERE).wrenches.black_box["tool"] == pytest.approx(weight(arm[0], THERE))
    with pytest.raises(BadMessage, match="'tool' is not of the time of the last answer") as refused:
        solve(late, HERE)
    assert code_of(refused.value) == "REFUSED"
