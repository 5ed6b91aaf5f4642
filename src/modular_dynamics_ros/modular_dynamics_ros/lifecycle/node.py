"""The base class of the lifecycle nodes.

A subclass says what there is while the node is configured and while it is active. Whatever ends these states
(a transition, a failure in the middle of one, a shutdown) frees all of it.
"""

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from functools import wraps
from typing import Any, Generic, TypeVar

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray
from rcl_interfaces.msg import SetParametersResult
from rclpy.clock import Clock, ClockType
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.parameter import Parameter

from modular_dynamics_ros.diagnostics.change_log import ChangeLog, described
from modular_dynamics_ros.exceptions import ParameterError
from modular_dynamics_ros.lifecycle.entities import NO_PUBLISHER_EVENTS, ReadingNode
from modular_dynamics_ros.lifecycle.requests import answer_all_requests
from modular_dynamics_ros.messages.status import Status, diagnostic_array
from modular_dynamics_ros.parameters.table import changed, declare

SUCCESS, FAILURE = TransitionCallbackReturn.SUCCESS, TransitionCallbackReturn.FAILURE
ERROR = TransitionCallbackReturn.ERROR
Table = TypeVar("Table")
#: The clock of what must go on while system time is set, and while a simulation stands still.
STEADY_CLOCK = Clock(clock_type=ClockType.STEADY_TIME)


Transition = Callable[[Any, LifecycleState], TransitionCallbackReturn]


def _logged(transition: Transition) -> Transition:
    """Decorate a transition: what it raises, which rclpy would discard, is logged."""

    @wraps(transition)
    def attempt(self: Any, state: LifecycleState) -> TransitionCallbackReturn:
        try:
            return transition(self, state)
        except Exception as error:
            self._blame(f"pass the transition {transition.__name__.removeprefix('on_')}", error)
            return ERROR

    return attempt


