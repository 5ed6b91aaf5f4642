"""The torques of a bag against Pinocchio's, and the rules by which joint states are processed."""

from pathlib import Path

import numpy as np
import pytest

import modular_dynamics as md
from helpers.recorded_bags import (
    START,
    STORE,
    header,
    joint_state,
    moving_states,
    odometry,
    text,
    wrench,
    write_bag,
)
from modular_dynamics.crosscheck import CrossCheck
from modular_dynamics.shell.main import main

ALLOWED = 1e-12  # N m: rounding of torques of about 10 N m, computed by another program
MS = 1_000_000


Q = [0.3, -0.5, 0.7, 0.2]


def sent(ms, names, q=Q, v=(), effort=(), stamp=None):
    """A joint state that is recorded at a time [ms]; `stamp`: its own [ms], if it is another one."""
    own = START + (ms if stamp is None else stamp) * MS
    return "/joint_states", START + ms * MS, joint_state(own, names, q, v, effort)


def states(names, times):
    """All at rest at one position."""
    return [sent(ms, names, v=np.zeros(4)) for ms in times]


def column(rows, beginning, names):
    return np.array([[float(row[f"{beginning}_{name}"]) for name in names] for row in rows])


def agrees(rows, names, urdf, allowed=ALLOWED):
    """Whether all torques are Pinocchio's at the positions, velocities and accelerations in the rows."""
    check = CrossCheck(md.load_urdf(urdf))
    states = zip(*(column(rows, letter, names) for letter in "qva"), strict=True)
    expected = [check.torques(*state) for state in states]
    np.testing.assert_allclose(column(rows, "tau", names), expected, atol=allowed, rtol=0.0)
    return True


@pytest.mark.parametrize("source", ["zero", "filtered"])
def test_torques_are_pinocchios_at_the_same_states(bag, names, four_link, source):
    messages, motion = moving_states(names, 200)
    found = bag(messages, "--motion", "-p", f"acceleration_source:={source}")
    assert found.code == 0
    starting = 5 if source == "filtered" else 0  # the sampling period is known from the sixth on
    assert [len(found.rows), found.report["processed"]] == [200 - starting] * 2
    q, v, a = (column(found.rows, letter, names) for letter in "qva")
    np.testing.assert_array_equal(q, [one for one, _ in motion[starting:]])
    np.testing.assert_array_equal(v, [one for _, one in motion[starting:]])
    assert (np.abs(a).max() > 0.5) == (source == "filtered")
    assert agrees(found.rows, names, four_link)


def test_old_disordered_and_impossible_joint_states_are_not_processed(bag, names):
    times = (0, 0, Q), (10, 10, Q), (12, 8, Q), (20, -300, Q), (30, 20, [np.nan, 0, 0, 0]), (40, 31, Q)
    messages = [sent(recorded, names, q, np.zeros(4), stamp=stamp) for recorded, stamp, q in times]
    found = bag(messages)
    assert found.code == 1
    assert found.report["rejected"] == {"older than the last result": 1, "too old": 1, "not finite": 1}
    assert [row["time"][-9:] for row in found.rows] == ["000000000", "010000000", "031000000"]
    assert "position of 'turn' is NaN or infinite" in found.err


def test_a_simulation_s_time_may_begin_anew(bag, names):
    first, _ = moving_states(names, 20, start=10_000 * MS, delay=START)
    second, _ = moving_states(names, 20, start=5 * MS, delay=START + 20_000 * MS)
    found = bag(first + second)
    assert (found.code, found.report["processed"]) == (0, 40)
    assert "a stamp is 10.033 s older than the newest: the time restarts there" in found.err
    assert found.report["time_restarts"] == 1


@pytest.mark.parametrize("off", [-3600, 3600])
def test_one_damaged_stamp_is_said_and_counted_and_those_after_it_are_processed(bag, names, off):
    messages, _ = moving_states(names, 20)
    messages[10][2][1].header.stamp.sec += off
    found = bag(messages, "--quiet")
    assert (found.report["processed"], found.report["time_restarts"]) == (20, 1)
    assert "else one of the two stamps is damaged" in bag(messages).err


