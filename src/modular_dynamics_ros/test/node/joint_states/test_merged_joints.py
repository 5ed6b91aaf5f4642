"""Merged joints against a plain record of the newest value of each joint."""

import numpy as np
import pytest
from sensor_msgs.msg import JointState

from modular_dynamics_ros.messages.joint_state_reader import JointStateReader
from modular_dynamics_ros.node.joint_states.merged_joints import MergedJoints

pytestmark = pytest.mark.ros
NAMES, OPTIONAL, GIVEN, VALID = ["a", "b", "c", "d"], ["p"], {"d": 0.5}, 200


@pytest.mark.parametrize("seed", range(20))
def test_random_parts_in_any_order(seed):
    rng = np.random.default_rng(seed)
    reader, merged = JointStateReader(NAMES, OPTIONAL), MergedJoints(NAMES, OPTIONAL, GIVEN)
    newest = {}  # name -> (stamp, q, v)
    for now in np.cumsum(rng.integers(1, 80, 200)).tolist():
        stamp = now - int(rng.integers(0, VALID))
        some = [name for name in [*NAMES, *OPTIONAL, "stranger"] if rng.random() < 0.6]
        rng.shuffle(some)
        q, v = rng.normal(size=(2, len(some)))
        v[rng.random(len(some)) < 0.1] = np.nan
        sample = reader.read(JointState(name=some, position=q.tolist(), velocity=v.tolist()))
        complete = merged.add(sample, stamp)
        for name, *values in zip(some, q, v, strict=True):
            if name not in newest or newest[name][0] <= stamp:
                newest[name] = (stamp, *values)
        assert complete == all(newest.get(name, [None])[0] == stamp for name in NAMES if name in some) * (
            set(NAMES) <= set(some)
        )
        missing, (q, v, optional, _) = merged.missing(now - VALID), merged.at(sample, now, now - VALID)
        fresh = {name: one for name, one in newest.items() if one[0] >= now - VALID}
        assert missing == tuple(name for name in NAMES if name not in fresh and name not in GIVEN)
        for index, name in enumerate(NAMES):
            if name not in missing:
                expected = fresh[name][1:] if name in fresh else (GIVEN[name], 0.0)
                np.testing.assert_array_equal([q[index], v[index]], expected)
        np.testing.assert_array_equal(optional, [fresh["p"][1] if "p" in fresh else np.nan])


def test_values_from_before_the_clock_was_set_back_are_forgotten():
    reader, merged = JointStateReader(NAMES, OPTIONAL), MergedJoints(NAMES, OPTIONAL, {})
    for now, names in ((10_000, [*NAMES, *OPTIONAL]), (50, NAMES[:2]), (10_000, NAMES[:3])):
        merged.forget_after(now + VALID)
        sample = reader.read(JointState(name=names, position=[float(now)] * len(names)))
        merged.add(sample, now)
    assert merged.missing(10_000 - VALID) == ("d",)  # its old stamp is reached again
    values = merged.at(sample, 10_000, 10_000 - VALID)
    assert values.q[:3].tolist() == [10_000.0] * 3
    assert np.isnan(values.optional).all()


def test_values_that_were_too_old_count_again_where_the_clock_is_set_back_a_little():
    reader, merged = JointStateReader(NAMES, OPTIONAL), MergedJoints(NAMES, OPTIONAL, GIVEN)
    for stamp, names in ((1000, [*NAMES, *OPTIONAL]), (1300, NAMES[:3]), (1180, NAMES[:3])):
        sample = reader.read(JointState(name=names, position=[float(stamp)] * len(names)))
        merged.add(sample, stamp)
        values = merged.at(sample, stamp, stamp - VALID)
        known = stamp != 1300
        np.testing.assert_array_equal(
            [values.q[3], *values.optional], [1000.0] * 2 if known else [0.5, np.nan]
        )
    assert merged.newest.q[:3].tolist() == [1300.0] * 3


def test_the_values_at_a_stamp_have_nothing_newer_in_them():
    reader, merged = JointStateReader(NAMES, OPTIONAL), MergedJoints(NAMES, OPTIONAL, {})

    def at(stamp, names):
        sample = reader.read(JointState(name=names, position=[float(stamp)] * len(names)))
        merged.add(sample, stamp)
        return merged.at(sample, stamp, stamp - VALID)

    everything = [*NAMES, *OPTIONAL]
    at(10, everything)
    newer = at(20, everything)
    assert newer.q.tolist() == [20.0] * 4
    older = at(15, everything)
    assert (older.q.tolist(), older.optional.tolist()) == ([15.0] * 4, [15.0])
    assert np.isnan(older.v).all()
    assert at(15, NAMES) is at(15, [*NAMES[:3], *OPTIONAL]) is None
    assert merged.newest.q.tolist() == [20.0] * 4
    assert at(20, NAMES[:1]).optional.tolist() == [20.0]


def test_efforts_are_merged_as_velocities_are_while_somebody_asks_for_them():
    reader, merged = JointStateReader(NAMES), MergedJoints(NAMES, (), GIVEN)

    def add(stamp, efforts, *, asked=True):
        message = JointState(name=list(efforts), position=[0.0] * len(efforts), effort=list(efforts.values()))
        sample = reader.read(message, efforts=asked)
        merged.add(sample, stamp)
        return merged.at(sample, stamp, stamp - VALID)

    nan = np.nan
    assert np.isnan(add(1, {"a": 1.0}, asked=False).effort).all()
    assert not merged.has_efforts
    np.testing.assert_array_equal(add(2, {"a": 1.0, "b": 2.0}).effort, [1.0, 2.0, nan, nan])
    add(5, {"c": 3.0, "d": 4.0})
    np.testing.assert_array_equal(merged.newest.effort, [1.0, 2.0, 3.0, 4.0])
    # a late message has its own values in its answer, and leaves the newer ones alone
    np.testing.assert_array_equal(
        add(4, {"a": 7.0, "b": 8.0, "c": 9.0, "d": 9.5}).effort, [7.0, 8.0, 9.0, 9.5]
    )
    np.testing.assert_array_equal(merged.newest.effort, [7.0, 8.0, 3.0, 4.0])
    assert np.isnan(add(300, {"a": 1.0}).effort[3])  # given, not measured
    add(301, {"a": 1.0}, asked=False)
    assert np.isnan(merged.newest.effort).all()  # none is kept for when they are asked for again
    assert not merged.has_efforts


@pytest.mark.parametrize("seed", range(10))
def test_the_newest_of_what_came_in_time_and_late(seed):
    rng = np.random.default_rng(seed)
    reader = JointStateReader(NAMES, OPTIONAL)
    in_time, late = (MergedJoints(NAMES, OPTIONAL, {}) for _ in range(2))
    newest = dict.fromkeys([*NAMES, *OPTIONAL], (-1, 0.0))
    for stamp in rng.permutation(1000).tolist()[:30]:  # no two are equal: which counts then is no matter
        some = [name for name in newest if rng.random() < 0.5]
        q = rng.normal(size=len(some)).tolist()
        (in_time if rng.random() < 0.5 else late).add(reader.read(JointState(name=some, position=q)), stamp)
        newest |= {name: max(newest[name], (stamp, one)) for name, one in zip(some, q, strict=True)}
        oldest = stamp - VALID
        positions, optional = in_time.newest_of(late, oldest)
        assert positions.tolist() == [newest[name][1] for name in NAMES]
        known = newest["p"][0] >= max(oldest, 0)
        np.testing.assert_array_equal(optional, [newest["p"][1] if known else np.nan])
