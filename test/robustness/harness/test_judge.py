"""The judge of the tests and what it measures with: faults that a node might have are found."""

import time
from collections import Counter
from random import Random

import numpy as np
import pytest
from sensor_msgs.msg import JointState

import modular_dynamics as md
from helpers.processes import run_python
from modular_dynamics_ros.computation.changes.edits import applied
from modular_dynamics_ros.computation.changes.kinds import Changes
from modular_dynamics_ros.exceptions import NodeError
from modular_dynamics_ros.messages.stamps import stamp_message
from robustness.harness import oracle
from robustness.harness.judge import DEFAULTS, Judge
from robustness.harness.oracle import Oracle
from robustness.harness.resources import Resources, growth
from robustness.harness.robots import PERIOD, joint_names, state_at, tree_urdf
from robustness.harness.tally import Tally
from robustness.joint_states import Torques, fault_of
from robustness.reconfiguration import Requests

pytestmark = pytest.mark.ros
JOINTS = 6
NAMES = joint_names(JOINTS)
PART = NAMES[1:3]
NOW = 1_800_000_000_123_456_789
URDF = tree_urdf(JOINTS)
LIGHT = md.load_urdf(URDF)
HEAVY = LIGHT.with_payload("joint_link_3", mass=2.0)


def test_all_tests_can_be_imported_where_the_command_runs(root):
    names = "from importlib import import_module as load; from robustness.__main__ import TESTS"
    each = "[load(f'robustness.{name.rpartition(\".\")[0]}') for name in TESTS.values()]"
    done = run_python("-c", f"{names}; {each}", cwd=root / "test")
    assert done.returncode == 0, done.stderr


def test_random_requests_are_legal_or_refused():
    """Each kind is both; what they name still exists in the nodes."""
    random, described, changes = Random(0), md.load_urdf(tree_urdf(6, 2)), Changes()
    found = Counter()
    for _ in range(300):
        service, _, expected = Requests(random, described).make(changes)
        try:
            changes = expected()
            applied(described, changes)
            found[service, "legal"] += 1
        except (md.ModularDynamicsError, NodeError, ValueError):
            found[service, "refused"] += 1
            changes = Changes()
    services = "set_payload", "attach_subsystem", "detach_subsystem", "lock_joints"
    assert {*found} == {(service, kind) for service in services for kind in ("legal", "refused")}


@pytest.fixture
def judge(tmp_path):
    return Judge(Tally("judge", tmp_path, 0), NAMES, URDF)


def answer(judge, stamp=NOW, published=0, graph=LIGHT, names=None, **changes):
    """Answer the state of a stamp with the torques of a graph, or with other numbers; return the message."""
    q, v = (dict(zip(NAMES, x.tolist(), strict=True)) for x in state_at(JOINTS, stamp))
    tau = md.nonlinear_effects(graph, *([x[name] for name in graph.joint_names] for x in (q, v)))
    effort = dict(zip(graph.joint_names, tau.tolist(), strict=True))
    names = list(names or graph.joint_names)
    numbers = {"position": q, "velocity": v, "effort": effort}
    numbers = {key: [x[name] for name in names] for key, x in numbers.items()} | changes
    message = JointState(name=names, **numbers)
    message.header.stamp = stamp_message(stamp)
    judge.on_answer(message, {"source_timestamp": published or stamp})
    return message


def found(judge):
    return " ".join(one.text for one in judge.tally.findings)


@pytest.mark.parametrize(
    ("factors", "commanded", "wrong"),
    [([1.0] * 60, True, 0), ([1.0 + 1e-9] * 2, True, 2), ([1.0] * 60, False, 1)],  # 1: no commands at all
)
def test_commands_are_the_torques_of_answers(judge, factors, commanded, wrong):
    """They come before their answers or after them."""
    for k, factor in enumerate(factors):
        later = Judge(judge.tally, NAMES, URDF) if k % 2 else judge  # only to make the message
        message = answer(later, NOW + k)
        command = JointState(header=message.header, name=message.name)
        command.effort = [factor * x for x in message.effort]
        if commanded:
            judge.on_command(command)
        if later is not judge:
            judge.on_answer(message, {"source_timestamp": NOW + k})
    judge.end_of_commands()
    assert judge.tally.wrong == wrong


