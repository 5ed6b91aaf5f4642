"""Services of dynamics_node that a thread answers, and those that compute: from request to response."""

from collections.abc import Callable, Iterable
from functools import partial
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
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup

from modular_dynamics_ros.computation.queries import quantities
from modular_dynamics_ros.computation.queries.query_model import QueryModel, Subject, code_of, state_of
from modular_dynamics_ros.computation.queries.trajectory import trajectory_torques
from modular_dynamics_ros.computation.values import Configuration, State
from modular_dynamics_ros.diagnostics.change_log import described, one_line
from modular_dynamics_ros.exceptions import NodeError
from modular_dynamics_ros.lifecycle.entities import REQUESTS
from modular_dynamics_ros.messages.geometry import WrenchWriter, set_rates
from modular_dynamics_ros.messages.queries import (
    efforts_from_request,
    equation_message,
    excess_messages,
    matrix_pose_message,
    motion_from_message,
    requested_state_from_message,
    torque_terms_message,
    torques_message,
    wrenches_from_messages,
)
from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds
from modular_dynamics_ros.messages.subsystems import ConnectionWrenchesWriter, subsystem_graph_message
from modular_dynamics_ros.node.worker import Worker

Fill = Callable[[Any, Any, Any], None]


class ComputingServices:
    """Services of dynamics_node that a thread answers, one request at a time; every error becomes a response.

    They are there as long as their node, and refuse all requests while it is not active.

    Args:
        node: it changes in another thread. `active`; `session`: of its robot, or None; `why_no_robot`.
        services: of each its type, its name, and what fills in a response, by request, response and session.
        code_of: returns the name of an error's constant; UNEXPECTED: no request should cause the error.
    """

    def __init__(
        self, node: Any, services: Iterable[tuple[type, str, Fill]], code_of: Callable[[Exception], str]
    ) -> None:
        self._node, self._code_of, self._worker = node, code_of, Worker(node)
        group = MutuallyExclusiveCallbackGroup()
        for kind, name, fill in services:
            answer = self._answering(name, fill)
            node.create_service(kind, f"~/{name}", answer, qos_profile=REQUESTS, callback_group=group)

    def destroy(self) -> None:
        """Answer no more."""
        self._worker.destroy(NodeError("the node ended"))

    def empty_response(self, request: Any, response: Any) -> Any:
        """Return the response to a request that was refused, without what was filled in before the error."""
        return type(response)()

    def _answering(self, name: str, fill: Fill) -> Any:
        """Return a service's callback."""

        async def answer(request: Any, response: Any) -> Any:
            try:
                code, text = await self._worker.run(partial(self._outcome, name, fill, request, response))
            except NodeError as error:
                code, text = "NOT_ACTIVE", str(error)
            if code != "NONE":
                response = self.empty_response(request, response)
            response.error_code, response.error_message = getattr(type(response), code), one_line(text)
            response.success = code == "NONE"
            return response

        return answer

    def _outcome(self, name: str, fill: Fill, request: Any, response: Any) -> tuple[str, str]:
        """Fill in the response, and return its result code's name and its message."""
        node = self._node
        if not node.active:
            return "NOT_ACTIVE", "the node is not active; configure and activate it first"
        if (session := node.session) is None:
            return "NOT_ACTIVE", node.why_no_robot
        try:
            fill(request, response, session)
        except Exception as error:  # a service must not end the node
            if (code := self._code_of(error)) != "UNEXPECTED":
                return code, str(error)
            text = described(error)
            if node.context.ok():
                node.get_logger().error(f"unexpected error in ~/{name}: {text}")
            return code, text
        return "NONE", ""


