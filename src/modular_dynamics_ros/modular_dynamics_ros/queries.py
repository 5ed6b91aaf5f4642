"""Services of dynamics_node that compute something on request: from request to response."""

from typing import Any

from builtin_interfaces.msg import Time
from modular_dynamics_interfaces.srv import GetEquationOfMotion, InverseDynamics, TrajectoryTorques

from modular_dynamics_ros.computation.queries import quantities
from modular_dynamics_ros.computation.queries.query_model import QueryModel, Subject, code_of, state_of
from modular_dynamics_ros.computation.queries.trajectory import trajectory_torques
from modular_dynamics_ros.computation.values import Configuration, State
from modular_dynamics_ros.messages.geometry import WrenchWriter
from modular_dynamics_ros.messages.queries import (
    equation_message,
    excess_messages,
    motion_from_message,
    requested_state_from_message,
    torque_terms_message,
    torques_message,
    wrenches_from_messages,
)
from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds
from modular_dynamics_ros.messages.subsystems import ConnectionWrenchesWriter
from modular_dynamics_ros.node.services import ComputingServices, Fill


class QueryServices(ComputingServices):
    """Services that compute the robot's quantities; the thread keeps the solvers of the last robot."""

    def __init__(self, node: Any) -> None:
        self._model: QueryModel | None = None
        services: tuple[tuple[type, str, Fill], ...] = (
            (InverseDynamics, "inverse_dynamics", self._inverse_dynamics),
            (GetEquationOfMotion, "equation_of_motion", self._equation_of_motion),
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
        terms, dynamics = quantities.inverse_dynamics(
            model, configuration, state, wrenches, friction=friction
        )
        response.torques = torque_terms_message(stamp, robot.joint_names, terms)
        subsystems = [subsystem.name for subsystem in robot.graph.subsystems]
        writer = ConnectionWrenchesWriter(subsystems, robot.frame_prefix)
        response.connections = writer.write(
            stamp, dynamics.tree.connection_wrench_in_link, subject.description
        )
        if robot.base is not None:
            writer_of_base = WrenchWriter(robot.frame_prefix)
            response.base_wrench = writer_of_base.write(stamp, robot.base.link, dynamics.base_wrench)

    def _equation_of_motion(
        self, request: GetEquationOfMotion.Request, response: GetEquationOfMotion.Response, subject: Subject
    ) -> None:
        model, state, configuration, stamp = self._at(request, subject)
        terms = quantities.equation_of_motion(model, configuration, state)
        response.equation = equation_message(stamp, terms)

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
    return Subject(*values, session.record.last, now, session.boxes.loads, session.description)
