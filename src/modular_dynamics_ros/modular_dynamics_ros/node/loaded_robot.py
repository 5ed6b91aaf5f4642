"""A robot in a node, and its inputs while the node is active."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from sensor_msgs.msg import JointState

import modular_dynamics as md
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.robot import Robot, read_graph, robot_of
from modular_dynamics_ros.computation.values import ComputationSettings
from modular_dynamics_ros.lifecycle.clocks import STEADY_CLOCK
from modular_dynamics_ros.node.interfaces import SessionNode
from modular_dynamics_ros.node.joint_states.answer_record import AnswerRecord
from modular_dynamics_ros.node.joint_states.state_input import Answering, StateInput
from modular_dynamics_ros.node.settings import given_positions
from modular_dynamics_ros.node.subscriptions import Subscriptions
from modular_dynamics_ros.parameters.nodes import RobotParameters

__all__ = ["WATCH_PERIOD", "LoadedRobot", "graph_of", "load_computation", "read_robot"]

WATCH_PERIOD = 0.02  # [s] from one look for stale input to the next


def load_computation(
    description: str, parameters: RobotParameters, settings: ComputationSettings
) -> Computation:
    """Read and prepare a robot; may take long, and may be called in any thread.

    Args:
        description: path or text of the URDF. parameters: of the node. settings: of the computation.

    Raises:
        RobotError: robot or parameters cannot be used.
    """
    return Computation(read_robot(description, parameters), settings)


def read_robot(description: str, parameters: RobotParameters) -> Robot:
    """Read a robot; see `load_computation`.

    Raises:
        RobotError: robot or parameters cannot be used.
    """
    return robot_of(graph_of(description, parameters), frame_prefix=parameters.frame_prefix)


def graph_of(description: str, parameters: RobotParameters, base_source: str = "") -> md.SubsystemGraph:
    """Read a graph, see `read_graph`.

    Raises:
        RobotError: robot or parameters cannot be used.
    """
    # a text from the topic is never expanded: that reads files and evaluates expressions
    arguments = parameters.xacro_arguments if parameters.robot_description_file else ()
    partition, gravity = parameters.partition_file, parameters.gravity
    return read_graph(description, partition, gravity, arguments, base_source, strict=parameters.strict)


class LoadedRobot:
    """A robot, the computation of its torques and, while the node is active, its inputs.

    Attributes:
        record: of the joint states since activation. active: whether the node is. states: what becomes of
        them; None while it is not.

    Raises:
        RobotError: a parameter contradicts the robot.
    """

    def __init__(self, node: SessionNode, computation: Computation, parameters: RobotParameters) -> None:
        self._node, self.computation, self.robot = node, computation, computation.robot
        self._given = given_positions(parameters.absent_joints, self.robot.state_names)
        self.record = AnswerRecord(node, computation)
        self.active = False
        self.states: StateInput | None = None
        self._inputs: Sequence[Subscriptions] = ()
        self._watch: Any = None

    def subscribe(
        self,
        others: Sequence[Subscriptions],
        answer: Answering,
        watch: Callable[[], None],
        other_joints: Collection[str] = (),
        efforts: Callable[[], bool] = lambda: False,
    ) -> None:
        """Take joint states from now on.

        Args:
            others: inputs that have subscribed already.
            answer, other_joints, efforts: see `StateInput`.
            watch: called every WATCH_PERIOD, looks for stale input.
        """
        self.record.restart()
        self.states = StateInput(
            self._node, self.computation, answer, self.record, self._given, other_joints, efforts
        )
        self._inputs = others
        self._watch = self._node.create_timer(WATCH_PERIOD, watch, clock=STEADY_CLOCK)
        self.active = True

    @property
    def positions(self) -> Mapping[str, float]:
        """Return last measured positions [rad or m] by joint; none while the node is not active."""
        return {} if self.states is None else self.states.positions

    def receive(self, message: JointState, info: dict[str, Any]) -> None:
        """Answer a joint state, or report why not; ignored while the node is not active."""
        if self.states is not None:
            self.states.receive(message, info)

    def fits(self, names: Sequence[str]) -> bool:
        """Return whether a joint state with these names holds all needed joints."""
        return self.states is not None and self.states.fits(names)

    def knows(self, names: Sequence[str]) -> bool:
        """Return whether all these names are joints of the robot."""
        return self.states is not None and self.states.knows(names)

    def continue_from(self, other: "LoadedRobot") -> None:
        """Take over what is known of the joints of the robot before its change."""
        if self.states is not None and other.states is not None:
            self.states.continue_from(other.states)

    def retire(self) -> None:
        """Answer only joint states that still belong to this robot; a newer one is active."""
        if self._watch is not None:
            self._node.destroy_timer(self._watch)
        for one in self._inputs:
            one.destroy()
        self._inputs, self._watch = (), None

    def unsubscribe(self) -> None:
        """Take no more messages; forget what the next activation must not build upon."""
        if not self.active:
            return
        self.retire()
        self.states, self.active = None, False
        self.computation.forget()