def test_joint_states_without_stamps_count_when_they_were_recorded(bag, names):
    messages = [(topic, time, joint_state(0, names, Q)) for topic, time, _ in states(names, [0, 10])]
    found = bag(messages)
    assert (found.code, [row["time"][-9:] for row in found.rows]) == (0, ["000000000", "010000000"])


@pytest.mark.parametrize("named", [False, True])
def test_the_robot_comes_from_the_bag_which_is_read_until_it_changes(bag, names, four_link, named):
    """Joint states may be recorded before the description that they name: none is processed by another."""
    plain = Path(four_link).read_text(encoding="utf-8")
    marks = [f"{stamp // 10**9}.{stamp % 10**9:09d}" for stamp in (START, START + 20 * MS)]
    tag = '<modular_dynamics version="1"'
    urdfs = [plain.replace(tag, f'{tag} stamp="{mark}"') for mark in marks] if named else [plain, plain]
    urdfs[1] = urdfs[1].replace('mass value="', 'mass value="1')
    joint_states, _ = moving_states(names, 20)
    for k, (_, _, (_, state)) in enumerate(joint_states):
        state.header.frame_id = f"{md.load_urdf(plain).name}@{marks[k >= 10]}" if named else ""
    same, first, second = (
        ("/robot_description", joint_states[k][1], text(urdf))
        for k, urdf in ((5, urdfs[0]), (0, urdfs[0]), (12, urdfs[1]))
    )
    messages = [first, *joint_states[:5], same, *joint_states[5:12], second, *joint_states[12:]]
    found = bag(messages, "--motion", robot=None)
    assert (found.code, found.report["processed"]) == (1, 10 if named else 12)
    assert found.report["rejected"] == ({"another robot": 2} if named else {})
    assert "another robot description came on '/robot_description'" in found.report["damage"]
    assert agrees(found.rows, names, urdfs[0], 100 * ALLOWED)


def test_closed_loops(bag, root):
    graph = md.load_urdf(root / "urdf/exoskeleton.urdf")
    names = list(graph.independent_joint_names)
    q = [np.array([0.0, 0.0, 0.5 + 0.01 * k, 0.5, 0.0]) for k in range(5)]
    messages = [sent(k, names, one, 0.1 * np.ones(5)) for k, one in enumerate(q)]
    found = bag(messages, robot=root / "urdf/exoskeleton.urdf")
    expected = [md.inverse_dynamics(graph, one, 0.1 * np.ones(5), np.zeros(5)) for one in q]
    np.testing.assert_allclose(column(found.rows, "tau", names), expected, atol=1e-9, rtol=1e-9)
    assert found.report["closed_anew"] <= 1  # each state continues the one before


def lag_of(rows, joint, a_of):
    """By how much [s] recorded accelerations are late: where they fit the true ones best."""
    times = np.array([float(row["time"]) for row in rows])
    times -= START * 1e-9
    found = np.array([float(row[f"a_{joint}"]) for row in rows])
    inside = (times > 0.6) & (times < times[-1] - 0.3)
    late = np.arange(-0.02, 0.1, 0.0005)
    errors = [np.abs(found - a_of(times - one))[inside].max() for one in late]
    return late[np.argmin(errors)], min(errors), np.abs(found - a_of(times))[inside].max()


def test_the_filter_is_late_by_what_the_report_says(bag, names):
    """1 Hz, 39 rad/s^2 at most; 61 ms late at 10 Hz, 3.8637 / (2 pi cutoff)."""
    w, messages = 2 * np.pi, []
    for k in range(1200):
        t = 0.002 * k
        stamp = START + 2_000_000 * k
        q, v = np.full(4, np.sin(w * t)), np.full(4, w * np.cos(w * t))
        messages.append(("/joint_states", stamp + 1_000_000, joint_state(stamp, names, q, v)))
    causal = bag(messages, "-p", "acceleration_source:=filtered", "--motion")
    late, _, error = lag_of(causal.rows, "bend", lambda t: -(w**2) * np.sin(w * t))
    assert late == pytest.approx(3.8637 / (w * 10.0), abs=1.1e-3)
    assert causal.report["acceleration_lag"] == pytest.approx(0.0615, abs=1e-4)
    assert error > 10.0


