"""What sessions of one node share: newest values of joints, publishers and subscriptions, the time."""

import numpy as np
import pytest

from helpers.nodes.lone_node import lone_node
from helpers.random_examples.examples import some
from modular_dynamics_ros.node.session_node import MOST_OTHERS, NEVER, JointTable, SharedEntities, Stopwatch

pytestmark = pytest.mark.ros

NAMES = ["a", "b", "c", "d"]


@pytest.mark.parametrize("seed", some(range(20)))
def test_random_parts_in_any_order(seed):
    rng, table, newest = np.random.default_rng(seed), JointTable(), {}
    for now in np.cumsum(rng.integers(1, 80, 200)).tolist():
        stamp = now - int(rng.integers(0, 200))
        some = [name for name in [*NAMES, "stranger"] if rng.random() < 0.6]
        rng.shuffle(some)
        q, v, effort = rng.normal(size=(3, len(some)))
        measured = effort if rng.random() < 0.5 else None
        table.add(table.rows_of(some), q, v, measured, stamp)
        for k, name in enumerate(some):
            if newest.get(name, (NEVER,))[0] <= stamp:
                newest[name] = (stamp, q[k], v[k], np.nan if measured is None else effort[k])
        for name, (stamped, *values) in newest.items():
            (row,) = table.rows_of([name])
            assert table.stamps[row] == stamped
            np.testing.assert_array_equal([table.q[row], table.v[row], table.effort[row]], values)


def add(table, names, stamp):
    table.add(table.rows_of(names), np.full(len(names), stamp), np.zeros(len(names)), None, stamp)


def test_values_from_before_the_clock_was_set_back_are_forgotten():
    table = JointTable()
    for now, names in ((10_000, NAMES), (50, NAMES[:2]), (10_000, NAMES[:3])):
        table.forget_after(now + 200)
        add(table, names, now)
    assert table.stamps[table.rows_of(NAMES)].tolist() == [10_000] * 3 + [NEVER]


def test_a_new_robot_knows_recent_values_of_joints_that_the_old_one_has_not_and_no_old_ones():
    """A gripper may publish before it is attached; another one of its name, long ago, stood elsewhere."""
    table = JointTable()
    table.begin(["a", "b"], 0)
    add(table, ["a", "c"], 10)
    add(table, ["b", "d"], 100)
    table.begin(["a", "c", "d"], 50)
    assert table.stamps[table.rows_of(["a", "c", "d"])].tolist() == [10, NEVER, 100]


def test_joints_of_no_robot_fill_the_table_only_so_far():
    table = JointTable()
    for k in range(3):
        names = [f"{k}-{j}" for j in range(MOST_OTHERS)]
        add(table, table.readable(names), k)
    assert len(table.stamps) == MOST_OTHERS
    table.begin(NAMES, 0)
    assert table.readable([*NAMES, "stranger"]) == NAMES
    assert table.readable(["0-0", "9-9"]) == ["0-0"]


@pytest.fixture
def node():
    return lone_node()


def test_a_publisher_lives_as_long_as_one_session_uses_it(node):
    shared = SharedEntities(node, lambda: 0.2)
    first, second = (shared.create_lifecycle_publisher(str, "~/torques", 10) for _ in range(2))
    other = shared.create_lifecycle_publisher(str, "~/wrench", 10)
    assert first is second is not other
    shared.destroy_lifecycle_publisher(first)
    node.destroy_lifecycle_publisher.assert_not_called()
    shared.destroy_lifecycle_publisher(first)
    node.destroy_lifecycle_publisher.assert_called_once_with(first)
    assert shared.create_lifecycle_publisher(str, "~/torques", 10) is not first


def test_messages_go_to_the_newest_session_and_back_when_it_leaves(node):
    shared, got = SharedEntities(node, lambda: 0.2), []
    uses = [
        shared.create_subscription(str, "reference", lambda message, info, k=k: got.append((k, message)), 10)
        for k in range(2)
    ]
    receive = node.create_subscription.call_args.args[2]
    node.create_subscription.assert_called_once()
    receive("x", {})
    shared.destroy_subscription(uses[1])
    receive("y", {})
    shared.destroy_subscription(uses[0])
    assert got == [(1, "x"), (0, "y")]
    node.destroy_subscription.assert_called_once_with(node.create_subscription.return_value)


S = 1_000_000_000  # [ns]


class Node:
    def __init__(self, *, simulated):
        self.simulated, self.clock, self.monotonic = simulated, 0.0, 0.0

    def now(self):
        return round(self.clock * S)

    def steady(self):
        return round(self.monotonic * S)


def seconds(node, watch, clock, steady):
    node.clock, node.monotonic = clock, steady
    return watch.seconds()


def test_system_time_may_be_set():
    node = Node(simulated=False)
    watch = Stopwatch(node)
    for clock in (1e9, -3600.0, 5.0):
        assert seconds(node, watch, clock, 0.3) == pytest.approx(0.3)


def test_a_simulation_runs_at_its_own_pace():
    node = Node(simulated=True)
    watch = Stopwatch(node)
    assert seconds(node, watch, 0.01, 0.9) == pytest.approx(0.01)
    assert seconds(node, watch, 0.02, 1.8) == pytest.approx(0.02)
    assert seconds(node, watch, 5.0, 1.9) == pytest.approx(5.0)
    assert seconds(node, watch, 1.0, 1.9) == 0.0  # it starts again
    assert seconds(node, watch, 1.5, 2.0) == pytest.approx(0.5)


def test_a_simulation_that_stands_still_is_noticed():
    node = Node(simulated=True)
    watch = Stopwatch(node)
    assert seconds(node, watch, 0.1, 0.5) == pytest.approx(0.1)
    assert seconds(node, watch, 0.1, 1.4) == pytest.approx(0.1)
    assert seconds(node, watch, 0.1, 1.6) == pytest.approx(1.1)
    assert seconds(node, watch, 0.2, 1.7) == pytest.approx(0.2)
