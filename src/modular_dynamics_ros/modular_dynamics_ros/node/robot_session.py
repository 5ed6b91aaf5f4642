"""One robot in a node: its joint states while the node is active, and its publishers."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Generic

from rclpy.lifecycle import LifecycleState
from sensor_msgs.msg import JointState

import modular_dynamics as md
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.robot import Robot, read_graph, robot_of
from modular_dynamics_ros.computation.values import State
from modular_dynamics_ros.lifecycle.node import STEADY_CLOCK
from modular_dynamics_ros.messages.status import Status
from modular_dynamics_ros.node.inputs import Subscriptions
from modular_dynamics_ros.node.joint_states import JointStates
from modular_dynamics_ros.node.outputs import Outputs
from modular_dynamics_ros.node.session_node import AnswerRecord, SessionNode
from modular_dynamics_ros.node.settings import given_positions
from modular_dynamics_ros.parameters.nodes import Parameters, RobotParameters

__all__ = ["WATCH_PERIOD", "RobotSession", "graph_of", "read_robot"]

WATCH_PERIOD = 0.02  # [s] from one look for stale input to the next


def graph_of(description: str, parameters: RobotParameters, base_source: str = "") -> md.SubsystemGraph:
    """Read a graph from a URDF's path or text, see `read_graph`; may take long, and in any thread.

    Raises:
        RobotError: robot or parameters cannot be used.
    """
    # a text from the topic is never expanded: that reads files and evaluates expressions
    arguments = parameters.xacro_arguments if parameters.robot_description_file else ()
    partition, gravity = parameters.partition_file, parameters.gravity
    return read_graph(description, partition, gravity, arguments, base_source, strict=parameters.strict)


def read_robot(description: str, parameters: RobotParameters) -> Robot:
    """Read a robot; see `graph_of`.

    Raises:
        RobotError: robot or parameters cannot be used.
    """
    return robot_of(graph_of(description, parameters), frame_prefix=parameters.frame_prefix)


class RobotSession(Generic[Parameters]):
    """What the sessions of all nodes have in common.

    A subclass has a static method `load`, which does all that takes long, in any thread: from path or text of
    the URDF and the parameters to what its `__init__` takes. It makes its publishers last of what may refuse
    the robot, because they would be left behind.

    Attributes:
        robot, computation: of the robot. record: of the joint states since activation. parameters: they may
        change at run time. superseded: whether joint states wait for the robot that comes after this one,
        which must hold nothing any more: its weight would be the wrong one.

    Raises:
        RobotError: a parameter contradicts the robot.
    """

    _outputs: Outputs

    def __init__(self, node: SessionNode, computation: Computation, parameters: Parameters) -> None:
        self._node, self.parameters = node, parameters
        self.robot, self.computation = computation.robot, computation
        self._given = given_positions(parameters.absent_joints, self.robot.state_names)
        self.superseded = False
        self._states: JointStates | None = None
        self._inputs: Sequence[Subscriptions] = ()
        self._watch: Any = None

    @property
    def record(self) -> AnswerRecord:
        """What became of the joint states since activation."""
        return self._node.record

    def activate(self, state: LifecycleState | None) -> None:
        """Subscribe and begin to answer."""
        raise NotImplementedError

    def on_state(self, state: State, arrival: int) -> None:
        """Answer a joint state, now or later.

        Args:
            arrival: of its message [ns of the system].

        Raises:
            BadMessage: it cannot be answered.
        """
        raise NotImplementedError

    def on_watch(self) -> None:
        """Look for stale input, every WATCH_PERIOD."""
        raise NotImplementedError

    def statuses(self) -> list[Status]:
        """Return the statuses for /diagnostics, while active."""
        raise NotImplementedError

    def set_parameters(self, parameters: Parameters) -> None:
        """Take parameters that changed at run time."""
        raise NotImplementedError

    def wind_down(self, hurried: Callable[[], bool]) -> None:
        """Publish the last messages before the node stops, until `hurried` is true."""

    def _subscribe(
        self,
        inputs: Sequence[Subscriptions],
        other_joints: Collection[str] = (),
        efforts: Callable[[], bool] = lambda: False,
    ) -> None:
        """Take joint states from now on.

        Args:
            inputs: that have subscribed already. other_joints, efforts: see `JointStates`.
        """
        node, computation = self._node, self.computation
        self._states = JointStates(
            node, computation, self.on_state, self.record, self._given, other_joints, efforts
        )
        self._inputs = inputs
        self._watch = node.create_timer(WATCH_PERIOD, self.on_watch, clock=STEADY_CLOCK)

    @property
    def positions(self) -> Mapping[str, float]:
        """Return last measured positions [rad or m] by joint; none while the node is not active."""
        return {} if self._states is None else self._states.positions

    @property
    def acceleration_source(self) -> str:
        """Return the source of accelerations, with its condition at the last answer if that is fresh."""
        last = self.record.last_if_fresh
        return self.computation.accelerations.description(None if last is None else last.state)

    def receive(self, message: JointState, info: dict[str, Any]) -> None:
        """Answer a joint state, now or later, or report why not; ignored while the node is not active.

        Args:
            info: rclpy's.
        """
        if self._states is not None:
            self._states.receive(message, info)

    def finish(self) -> None:
        """Answer or reject what still waits: another robot takes the place of this one."""

    def continue_from(self, other: Any) -> None:
        """Take over what goes on from another session of the same kind, which this one replaces."""

    def deactivate(self) -> None:
        """Take no more messages; forget what the next activation must not build upon."""
        if self._states is None:
            return
        self._node.destroy_timer(self._watch)
        for one in self._inputs:
            one.destroy()
        self._inputs, self._watch, self._states = (), None, None
        self.computation.forget()

    def destroy(self) -> None:
        """Deactivate, and remove the publishers."""
        self.deactivate()
        self._outputs.destroy()
