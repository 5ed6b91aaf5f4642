"""The torques of a bag against Pinocchio's, and the rules by which joint states are answered."""

import json
from pathlib import Path

import numpy as np
import pytest

import modular_dynamics as md
from helpers.recorded_bags import START, joint_state, moving_states, text, wrench, write_bag
from modular_dynamics.crosscheck import CrossCheck
from modular_dynamics.shell.main import main

ALLOWED = 1e-12  # N m: rounding of torques of about 10 N m, computed by another program
MS = 1_000_000


def column(rows, beginning, names):
    return np.array([[float(row[f"{beginning}_{name}"]) for name in names] for row in rows])


@pytest.mark.parametrize("source", ["zero", "filtered"])
def test_torques_are_pinocchios_at_the_same_states(bag, names, four_link, source):
    messages, motion = moving_states(names, 200)
    found = bag(messages, "--motion", "--acceleration-source", source)
    assert found.code == 0
    starting = 5 if source == "filtered" else 0  # the sampling period is known from the sixth on
    assert [len(found.rows), found.report["answered"]] == [200 - starting] * 2
    q, v, a = (column(found.rows, letter, names) for letter in "qva")
    np.testing.assert_array_equal(q, [one for one, _ in motion[starting:]])
    np.testing.assert_array_equal(v, [one for _, one in motion[starting:]])
    assert (np.abs(a).max() > 0.5) == (source == "filtered")
    check = CrossCheck(md.load_urdf(four_link))
    expected = [check.torques(*state) for state in zip(q, v, a, strict=True)]
    np.testing.assert_allclose(column(found.rows, "tau", names), expected, atol=ALLOWED, rtol=0.0)


def test_connection_wrenches_carry_the_robots_weight(bag, names, four_link):
    graph = md.load_urdf(four_link)
    messages = [("/joint_states", START, joint_state(START, names, np.zeros(4), np.zeros(4)))]
    (row,) = bag(messages).rows
    mass = sum(body.mass for body in graph.bodies)
    assert float(row["fz_stem"]) == pytest.approx(9.81 * mass, rel=1e-12)  # the root is upright


def test_joint_states_of_two_publishers_are_merged_and_early_ones_wait(bag, names):
    messages = []
    for k in range(10):
        stamp = START + 10 * MS * k
        part = names[:2] if k % 2 else names[2:]
        messages.append(("/joint_states", stamp, joint_state(stamp, part, [0.1 * k] * 2, [0.0] * 2)))
    found = bag(messages, "--motion")
    assert (found.code, found.report["incomplete"], found.report["answered"]) == (0, 1, 9)
    np.testing.assert_allclose(column(found.rows[-1:], "q", names)[0], [0.9, 0.9, 0.8, 0.8])


def test_a_part_that_is_too_old_stops_the_answers(bag, names):
    early = joint_state(START, names[2:], [0.0] * 2, [0.0] * 2)
    messages = [("/joint_states", START, early)]
    for k in range(1, 6):
        stamp = START + 100 * MS * k
        messages.append(("/joint_states", stamp, joint_state(stamp, names[:2], [0.0] * 2, [0.0] * 2)))
    found = bag(messages)
    assert (found.report["answered"], found.report["incomplete"]) == (
        2,
        4,
    )  # 0.1 s and 0.2 s, with stale_after 0.2 s


def test_old_disordered_and_impossible_joint_states_are_not_answered(bag, names):
    def at(recorded, stamp, **values):
        numbers = {"q": np.zeros(4), "v": np.zeros(4)} | values
        return "/joint_states", START + recorded * MS, joint_state(START + stamp * MS, names, **numbers)

    messages = [at(0, 0), at(10, 10), at(12, 8), at(20, -300), at(30, 20, q=[np.nan, 0, 0, 0]), at(40, 31)]
    found = bag(messages)
    assert found.code == 1
    assert found.report["rejected"] == {"older than the last answer": 1, "too old": 1, "not finite": 1}
    assert [row["time"][-9:] for row in found.rows] == ["000000000", "010000000", "031000000"]
    assert "position of 'turn' is NaN or infinite" in found.err


def test_overtaking_alone_is_no_finding(bag, names):
    stamps = [START, START + 2 * MS, START + MS]
    messages = [
        ("/joint_states", START + 3 * MS, joint_state(stamp, names, np.zeros(4), np.zeros(4)))
        for stamp in stamps
    ]
    found = bag(messages)
    assert (found.code, found.report["rejected"]) == (0, {"older than the last answer": 1})


