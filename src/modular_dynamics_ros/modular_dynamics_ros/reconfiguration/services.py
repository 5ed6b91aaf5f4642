"""Services that change the robot of dynamics_node: a request that is refused leaves it as it was."""

from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from modular_dynamics_interfaces.srv import (
    AttachSubsystem,
    DetachSubsystem,
    LockJoints,
    SetModelParameters,
    SetPayload,
)
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from std_msgs.msg import String

import modular_dynamics as md
from modular_dynamics.exceptions import ModelError, ModularDynamicsError, UnknownNameError
from modular_dynamics_ros.computation.changes import edits
from modular_dynamics_ros.computation.changes.kinds import IDENTITY_POSE, Attachment, Payload
from modular_dynamics_ros.diagnostics.change_log import described as described_failure
from modular_dynamics_ros.diagnostics.change_log import one_line
from modular_dynamics_ros.exceptions import ChangeFileError, NodeError, NumbersError, RobotError, UnknownError
from modular_dynamics_ros.lifecycle.entities import LATCHED, REQUESTS
from modular_dynamics_ros.messages.queries import load_numbers, pose_numbers
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.reconfiguration.reconfiguration import Edit, NoRobotError, Reconfiguration

#: Of these requests a ModelError is about their numbers, and not about the robot.
NUMERIC_REQUESTS = SetPayload.Response, SetModelParameters.Response, LockJoints.Response


