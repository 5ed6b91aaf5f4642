"""The newest value of each joint, against a plain record; joints of one robot after the other."""

import numpy as np
import pytest

from helpers.random_examples.examples import some
from modular_dynamics_ros.node.session_node import MOST_OTHERS, NEVER, JointTable

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
