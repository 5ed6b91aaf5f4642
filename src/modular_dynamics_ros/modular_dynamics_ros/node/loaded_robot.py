"""A robot in a node, and its inputs while the node is active."""

from collections.abc import Callable, Sequence
from typing import Any

from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.computation.values import ComputationSettings, State
from modular_dynamics_ros.node.inputs import Inputs
from modular_dynamics_ros.node.interfaces import SessionNode
from modular_dynamics_ros.node.state_input import InputTimeout, StaleBehaviour, StateInput
from modular_dynamics_ros.parameters.nodes import RobotParameters

__all__ = ["LoadedRobot"]

WATCH_PERIOD = 0.02  # [s] from one look for stale input to the next


class LoadedRobot:
    """A robot, the computation of its torques and, while the node is active, its inputs.

    Args:
        description: path or text of the URDF. parameters: of the node.

    Attributes:
        states: the joint states; None while the node is inactive.

    Raises:
        RobotError: robot or parameters cannot be used.
    """

    def __init__(self, node: SessionNode, description: str, parameters: RobotParameters) -> None:
        self._node = node
        self.robot = load_robot(description, parameters.partition_file, parameters.gravity)
        self.computation = Computation(self.robot, ComputationSettings.of(parameters))
        self.states: StateInput | None = None
        self._others: Sequence[Inputs] = ()
        self._watch: Any = None

    @property
    def active(self) -> StateInput:
        """The joint states of an active node."""
        assert self.states is not None  # only while active
        return self.states

    def subscribe(
        self,
        others: Sequence[Inputs],
        timeout: InputTimeout,
        on_state: Callable[[State, int], None],
        on_watch: Callable[[StaleBehaviour, float], None],
    ) -> None:
        """Take joint states from now on.

        Args:
            others: inputs that have subscribed already. They come first so that a waiting reference is read
                before a waiting joint state, and so that a player that waits for subscribers finds all of
                them.
            on_state: answers a state that arrived at a time [ns of the system]; raises BadMessage.
            on_watch: publishes what the age of the input asks for, with the factor of a ramp.
        """
        states = StateInput(self._node, self.computation, on_state, timeout)
        self.states, self._others = states, others
        self._watch = self._node.create_timer(WATCH_PERIOD, lambda: on_watch(*states.behaviour()))

    def unsubscribe(self) -> None:
        """Take no more messages; forget what the next activation must not build upon."""
        if self.states is None:
            return
        self._node.destroy_timer(self._watch)
        for one in (self.states, *self._others):
            one.destroy()
        self.states, self._others = None, ()
        self.computation.forget()
