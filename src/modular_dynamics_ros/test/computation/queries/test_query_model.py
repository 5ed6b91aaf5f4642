"""Solvers of a robot for requests: wrenches, assembly modes, coordinates."""

from dataclasses import replace

import numpy as np
import pytest

import modular_dynamics as md
from helpers.oracles.pinocchio_tree import PinocchioTree
from helpers.query_subjects import ORIENTATION, TWIST, hand, solve, subject_of
from helpers.robots.closed_robots import STATES, path
from helpers.robots.urdf_text import inertial, joint, robot
from helpers.wrenches import NOW
from modular_dynamics_ros.computation.black_boxes.sensors import Load
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.queries.query_model import (
    QueryError,
    QueryModel,
    RequestedState,
    code_of,
    require_actuators,
    require_known,
    state_of,
)
from modular_dynamics_ros.exceptions import BadMessage

pytestmark = pytest.mark.ros

FORCE = np.array([5.0, -3.0, 2.0, 0.4, 0.6, -0.7])


def test_external_wrenches_on_one_link_add_up():
    subject = subject_of(hand())
    given = QueryModel(subject.robot, subject.settings).given(
        subject, [("l4", FORCE), ("l4", FORCE), ("l1", FORCE)]
    )
    assert given.external["l4"].tolist() == (2 * FORCE).tolist()
    assert given.external["l1"].tolist() == FORCE.tolist()
    with pytest.raises(BadMessage, match="no link 'nix' in 'hand'"):
        QueryModel(subject.robot, subject.settings).given(subject, [("nix", FORCE)])


def test_black_boxes_push_as_in_the_last_answer_until_they_stop(four_link, boxed_branch):
    last, boxes = (np.zeros(3), np.zeros(3)), {"right_branch": FORCE}
    subject = subject_of(four_link, partition=boxed_branch, last=last, boxes=boxes, stale_after=0.2)

    def given(**changed):
        asked = replace(subject, **changed)
        return QueryModel(asked.robot, asked.settings).given(asked, []).boxes.measured["right_branch"]

    assert given() == pytest.approx(FORCE, abs=1e-12)
    late = NOW + 300_000_000
    with pytest.raises(BadMessage, match="no wrench of black box 'right_branch' in the last"):
        given(now=late)
    assert subject.wrenches.black_box.stops == 0  # asking changes nothing


def test_where_a_black_box_was_measured_is_known_after_an_answer_only(four_link, boxed_branch):
    subject = subject_of(four_link, partition=boxed_branch, boxes={"right_branch": FORCE})
    with pytest.raises(BadMessage, match="the wrench of black box 'right_branch' was measured") as refused:
        QueryModel(subject.robot, subject.settings).given(subject, [])
    assert code_of(refused.value) == "REFUSED"


def passive_state(subject, q, passive):
    names = [*subject.robot.state_names, *subject.robot.passive_names]
    return state_of(subject.robot, RequestedState(names, np.append(q, passive)), subject.last)


def test_loops_are_closed_from_the_last_answer_however_far():
    """In the mode that measured joints selected there."""
    name = "four_bar"
    subject = subject_of(path(name))
    model = QueryModel(subject.robot, subject.settings)
    usual = model.configuration(state_of(subject.robot, RequestedState(["J1"], np.array([0.7])), None), None)
    graph = subject.robot.graph
    places = [graph.q_slice(joint).start for joint in subject.robot.passive_names]
    other = usual.coordinates.copy()
    other[places] *= -1.0
    crossed = model.solver.solver.close([0.7], other)
    assert np.abs(crossed - usual.coordinates).max() > 0.5
    selected = model.configuration(passive_state(subject, [0.7], crossed[places]), None)
    assert selected.coordinates == pytest.approx(crossed, abs=1e-9)
    far = model.configuration(
        state_of(subject.robot, RequestedState(["J1"], np.array([2.0])), None), selected
    )
    assert far.coordinates == pytest.approx(model.solver.solver.close([2.0], crossed), abs=1e-9)
    assert np.abs(far.coordinates - model.solver.solver.close([2.0], usual.coordinates)).max() > 0.5


def test_passive_joints_elsewhere_are_refused_and_named():
    subject = subject_of(path("four_bar"))
    model = QueryModel(subject.robot, subject.settings)
    with pytest.raises(BadMessage, match="loops do not close with the passive joints as given") as refused:
        model.configuration(passive_state(subject, STATES["four_bar"], [1.0, 1.0]), None)
    assert subject.robot.passive_names[0] in str(refused.value)
    model.set_tolerance(10.0)
    model.configuration(passive_state(subject, STATES["four_bar"], [1.0, 1.0]), None)


