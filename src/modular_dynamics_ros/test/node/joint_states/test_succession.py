"""Which robot a joint state belongs to: by its description, by its time, by its joints."""

from unittest.mock import MagicMock

import pytest

from helpers.nodes.sessions.succession_stage import Robot, S, Stage
from modular_dynamics_ros.messages.stamps import description_frame
from modular_dynamics_ros.node.joint_states.succession import MOST_ROBOTS
from modular_dynamics_ros.node.joint_states.waiting_states import MOST_WAITING

pytestmark = pytest.mark.ros


@pytest.fixture
def stage(monkeypatch):
    return Stage(monkeypatch)


def test_a_state_that_names_its_description_goes_there_whatever_its_joints_and_time(stage):
    old, new = stage.add(1 * S, "a"), stage.add(2 * S, "a")
    for stamp, description in ((9, 1), (1, 2), (9, 2)):
        stage.send(stamp, "a", description=description)
    assert (old.got, new.got, new.causes) == ([9], [1, 9], [])


def test_a_state_waits_for_its_description_and_the_order_stays(stage):
    old = stage.add(1 * S, "a")
    for stamp in (5, 6, 7):
        stage.send(stamp, "a", description=1 if stamp == 5 else stamp)
    assert old.got == [5]
    six = stage.add(6 * S, "a")
    assert six.got == [6]
    stage.send(8, "a", description=7)
    assert (seven := stage.add(7 * S, "a")).got == [7, 8]
    assert [robot.causes for robot in (old, six, seven)] == [[], [], []]
    stage.node.destroy_timer.assert_called_once()  # nothing waits any more


def test_a_state_whose_description_never_comes_is_counted_after_the_patience(stage):
    robot = stage.add(1 * S, "a")
    stage.send(5, "a", description=5)
    stage.wait(0.19)
    assert robot.causes == []
    stage.wait(0.02)
    assert (robot.got, robot.causes) == ([], ["no description"])
    for _ in range(MOST_WAITING + 3):
        stage.send(6, "a", description=6)
    assert robot.causes == ["no description"] * 4  # the memory is bounded


def test_states_of_a_refused_description_are_never_answered_by_another_robot(stage):
    robot = stage.add(1 * S, "a")
    stage.send(5, "a", description=5)
    stage.refuse(5 * S)
    assert robot.calls == ["activate", "retire"]  # it holds nothing any more: its body is another one
    stage.send(6, "a", description=5)
    stage.send(7, "a", description=1)
    stage.send(8, "a")
    stage.send(4, "a")
    assert (robot.got, robot.causes) == ([7, 4], ["robot refused"] * 3)
    new = stage.add(9 * S, "a")
    assert new.calls == ["activate", "continue"]
    stage.send(10, "a")
    assert (new.got, new.causes) == ([10], ["robot refused"] * 3)


def test_a_description_without_a_stamp_does_not_answer_for_one_that_is_named(stage):
    old, new = stage.add(1 * S, "a"), stage.add(None, "a")
    stage.send(2, "a", description=1)
    stage.send(3, "a", description=2)
    stage.send(4, "a")
    stage.wait(0.21)
    assert (old.got, new.got, new.causes) == ([2], [4], ["no description"])


@pytest.mark.parametrize(
    "frame",
    [
        "robot@1.5",
        "robot@",
        "robot@１.000000000",
        "robot@1.0000000000",
        "x@9x",
        "robot@-1.000000000",
        "robot@ 1.000000000",
    ],
)
def test_a_damaged_name_of_a_description_is_not_taken_for_none(stage, frame):
    robot = stage.add(1 * S, "a")
    stage.send(2, "a", frame=frame)
    assert (robot.got, robot.causes) == ([], ["damaged name"])


def test_the_name_of_the_robot_counts_too(stage):
    robot = stage.add(1 * S, "a")
    stage.send(2, "a", frame=description_frame("other", 1 * S))
    stage.send(3, "a", frame="camera@left")
    assert (robot.got, robot.causes) == ([3], ["another robot"])


def test_a_message_of_some_joints_does_not_wait_for_another_robot(stage):
    robot = stage.add(1 * S, "a", "b")
    stage.send(2, "a")
    assert robot.got == [2]


@pytest.mark.parametrize(("stamp", "owner"), [(1, 0), (4, 0), (5, 1), (6, 1)])
def test_without_a_name_the_time_decides_among_the_same_joints(stage, stamp, owner):
    robots = stage.add(1 * S, "a"), stage.add(5 * S, "a")
    stage.send(stamp, "a")
    assert [robot.got for robot in robots] == [[stamp] if k == owner else [] for k in (0, 1)]


