"""What an executor waits for, kept from one message to the next.

rclpy makes its wait set anew for each wait, and waits twice for each message, with all services, timers and
events of a node. `python -m benchmark.executors` measures what that takes.
Leans on private parts of rclpy 7.1 (ROS 2 Jazzy), see `supported` and docs/architecture.md.
"""

from collections import deque
from contextlib import ExitStack
from enum import Enum
from inspect import iscoroutinefunction
from itertools import chain
from typing import Any

from rclpy.exceptions import InvalidHandle
from rclpy.executors import Executor, ExternalShutdownException
from rclpy.impl.implementation_singleton import rclpy_implementation as _rclpy
from rclpy.subscription import Subscription
from rclpy.timer import Timer
from rclpy.waitable import NumberOfEntities

__all__ = ["KeptWaitSet", "Ready", "supported"]

KINDS = ("subscription", "guard_condition", "timer", "client", "service")


class Ready(Enum):
    """What is ready beside subscriptions and timers."""

    NOTHING = "nothing within the timeout"
    OTHERS = "what rclpy's own executor must look for"


def supported(executor: Executor) -> bool:
    """Whether this rclpy has the parts that `KeptWaitSet` uses."""
    private = ("_guard", "_sigint_gc", "_tasks")
    return (
        hasattr(_rclpy, "WaitSet")
        and hasattr(_rclpy.Subscription, "take_message")
        and hasattr(_rclpy.Timer, "is_timer_ready")
        and all(hasattr(executor, name) for name in private)
    )


class KeptWaitSet:
    """The wait set of an executor's nodes, made anew only when their entities change.

    While it is kept, what it waits for is not destroyed, as during rclpy's own wait. It must be used only
    while no coroutine awaits: what may be called is looked at only when the wait set is made.
    """

    def __init__(self, executor: Executor) -> None:
        self._executor: Any = executor
        self._entities: list[list[Any]] = []
        self._held = ExitStack()
        self._ready: deque[Subscription | Timer] = deque()

    def wait(self, timeout: float | None) -> Subscription | Timer | Ready:
        """The next one with a message or that is due, or what else is ready.

        Args:
            timeout: [s]; None: without end.

        Raises:
            ExternalShutdownException: the context has ended.
        """
        self._require_context()
        present = self._present()
        if present != self._entities:  # lists compare objects by identity first: 2 us
            self._ready.clear()
            if not self._make(present):
                return Ready.OTHERS
        if not self._ready and (others := self._wait(timeout)) is not None:
            return others
        return self._ready.popleft()

    def _require_context(self) -> None:
        if not self._executor.context.ok():
            raise ExternalShutdownException

    def release(self) -> None:
        """Hold nothing any more; the next wait makes the wait set anew."""
        self._ready.clear()
        self._entities = []
        self._held.close()

    def _present(self) -> list[list[Any]]:
        of_nodes = (
            (node.subscriptions, node.guards, node.timers, node.clients, node.services, node.waitables)
            for node in self._executor.get_nodes()
        )
        return [list(entities) for of_node in of_nodes for entities in of_node]

    def _make(self, present: list[list[Any]]) -> bool:
        """Make the wait set; False where something was destroyed meanwhile."""
        self.release()
        executor, count = self._executor, len(KINDS) + 1
        able = [[one for one in entities if executor.can_execute(one)] for entities in present]
        merged = [list(chain(*able[kind::count])) for kind in range(count)]
        subscriptions, guards, timers, _, _, self._waitables = merged
        handles = [[one.handle for one in of_kind] for of_kind in merged[:-1]]
        handles[1] += [executor._guard.handle, executor._sigint_gc.handle]
        try:
            for held in (*chain(*handles), *self._waitables, executor.context.handle):
                self._held.enter_context(held)
        except InvalidHandle:
            self.release()
            return False
        more = sum((one.get_num_entities() for one in self._waitables), NumberOfEntities())
        further = (
            more.num_subscriptions, more.num_guard_conditions, more.num_timers, more.num_clients,
            more.num_services,
        )  # fmt: skip
        sizes = [len(of_kind) + size for of_kind, size in zip(handles, further, strict=True)]
        self._set: Any = _rclpy.WaitSet(*sizes, more.num_events, executor.context.handle)
        add = [getattr(self._set, f"add_{kind}") for kind in KINDS]
        self._additions = [
            (one, handle) for one, of_kind in zip(add, handles, strict=True) for handle in of_kind
        ]
        self._called = {
            one.handle.pointer: one
            for one in (*timers, *subscriptions)
            if not iscoroutinefunction(one.callback)
        }
        self._guards = {one.handle.pointer: one for one in guards}
        self._entities = present
        return True

    def _wait(self, timeout: float | None) -> Ready | None:
        """Wait; None where subscriptions or timers are ready and nothing else."""
        if any(guard._executor_triggered for guard in self._guards.values()):
            return Ready.OTHERS  # a wait has reset it, and it was not called yet
        wait_set = self._set
        wait_set.clear_entities()  # the middleware removes what is not ready
        for add, handle in self._additions:
            add(handle)
        for waitable in self._waitables:
            waitable.add_to_wait_set(wait_set)
        wait_set.wait(-1 if timeout is None or timeout < 0.0 else int(timeout * 1e9))
        self._require_context()
        subscriptions, triggered, timers, *others = map(wait_set.get_ready_entities, KINDS)
        guards = [self._guards[pointer] for pointer in triggered if pointer in self._guards]
        for guard in guards:  # the wait has reset it: rclpy's executor triggers it once more
            guard._executor_triggered = True
        ready = timers + subscriptions
        if guards or any(others) or any(one.is_ready(wait_set) for one in self._waitables):
            return Ready.OTHERS
        if not ready:
            return Ready.NOTHING
        if not all(pointer in self._called for pointer in ready):
            return Ready.OTHERS
        self._ready.extend(self._called[pointer] for pointer in ready)
        return None