def test_no_joints_mean_the_state_that_was_processed_however_passive_joints_were_measured():
    subject = subject_of(path("four_bar"))
    one, q = Computation(subject.robot, subject.settings), np.array([0.7])
    closed = one.compute(one.observe(NOW, q, q), NOW).configuration.coordinates
    places = [subject.robot.graph.q_slice(joint).start for joint in subject.robot.passive_names]
    measured = one.observe(NOW + 1, q, q, measured=closed[places] + 0.05)
    answer = one.compute(measured, NOW + 1)
    assert answer.configuration.disagreements
    model = QueryModel(subject.robot, subject.settings)
    again = model.configuration(state_of(subject.robot, RequestedState(), answer), answer.configuration)
    assert again.coordinates == pytest.approx(closed, abs=1e-9)


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
def test_of_a_wrench_that_was_held_nobody_knows_where_it_was_measured(arm, loads):
    """Where the robot was processed last, it counts as it does there."""
    one = subject(arm, loads=loads, on_stale_black_box="hold")
    held = one.last._replace(wrenches=one.last.wrenches._replace(stopped=("tool",)))
    late = replace(one, last=held, now=NOW + 5 * 10**9)
    assert solve(late, THERE).wrenches.black_box["tool"] == pytest.approx(weight(arm[0], THERE))
    with pytest.raises(BadMessage, match=r"'tool' .*: it had stopped, and where") as refused:
        solve(late, HERE)
    assert code_of(refused.value) == "REFUSED"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (QueryError("REFUSED", ""), "REFUSED"),
        (BadMessage("unknown frame", ""), "UNKNOWN_NAME"),
        (BadMessage("inside a black box", ""), "REFUSED"),
        (BadMessage("singular configuration", ""), "BAD_STATE"),
        (md.UnknownNameError(""), "UNKNOWN_NAME"),
        (md.StateError(""), "BAD_STATE"),
        (md.SingularityError("", 1.0, None), "BAD_STATE"),
        (md.UnsupportedModelError(""), "REFUSED"),
        (ZeroDivisionError(), "UNEXPECTED"),
    ],
)
def test_codes(error, code):
    assert code_of(error) == code


LAST = [0.1, 0.2, 0.3], [1.0, 2.0, 3.0]


def parts(quaternion):
    return quaternion.w, quaternion.x, quaternion.y, quaternion.z


def requested(names=(), q=(), v=(), a=(), **base):
    numbers = (np.array(values, dtype=float) for values in (q, v, a))
    return RequestedState(list(names), *numbers, **base)


def of_hand(*arguments, last=LAST, **base):
    subject = subject_of(hand(), last=last)
    return state_of(subject.robot, requested(*arguments, **base), subject.last)


def refusal(code, *arguments, last=LAST, **base):
    with pytest.raises(QueryError) as refused:
        of_hand(*arguments, last=last, **base)
    assert refused.value.code == code
    return str(refused.value)


def test_without_names_it_is_the_state_processed_last():
    state = of_hand()
    assert (state.q.tolist(), state.v.tolist(), state.a.tolist()) == (*LAST, [0.0] * 3)


def test_joints_by_name_and_the_others_where_they_were_at_rest():
    state = of_hand(["j3", "j1"], [0.7, -0.4], [5.0, 6.0], [7.0, 8.0])
    assert state.q.tolist() == [-0.4, 0.2, 0.7]
    assert state.v.tolist() == [6.0, 0.0, 5.0]
    assert state.a.tolist() == [8.0, 0.0, 7.0]
    assert of_hand(["j1"], [0.5]).v.tolist() == [0.0] * 3


def test_nothing_is_needed_of_the_last_answer_where_all_joints_are_named():
    assert of_hand(["j1", "j2", "j3"], [1, 2, 3], last=None).q.tolist() == [1, 2, 3]
    assert "'j2', 'j3' are missing" in refusal("BAD_STATE", ["j1"], [1], last=None)
    assert "joint_names is empty" in refusal("BAD_STATE", last=None)


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (
            (["j1", "nix"], [1, 2]),
            "UNKNOWN_NAME",
            "no joint 'nix' in 'hand', whose joints are 'j1', 'j2', 'j3'",
        ),
        ((["j1", "j1"], [1, 2]), "BAD_STATE", "'j1' named more than once"),
        (
            (["j1", "j2"], [1]),
            "BAD_STATE",
            "positions has 1 values for 2 joint_names; one for each is needed",
        ),
        ((["j1"], [1], [1, 2]), "BAD_STATE", "velocities has 2 values for 1 joint_names"),
        (([], [1]), "BAD_STATE", "positions has 1 values for 0 joint_names"),
        ((["j1"], [np.nan]), "BAD_STATE", "positions: that of 'j1' is NaN or infinite"),
        (
            (["j2", "j1"], [0, 1], [0, 0], [0, -1e308]),
            "BAD_STATE",
            "accelerations: that of 'j1' is -1e+308; sizes of at most 1e+09 are taken",
        ),
        ((["j2", "j1"], [0, 1], [0, np.inf]), "BAD_STATE", "velocities: that of 'j1' is NaN or infinite"),
    ],
)
def test_what_is_refused(arguments, code, text):
    assert text in refusal(code, *arguments)


