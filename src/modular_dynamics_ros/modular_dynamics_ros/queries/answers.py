"""From requests to answers: what each service computes, for the active robot."""

from collections.abc import Callable
from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from modular_dynamics_interfaces.srv import (
    ForwardDynamics,
    GetEquationOfMotion,
    GetJacobian,
    GetSubsystemGraph,
    InverseDynamics,
    TrajectoryTorques,
)

from modular_dynamics_ros.computation.queries.equation_of_motion import equation_of_motion
from modular_dynamics_ros.computation.queries.errors import code_of
from modular_dynamics_ros.computation.queries.forward_dynamics import efforts_of, forward_dynamics
from modular_dynamics_ros.computation.queries.inverse_dynamics import inverse_dynamics
from modular_dynamics_ros.computation.queries.jacobian import point_jacobian
from modular_dynamics_ros.computation.queries.query_model import QueryModel, Subject
from modular_dynamics_ros.computation.queries.requested_state import state_of
from modular_dynamics_ros.computation.queries.trajectory import trajectory_torques
from modular_dynamics_ros.computation.values import Configuration, State
from modular_dynamics_ros.messages.connection_wrenches import ConnectionWrenchesWriter
from modular_dynamics_ros.messages.queries.answers import (
    accel_message,
    equation_message,
    excess_messages,
    matrix_pose_message,
    torque_terms_message,
    torques_message,
    twist_message,
)
from modular_dynamics_ros.messages.queries.requests import (
    efforts_from_request,
    motion_from_message,
    requested_state_from_message,
    wrenches_from_messages,
)
from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds
from modular_dynamics_ros.messages.subsystem_graph import subsystem_graph_message
from modular_dynamics_ros.messages.wrenches import WrenchWriter

__all__ = ["Answers"]


class Answers:
    """Answers requests in one thread; keeps the solvers of the last robot that was asked about."""

    def __init__(self) -> None:
        self._model: QueryModel | None = None
        self._answers: dict[str, Callable[[Any, Any, Subject], None]] = {
            "inverse_dynamics": self._inverse_dynamics,
            "forward_dynamics": self._forward_dynamics,
            "equation_of_motion": self._equation_of_motion,
            "jacobian": self._jacobian,
            "get_subsystem_graph": self._get_subsystem_graph,
            "trajectory_torques": self._trajectory_torques,
        }

    def outcome(self, name: str, request: Any, response: Any, session: Any, now: int) -> tuple[str, str]:
        """Fill in the response of a service; which constant of it, and which text, say what came of it.

        Args:
            session: of the robot. now: the node's clock [ns].

        Raises:
            Exception: a fault of the program, not of the request.
        """
        computation = session.computation
        subject = Subject(
            computation.robot,
            computation.settings,
            computation.wrenches,
            session.record.last,
            now,
            session.boxes.loads,
        )
        try:
            self._answers[name](request, response, subject)
        except Exception as error:
            if (code := code_of(error)) == "UNEXPECTED":
                raise
            return code, str(error)
        return "NONE", ""

    def _inverse_dynamics(
        self, request: InverseDynamics.Request, response: InverseDynamics.Response, subject: Subject
    ) -> None:
        external = wrenches_from_messages(request.external_wrenches)
        model, state, configuration, stamp = self._at(request, subject)
        wrenches = model.applied(model.given(subject, external), state)
        friction, robot = subject.settings.friction == "urdf", subject.robot
        solved = inverse_dynamics(model, configuration, state, wrenches, friction=friction)
        response.torques = torque_terms_message(stamp, robot.joint_names, solved.terms)
        subsystems = [subsystem.name for subsystem in robot.graph.subsystems]
        writer = ConnectionWrenchesWriter(subsystems, robot.frame_prefix)
        response.connections = writer.write(stamp, solved.dynamics.connection_wrench)
        response.base_wrench = WrenchWriter(robot.frame_prefix).write(stamp, *solved.root)

    def _forward_dynamics(
        self, request: ForwardDynamics.Request, response: ForwardDynamics.Response, subject: Subject
    ) -> None:
        external = wrenches_from_messages(request.external_wrenches)
        efforts = efforts_of(subject.robot, efforts_from_request(request.effort_names, request.efforts))
        model, state, configuration, _ = self._at(request, subject)
        wrenches = model.applied(model.given(subject, external), state)
        friction = subject.settings.friction == "urdf"
        accelerations = forward_dynamics(model, configuration, state, efforts, wrenches, friction=friction)
        response.joint_names = list(subject.robot.joint_names)
        response.accelerations = accelerations.joints.tolist()
        if accelerations.base is not None:
            response.base_acceleration = accel_message(accelerations.base)

    def _equation_of_motion(
        self, request: GetEquationOfMotion.Request, response: GetEquationOfMotion.Response, subject: Subject
    ) -> None:
        model, state, configuration, stamp = self._at(request, subject)
        response.equation = equation_message(stamp, equation_of_motion(model, configuration, state))

    def _jacobian(
        self, request: GetJacobian.Request, response: GetJacobian.Response, subject: Subject
    ) -> None:
        model, state, configuration, _ = self._at(request, subject)
        point = np.array([request.point.x, request.point.y, request.point.z])
        jacobian = point_jacobian(model, configuration, state, request.link, point)
        response.frame, response.coordinates = jacobian.frame, jacobian.coordinates
        response.jacobian = jacobian.jacobian.ravel().tolist()
        response.pose, response.twist = matrix_pose_message(jacobian.pose), twist_message(jacobian.twist)

    def _get_subsystem_graph(
        self, request: GetSubsystemGraph.Request, response: GetSubsystemGraph.Response, subject: Subject
    ) -> None:
        robot = subject.robot
        stamp = stamp_message(subject.now)
        response.graph = subsystem_graph_message(robot.graph, stamp, robot.frame_prefix)

    def _trajectory_torques(
        self, request: TrajectoryTorques.Request, response: TrajectoryTorques.Response, subject: Subject
    ) -> None:
        external = wrenches_from_messages(request.external_wrenches)
        motion = motion_from_message(request.trajectory)
        torques = trajectory_torques(self._model_of(subject), subject, motion, external)
        header = request.trajectory.header
        response.trajectory = torques_message(stamp_nanoseconds(header.stamp), torques)
        response.trajectory.header = header
        response.excesses = excess_messages(torques.excesses)

    def _model_of(self, subject: Subject) -> QueryModel:
        if self._model is None or self._model.robot is not subject.robot:
            self._model = None  # a robot that was replaced is freed before the next one is made
            self._model = QueryModel(subject.robot, subject.settings)
        self._model.set_tolerance(subject.settings.closure_tolerance)
        return self._model

    def _at(self, request: Any, subject: Subject) -> tuple[QueryModel, State, Configuration, Time]:
        """Return the state that a request means, all joints with loops closed, and the stamp."""
        requested = requested_state_from_message(request.state)
        state = state_of(subject.robot, requested, subject.last)
        model, last = self._model_of(subject), subject.last
        configuration = model.configuration(state, None if last is None else last.configuration)
        stamp = subject.now if requested.names or last is None else last.state.stamp
        return model, state, configuration, stamp_message(stamp)
