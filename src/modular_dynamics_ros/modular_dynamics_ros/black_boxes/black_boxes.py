"""The black boxes of one robot in dynamics_node: states that wait for them, motions, what is measured."""

from collections.abc import Callable, Mapping
from typing import Any

from modular_dynamics_ros.computation.black_boxes.averaging import Averaging
from modular_dynamics_ros.computation.black_boxes.held_wrenches import held_wrenches
from modular_dynamics_ros.computation.black_boxes.identification import RestPose
from modular_dynamics_ros.computation.black_boxes.matching import Matched, StampMatcher
from modular_dynamics_ros.computation.black_boxes.point_motions import BlackBoxMotions
from modular_dynamics_ros.computation.black_boxes.static_load import Load, load_assignments
from modular_dynamics_ros.computation.computation import Answer, Computation
from modular_dynamics_ros.computation.subsystem.motion import ConnectionMotion
from modular_dynamics_ros.computation.values import Array, State, Wrenches
from modular_dynamics_ros.computation.wrenches.timed_wrenches import TimedWrench
from modular_dynamics_ros.exceptions import BadMessage, listed
from modular_dynamics_ros.lifecycle.node import STEADY_CLOCK
from modular_dynamics_ros.node.interfaces import SessionNode
from modular_dynamics_ros.parameters.dynamics import DynamicsParameters

__all__ = ["BlackBoxes"]

SHORTEST_LOOK, LONGEST_LOOK = 0.001, 0.02  # [s] between checks for states that have timed out
REPLACED = "robot replaced", "the robot was replaced before the wrenches of its black boxes came"

Answering = Callable[[State, int, Mapping[str, TimedWrench] | BadMessage], None]
"""Takes a state, its arrival [ns of the system], and its wrenches or why it has none."""


class BlackBoxes:
    """All is called in the executor's thread; `averaging` and `poses` belong to the services' thread.

    Args:
        answer: takes each state that waited, in order.

    Attributes:
        names: of the black boxes. computation: of the robot. loads: what hangs beyond sensors, by name.
        retired: no more wrenches come, as another robot is active.
        averaging: collects wrenches and states while a service asks for it. poses: that are collected for the
            identification, with the sensor's frame.

    Raises:
        RobotError: black_box_loads does not fit the robot.
    """

    def __init__(
        self, node: SessionNode, computation: Computation, parameters: DynamicsParameters, answer: Answering
    ) -> None:
        robot = computation.robot
        self._node, self.computation, self._answer = node, computation, answer
        self.names = robot.black_boxes
        self.loads: dict[str, Load] = load_assignments(parameters.black_box_loads, self.names)
        self.averaging: Averaging | None = None
        self.poses: dict[str, tuple[str, list[RestPose]]] = {}
        self._motions = BlackBoxMotions(robot) if self.names else None
        self._matcher: StampMatcher[tuple[State, int]] = StampMatcher(
            self.names, parameters.black_box_wait, self._on_matched
        )
        self.retired, self._timer = False, None

    @property
    def wait(self) -> float:
        """Seconds that a state waits for wrenches (parameter black_box_wait); 0 without black boxes."""
        return self._matcher.wait if self.names else 0.0

    @property
    def newest(self) -> int | None:
        """Stamp [ns] of the newest waiting state."""
        return self._matcher.newest

    def activate(self) -> None:
        """Check for states that have timed out."""
        self.set_wait(self.wait)

    def set_wait(self, wait: float) -> None:
        """Let states wait so long [s] at most from now on."""
        self._matcher.wait = wait
        self._stop_timer()
        if self.names and wait > 0.0:
            period = min(max(0.25 * wait, SHORTEST_LOOK), LONGEST_LOOK)
            self._timer = self._node.create_timer(period, self._on_look, clock=STEADY_CLOCK)
        self._on_look()

    def deactivate(self) -> None:
        """Forget what waits, and average no more."""
        self.averaging = None
        self._stop_timer()
        self._matcher.clear()

    def destroy(self) -> None:
        """Deactivate, and refer to the session no more: rings of objects are freed late."""
        self.deactivate()
        self.retired = True
        self._answer = lambda *of: None
        self._matcher = StampMatcher((), 0.0, lambda of: None)

    def retire(self) -> None:
        """Answer waiting states; no more wrenches will arrive."""
        self.retired = True
        self._stop_timer()
        self._matcher.give_up()

    def continue_from(self, other: "BlackBoxes") -> None:
        """Keep the poses of boxes that are still there: their sensors are the same."""
        self.poses = {name: poses for name, poses in other.poses.items() if name in self.names}

    def motions(self, state: State) -> dict[str, ConnectionMotion]:
        """Return the motions of all black boxes' connection points at a state."""
        assert self._motions is not None  # the caller has black boxes
        return self._motions(self.computation.robot, state)

    def held(self, state: State, previous: Answer) -> Wrenches:
        """Return wrenches at a state of rest: see `held_wrenches`."""
        return held_wrenches(
            state, previous, self.loads, lambda box: self.motions(state)[box].gravity_at_point
        )

    def begin_averaging(self, box: str) -> Averaging:
        """Collect wrenches of a box, and states, from now on; in the services' thread."""
        robot, longest_gap = self.computation.robot, self.computation.settings.stale_after
        units = {name: robot.position_unit(name) for name in robot.state_names}
        self.averaging = averaging = Averaging(box, units, self._node.now(), longest_gap)
        return averaging

    def end_averaging(self, averaging: Averaging) -> None:
        """End the averaging's time; it waits for one last state."""
        averaging.end(self._node.now())

    def observe(self, state: State) -> None:
        """Pass an answerable state to the averaging, whether it will be answered or not."""
        if (averaging := self.averaging) is not None:
            averaging.add_state(state)

    def measured(self, box: str, frame: str, wrench: Array) -> None:
        """Pass a wrench, as the sensor reports it, to the averaging."""
        if (averaging := self.averaging) is not None and averaging.box == box:
            averaging.add_wrench(frame, wrench)

    def refused(self, box: str, error: BadMessage) -> None:
        """Pass a refused wrench to the averaging."""
        if (averaging := self.averaging) is not None and averaging.box == box:
            averaging.add_refused(str(error))

    def taken(self, box: str, wrench: TimedWrench) -> None:
        """Match a wrench, with its offset removed, to waiting states."""
        if self.wait:
            self._matcher.add_wrench(box, wrench.arrival.stamp, wrench, self._node.steady())

    def add(self, state: State, arrival: int) -> None:
        """Let a state wait for its wrenches.

        Raises:
            BadMessage: the robot was replaced, or another state had the same stamp.
        """
        if self.retired:
            raise BadMessage(*REPLACED)
        self._matcher.add(state.stamp, (state, arrival), self._node.steady())

    def _on_matched(self, matched: Matched[tuple[State, int]]) -> None:
        if not matched.missing:
            self._answer(*matched.item, matched.wrenches)
        elif self.retired:
            self._answer(*matched.item, BadMessage(*REPLACED))
        else:
            text = (
                f"black box {listed(list(matched.missing))} sent no wrench with its stamp within "
                f"{self.wait:g} s (black_box_wait), or has sent a later one already"
            )
            self._answer(*matched.item, BadMessage("no wrench with its stamp", text))

    def _on_look(self) -> None:
        self._matcher.look(self._node.steady())

    def _stop_timer(self) -> None:
        timer: Any = self._timer
        if timer is not None:
            self._node.destroy_timer(timer)
            self._timer = None