@pytest.mark.parametrize(("clock", "answered"), [("auto", 20), ("stamps", 20), ("recorded", 0)])
def test_stamps_of_another_clock_than_the_recorders(bag, names, clock, answered):
    messages, _ = moving_states(names, 20, start=5 * MS, delay=START)  # a simulation's time
    found = bag(messages, "--clock", clock)
    assert (found.report["answered"], found.code) == (answered, 0 if answered else 1)
    assert found.report["clock"] == ("recorded" if clock == "recorded" else "stamps")


def test_with_the_clock_of_stamps_a_simulation_may_begin_anew(bag, names):
    first, _ = moving_states(names, 20, start=10_000 * MS, delay=START)
    second, _ = moving_states(names, 20, start=5 * MS, delay=START + 20_000 * MS)
    assert bag(first + second).report["answered"] == 40


def test_without_velocities_they_count_as_zero_and_a_warning_says_so(bag, names):
    messages = [("/joint_states", START, joint_state(START, names, [0.1, 0.2, 0.3, 0.4]))]
    found = bag(messages, "--motion")
    assert column(found.rows, "v", names).tolist() == [[0.0] * 4]
    assert "no velocity of 'turn', 'bend', 'left', 'right': taken as zero" in found.err


def test_the_robot_comes_from_the_bag_and_may_change(bag, names, four_link):
    description = Path(four_link).read_text(encoding="utf-8")
    heavier = description.replace('mass value="', 'mass value="1')
    assert heavier != description
    states, _ = moving_states(names, 20)
    change = states[10][1] - 1
    messages = sorted(
        [
            ("/robot_description", START + 5 * MS, text(description)),
            ("/robot_description", change, text(heavier)),
            *states,
        ],
        key=lambda one: one[1],
    )
    found = bag(messages, "--motion", robot=None)
    assert (found.code, found.report["answered"]) == (0, 20)
    for rows, urdf in ((found.rows[:10], description), (found.rows[10:], heavier)):
        check = CrossCheck(md.load_urdf(urdf))
        q, v, a = (column(rows, letter, names) for letter in "qva")
        expected = [check.torques(*state) for state in zip(q, v, a, strict=True)]
        np.testing.assert_allclose(column(rows, "tau", names), expected, atol=100 * ALLOWED, rtol=0.0)


def test_a_later_robot_may_have_a_black_box_and_the_last_one_none(tmp_path, capsys, names, four_link):
    whole = Path(four_link).read_text(encoding="utf-8")
    own = '<subsystem name="right_branch" root_link="right_branch"'
    boxed = whole.replace(own, f'{own} black_box="true"')
    link = md.load_urdf(boxed).subsystem("right_branch").connection.link
    states, _ = moving_states(names, 30)
    times = [time for _, time, _ in states]
    descriptions = [(START, whole), (times[10] - 3, boxed), (times[20] - 3, whole)]
    messages = [("/robot_description", time, text(urdf)) for time, urdf in descriptions]
    topic = "/dynamics_node/black_box/right_branch/wrench"
    messages += [(topic, time - 2, wrench(time - 2, link, [1.0] * 6)) for time in times]
    recording = write_bag(tmp_path / "in", sorted(messages + states, key=lambda one: one[1]))
    code = main(["bag", str(recording), "--bag", str(tmp_path / "out"), "--json"])
    report = json.loads(capsys.readouterr().out)
    assert (code, report["answered"], report["rejected"]) == (0, 30, {})


def test_a_bad_description_in_the_bag_leaves_the_last_robot(bag, names, four_link):
    states, _ = moving_states(names, 20)
    description = Path(four_link).read_text(encoding="utf-8")
    bad = ("/robot_description", states[10][1] - 1, text("<robot name='r'><link/></robot>"))
    messages = [("/robot_description", START, text(description)), *states[:10], bad, *states[10:]]
    found = bag(messages, robot=None)
    assert (found.code, found.report["answered"]) == (1, 20)
    assert found.report["refused"] == {"robot_description": {"the last robot stays": 1}}
    assert "robot_description refused, the last robot stays" in found.err