class QueryServices(ComputingServices):
    """Services that compute the robot's quantities; the thread keeps the solvers of the last robot."""

    def __init__(self, node: Any) -> None:
        self._model: QueryModel | None = None
        services: tuple[tuple[type, str, Fill], ...] = (
            (InverseDynamics, "inverse_dynamics", self._inverse_dynamics),
            (ForwardDynamics, "forward_dynamics", self._forward_dynamics),
            (GetEquationOfMotion, "equation_of_motion", self._equation_of_motion),
            (GetJacobian, "jacobian", self._jacobian),
            (GetSubsystemGraph, "get_subsystem_graph", self._get_subsystem_graph),
            (TrajectoryTorques, "trajectory_torques", self._trajectory_torques),
        )

        def of_subject(fill: Fill) -> Fill:
            return lambda request, response, session: fill(request, response, _subject(session, node.now()))

        super().__init__(node, [(kind, name, of_subject(fill)) for kind, name, fill in services], code_of)

    def _inverse_dynamics(
        self, request: InverseDynamics.Request, response: InverseDynamics.Response, subject: Subject
    ) -> None:
        external = wrenches_from_messages(request.external_wrenches)
        model, state, configuration, stamp = self._at(request, subject)
        wrenches = model.applied(model.given(subject, external), state)
        friction, robot = subject.settings.friction == "urdf", subject.robot
        solved = quantities.inverse_dynamics(model, configuration, state, wrenches, friction=friction)
        response.torques = torque_terms_message(stamp, robot.joint_names, solved.terms)
        subsystems = [subsystem.name for subsystem in robot.graph.subsystems]
        writer = ConnectionWrenchesWriter(subsystems, robot.frame_prefix)
        response.connections = writer.write(stamp, solved.dynamics.connection_wrench)
        response.base_wrench = WrenchWriter(robot.frame_prefix).write(stamp, *solved.root)

    def _forward_dynamics(
        self, request: ForwardDynamics.Request, response: ForwardDynamics.Response, subject: Subject
    ) -> None:
        external = wrenches_from_messages(request.external_wrenches)
        given = efforts_from_request(request.effort_names, request.efforts)
        efforts = quantities.efforts_of(subject.robot, given)
        model, state, configuration, _ = self._at(request, subject)
        wrenches = model.applied(model.given(subject, external), state)
        friction = subject.settings.friction == "urdf"
        solved = quantities.forward_dynamics(
            model, configuration, state, efforts, wrenches, friction=friction
        )
        response.joint_names = list(subject.robot.joint_names)
        response.accelerations = solved.joints.tolist()
        if solved.base is not None:
            set_rates(response.base_acceleration, solved.base)

    def _equation_of_motion(
        self, request: GetEquationOfMotion.Request, response: GetEquationOfMotion.Response, subject: Subject
    ) -> None:
        model, state, configuration, stamp = self._at(request, subject)
        terms = quantities.equation_of_motion(model, configuration, state)
        response.equation = equation_message(stamp, terms)

    def _jacobian(
        self, request: GetJacobian.Request, response: GetJacobian.Response, subject: Subject
    ) -> None:
        model, state, configuration, _ = self._at(request, subject)
        point = np.array([request.point.x, request.point.y, request.point.z])
        jacobian = quantities.point_jacobian(model, configuration, state, request.link, point)
        response.frame, response.coordinates = jacobian.frame, jacobian.coordinates
        response.jacobian = jacobian.jacobian.ravel().tolist()
        response.pose = matrix_pose_message(jacobian.pose)
        set_rates(response.twist, jacobian.twist)

    def _get_subsystem_graph(
        self, request: GetSubsystemGraph.Request, response: GetSubsystemGraph.Response, subject: Subject
    ) -> None:
        robot, stamp = subject.robot, stamp_message(subject.now)
        response.graph = subsystem_graph_message(robot.graph, stamp, robot.frame_prefix)

    def _trajectory_torques(
        self, request: TrajectoryTorques.Request, response: TrajectoryTorques.Response, subject: Subject
    ) -> None:
        external = wrenches_from_messages(request.external_wrenches)
        motion, header = motion_from_message(request.trajectory), request.trajectory.header
        torques = trajectory_torques(self._model_of(subject), subject, motion, external)
        response.trajectory = torques_message(stamp_nanoseconds(header.stamp), torques)
        response.trajectory.header = header
        response.excesses = excess_messages(torques.excesses)

    def _model_of(self, subject: Subject) -> QueryModel:
        """Return the solvers of the subject's robot."""
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


def _subject(session: Any, now: int) -> Subject:
    """Return the robot and its inputs now [ns]."""
    computation = session.computation
    values = computation.robot, computation.settings, computation.wrenches
    return Subject(*values, session.record.last, now, session.boxes.loads)
