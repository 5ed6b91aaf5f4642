"""Python's threads take short turns while one of them works beside the executor, which must not wait long."""

import sys
from collections.abc import Callable
from functools import partial

from modular_dynamics_ros.node.threads.process_setting import ProcessSetting

__all__ = ["short_turns"]

SWITCH_INTERVAL = 2e-4  # [s] after which another thread has its turn


def _shorten() -> Callable[[], None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_INTERVAL)
    return partial(sys.setswitchinterval, before)


short_turns = ProcessSetting(_shorten)
"""`with short_turns():`"""