def test_joints_of_no_message_are_named_with_the_option_for_them(bag, names):
    found = bag([sent(10 * k, names[:3], Q[:3]) for k in range(3)], "--quiet")
    assert (found.code, found.report["incomplete"]) == (1, 3)
    assert found.report["awaited"] == {"right": 3}
    assert found.report["not_recorded"] == ["right"]
    given = bag([sent(0, names[:3], Q[:3])], "-p", "absent_joints:=[right:=0.5]", "--quiet")
    assert (given.code, given.report["awaited"]) == (0, {})


def test_joints_that_come_too_rarely_are_a_finding(bag, names):
    messages = [sent(0, names), *(sent(100 * k, names[:2], Q[:2]) for k in range(1, 6))]
    found = bag(messages, "--quiet")
    assert (found.code, found.report["processed"]) == (1, 3)
    assert found.report["awaited"] == {"left": 3, "right": 3}
    assert found.report["not_recorded"] == []
    longer = bag(messages, "--quiet", "-p", "stale_after:=1")
    assert (longer.code, longer.report["awaited"]) == (0, {})


def test_a_bag_of_another_robot_names_its_joints(tmp_path, capsys, names, four_link):
    folder = write_bag(tmp_path / "bag", [sent(0, [f"j{k}" for k in range(6)], np.zeros(6))])
    assert main(["bag", str(folder), "--robot", str(four_link)]) == 1
    out = capsys.readouterr().out
    assert (
        "of other joints: 1\n    names that the robot does not have: 'j0', 'j1', 'j2', 'j3' and 2 more" in out
    )


def test_residuals_are_measured_efforts_less_torques(bag, names, four_link):
    graph, numbers = md.load_urdf(four_link), np.random.default_rng(3)
    q, v, extra = numbers.uniform(-1.0, 1.0, (3, 30, 4))
    tau = md.inverse_dynamics(graph, q, v, np.zeros((30, 4)))
    found = bag([sent(k, names, q[k], v[k], tau[k] + extra[k]) for k in range(30)])
    residuals = np.array([[float(row[f"residual_{name}"]) for name in names] for row in found.rows])
    np.testing.assert_allclose(residuals, extra, rtol=0.0, atol=1e-12)
    for k, name in enumerate(names):
        assert found.report["residuals"][name]["rms"] == pytest.approx(np.sqrt(np.mean(extra[:, k] ** 2)))
        assert found.report["residuals"][name]["largest"] == pytest.approx(np.abs(extra[:, k]).max())


def test_joints_without_effort_have_no_residual(bag, names):
    efforts = {0: (), 1: [np.nan, 1.0, 2.0, np.inf], 2: (), 300: ()}
    messages = [sent(ms, names, effort=effort) for ms, effort in efforts.items()]
    found = bag(messages)
    known = [[bool(row[f"residual_{name}"]) for name in names] for row in found.rows]
    last = [False, True, True, False]
    assert known == [[False] * 4, last, [False] * 4, [False] * 4]
    assert set(found.report["residuals"]) == {"bend", "left"}


FORCE = [1.0, -2.0, 3.0, 0.1, 0.2, -0.3]


def trajectory(stamp, names, times, acceleration=0.0):
    """Of the same acceleration of all joints at these times [s]."""
    types, kind = STORE.types, "trajectory_msgs/msg/JointTrajectory"
    none, accelerations = np.zeros(0), np.full(len(names), acceleration)
    points = [
        types["trajectory_msgs/msg/JointTrajectoryPoint"](
            none, none, accelerations, none, types["builtin_interfaces/msg/Duration"](int(time), 0)
        )
        for time in times
    ]
    return kind, types[kind](header(stamp), list(names), points)