def test_a_state_that_is_processed_again_is_wrong_unless_it_was_sent_again(judge):
    for _ in range(2):  # /clock stands still
        judge.on_sent(NOW)
    for wrong in (0, 0, 1):
        answer(judge)
        assert judge.tally.wrong == wrong


def test_states_without_an_answer_are_known(judge):
    for stamp in (NOW, NOW + 1, NOW + 2):
        judge.on_sent(stamp)
    answer(judge, NOW + 1)
    assert (judge.unprocessed(NOW), judge.unprocessed(NOW + 1)) == ([NOW, NOW + 2], [NOW + 2])


@pytest.mark.parametrize("field", ["position", "velocity", "effort"])
@pytest.mark.parametrize("change", [1e-6, np.nan])
def test_another_number_is_wrong(judge, tmp_path, field, change):
    values = list(getattr(answer(Judge(Tally("other", tmp_path, 0), NAMES, URDF)), field))
    values[2] += change
    answer(judge, **{field: values})
    assert (judge.tally.right, judge.tally.wrong) == (0, 1)


@pytest.mark.parametrize(
    ("later", "published", "words"),
    [(0, 0, "processed again"), (-1, 0, "older than the one before"), (1, 9 * 10**8, "0.900 s old")],
)
def test_order_repetitions_and_old_answers(judge, later, published, words):
    answer(judge)
    answer(judge, NOW + later, published and NOW + later + published)
    (finding,) = judge.tally.findings
    assert words in finding.text
    assert finding.file.exists()


def test_malformed_states_inactive_nodes_and_states_that_nobody_sent_have_no_answers(judge):
    judge.refused[NOW + 2] = "NaN"
    answer(judge, NOW + 2)
    judge.silent_since = NOW
    answer(judge, NOW + 3)
    judge.silent_since, judge.knows_all = None, True
    answer(judge, NOW + 4)
    assert (judge.tally.right, judge.tally.wrong) == (0, 3)


def test_settings_are_those_of_when_an_answer_was_published(judge):
    """However late it is read: a busy machine may take longer than the next change."""
    stamp = time.time_ns()
    q = dict(zip(NAMES, state_at(JOINTS, stamp)[0].tolist(), strict=True))
    gravity = md.gravity_torque(LIGHT, [q[name] for name in LIGHT.joint_names]).tolist()
    judge.settings = [{**DEFAULTS, "output": "gravity"}]
    time.sleep(0.001)
    published = time.time_ns()
    judge.settings = [dict(DEFAULTS)]
    judge.stale_after = 10.0
    answer(judge, stamp, published, effort=gravity)
    assert (judge.tally.right, judge.tally.wrong) == (1, 0)
    answer(judge, stamp + 1, time.time_ns(), effort=gravity)
    assert "differ" in found(judge)


def test_a_value_of_a_part_that_is_old_is_wrong(judge):
    old = NOW - 10**9
    judge.parts = {NOW: (0, 1, 2), old: (3, 4, 5)}
    now, before = state_at(JOINTS, NOW)[0], state_at(JOINTS, old)[0]
    merged = dict(zip(NAMES, [*now[:3], *before[3:]], strict=True))
    answer(judge, position=[merged[name] for name in LIGHT.joint_names])
    assert judge.tally.wrong == 1


def test_the_robot_of_the_stamp_counts(judge):
    judge.held = True
    answer(judge)
    answer(judge, NOW + 1, graph=HEAVY)
    judge.put_in_force(NOW + 1, HEAVY.to_urdf())
    judge.release()
    assert (judge.processed, judge.tally.wrong) == ([NOW, NOW + 1], 0)
    answer(judge, NOW + 2)  # by the robot before
    assert "differ" in found(judge)
    judge.put_in_force(NOW + 3, LIGHT.lock({NAMES[3]: 0.1}).to_urdf())
    answer(judge, NOW + 4)
    assert "that are not the robot's" in found(judge)


def test_what_a_killed_node_has_published_may_be_dropped(judge):
    judge.held = True
    answer(judge, names=NAMES[:1])
    judge.drop()
    answer(judge, published=1, names=NAMES[:1])  # it was on its way
    judge.release()
    assert (judge.tally.right, judge.tally.wrong) == (0, 0)


