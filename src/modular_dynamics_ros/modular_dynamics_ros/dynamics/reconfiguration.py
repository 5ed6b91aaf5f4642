"""Services that change the robot of dynamics_node, and its changes: active all or not at all.

A change is prepared outside the executor. It becomes active between joint states, or is refused and changes
nothing. The changes stay in their order, also with a new description, until the node is cleaned up.
"""

from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from modular_dynamics_interfaces.srv import AttachSubsystem, DetachSubsystem, LockJoints, SetPayload
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from std_msgs.msg import String

import modular_dynamics as md
from modular_dynamics.exceptions import ModelError, ModularDynamicsError, UnknownNameError
from modular_dynamics_ros.computation.changes import edits
from modular_dynamics_ros.computation.changes.edits import Applied, applied
from modular_dynamics_ros.computation.changes.kinds import Attachment, Changes, Payload
from modular_dynamics_ros.diagnostics.change_log import described as described_failure
from modular_dynamics_ros.diagnostics.change_log import one_line
from modular_dynamics_ros.dynamics.session import PreparedRobot, prepared_robot
from modular_dynamics_ros.exceptions import ChangeFileError, NodeError, NumbersError, RobotError, UnknownError
from modular_dynamics_ros.lifecycle.entities import LATCHED, REQUESTS
from modular_dynamics_ros.messages.queries import load_numbers, pose_numbers
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.node.worker import Worker

Edit = Callable[[md.SubsystemGraph, Changes], Changes]
"""Returns a new list of changes from the described graph and the active list. Thread-safe."""

ATTEMPTS = 10  # a new description may come while a change is prepared
#: Of these requests a ModelError is about their numbers, and not about the robot.
NUMERIC_REQUESTS = SetPayload.Response, LockJoints.Response


class NoRobotError(RobotError):
    """The node is not active, or has no robot."""


#: The first entry that fits an error names the response's code.
CODES: tuple[tuple[type[Exception] | tuple[type[Exception], ...], str], ...] = (
    (NoRobotError, "NOT_ACTIVE"),
    (ChangeFileError, "FILE"),
    ((UnknownNameError, UnknownError), "UNKNOWN_NAME"),
    (NumbersError, "BAD_STATE"),
    ((ModularDynamicsError, NodeError), "REFUSED"),
)


