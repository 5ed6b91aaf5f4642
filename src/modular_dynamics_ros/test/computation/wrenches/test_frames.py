"""Wrenches given in many frames are one wrench: placements are Pinocchio's, or computed by hand."""

from pathlib import Path

import numpy as np
import pinocchio
import pytest
import yaml

import modular_dynamics as md
from helpers.tree_dynamics import BOXED_TOOL
from helpers.wrenches import NOW, arrival, feed
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.computation.values import ComputationSettings
from modular_dynamics_ros.exceptions import BadMessage

pytestmark = pytest.mark.ros

FORCE = np.array([1.0, 2.0, 3.0, 0.1, -0.2, 0.3])


@pytest.fixture
def boxed(four_link, boxed_branch):
    return load_robot(four_link, boxed_branch)


def computation(robot):
    return Computation(robot, ComputationSettings())


def effort(one, q):
    state = one.observe(NOW, q, 0.4 * q)
    answer = one.compute(state, NOW)
    return answer.effort[one.robot.published]


class Placements:
    """Pinocchio's poses of a description's links."""

    def __init__(self, description, q):
        self.model = pinocchio.buildModelFromXML(description)
        self.data, self.q = self.model.createData(), pinocchio.neutral(self.model)
        for name, value in q.items():
            joint = self.model.joints[self.model.getJointId(name)]
            unbounded = joint.nq == 2  # cos, sin
            self.q[joint.idx_q : joint.idx_q + joint.nq] = (
                (np.cos(value), np.sin(value)) if unbounded else value
            )
        pinocchio.framesForwardKinematics(self.model, self.data, self.q)

    def moved(self, wrench, of, to):
        """A wrench in the frame of one link, in that of another."""
        placement = [self.data.oMf[self.model.getFrameId(link)] for link in (of, to)]
        force = placement[1].actInv(placement[0].act(pinocchio.Force(wrench)))
        return force.vector


def test_a_wrench_in_the_frame_of_any_link_outside_is_the_same(boxed, four_link):
    q = np.array([0.3, -0.5, 0.7])
    reference = computation(boxed)
    feed(reference, "right_branch", FORCE)
    expected = effort(reference, q)
    placements = Placements(Path(four_link).read_text(), dict(zip(boxed.state_names, q, strict=True)))
    connection = boxed.graph.subsystem("right_branch").connection
    assert connection.link == "upper_stem"
    at_carrier = np.append(FORCE[:3], FORCE[3:] + np.cross([0, 0, 0.3], FORCE[:3]))  # `right` is 0.3 m above
    one = computation(boxed)
    for frame in ("base", "lower_stem", "upper_stem", "left_branch"):
        given = placements.moved(at_carrier, "upper_stem", frame)
        one.wrenches.take_black_box("right_branch", frame, given, arrival())
        assert effort(one, q) == pytest.approx(expected, abs=1e-12)
    one.wrenches.take_black_box("right_branch", "base", at_carrier, arrival())
    assert np.abs(effort(one, q) - expected).max() > 0.1  # the frame does matter


def test_the_pose_is_that_of_the_state_which_is_processed(boxed, four_link):
    one, reference = computation(boxed), computation(boxed)
    one.wrenches.take_black_box("right_branch", "base", FORCE, arrival())
    for q in np.array([[0.3, -0.5, 0.7], [-1.2, 0.9, 0.1], [2.5, 0.2, -1.0]]):
        placements = Placements(Path(four_link).read_text(), dict(zip(boxed.state_names, q, strict=True)))
        given = placements.moved(FORCE, "base", "upper_stem")
        reference.wrenches.take_black_box("right_branch", "upper_stem", given, arrival())
        assert effort(one, q) == pytest.approx(effort(reference, q), abs=1e-12)


def test_a_link_beyond_a_black_box_whose_joints_are_known_will_do(chain):
    text = chain("b")
    robot = load_robot(text)  # j2, inside the box, moves j3 and is part of the state
    q = np.array([0.1, 1.5, 0.3])
    placements = Placements(text, dict(zip(robot.state_names, q, strict=True)))
    one, reference = computation(robot), computation(robot)
    reference.wrenches.take_black_box("box", "a", FORCE, arrival())
    for frame in ("base", "b", "c"):
        one.wrenches.take_black_box("box", frame, placements.moved(FORCE, "a", frame), arrival())
        assert effort(one, q) == pytest.approx(effort(reference, q), abs=1e-12)


def test_a_link_that_is_fixed_inside_a_black_box_will_do(root, tmp_path):
    path, partition = root / "urdf/vendor_arm.urdf", tmp_path / "boxed.yaml"
    partition.write_text(yaml.safe_dump(BOXED_TOOL))
    robot = load_robot(path, str(partition))
    subsystem, inside = robot.graph.subsystem("tool"), "tv7_gripper_base"
    assert inside in subsystem.fixed_links
    q = np.linspace(0.1, 0.7, len(robot.state_names))
    placements = Placements(path.read_text(), dict(zip(robot.state_names, q, strict=True)))
    one, reference = computation(robot), computation(robot)
    one.wrenches.take_black_box("tool", inside, FORCE, arrival())
    carrier = subsystem.connection.link
    assert np.abs(placements.moved(FORCE, inside, carrier) - FORCE).max() > 1e-3
    reference.wrenches.take_black_box("tool", carrier, placements.moved(FORCE, inside, carrier), arrival())
    assert effort(one, q) == pytest.approx(effort(reference, q), abs=1e-12)


def test_a_link_whose_pose_is_not_known_is_refused_by_name(boxed):
    words = "link 'right_branch' moves with 'right' inside a black box.* such as 'upper_stem'"
    with pytest.raises(BadMessage, match=words):
        computation(boxed).wrenches.take_black_box("right_branch", "right_branch", FORCE, arrival())


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        ("", "header.frame_id is empty.*'base', 'lower_stem'"),
        ("nonsense", "no link 'nonsense' in 'four_link'; its links: 'base'"),
        ("x" * 100_000, "no link 'x{80}' in"),
    ],
)
def test_an_unknown_frame_is_refused_by_name(boxed, frame, words):
    wrenches = computation(boxed).wrenches
    with pytest.raises(BadMessage, match=words) as caught:
        wrenches.take_external(frame, FORCE, arrival())
    assert len(str(caught.value)) < 500
    with pytest.raises(BadMessage, match=words):
        wrenches.take_black_box("right_branch", frame, FORCE, arrival())


def test_what_acts_on_the_inside_of_a_black_box_is_in_its_wrench_already(boxed):
    with pytest.raises(BadMessage, match="'right_branch' belongs to black box 'right_branch', whose wrench"):
        computation(boxed).wrenches.take_external("right_branch", FORCE, arrival())


def test_external_wrenches_in_several_frames_add_up_and_replace_each_their_own(four_link):
    robot, q = load_robot(four_link), np.array([0.3, -0.5, 0.7, 0.2])
    one = computation(robot)
    for wrench in (5.0 * FORCE, FORCE):
        one.wrenches.take_external("upper_stem", wrench, arrival())
        one.wrenches.take_external("left_branch", 2.0 * wrench, arrival())
    pushed = {"upper_stem": FORCE, "left_branch": 2.0 * FORCE}
    expected = md.inverse_dynamics(robot.graph, q, 0.4 * q, 0.0 * q, external_wrenches=pushed)
    assert effort(one, q) == pytest.approx(expected, abs=1e-12)
