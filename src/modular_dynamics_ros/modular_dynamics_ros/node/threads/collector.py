"""Pause Python's garbage collector while very many objects are made, none of which it could free.

In all threads: a look through the objects of one of them stops them all.
"""

import gc
from collections.abc import Callable

from modular_dynamics_ros.node.threads.process_setting import ProcessSetting

__all__ = ["without_collector"]


def _stop() -> Callable[[], None]:
    enabled = gc.isenabled()
    gc.disable()
    return gc.enable if enabled else lambda: None


without_collector = ProcessSetting(_stop)
"""`with without_collector():`"""
