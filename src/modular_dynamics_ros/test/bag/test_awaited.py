"""Which joints were awaited: names, what to do, and where it is no flaw."""

import numpy as np
import pytest

from helpers.recorded_bags import START, joint_state, write_bag
from modular_dynamics.shell.main import main
from modular_dynamics_ros.bag.awaited import AwaitedJoints

MS = 1_000_000


def state(time, names):
    return "/joint_states", START + time * MS, joint_state(START + time * MS, names, [0.1] * len(names))


def test_joints_of_no_message_are_named_with_the_option_for_them(bag, names):
    found = bag([state(10 * k, names[:3]) for k in range(3)], "--quiet")
    assert (found.code, found.report["incomplete"]) == (1, 3)
    assert found.report["awaited"] == {"right": 3}
    assert found.report["not_recorded"] == ["right"]
    given = bag([state(0, names[:3])], "--absent-joints", "right:=0.5", "--quiet")
    assert (given.code, given.report["awaited"]) == (0, {})


def test_joints_that_come_too_rarely_are_a_finding(bag, names):
    messages = [state(0, names), *(state(100 * k, names[:2]) for k in range(1, 6))]
    found = bag(messages, "--quiet")
    assert (found.code, found.report["answered"]) == (1, 3)
    assert found.report["awaited"] == {"left": 3, "right": 3}
    assert found.report["not_recorded"] == []
    longer = bag(messages, "--quiet", "--stale-after", 1)
    assert (longer.code, longer.report["awaited"]) == (0, {})


def test_that_publishers_begin_one_after_the_other_is_none(bag, names):
    found = bag([state(0, names[:2]), state(1, names[2:])], "--quiet")
    assert (found.code, found.report["incomplete"], found.report["awaited"]) == (0, 1, {})


def test_a_bag_of_another_robot_names_joints_of_both(tmp_path, capsys, names, four_link):
    folder = write_bag(tmp_path / "bag", [state(0, [f"j{k}" for k in range(6)])])
    assert main(["bag", str(folder), "--robot", str(four_link)]) == 1
    out = capsys.readouterr().out
    assert (
        "of other joints: 1\n    the bag has 'j0', 'j1', 'j2', 'j3' and 2 more; the robot has 'turn'" in out
    )


@pytest.mark.parametrize("later", [False, True])
def test_lines_name_the_joints_the_worst_ones_first(later):
    awaited = AwaitedJoints()
    awaited.add(["a", "b", "c"], (), answered=later)
    for missing in (["b"], ["a", "b"], ["x", "b"]):
        awaited.add(["c"], missing, answered=False)
    assert awaited.lines(0.2) == [
        "    in no joint state: 'x'; --absent-joints x:=POSITION gives a position",
        "    without a position in the last 0.2 s: 'b' (3), 'a' (1); a larger --stale-after lets older "
        "positions count",
    ]


def test_another_robot_goes_on_with_what_was_in_vain():
    first, second = AwaitedJoints(), AwaitedJoints()
    first.add(["a"], ["b"], answered=False)
    second.continue_from(first)
    second.add(["a"], ["c"], answered=False)
    second.add(["a", "c"], (), answered=True)
    assert second.record() == {"awaited": {"b": 1}, "not_recorded": ["b"]}
    assert second.others(np.array(["a"])) == ["c"]