def torques(row, names):
    return [float(row[f"tau_{name}"]) for name in names]


def expected(four_link, **more):
    return md.inverse_dynamics(md.load_urdf(four_link), np.array(Q), np.zeros(4), np.zeros(4), **more)


@pytest.mark.parametrize("topic", ["/dynamics_node/external_wrench", "/elsewhere/external_wrench"])
def test_an_external_wrench_counts_until_it_is_old(bag, names, four_link, topic):
    link = md.load_urdf(four_link).joints[-1].child_link
    push = (topic, START + 5 * MS, wrench(START + 5 * MS, link, FORCE))
    node = topic.rpartition("/")[0]
    found = bag([*states(names, [0]), push, *states(names, [10, 150, 260])], "--node", node)
    free, pushed = expected(four_link), expected(four_link, external_wrenches={link: np.array(FORCE)})
    assert np.abs(free - pushed).max() > 0.1
    for row, tau in zip(found.rows, [free, pushed, pushed, free], strict=True):
        np.testing.assert_allclose(torques(row, names), tau, rtol=0.0, atol=1e-12)


def test_a_wrench_that_was_old_when_it_came_does_not_count(bag, names, four_link):
    link = md.load_urdf(four_link).joints[-1].child_link
    push = ("/dynamics_node/external_wrench", START, wrench(START - 201 * MS, link, FORCE))
    found = bag([*states(names, [0]), push, *states(names, [1])])
    np.testing.assert_allclose(torques(found.rows[1], names), expected(four_link), rtol=0.0, atol=1e-12)
    assert "0.2 s (stale_after) behind the bag's newest time: a larger stale_after accepts it" in found.err
    assert "synchronise" not in found.err


def test_an_older_wrench_does_not_replace_one_that_is_valid(bag, names, four_link):
    """Publishers of one source may be recorded in any order."""
    link = md.load_urdf(four_link).joints[-1].child_link
    pushes = [
        (
            "/dynamics_node/external_wrench",
            START + came * MS,
            wrench(START + stamp * MS, link, [force, 0, 0, 0, 0, 0]),
        )
        for came, stamp, force in ((1, 1, 1.0), (2, 3, 2.0), (3, 2, 9.0))
    ]
    found = bag([*pushes, *states(names, [4])])
    alone = bag([pushes[1], *states(names, [4])])
    assert torques(found.rows[0], names) == torques(alone.rows[0], names)
    assert "its stamp is 0.001 s older than that of the last, which is still valid" in found.err
    assert (found.code, sum(map(len, found.report["refused"].values()))) == (0, 1)  # usual, as overtaking is


def test_a_wrench_in_an_unknown_frame_is_refused_by_name(bag, names):
    push = ("/dynamics_node/external_wrench", START, wrench(START, "nowhere", FORCE))
    found = bag([push, *states(names, [0])])
    assert found.report["processed"] == 1
    assert "no link 'nowhere'" in found.err
    quiet = bag([push, *states(names, [0])], "--quiet")
    assert (quiet.err, quiet.code) == ("", 1)
    assert quiet.report["refused"] == {"external wrench": {"unknown frame": 1}}


def test_a_reference_that_is_refused_leaves_accelerations_of_zero_which_are_counted(bag, names):
    reference = ("/reference", START, trajectory(START, names, [1.0, 1.0]))  # twice the same time
    found = bag([reference, *states(names, [0, 10])], "-p", "acceleration_source:=reference")
    assert (found.code, found.report["processed"]) == (1, 2)
    assert list(found.report["refused"]) == ["reference"]
    assert found.report["processed_without_reference"] == 2
    assert found.report["acceleration_source"] == "reference"