class ManagedNode(ReadingNode, LifecycleNode, Generic[Table]):
    """Parameters, transitions and diagnostics.

    A subclass sets NAME and PARAMETERS (a table, see parameters/table.py), and defines `configure`,
    `activate` and `report`. Each of them registers with `while_configured` or `while_active` how to free what
    it makes, before anything after it can fail.

    Attributes:
        hurried: says whether the process is to end at once; `run_node` sets it.
        simulated: whether the node's clock is /clock (use_sim_time, which may change at run time).
        configured, active: the state. while_configured, while_active: what is freed at the end of the state.
    """

    NAME: str
    PARAMETERS: type[Table]

    def __init__(self, **options: Any) -> None:
        self.while_configured, self.while_active = ExitStack(), ExitStack()
        super().__init__(self.NAME, **options)
        self.parameters = declare(self, self.PARAMETERS)
        self.log = ChangeLog(self.get_logger(), time.monotonic)
        self.hurried: Callable[[], bool] = lambda: False
        self.configured = self.active = False
        self._diagnostics: Any = None
        self.add_on_set_parameters_callback(self._on_set_parameters)
        self.add_post_set_parameters_callback(self._look_at_clock)
        self._look_at_clock()
        answer_all_requests(self)
        self.equip()
        self._unconfigured = self._entities_of_rclpy()  # entities that exist in this state

    def equip(self) -> None:
        """Create what exists in every state of the node, such as services.

        Called by this class's __init__: attributes that the subclass sets after it do not exist yet.
        """

    def configure(self) -> bool:
        """Make what there is while the node is configured; false, after logging why, where it cannot."""
        raise NotImplementedError

    def activate(self, state: LifecycleState) -> None:
        """Begin to work; lifecycle publishers are enabled."""
        raise NotImplementedError

    def wind_down(self) -> None:
        """Publish what is to be published last; called before an active node stops, for whatever reason.

        It must end soon where `hurried` becomes true.
        """

    def report(self) -> tuple[str, list[Status]]:
        """Name of the robot and the parts of /diagnostics; called each second while active."""
        raise NotImplementedError

    def parameters_changed(self) -> None:
        """Take `parameters`, changed at run time; where this raises, it is called again with the old ones."""

    @_logged
    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Handle rclpy's transition: see `configure`."""
        self._unconfigured = self._entities_of_rclpy()
        if not self.configure():
            self._free()
            return FAILURE
        self._diagnostics = self.make_publisher(DiagnosticArray, "/diagnostics", 10)
        self.configured = True
        return super().on_configure(state)

    @_logged
    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Handle rclpy's transition: see `activate`."""
        result = super().on_activate(state)
        self.activate(state)
        # monotonic clock: a simulation that never sends /clock must not silence the diagnostics, too
        timer = self.create_timer(1.0, self._on_diagnostics, clock=STEADY_CLOCK)
        self.while_active.callback(self.destroy_timer, timer)
        self.active = True
        return result

    @_logged
    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Handle rclpy's transition: take no more messages and publish nothing."""
        self.stop()
        return super().on_deactivate(state)

    @_logged
    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Handle rclpy's transition: release everything but the parameters."""
        self._forget()
        self._destroy_leftovers()
        return super().on_cleanup(state)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Handle rclpy's transition from any state: release everything."""
        self._free()
        return SUCCESS

    def on_error(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Handle rclpy's error after a transition that raised: the node becomes unconfigured."""
        self._free()
        return SUCCESS

    def _free(self) -> None:
        """Release everything, continue on errors."""
        for free in (self.stop, self._forget, self._destroy_leftovers):
            try:
                free()
            except Exception as error:  # noqa: PERF203  # three steps
                self._blame("free everything", error)

    def _destroy_leftovers(self) -> None:
        """Destroy entities whose creator raised before registering them for release.

        The subscription to /clock is rclpy's: it comes and goes with use_sim_time.
        """
        clock = self.resolve_topic_name("/clock")
        kinds = [
            (self.publishers, self.destroy_lifecycle_publisher),
            (self.subscriptions, self.destroy_subscription),
            (self.services, self.destroy_service),
            (self.clients, self.destroy_client),
            (self.timers, self.destroy_timer),
        ]
        for entities, destroy in kinds:
            for entity in list(entities):
                if entity not in self._unconfigured and getattr(entity, "topic_name", "") != clock:
                    destroy(entity)

    def _entities_of_rclpy(self) -> list[Any]:
        return [*self.publishers, *self.subscriptions, *self.services, *self.clients, *self.timers]

    def _blame(self, what: str, error: Exception) -> None:
        if self.context.ok():  # else Ctrl-C has shut rclpy down, and the node is not to blame
            self.get_logger().error(f"could not {what}, unexpectedly: {described(error)}")

    def stop(self) -> None:
        """End being active: wind down, then free what there is only while the node is active."""
        try:
            if self.active and self.context.ok():
                self.wind_down()
        finally:
            self.active = False
            self.while_active.close()
            self.log.clear()

    def end(self) -> None:
        """End what requests wait for, too: they are processed as long as the executor goes on."""
        self._free()

    def _forget(self) -> None:
        self.configured = False
        self.while_configured.close()

    def destroy_node(self) -> None:
        """Destroy the node, and first what it has, such as the worker's thread, whatever its state is."""
        self.configured = self.active = False
        self.while_active.close()
        self.while_configured.close()
        super().destroy_node()

    def make_publisher(self, kind: type, topic: str, qos: Any) -> Any:
        """Return a lifecycle publisher that exists while the node is configured."""
        publisher = self.create_lifecycle_publisher(kind, topic, qos, event_callbacks=NO_PUBLISHER_EVENTS)
        self.while_configured.callback(self.destroy_lifecycle_publisher, publisher)
        return publisher

    def _on_set_parameters(self, changes: list[Parameter]) -> SetParametersResult:
        before = self.parameters
        try:
            self.parameters = changed(before, changes, configured=self.configured)
        except ParameterError as error:
            return SetParametersResult(successful=False, reason=str(error))
        try:
            self.parameters_changed()
        except Exception as error:
            self._blame("apply changed parameters", error)
            self.parameters = before
            self.parameters_changed()
            return SetParametersResult(successful=False, reason=f"{type(error).__name__}: {error}")
        return SetParametersResult(successful=True)

    def _on_diagnostics(self) -> None:
        self.log.log_resolved()
        robot, statuses = self.report()
        # the full name, as diagnostic_updater's option use_fqn: two robots have a node of this name each
        name = self.get_fully_qualified_name()
        named = (replace(s, name=f"{name}: {s.name}", hardware_id=robot) for s in statuses)
        self._diagnostics.publish(diagnostic_array(self.stamp(), named))

    def _look_at_clock(self, _: list[Parameter] | None = None) -> None:
        # asked six times for each joint state, and each time rclpy would take 1 us
        self.simulated = bool(self.get_clock().ros_time_is_active)

    steady = staticmethod(time.monotonic_ns)
    """Monotonic clock [ns]."""

    def now(self) -> int:
        """Return the node's clock [ns]: system time, or /clock with use_sim_time."""
        # time.time_ns is what rclpy's clock reads then, in a tenth of the time
        return int(self.get_clock().now().nanoseconds) if self.simulated else time.time_ns()

    def stamp(self) -> Time:
        """Return the node's clock as a stamp."""
        return self.get_clock().now().to_msg()