def test_a_bad_description_is_named_by_its_topic(bag, names):
    broken = ("/robot_description", START - 1, text("<robot name='r'"))
    found = bag([broken, *moving_states(names, 2)[0]], robot=None)
    assert found.code == 2
    assert "robot of the topic '/robot_description': line 1: malformed XML" in found.err
    assert "--robot FILE replaces it" in found.err


def test_a_fault_of_the_partition_file_is_none_of_the_topic(bag, names, four_link, tmp_path):
    path = tmp_path / "partition.yaml"
    path.write_text("version: 1\nsubsystems:\n  - {name: a, joints: [missing]}\n")
    description = ("/robot_description", START - 1, text(Path(four_link).read_text(encoding="utf-8")))
    found = bag([description, *moving_states(names, 2)[0]], "--partition", path, robot=None)
    assert (found.code, "missing" in found.err) == (2, True)
    assert "of the topic" not in found.err


def test_closed_loops(bag, root):
    graph = md.load_urdf(root / "urdf/exoskeleton.urdf")
    names = list(graph.independent_joint_names)
    q = [np.array([0.0, 0.0, 0.5 + 0.01 * k, 0.5, 0.0]) for k in range(5)]
    messages = [
        ("/joint_states", START + k * MS, joint_state(START + k * MS, names, one, 0.1 * np.ones(5)))
        for k, one in enumerate(q)
    ]
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


@pytest.mark.parametrize("jitter", [0, 300_000])
def test_the_zero_phase_filter_does_not_delay_accelerations(bag, names, jitter):
    """1 Hz, 39 rad/s^2 at most; the node's filter is 61 ms late at 10 Hz, 3.8637 / (2 pi cutoff)."""
    w, draw, messages = 2 * np.pi, np.random.default_rng(3), []
    for k in range(1200):
        stamp = START + 2_000_000 * k + int(draw.integers(-jitter, jitter + 1))
        t = (stamp - START) * 1e-9
        q, v = np.full(4, np.sin(w * t)), np.full(4, w * np.cos(w * t))
        messages.append(("/joint_states", stamp + 1_000_000, joint_state(stamp, names, q, v)))
    found = bag(messages, "--zero-phase", "--motion")
    assert (found.code, found.report["answered"], found.report["acceleration_lag"]) == (0, 1200, 0.0)
    late, _, error = lag_of(found.rows, "bend", lambda t: -(w**2) * np.sin(w * t))
    assert late == pytest.approx(0.0, abs=1e-9)
    assert error < 0.02
    causal = bag(messages, "--acceleration-source", "filtered", "--motion")
    late, _, error = lag_of(causal.rows, "bend", lambda t: -(w**2) * np.sin(w * t))
    assert late == pytest.approx(3.8637 / (w * 10.0), abs=1.1e-3)
    assert causal.report["acceleration_lag"] == pytest.approx(0.0615, abs=1e-4)
    assert error > 10.0


def test_the_zero_phase_filter_takes_joints_on_their_own_stamps_and_stops_at_gaps(bag, names):
    w, messages = 2 * np.pi, []
    for k in range(2000):
        stamp, joint = START + 1_000_000 * k + 500_000_000 * (k >= 1000), k % 2
        t = (stamp - START) * 1e-9
        own = names[:2] if joint else names[2:]
        state = joint_state(stamp, own, np.full(2, np.sin(w * t)), np.full(2, w * np.cos(w * t)))
        messages.append(("/joint_states", stamp, state))
    found = bag(messages, "--zero-phase", "--motion")
    a = np.array([[float(row[f"a_{name}"]) for name in names] for row in found.rows])
    t = np.array([float(row["time"]) for row in found.rows]) - START * 1e-9
    inside = ((t > 0.2) & (t < 0.8)) | ((t > 1.7) & (t < 2.3))
    assert np.abs(a[inside] + (w**2) * np.sin(w * t[inside])[:, None]).max() < 0.02
    assert found.report["answered"] > 1990
    slow = bag(moving_states(names, 40, rate=20.0)[0], "--zero-phase")
    assert slow.report["answered"] == 0
    assert "one every 0.04 s" in slow.err


def test_the_zero_phase_filter_contradicts_other_sources(bag, names):
    found = bag(moving_states(names, 5)[0], "--zero-phase", "--acceleration-source", "zero")
    assert (found.code, found.report) == (2, {})
    assert "--zero-phase is a filter; --acceleration-source zero has none" in found.err