def test_a_reference_is_in_the_namespace_of_the_node_wherever_joint_states_are(bag, names, four_link):
    reference = ("/right/reference", START, trajectory(START, names, [0.0, 1.0], acceleration=2.0))
    moved = [("/arm/joint_states", *rest) for _, *rest in states(names, [10])]
    options = ("--joint-states", "/arm/joint_states", "-p", "acceleration_source:=reference")
    (row,) = bag([reference, *moved], *options, "--node", "/right/dynamics_node").rows
    accelerated = md.inverse_dynamics(md.load_urdf(four_link), np.array(Q), np.zeros(4), np.full(4, 2.0))
    np.testing.assert_allclose(torques(row, names), accelerated, rtol=0.0, atol=1e-12)


def test_wrenches_below_another_node_s_name_are_named_with_the_option_that_helps(bag, names, four_link):
    link = md.load_urdf(four_link).joints[-1].child_link
    topics = "/left/dynamics_node/external_wrench", "/left/dynamics_node/connections/stem/wrench"
    messages = [(topic, START, wrench(START, link, FORCE)) for topic in topics] + states(names, [1])
    found = bag(messages)
    assert (found.code, found.report["refused"]) == (0, {})
    assert (
        f"warning: not read: '{topics[0]}'; --node names the node whose wrenches count\n" in found.err
    )  # the other one is no input
    assert "not read" not in bag(messages, "--node", "left/dynamics_node").err


def test_without_the_wrench_of_a_black_box_nothing_is_processed_and_with_it_all_is(
    bag, names, four_link, boxed_branch
):
    options = ("-p", f"partition_file:={boxed_branch}")
    found = bag(states(names, [0, 10]), *options)
    assert (found.code, found.report["rejected"]) == (1, {"no wrench": 2})
    graph = md.load_urdf(four_link, boxed_branch)
    link = graph.subsystem("right_branch").connection.link
    measured = ("/dynamics_node/black_box/right_branch/wrench", START, wrench(START, link, FORCE))
    found = bag([measured, *states(names, [0, 10])], *options)
    assert (found.code, found.report["processed"]) == (0, 2)
    assert "tau_right" not in found.rows[0]


def test_odometry_moves_a_floating_base(bag, names, four_link):
    graph = md.load_urdf(four_link, floating_base=True)
    root_link, half = graph.joints[0].child_link, np.sqrt(0.5)
    moved = odometry(START, "odom", root_link, (half, 0.0, 0.0, half), (0.0, 0.0, 0.0, 0.0, 0.0, 2.0))
    found = bag([("/odometry", START, moved), *states(names, [1])], "-p", "floating_base:=true")
    q = np.concatenate([np.zeros(3), [half, half, 0.0, 0.0], Q])
    # 1 ms at 2 rad/s about its z axis turns it by 2 mrad
    turn = np.array([np.cos(1e-3), 0.0, 0.0, np.sin(1e-3)])
    q[3:7] = [half * turn[0], half * turn[0], -half * turn[3], half * turn[3]]
    v = np.concatenate([[0.0, 0.0, 0.0, 0.0, 0.0, 2.0], np.zeros(4)])
    tau = md.inverse_dynamics(graph, q, v, np.zeros(10))[6:]
    np.testing.assert_allclose(torques(found.rows[0], names), tau, rtol=0.0, atol=1e-9)
    assert found.code == 0
    late = bag(states(names, [1]), "-p", "floating_base:=true")
    assert (late.code, late.report["rejected"]) == (1, {"no odometry": 1})


@pytest.mark.parametrize(
    ("parameters", "code", "words"),
    [
        ("{gravity_source: imu}", 2, "gravity_source 'imu' is not read from bags"),
        (
            "{acceleration_source: reference, reference_type: controller_state}",
            2,
            "reference_type 'controller_state' is not read from bags",
        ),
    ],
)
def test_what_a_parameter_file_asks_for_in_vain_is_said(bag, names, tmp_path, parameters, code, words):
    path = tmp_path / "params.yaml"
    path.write_text(f"dynamics_node:\n  ros__parameters: {parameters}\n")
    found = bag(states(names, [0]), "--params-file", path)
    assert (found.code, words in found.err) == (code, True)