class Reconfiguration:
    """Keeps the changes of the active robot, and makes new ones by services.

    The services are there as long as their node, and refuse all requests while it is not configured. One
    request at a time, in their own callback group: the node's other callbacks run meanwhile.

    Args:
        node: dynamics_node: its `session`, see `DynamicsSession`, and `replace_robot(prepared)`, which lets a
            prepared robot answer joint states from a stamp [ns] on, and returns that.

    Attributes:
        stamp: of the last change [ns], 0 before the first.
    """

    def __init__(self, node: Any) -> None:
        self._node = node
        self._publisher: Any = None  # of the active robot's description; None: it is not published
        self._worker: Worker | None = None  # while configured
        self._kept: tuple[str, Changes] = "", ()  # with the name of their robot
        self.stamp = 0
        group = MutuallyExclusiveCallbackGroup()
        for kind, name, request in (
            (SetPayload, "set_payload", self._set_payload),
            (AttachSubsystem, "attach_subsystem", self._attach_subsystem),
            (DetachSubsystem, "detach_subsystem", self._detach_subsystem),
            (LockJoints, "lock_joints", self._lock_joints),
        ):
            answer = self._answering(request)
            node.create_service(kind, f"~/{name}", answer, qos_profile=REQUESTS, callback_group=group)

    def configure(self) -> bool:
        """Begin without changes, until the node is cleaned up; False, after logging why, on errors."""
        node, self._publisher = self._node, None
        if node.parameters.publish_robot_description:
            if not node.parameters.robot_description_file:
                why = "without it, another node publishes the topic"
                node.get_logger().error(f"publish_robot_description needs robot_description_file: {why}")
                return False
            self._publisher = node.make_publisher(String, "robot_description", LATCHED)
        self._kept, self.stamp, self._worker = ("", ()), 0, Worker(node)
        node.while_configured.callback(self.end)
        return True

    def end(self) -> None:
        """Refuse requests from now on, also the one whose change is being prepared; safe to repeat."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.destroy(NoRobotError("the node was cleaned up before the change was prepared"))

    @property
    def _strict(self) -> bool:
        return bool(self._node.parameters.strict)

    @property
    def changes(self) -> Changes:
        """The active changes, in order."""
        return self._kept[1]

    def changed(self, described: md.SubsystemGraph) -> Applied:
        """Return a described robot with its changes. Thread-safe."""
        robot, changes = self._kept
        if not changes or robot == described.name:
            return applied(described, changes, strict=self._strict, drop=True)
        why = f"they are of the robot '{robot}', and this one is '{described.name}'"
        dropped = tuple(f"{change}: {why}" for change in changes)
        return Applied(described, (), dropped, wanted=changes)

    def adopt(self, robot: str, changed: Applied) -> None:
        """Adopt these changes with an active description; the others are dropped."""
        for text in changed.dropped:
            self._node.get_logger().warning(f"a change is dropped: {text}")
        if changed.changes:
            texts = "; ".join(map(str, changed.changes))
            self._node.get_logger().info(f"changes that stay active: {texts}")
        for warning in changed.warnings:
            self._node.get_logger().warning(warning)
        self._kept = robot, changed.changes

    def publish_description(self) -> None:
        """Publish the active robot's description, if its topic exists."""
        if self._publisher is None or (now := self._active_robot()) is None:
            return
        try:
            self._publisher.publish(String(data=_description(now.changed.graph)))
        except md.ModularDynamicsError as error:
            self._node.get_logger().error(f"robot_description is not published: {error}")

    async def _change(self, edit: Edit, what: str) -> None:
        """Activate the changes that `edit` makes.

        Args:
            what: for the log.

        Raises:
            NoRobotError: not active, or no robot. ModularDynamicsError, NodeError: refused; nothing has
                changed.
        """
        for _ in range(ATTEMPTS):
            now = self._require_robot()
            assert self._worker is not None  # an active node is configured
            work = partial(self._drafted, now.described, now.changed.changes, edit)
            prepared, text = await self._worker.run(work)
            if self._node.active and self._active_robot() is now:
                break  # else another description has come
        else:
            raise RobotError("descriptions come faster than the change can be prepared")
        self._activate(prepared, text, what, now.changed)

    def _active_robot(self) -> PreparedRobot | None:
        """Return what was prepared of the robot that answers joint states; None: there is none."""
        session = self._node.session
        return None if session is None else session.prepared

    def _require_robot(self) -> PreparedRobot:
        """Return the robot as `_active_robot`. Raises NoRobotError: there is none."""
        if not self._node.active:
            raise NoRobotError("the node is not active; activate it first")
        if (now := self._active_robot()) is None:
            raise NoRobotError(self._node.why_no_robot)
        return now

    def _drafted(
        self, described: md.SubsystemGraph, changes: Changes, edit: Edit
    ) -> tuple[PreparedRobot, str]:
        """Prepare an edited robot and the URDF to publish, which is slow. Thread-safe."""
        changed = applied(described, edit(described, changes), strict=self._strict)
        prepared = prepared_robot(described, changed, self._node.parameters)
        return prepared, "" if self._publisher is None else _description(changed.graph)

    def _activate(self, prepared: PreparedRobot, text: str, what: str, before: Applied) -> None:
        """Activate a changed robot, and log its warnings except those of the changes before."""
        changed = prepared.changed
        self.stamp = self._node.replace_robot(prepared)
        self._kept = prepared.described.name, changed.changes
        log = self._node.get_logger()
        for warning in changed.warnings:
            if warning not in before.warnings:
                log.warning(warning)
        log.info(f"{what}; active changes: {len(changed.changes)}")
        if text:
            self._publisher.publish(String(data=text))

    def _answering(self, make: Callable[[Any], tuple[Edit, str]]) -> Callable[..., Coroutine[Any, Any, Any]]:
        """Return a service's callback.

        Args:
            make: from a request to its edit, and what that does, for the log.
        """

        async def answer(request: Any, response: Any) -> Any:
            if self._worker is None:
                response.error_code = response.NOT_ACTIVE
                response.error_message = "the node is not active; configure and activate it first"
                return response
            try:
                edit, what = make(request)
                await self._change(edit, one_line(what))
                response.success = True
            except Exception as error:  # a service must not end the node
                response.error_code = self._refusal(response, error)
                expected = isinstance(error, ModularDynamicsError | NodeError)
                response.error_message = one_line(str(error) if expected else described_failure(error))
                self._node.get_logger().warning(f"change refused: {response.error_message}")
            response.stamp = stamp_message(self.stamp)
            session = self._node.session
            response.joint_names = [] if session is None else list(session.robot.joint_names)
            return response

        return answer

    def _refusal(self, response: Any, error: Exception) -> int:
        """Return the response's code for an error."""
        name = next((name for kinds, name in CODES if isinstance(error, kinds)), "UNEXPECTED")
        if name == "REFUSED" and isinstance(error, ModelError) and isinstance(response, NUMERIC_REQUESTS):
            name = "BAD_STATE"
        if name == "UNEXPECTED":
            self._node.get_logger().error(f"unexpected error in a service: {described_failure(error)}")
        code: int = getattr(response, name)
        return code

    def _link(self, name: str) -> str:
        """Return a link's name in the URDF; requests may have frame_prefix before it, as TF has."""
        now = self._active_robot()
        exact = now is not None and name in now.changed.graph.links
        return name if exact else name.removeprefix(self._node.parameters.frame_prefix)

    def _set_payload(self, request: SetPayload.Request) -> tuple[Edit, str]:
        link, load = self._link(request.link), load_numbers(request.inertia)

        def edit(described: md.SubsystemGraph, changes: Changes) -> Changes:
            return edits.with_payload(described, changes, Payload.of(link, *load))

        what = f"payload of {load[0]:g} kg" if load[0] else "no payload"
        return edit, f"{what} on '{link}'"

    def _attach_subsystem(self, request: AttachSubsystem.Request) -> tuple[Edit, str]:
        r, pose, link = request, pose_numbers(request.pose), self._link(request.link)
        strict = self._node.parameters.strict

        def edit(described: md.SubsystemGraph, changes: Changes) -> Changes:
            if bool(r.robot_description) == bool(r.file):
                has = (
                    "both a robot_description and a file"
                    if r.file
                    else "neither a robot_description nor a file"
                )
                raise RobotError(f"'{r.name}' has {has}; give one of them")
            if r.file:
                attachment = Attachment.of_file(r.name, r.file, link, pose, r.prefix, strict=strict)
            else:
                text = r.robot_description
                attachment = Attachment.of(r.name, text, link, pose, r.prefix, strict=strict)
            return edits.attached(described, changes, attachment)

        return edit, f"'{r.name}' attached to '{link}'"

    def _detach_subsystem(self, request: DetachSubsystem.Request) -> tuple[Edit, str]:
        return partial(edits.detached, name=request.name), f"'{request.name}' detached"

    def _lock_joints(self, request: LockJoints.Request) -> tuple[Edit, str]:
        names, given = list(request.joint_names), list(request.positions)
        session = self._node.session
        measured = {} if session is None else session.positions  # now, in the executor's thread

        def edit(described: md.SubsystemGraph, changes: Changes) -> Changes:
            if request.unlock and given:
                raise NumbersError("positions and unlock are both given: joints that may move need none")
            if request.unlock:
                return edits.unlocked(described, changes, names)
            if given and len(given) != len(names):
                raise NumbersError(f"{len(given)} positions for {len(names)} joints; each needs one, or none")
            positions = dict(zip(names, given, strict=True)) if given else measured
            return edits.locked(described, changes, names, positions, measured=not given)

        return edit, f"{'unlocked' if request.unlock else 'locked'}: {', '.join(names)}"


def _description(graph: md.SubsystemGraph) -> str:
    """Return the URDF text that was read or, for a changed graph, an equivalent one.

    Raises:
        ModularDynamicsError: a URDF cannot describe it.
    """
    return graph.urdf or graph.to_urdf()