def test_a_change_counts_from_the_next_state_that_arrives(judge):
    judge.put_in_force(NOW + 1_000_000, HEAVY.to_urdf())
    answer(judge, NOW, NOW + 2_000_000, HEAVY)  # it was on its way
    assert judge.tally.wrong == 0
    answer(judge, NOW + 500_000, NOW + 900_000, HEAVY)  # too early
    assert "differ" in found(judge)


def test_parts_are_processed_when_all_are_and_by_one_robot(judge):
    others = [name for name in NAMES if name not in PART]
    judge.nodes = {"a": frozenset(PART), "b": frozenset(others)}
    judge.set_robot(HEAVY.to_urdf(), NAMES)
    for graph in (LIGHT, HEAVY):
        stamp = NOW + (graph is HEAVY)
        answer(judge, stamp, graph=graph, names=PART)
        assert stamp not in judge.processed
        answer(judge, stamp, graph=graph, names=others)
        assert (judge.processed[-1], judge.tally.wrong) == (stamp, 0)
    answer(judge, NOW + 2, graph=LIGHT, names=PART)
    answer(judge, NOW + 2, graph=HEAVY, names=others)
    assert "of two descriptions" in found(judge)
    answer(judge, NOW + 3, names=NAMES[:1])
    assert judge.tally.wrong == 2


@pytest.mark.parametrize(
    ("choice", "efforts", "fault"),
    [
        ("stop", [[1.0]], ""),
        ("stop", [[1.0], [1.0]], "instead of none"),
        ("stop", [], "no state"),
        ("hold_gravity", [[1.0], [2.0], [2.0], [2.0]], ""),
        ("hold_gravity", [[1.0], [2.0], [2.0], [2.1]], "change"),
        ("hold_gravity", [[1.0]], "instead of many"),
        ("ramp_to_zero", [[-2.0], [-1.0], [-0.5], [-0.0]], ""),
        ("ramp_to_zero", [[-2.0], [-1.0], [-1.5], [0.0]], "grow"),
        ("ramp_to_zero", [[-2.0], [-2.0], [-2.0], [-2.0]], "not zero"),
    ],
)
def test_what_follows_the_last_answer_is_judged(choice, efforts, fault):
    heard = fault_of(choice, [Torques(one, answers=k == 0) for k, one in enumerate(efforts)])
    assert fault in heard
    assert bool(fault) == bool(heard)


def test_silence_begins_at_the_last_answer():
    held_before = [Torques([3.0], True), Torques([1.0], False), Torques([2.0], True)]
    assert not fault_of("ramp_to_zero", [*held_before, *(Torques([x], False) for x in (2.0, 1.0, 0.0))])


def test_torques_of_large_trees_are_those_of_pinocchio(monkeypatch):
    urdf, count = tree_urdf(60, 3), 60
    q, v = state_at(count, NOW)
    theirs = Oracle(urdf)
    monkeypatch.setattr(oracle, "MOST_FOR_PINOCCHIO", 0)
    large, names = Oracle(urdf), joint_names(count)
    terms = [one.terms(*(x[[names.index(n) for n in one.names]] for x in (q, v))) for one in (large, theirs)]
    order = [large.names.index(name) for name in theirs.names]
    for part in ("full", "gravity"):
        ours, right = getattr(terms[0], part)[order], getattr(terms[1], part)
        assert np.abs(ours - right).max() < 1e-12 * terms[1].scale


@pytest.mark.parametrize("stamp", [NOW, NOW - NOW % PERIOD, 1])
def test_the_motion_is_smooth(stamp):
    before, after = state_at(JOINTS, stamp - 10**5), state_at(JOINTS, stamp + 10**5)
    # central differences of second order: 1e-10 relative to the motion, and rounding of 1e-16 / 1e-4
    assert np.allclose((after[0] - before[0]) / 2e-4, state_at(JOINTS, stamp)[1], atol=1e-7)


@pytest.mark.parametrize(
    ("growing", "too_much"),
    [((0, 0, 0), False), ((2, 0, 0), False), ((3, 0, 0), True), ((0, 1, 0), True), ((0, 0, 1), True)],
)
def test_growth_is_noticed(growing, too_much):
    samples = [Resources(100.0 + k * growing[0], 20 + k * growing[1], 10 + k * growing[2]) for k in range(30)]
    assert growth(samples)[1] == too_much
