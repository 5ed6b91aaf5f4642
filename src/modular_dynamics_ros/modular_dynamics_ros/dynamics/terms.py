"""Details of an answer, while subscribed: torque terms, wrenches, contact torques, arrows."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from modular_dynamics_interfaces.msg import JointWrenches, TorqueTerms
from sensor_msgs.msg import JointState
from visualization_msgs.msg import MarkerArray

import modular_dynamics as md
from modular_dynamics_ros.computation.closed_loop import ClosedLoopSolution
from modular_dynamics_ros.computation.computation import Answer, Computation
from modular_dynamics_ros.computation.queries.query_model import QueryModel
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.computation.torque_terms import ExternalTorques
from modular_dynamics_ros.computation.values import Array, joint_indices
from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.messages.markers import WrenchMarkerWriter, arrow_scales
from modular_dynamics_ros.messages.queries import torque_terms_message
from modular_dynamics_ros.messages.subsystems import JointWrenchesWriter, known_efforts_message
from modular_dynamics_ros.node.outputs import MARKER_RATE, Pace, SubscribedPublishers
from modular_dynamics_ros.node.session_node import SessionNode
from modular_dynamics_ros.parameters.nodes import DynamicsParameters


class TermOutputs:
    """Publishes terms of the torques, and what is computed from them, only while subscribed.

    ~/external_torques are what the world exerts along the joints whose effort is measured.

    Args:
        make_publisher: (type, topic, depth) -> publisher. subscribed: knows whether they have subscribers.

    Attributes:
        parameters: they may change at run time.
    """

    def __init__(
        self,
        node: SessionNode,
        make_publisher: Callable[..., Any],
        subscribed: SubscribedPublishers,
        computation: Computation,
        parameters: DynamicsParameters,
    ) -> None:
        robot = computation.robot
        self._node, self._subscribed = node, subscribed
        self._computation, self.parameters = computation, parameters
        self._model: QueryModel | None = None  # model of the robot at the last call; gravity may change
        self._terms = make_publisher(TorqueTerms, "~/torque_terms")
        self._joint_wrenches = make_publisher(JointWrenches, "~/joint_wrenches")
        self._external = make_publisher(JointState, "~/external_torques")
        self._external_torques = ExternalTorques(len(robot.state_names))
        self._markers = make_publisher(MarkerArray, "~/markers", 1)
        self._outside = _outside_boxes(robot)
        graph = robot.graph
        joints_and_links = [(graph.joints[k].name, graph.bodies[k].name) for k in self._outside]
        self._loops = [loop.name for loop in graph.loop_joints]
        joints_and_links += [(loop.name, loop.successor.link) for loop in graph.loop_joints]
        self._wrench_writer = JointWrenchesWriter(joints_and_links, robot.frame_prefix)
        self._marker_writer = WrenchMarkerWriter(robot)
        self._marker_pace = Pace()

    def continue_from(self, other: "TermOutputs") -> None:
        """Take over the filters of the joints that the changed robot still has."""
        names, before = (one._computation.robot.state_names for one in (self, other))
        self._external_torques.continue_from(other._external_torques, joint_indices(names, before))

    def needs_efforts(self) -> bool:
        """Return whether measured efforts are needed now."""
        return self._external in self._subscribed.publishers

    def publish(self, answer: Answer, stamp: Time) -> None:
        """Publish what is subscribed to of an answer."""
        subscribed, robot, dynamics = self._subscribed, self._computation.robot, answer.dynamics
        if self._terms in subscribed.publishers:
            self._publish_terms(answer, stamp)
        if self._joint_wrenches in subscribed.publishers:
            self._joint_wrenches.publish(self._wrench_writer.write(stamp, self._wrenches(answer)))
        if self.needs_efforts() and answer.state.effort is not None:
            self._publish_external(answer, stamp, answer.state.effort)
        if self._markers in subscribed.publishers and self._marker_pace.due(MARKER_RATE):
            base = None if robot.base is None else dynamics.base_wrench
            given = self.parameters.force_scale, self.parameters.moment_scale
            automatic = arrow_scales(robot.graph)  # gravity may have changed
            scales = (one or other for one, other in zip(given, automatic, strict=True))
            write = self._marker_writer.write
            self._markers.publish(write(stamp, dynamics.tree.connection_wrenches, base, *scales))

    def _publish_terms(self, answer: Answer, stamp: Time) -> None:
        """Publish the terms of the torques; report where they cannot be computed."""
        one = self._computation
        robot, friction = one.robot, one.settings.friction == "urdf"
        if self._model is None or self._model.robot is not robot:
            # its solvers share the workspace of the answers
            self._model = QueryModel(robot, one.settings, one.solver)
        try:
            split = self._model.terms.split
            terms = split(answer.configuration, answer.state, answer.dynamics, friction=friction)
            self._terms.publish(torque_terms_message(stamp, robot.joint_names, terms))
        except (BadMessage, md.ModularDynamicsError) as error:
            self._node.log.problem("torque_terms", type(error).__name__, f"not published: {error}")

    def _publish_external(self, answer: Answer, stamp: Time, measured: Array) -> None:
        """Publish what the world exerts along the joints; nothing if no effort (n,) was measured."""
        settings, dynamics = self._computation.settings, answer.dynamics
        # all that the actuators must overcome, whatever part of it is published
        model = dynamics.tau + dynamics.friction if settings.friction == "urdf" else dynamics.tau
        cutoff, gap = self.parameters.external_torque_cutoff, settings.stale_after
        external = self._external_torques.update(answer.state.stamp, model, measured, cutoff, gap)
        names = self._computation.robot.state_names
        if (message := known_efforts_message(stamp, names, external)) is not None:
            self._external.publish(message)

    def _wrenches(self, answer: Answer) -> Array:
        """Return wrenches (k, 6) of the joints outside black boxes, then of the loop joints."""
        dynamics = answer.dynamics
        wrenches = dynamics.tree.joint_wrenches[self._outside]
        if isinstance(dynamics, ClosedLoopSolution) and self._loops:
            return np.vstack([wrenches, *(dynamics.cut_wrenches[name][1] for name in self._loops)])
        return wrenches


def _outside_boxes(robot: Robot) -> Sequence[int]:
    """Return the indices of the joints outside black boxes, whose wrenches are known."""
    inside = {k for one in robot.graph.subsystems if one.black_box for k in one.indices}
    return [k for k in range(len(robot.graph.joints)) if k not in inside]
