"""~/external_torques: what the world exerts along the joints whose effort is measured."""

from collections.abc import Callable
from typing import Any

from builtin_interfaces.msg import Time
from sensor_msgs.msg import JointState

from modular_dynamics_ros.computation.accelerations.places import places
from modular_dynamics_ros.computation.computation import Answer, Computation
from modular_dynamics_ros.computation.external_torques import ExternalTorques
from modular_dynamics_ros.messages.subsystems import KnownEffortsWriter
from modular_dynamics_ros.node.outputs import Demand

__all__ = ["ContactOutput"]


class ContactOutput:
    """The topic; computed, and efforts read, only while it is subscribed to.

    Args:
        make_publisher: of a type and a topic. demand: for it.
    """

    def __init__(self, make_publisher: Callable[..., Any], demand: Demand, computation: Computation) -> None:
        names = self._names = computation.robot.state_names
        self._demand, self._computation = demand, computation
        self._publisher = make_publisher(JointState, "~/external_torques")
        self._torques, self._writer = ExternalTorques(len(names)), KnownEffortsWriter(names)

    def continue_from(self, other: "ContactOutput") -> None:
        """Continue the filters of joints that a changed robot keeps."""
        self._torques.continue_from(other._torques, places(self._names, other._names))

    def needs_efforts(self) -> bool:
        """Return whether measured efforts are needed now."""
        return self._publisher in self._demand.wanted

    def publish(self, answer: Answer, stamp: Time, cutoff: float) -> None:
        """Publish the contact torques of one answer; nothing if no effort was measured.

        Args:
            cutoff: of the filter [Hz].
        """
        measured = answer.state.effort
        if measured is None or self._publisher not in self._demand.wanted:
            return
        settings, dynamics = self._computation.settings, answer.dynamics
        # all that the actuators must overcome, whatever part of it is published
        model = dynamics.tau + dynamics.friction if settings.friction == "urdf" else dynamics.tau
        longest_gap = settings.stale_after
        external = self._torques.update(answer.state.stamp, model, measured, cutoff, longest_gap)
        if (message := self._writer.write(stamp, external)) is not None:
            self._publisher.publish(message)
