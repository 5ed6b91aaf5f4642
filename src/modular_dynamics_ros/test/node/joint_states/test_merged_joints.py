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
        complete = merged.add(sample, stamp, now + VALID)
        for name, *values in zip(some, q, v, strict=True):
            if name not in newest or newest[name][0] <= stamp:
                newest[name] = (stamp, *values)
        assert complete == all(newest.get(name, [None])[0] == stamp for name in NAMES if name in some) * (
            set(NAMES) <= set(some)
        )
        missing = merged.fill(now - VALID, now + VALID)
        fresh = {name: one for name, one in newest.items() if one[0] >= now - VALID}
        assert missing == tuple(name for name in NAMES if name not in fresh and name not in GIVEN)
        for index, name in enumerate(NAMES):
            if name not in missing:
                expected = fresh[name][1:] if name in fresh else (GIVEN[name], 0.0)
                np.testing.assert_array_equal([merged.q[index], merged.v[index]], expected)
        np.testing.assert_array_equal(merged.optional, [fresh["p"][1] if "p" in fresh else np.nan])


def test_values_from_before_the_clock_was_set_back_are_replaced():
    reader, merged = JointStateReader(NAMES), MergedJoints(NAMES, (), {})
    for stamp in (10_000, 50):
        message = JointState(name=NAMES, position=[float(stamp)] * 4)
        merged.add(reader.read(message), stamp, stamp + VALID)
    assert merged.fill(50 - VALID, 50 + VALID) == ()
    assert merged.q.tolist() == [50.0] * 4
