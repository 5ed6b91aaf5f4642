import numpy as np

from modular_dynamics_ros.computation.computation import TimedWrenches

S = 1_000_000_000


def test_wrenches_expire_one_by_one_and_the_newest_counts():
    wrenches = TimedWrenches()
    assert wrenches.valid(0, 1.0) is None
    wrenches.set("tool", np.ones(6), 0)
    wrenches.set("tool", 2 * np.ones(6), S)
    wrenches.set("elbow", np.zeros(6), 0)
    assert list(wrenches.valid(S, 1.0)) == ["tool", "elbow"]
    late = wrenches.valid(S + S // 2, 1.0)
    assert list(late) == ["tool"]
    assert late["tool"].tolist() == [2.0] * 6
    assert wrenches.valid(3 * S, 1.0) is None
    wrenches.clear()
    assert wrenches.valid(S, 1.0) is None
