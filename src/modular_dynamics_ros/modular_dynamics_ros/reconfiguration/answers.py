"""What services that change the robot do: a request that is refused leaves it as it was."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Protocol

from modular_dynamics_interfaces.srv import (
    AttachSubsystem,
    DetachSubsystem,
    LockJoints,
    SetModelParameters,
    SetPayload,
)
from rclpy.node import Node

from modular_dynamics.exceptions import ModelError, ModularDynamicsError, UnknownNameError
from modular_dynamics_ros.computation.changes import edits
from modular_dynamics_ros.computation.changes.attachment import IDENTITY_POSE, Attachment
from modular_dynamics_ros.computation.changes.payload import Payload
from modular_dynamics_ros.diagnostics.failures import described as described_failure
from modular_dynamics_ros.diagnostics.failures import one_line
from modular_dynamics_ros.exceptions import ChangeFileError, NodeError, NumbersError, RobotError, UnknownError
from modular_dynamics_ros.messages.queries.changes import load_numbers, pose_numbers
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.reconfiguration.host import Host
from modular_dynamics_ros.reconfiguration.reconfiguration import Edit, NoRobotError, Reconfiguration

__all__ = ["ChangeAnswers", "SessionView"]

#: Of these requests a ModelError is about their numbers, and not about the robot.
NUMERIC_REQUESTS = SetPayload.Response, SetModelParameters.Response, LockJoints.Response


class SessionView(Host, Protocol):
    """The host, with what is measured and published of its robot."""

    def joint_names(self) -> tuple[str, ...]:
        """Return the joints with published efforts, in order; none without a robot."""

    def positions(self) -> Mapping[str, float]:
        """Return last measured positions [rad or m] by joint."""


class ChangeAnswers:
    """Answers of the services, while the node is configured. The methods have the services' names.

    Args:
        strict: see `Reconfiguration`. frame_prefix: begins names of links in TF; requests may have it, too.
    """

    def __init__(
        self,
        node: Node,
        host: SessionView,
        reconfiguration: Reconfiguration,
        *,
        strict: bool,
        frame_prefix: str,
    ) -> None:
        self._node, self._host, self._changes = node, host, reconfiguration
        self._strict, self._frame_prefix = strict, frame_prefix

    def end(self) -> None:
        """Prepare nothing more; what is being prepared is refused."""
        self._changes.destroy()

    def _link(self, name: str) -> str:
        """Return a link's name in the URDF; requests may use TF's."""
        now = self._host.robot_in_force()
        exact = now is not None and name in now.changed.graph.links
        return name if exact else name.removeprefix(self._frame_prefix)

    async def set_payload(self, request: SetPayload.Request, response: SetPayload.Response) -> Any:
        """Set or remove what a link carries."""
        link, load = self._link(request.link), load_numbers(request.inertia)

        def edit(described: Any, changes: Any) -> Any:
            return edits.with_payload(described, changes, Payload.of(link, *load))

        return await self._answer(response, edit, f"payload of {load[0]:g} kg on '{link}'")

    async def attach_subsystem(
        self, request: AttachSubsystem.Request, response: AttachSubsystem.Response
    ) -> Any:
        """Attach another robot, or bring one back that was detached."""
        r, pose, link = request, pose_numbers(request.pose), self._link(request.link)

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
            return edits.attached(described, changes, read(link, pose, r.prefix, strict=self._strict))

        again = not (r.robot_description or r.file)
        done = f"'{r.name}' brought back" if again else f"'{r.name}' attached to '{link}'"
        return await self._answer(response, edit, done)

    async def detach_subsystem(
        self, request: DetachSubsystem.Request, response: DetachSubsystem.Response
    ) -> Any:
        """Detach a subsystem."""

        def edit(described: Any, changes: Any) -> Any:
            return edits.detached(described, changes, request.name)

        return await self._answer(response, edit, f"'{request.name}' detached")

    async def lock_joints(self, request: LockJoints.Request, response: LockJoints.Response) -> Any:
        """Lock joints, or unlock them."""
        names, given = list(request.joint_names), list(request.positions)
        measured = self._host.positions()  # now, in the executor's thread

        def edit(described: Any, changes: Any) -> Any:
            if request.unlock and given:
                raise NumbersError("positions and unlock are both given: joints that may move need none")
            if request.unlock:
                return edits.unlocked(described, changes, names)
            if given and len(given) != len(names):
                raise NumbersError(f"{len(given)} positions for {len(names)} joints; each needs one, or none")
            positions = dict(zip(names, given, strict=True)) if given else measured
            return edits.locked(described, changes, names, positions, measured=not given)

        done = "unlocked" if request.unlock else "locked"
        return await self._answer(response, edit, f"{done}: {', '.join(names)}")

    async def set_model_parameters(
        self, request: SetModelParameters.Request, response: SetModelParameters.Response
    ) -> Any:
        """Set numbers of the model by name."""
        names, values = list(request.names), list(request.values)

        def edit(described: Any, changes: Any) -> Any:
            return edits.renumbered(changes, names, values)

        what = f"numbers of the model: {', '.join(names) or 'as described'}"
        return await self._answer(response, edit, what)

    async def _answer(self, response: Any, edit: Edit, what: str) -> Any:
        """Carry out a request, and return the response."""
        response.error_code, response.error_message = await self._outcome(response, edit, what)
        response.success = response.error_code == response.NONE
        response.stamp = stamp_message(self._changes.stamp)
        response.joint_names = list(self._host.joint_names())
        if not response.success:
            self._node.get_logger().warning(f"change refused: {response.error_message}")
        return response

    async def _outcome(self, response: Any, edit: Edit, what: str) -> tuple[int, str]:
        try:
            await self._changes.change(edit, one_line(what))
        except Exception as error:  # a service must not end the node
            return self._refusal(response, error), _text(error)
        return response.NONE, ""

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


def _text(error: Exception) -> str:
    expected = isinstance(error, ModularDynamicsError | NodeError)
    return one_line(str(error) if expected else described_failure(error))
