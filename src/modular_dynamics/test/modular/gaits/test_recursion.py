"""States by their index: computed forwards, kept for a while, the same from the start again."""

import numpy as np

from modular_dynamics.modular.gaits.recursion import KEPT, Recursion


def test_any_order_gives_the_same_states_and_memory_is_bounded():
    calls = 0

    def advance(x):
        nonlocal calls
        calls += 1
        return x + 1.0

    states = Recursion(np.zeros(1), advance)
    for k in (10, 3, 5 * KEPT, 5 * KEPT - 100, 7, 0, 3 * KEPT):
        assert states[k][0] == k
    before = calls
    assert states[3 * KEPT - 100][0] == 3 * KEPT - 100
    assert calls == before  # near the last one: kept
    assert len(states._kept[1]) <= 2 * KEPT


def test_states_cannot_be_changed():
    states = Recursion(np.zeros(1), lambda x: x + 1.0)
    for k in (0, 1):
        assert not states[k].flags.writeable
