"""One robot in a node: what dynamics_node and torso_reaction_node have in common."""

from abc import ABC, abstractmethod
from typing import Any

from rclpy.lifecycle import LifecycleState

from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.computation.values import ComputationSettings, State
from modular_dynamics_ros.messages.status import Status
from modular_dynamics_ros.node.inputs import Inputs
from modular_dynamics_ros.node.outputs import Outputs
from modular_dynamics_ros.node.robot_node import RobotNode
from modular_dynamics_ros.node.state_input import InputTimeout, Output, StateInput

__all__ = ["RobotSession"]

WATCH_PERIOD = 0.02  # [s] from one look for stale input to the next


class RobotSession(ABC):
    """One robot: its subscriptions while the node is active, and its publishers.

    Args:
        description: path or text of the URDF. parameters: of the node.

    Attributes:
        input: the joint states; None while the node is inactive.

    Raises:
        RobotError: robot or parameters cannot be used.
    """

    outputs: Outputs  # a subclass makes them

    def __init__(self, node: RobotNode, description: str, parameters: Any) -> None:
        self._node, self._parameters = node, parameters
        self.robot = load_robot(description, parameters.partition_file, parameters.gravity)
        self.computation = Computation(self.robot, ComputationSettings.of(parameters))
        self.input: StateInput | None = None
        self._other_inputs: list[Inputs] = []
        self._watch: Any = None

    @property
    def active_input(self) -> StateInput:
        """The joint states of an active node."""
        assert self.input is not None  # only while active
        return self.input

    def activate(self, state: LifecycleState | None) -> None:
        """Subscribe and begin to answer."""
        self.outputs.activate(state)
        # joint_states last: of a reference and a joint state that both wait, the reference is taken first,
        # and a player that waits for its subscriber then finds the others, too
        self._other_inputs = self._subscribe_others()
        timeout = InputTimeout(*self._timeout_parameters())
        self.input = StateInput(self._node, self.computation, self._on_state, timeout)
        self._watch = self._node.create_timer(WATCH_PERIOD, self._on_watch_timer)

    def deactivate(self) -> None:
        """Take no more messages; forget what the next activation must not build upon."""
        if self.input is None:
            return
        self._node.destroy_timer(self._watch)
        for one in (self.input, *self._other_inputs):
            one.destroy()
        self.input, self._other_inputs = None, []
        self.computation.forget()

    def destroy(self) -> None:
        """Deactivate, and remove the publishers."""
        self.deactivate()
        self.outputs.destroy()

    def set_parameters(self, parameters: Any) -> None:
        """Take parameters that changed at run time."""
        self._parameters = parameters
        self.computation.configure(ComputationSettings.of(parameters))
        if self.input is not None:
            self.input.set_timeout(*self._timeout_parameters())

    def _on_watch_timer(self) -> None:
        if self.input is not None:
            self._on_watch(*self.input.output())

    def _timeout_parameters(self) -> tuple[Any, ...]:
        """Those of `InputTimeout`."""
        return (self._parameters.stale_after,)

    @abstractmethod
    def statuses(self) -> list[Status]:
        """The parts of /diagnostics, while active."""

    @abstractmethod
    def _subscribe_others(self) -> list[Inputs]:
        """All inputs but joint_states."""

    @abstractmethod
    def _on_state(self, state: State, arrival: int) -> None:
        """Answer a state that arrived at `arrival` [ns of the system]. Raises BadMessage: it cannot be."""

    @abstractmethod
    def _on_watch(self, output: Output, factor: float) -> None:
        """What is to be published now because of the age of the input, and the factor of a ramp."""