class ReconfigurationServices:
    """Services that are there as long as their node, and refuse all requests while it is not configured.

    One request at a time: their group is theirs alone, so that the node's other callbacks go on meanwhile.

    Args:
        node: dynamics_node. See `Reconfiguration`; it also has `joint_names()` with published efforts, and
            `positions()`, the last measured ones by joint.
    """

    def __init__(self, node: Node) -> None:
        self._node: Any = node
        self._changes: Reconfiguration | None = None  # while configured
        group = MutuallyExclusiveCallbackGroup()
        for kind, name, request in (
            (SetPayload, "set_payload", self._set_payload),
            (AttachSubsystem, "attach_subsystem", self._attach_subsystem),
            (DetachSubsystem, "detach_subsystem", self._detach_subsystem),
            (LockJoints, "lock_joints", self._lock_joints),
            (SetModelParameters, "set_model_parameters", self._set_model_parameters),
        ):
            answer = self._answering(request)
            node.create_service(kind, f"~/{name}", answer, qos_profile=REQUESTS, callback_group=group)

    def configure(self) -> Reconfiguration | None:
        """Return the changes of the node's robot, made by these services; None, after logging why, on errors.

        They end with the node's configured state.
        """
        node, parameters = self._node, self._node.parameters
        publisher: Any = None
        if parameters.publish_robot_description:
            if not parameters.robot_description_file:
                node.get_logger().error(
                    "publish_robot_description needs robot_description_file: without, the topic belongs to "
                    "others"
                )
                return None
            publisher = node.make_publisher(String, "robot_description", LATCHED)
        try:
            self._changes = Reconfiguration(
                node,
                parameters.changes_file,
                strict=parameters.strict,
                describe=None if publisher is None else _description,
                publish=lambda text: publisher.publish(String(data=text)),
            )
        except ChangeFileError as error:
            node.get_logger().error(str(error))
            return None
        node.while_configured.callback(self.end)
        return self._changes

    def end(self) -> None:
        """Answer no more requests; the one whose change is being prepared is refused now. Safe to repeat."""
        if self._changes is not None:
            self._changes.destroy()
        self._changes = None

    def _answering(self, make: Callable[[Any], tuple[Edit, str]]) -> Callable[..., Coroutine[Any, Any, Any]]:
        """Return a service's callback, by a function from a request to its edit and what it does."""

        async def answer(request: Any, response: Any) -> Any:
            if (changes := self._changes) is None:
                response.error_code = response.NOT_ACTIVE
                response.error_message = "the node is not active; configure and activate it first"
                return response
            try:
                edit, what = make(request)
                await changes.change(edit, one_line(what))
                response.success = True
            except Exception as error:  # a service must not end the node
                response.error_code = self._refusal(response, error)
                expected = isinstance(error, ModularDynamicsError | NodeError)
                response.error_message = one_line(str(error) if expected else described_failure(error))
                self._node.get_logger().warning(f"change refused: {response.error_message}")
            response.stamp = stamp_message(changes.stamp)
            response.joint_names = list(self._node.joint_names())
            return response

        return answer

    def _refusal(self, response: Any, error: Exception) -> int:
        """Return the response's code for an error."""
        of_numbers = isinstance(response, NUMERIC_REQUESTS) and isinstance(error, ModelError)
        code: int
        if isinstance(error, NoRobotError):
            code = response.NOT_ACTIVE
        elif isinstance(error, ChangeFileError):
            code = response.FILE
        elif isinstance(error, UnknownNameError | UnknownError):
            code = response.UNKNOWN_NAME
        elif isinstance(error, NumbersError) or of_numbers:
            code = response.BAD_STATE
        elif isinstance(error, ModularDynamicsError | NodeError):
            code = response.REFUSED
        else:
            self._node.get_logger().error(f"unexpected error in a service: {described_failure(error)}")
            code = response.UNEXPECTED
        return code

    def _link(self, name: str) -> str:
        """Return a link's name in the URDF; requests may use TF's, which begins with frame_prefix."""
        now = self._node.robot_in_force()
        exact = now is not None and name in now.changed.graph.links
        return name if exact else name.removeprefix(self._node.parameters.frame_prefix)

    def _set_payload(self, request: SetPayload.Request) -> tuple[Edit, str]:
        link, load = self._link(request.link), load_numbers(request.inertia)

        def edit(described: Any, changes: Any) -> Any:
            return edits.with_payload(described, changes, Payload.of(link, *load))

        return edit, f"payload of {load[0]:g} kg on '{link}'"

    def _attach_subsystem(self, request: AttachSubsystem.Request) -> tuple[Edit, str]:
        """Attach another robot, or bring one back that was detached."""
        r, pose, link = request, pose_numbers(request.pose), self._link(request.link)
        strict = self._node.parameters.strict

        def edit(described: Any, changes: Any) -> Any:
            if r.robot_description and r.file:
                raise RobotError(f"'{r.name}' has both a robot_description and a file; give one of them")
            if r.robot_description:
                read = partial(Attachment.of, r.name, r.robot_description)
            elif r.file:
                read = partial(Attachment.of_file, r.name, r.file)
            else:
                back = edits.reattached(described, changes, r.name)
                if link or r.prefix or (any(pose) and pose != IDENTITY_POSE):
                    text = f"'{r.name}' comes back where it was: leave link, pose and prefix out"
                    raise RobotError(f"{text}, or attach its URDF elsewhere by another name")
                return back
            return edits.attached(described, changes, read(link, pose, r.prefix, strict=strict))

        again = not (r.robot_description or r.file)
        return edit, f"'{r.name}' brought back" if again else f"'{r.name}' attached to '{link}'"

    def _detach_subsystem(self, request: DetachSubsystem.Request) -> tuple[Edit, str]:
        def edit(described: Any, changes: Any) -> Any:
            return edits.detached(described, changes, request.name)

        return edit, f"'{request.name}' detached"

    def _lock_joints(self, request: LockJoints.Request) -> tuple[Edit, str]:
        names, given = list(request.joint_names), list(request.positions)
        measured = self._node.positions()  # now, in the executor's thread

        def edit(described: Any, changes: Any) -> Any:
            if request.unlock and given:
                raise NumbersError("positions and unlock are both given: joints that may move need none")
            if request.unlock:
                return edits.unlocked(described, changes, names)
            if given and len(given) != len(names):
                raise NumbersError(f"{len(given)} positions for {len(names)} joints; each needs one, or none")
            positions = dict(zip(names, given, strict=True)) if given else measured
            return edits.locked(described, changes, names, positions, measured=not given)

        return edit, f"{'unlocked' if request.unlock else 'locked'}: {', '.join(names)}"

    def _set_model_parameters(self, request: SetModelParameters.Request) -> tuple[Edit, str]:
        names, values = list(request.names), list(request.values)

        def edit(described: Any, changes: Any) -> Any:
            return edits.renumbered(changes, names, values)

        return edit, f"numbers of the model: {', '.join(names) or 'as described'}"


def _description(graph: md.SubsystemGraph) -> str:
    """Return the URDF text that was read or, for a changed graph, an equivalent one.

    Raises:
        ModularDynamicsError: a URDF cannot describe it.
    """
    return graph.urdf or graph.to_urdf()
