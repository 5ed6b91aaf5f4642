"""How much longer this machine needs for the same Python code after a pause than at once.

The code is a loop over small integers, which hardly needs caches. Processors that are shared, or that go to
sleep, begin slowly; what a node needs for a joint state grows by this and by cold caches.
"""

import time

__all__ = ["after_pauses", "at_once"]


def _work() -> int:
    total = 0
    for k in range(200):
        total += k * k % 7
    return total


def _took() -> int:
    began = time.perf_counter_ns()
    _work()
    return time.perf_counter_ns() - began


def after_pauses(pause: float, count: int) -> list[int]:
    """Times [ns], each after a pause [s]."""
    took = []
    for _ in range(count):
        time.sleep(pause)
        took.append(_took())
    return took


def at_once(count: int) -> list[int]:
    """Times [ns], one after the other."""
    return [_took() for _ in range(count)]