def test_a_mimic_joint_may_be_named_where_its_driver_takes_it():
    """q4 = -0.5 q3 + 0.1."""
    assert of_hand(["j3", "j4"], [0.4, -0.1], [2.0, -1.0]).q.tolist() == [0.1, 0.2, 0.4]
    assert "'j4' mimics 'j3', which takes it to -0.1, not 0.3" in refusal(
        "BAD_STATE", ["j3", "j4"], [0.4, 0.3]
    )
    assert "takes it to -1, not 1" in refusal("BAD_STATE", ["j3", "j4"], [0.4, -0.1], [2.0, 1.0])


def test_a_mimic_joint_alone_is_refused():
    assert "'j4' mimics 'j3', which is not named" in refusal("BAD_STATE", ["j4"], [0.1])


def test_passive_joints_are_measurements():
    subject = subject_of(path("four_bar"))
    robot, passive = subject.robot, subject.robot.passive_names
    state = state_of(robot, requested([*robot.state_names, passive[0]], [0.7, 2.0]), None)
    assert state.q.tolist() == [0.7]
    assert state.measured[0] == 2.0
    assert np.isnan(state.measured[1:]).all()
    assert len(STATES["four_bar"]) == 1


def test_a_fixed_root_has_no_state():
    assert "base_pose is given, but 'hand' has a fixed root" in refusal(
        "REFUSED", ["j1"], [0], base=ORIENTATION
    )
    assert "base_twist and base_acceleration are given" in refusal("REFUSED", twist=TWIST)


def test_of_a_floating_base(quadruped):
    joints = np.linspace(-0.7, 0.8, 12)
    subject = subject_of(quadruped, base="odometry", last=(joints, joints))
    names = subject.robot.state_names
    turned = subject.robot.base.root * ORIENTATION

    def state(*arguments, last=subject.last, **base):
        return state_of(subject.robot, requested(*arguments, **base), last)

    assert state().base.twist.tolist() == TWIST.tolist()
    named = state(names, joints).base
    assert parts(named.orientation) == parts(turned)
    assert not named.twist.any()
    given = state(names, joints, base=ORIENTATION, twist=2 * TWIST, last=None).base
    assert parts(given.orientation) == parts(turned)
    assert given.twist.tolist() == (2 * TWIST).tolist()
    for arguments, base, text in (
        ((), {"twist": TWIST}, "but a state of the base is given; name the joints, too"),
        (
            (names, joints),
            {"last": None},
            "base_pose is zero, which means that of the last answer, but no joint",
        ),
        ((names, joints), {"twist": np.full(6, np.nan)}, "base_twist: that of 'linear.x' is NaN"),
    ):
        with pytest.raises(QueryError, match=text) as refused:
            state(*arguments, **base)
        assert refused.value.code == "BAD_STATE"


def test_a_root_that_only_turns_has_no_twist(quadruped):
    joints = np.linspace(-0.7, 0.8, 12)
    subject = subject_of(quadruped, base="imu", last=(joints, joints))
    with pytest.raises(QueryError, match="has a fixed root") as refused:
        state_of(subject.robot, requested(subject.robot.state_names, joints, twist=TWIST), subject.last)
    assert refused.value.code == "REFUSED"
    given = requested(subject.robot.state_names, joints, base=ORIENTATION)
    turned = state_of(subject.robot, given, None).base.orientation
    assert parts(turned) == parts(subject.robot.base.root * ORIENTATION)


def test_a_joint_that_is_locked_is_said_to_be():
    robot = replace(subject_of(hand()).robot, locked={"pan": 0.5, "tilt": -0.25, "j1": 0.0})
    for names, code, text in (
        (["j2", "pan"], "REFUSED", "'pan' is locked at 0.5: leave out what is locked, or unlock it"),
        (["tilt", "pan"], "REFUSED", "'tilt' is locked at -0.25, 'pan' is locked at 0.5: leave out"),
        (["pan", "nix"], "UNKNOWN_NAME", "no joint 'nix' in 'hand'"),
    ):
        for refuse in (require_known, require_actuators):
            with pytest.raises(QueryError, match=text) as refused:
                refuse(robot, names)
            assert refused.value.code == code
    require_known(robot, ["j1"])  # a joint of this name was attached since