def test_a_state_without_a_stamp_belongs_to_the_robot_of_the_time_when_it_was_sent(stage):
    old, new = stage.add(1 * S, "a"), stage.add(5 * S, "a")
    stage.send(0, "a", sent=4)
    stage.send(0, "a", sent=6)
    assert (len(old.got), len(new.got)) == (1, 1)


@pytest.mark.parametrize("simulated", [False, True])
def test_a_state_without_a_stamp_that_waits_keeps_the_time_of_its_arrival(stage, simulated):
    stage.node.simulated = simulated
    stage.add(1 * S, "a")
    stage.send(0, "a", description=5)
    stage.node.time = 20 * S
    assert stage.add(5 * S, "a").got == [9]


def test_without_a_name_a_state_with_joints_of_no_robot_yet_waits(stage):
    old = stage.add(1 * S, "a", "b")
    stage.send(4, "a", "c")
    assert stage.add(3 * S, "a", "c").got == [4]
    stage.send(5, "d")
    stage.wait(0.21)
    new = stage.succession.current
    assert (old.got, new.got) == ([], [4, 5])  # handed on: the robot says which joints are missing


def test_a_replaced_robot_answers_for_the_patience_and_is_then_removed(stage):
    old, new = stage.add(1 * S, "a"), stage.add(5 * S, "a")
    assert (old.calls, new.calls) == (["activate", "retire"], ["activate", "continue"])
    stage.time = 0.19
    stage.send(4, "a")
    stage.time = 0.21
    stage.send(4, "a")
    stage.send(4, "a", description=1)
    assert (old.got, old.calls[-1], new.got) == ([4], "destroy", [])
    assert new.causes == ["older than the robot", "robot replaced"]


def test_descriptions_without_a_stamp_decide_by_joints_and_the_newest_is_first(stage):
    old = stage.add(None, "a", "b")
    stage.send(1, "x")
    new = stage.add(None, "a")
    stage.send(2, "a", "b")
    newest = stage.add(None, "a", "c")
    stage.send(3, "a", "b")
    stage.send(4, "x")
    assert (old.got, new.got, newest.got) == ([1], [2, 3], [4])


def test_the_memory_is_bounded_however_fast_robots_change(stage):
    robots = [stage.add(k * S, "a") for k in range(MOST_ROBOTS + 10)]
    assert sum("destroy" in robot.calls for robot in robots) == 9
    stage.succession.deactivate()
    assert sum("destroy" in robot.calls for robot in robots) == len(robots) - 1
    assert robots[-1].calls[-1] == "deactivate"


def test_while_the_node_is_not_active_a_robot_is_replaced_at_once(stage):
    stage.succession.deactivate()
    old, new = stage.add(1 * S, "a"), stage.add(2 * S, "a")
    assert (old.calls, new.calls) == (["destroy"], [])
    stage.succession.activate(None)
    assert new.calls == ["activate"]


def test_without_a_name_a_state_waits_for_a_robot_that_is_being_prepared(stage):
    awaited = [5 * S]
    stage.succession._awaits = lambda after, until: any(after < stamp <= until for stamp in awaited)
    old = stage.add(1 * S, "a")
    for stamp in (4, 5, 6):
        stage.send(stamp, "a")
    assert old.got == [4]
    awaited.clear()
    new = stage.add(5 * S, "a")
    assert (old.got, new.got) == ([4], [5, 6])


def test_states_that_waited_for_a_refused_robot_keep_their_order(stage):
    awaited = [True]
    stage.succession._awaits = lambda after, until: bool(awaited)
    robot = stage.add(1 * S, "a")
    stage.send(4, "a")
    awaited.clear()
    stage.send(5, "a")
    assert robot.got == []
    stage.succession.look_again()
    stage.send(6, "a")
    assert robot.got == [4, 5, 6]


def test_a_state_that_waited_in_vain_for_a_robot_in_preparation_is_not_answered_by_the_old_one(stage):
    stage.succession._awaits = lambda after, until: True
    robot = stage.add(1 * S, "a")
    stage.send(4, "a")
    stage.wait(0.21)
    assert (robot.got, robot.causes) == ([], ["no description"])


def test_a_fault_at_one_waiting_state_neither_loses_the_others_nor_disables_the_robot(stage):
    first = stage.add(1 * S)
    for stamp in (2, 3, 4):
        stage.send(stamp, description=2)
    robot = Robot()
    robot.receive = MagicMock(side_effect=[ArithmeticError("fault"), None, None])
    first.retire = MagicMock(side_effect=ArithmeticError("at the end"))
    stage.succession.add(robot, "robot", 2 * S)
    assert [call.args[0].header.stamp.sec for call in robot.receive.call_args_list] == [2, 3, 4]
    assert stage.succession.current is robot
    (text,) = stage.node.log.texts("joint_states")
    assert text.startswith("skipped, unexpectedly: ArithmeticError: fault")
