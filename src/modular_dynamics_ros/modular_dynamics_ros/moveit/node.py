"""moveit_payload_node: what MoveIt has attached to the robot becomes payloads of dynamics_node.

It asks MoveIt (get_planning_scene) for the attached objects each second, and when monitored_planning_scene
says that objects have changed. The objects of a link are one payload: masses by name, or by the weight in
the message on attached_collision_object that attached the object; centre and inertia by the shapes, at even
density. The payload goes to dynamics_node/set_payload; when the last object of a link is
detached, it is removed. An object whose mass is not known is not counted, with a warning.

The node needs moveit_msgs. The payloads of links that carry attached objects are its own: another set_payload
for such a link counts until the objects of the link change.
"""

import time
from functools import partial
from importlib import import_module
from typing import Any

from lifecycle_msgs.msg import TransitionEvent
from modular_dynamics_interfaces.srv import SetPayload
from rclpy.exceptions import NameValidationException

from modular_dynamics_ros.diagnostics.change_log import ChangeLog
from modular_dynamics_ros.exceptions import ParameterError
from modular_dynamics_ros.lifecycle.entities import ReadingNode
from modular_dynamics_ros.lifecycle.node import STEADY_CLOCK
from modular_dynamics_ros.lifecycle.requests import answer_all_requests
from modular_dynamics_ros.moveit.attached_objects import Load, Masses, masses_by_id, payloads_of
from modular_dynamics_ros.node.spinning import run_node
from modular_dynamics_ros.node.worker import Calls
from modular_dynamics_ros.parameters.nodes import MoveitParameters
from modular_dynamics_ros.parameters.table import declare, usage

LOOK_PERIOD = 1.0  # [s] from one request for the planning scene to the next
TRY_AGAIN = 30.0  # [s] before a payload that was refused is sent once more: the robot may have changed


def payload_request(link: str, load: Load | None) -> SetPayload.Request:
    """Return a request for a load; None removes the present one."""
    request = SetPayload.Request(link=link)
    if load is not None:
        message, (row_x, row_y, row_z) = request.inertia, load.inertia.tolist()
        message.m = float(load.mass)
        message.com.x, message.com.y, message.com.z = load.com.tolist()
        message.ixx, message.ixy, message.ixz = row_x
        _, message.iyy, message.iyz = row_y
        message.izz = row_z[2]
    return request


class MoveitPayloadNode(ReadingNode):
    """Keeps the payloads of dynamics_node equal to the objects that are attached.

    Raises:
        ParameterError: an invalid mass, or moveit_msgs is not installed.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__("moveit_payload_node", **options)
        self.parameters = parameters = declare(self, MoveitParameters)
        self._masses = Masses(masses_by_id(parameters.object_masses))
        scene, attached, get_scene = _messages()
        self._components = get_scene.Request()
        self._components.components.components = self._components.components.ROBOT_STATE_ATTACHED_OBJECTS
        self.log = ChangeLog(self.get_logger(), time.monotonic)
        self._active: dict[str, Load | None] = {}  # active payloads by link; None: no longer known
        self._refused: dict[str, tuple[Load | None, float]] = {}  # refused payloads by link, and when
        self._attached = set[str]()  # ids attached in the last answer
        self._scene = Calls(self.create_client(get_scene, "get_planning_scene"))
        try:
            self._payload = Calls(self.create_client(SetPayload, parameters.set_payload))
        except (NameValidationException, ValueError) as error:
            raise ParameterError(f"set_payload: {' '.join(str(error).split())}") from error
        server = parameters.set_payload.rpartition("/")  # of its parts, the first two name the lifecycle node
        self._transitions = f"{server[0]}{server[1]}transition_event"
        self._known_publishers, self._transitioned = set[bytes](), False
        self.create_subscription(TransitionEvent, self._transitions, self._on_transition, 10)
        self.create_subscription(scene, "monitored_planning_scene", self._on_scene, 100)
        self.create_subscription(attached, "attached_collision_object", self._masses.take, 100)
        self.create_timer(LOOK_PERIOD, self._look, clock=STEADY_CLOCK)
        answer_all_requests(self)

    def _look(self) -> None:
        """Compare payloads with the scene, each second."""
        if self._receiver_changed():  # it may have lost payloads, or kept old ones
            self._active = dict.fromkeys(self._active)
            self._refused.clear()
        self._ask()
        self.log.log_resolved()

    def _on_transition(self, message: Any) -> None:
        self._transitioned = True

    def _receiver_changed(self) -> bool:
        """Return whether dynamics_node changed its state, appeared, vanished or restarted since last time.

        DDS lists the services of a killed process for some seconds more, so that they seem to stay if
        the next process starts at once. But its publishers are different ones.
        """
        publishers = {bytes(one.endpoint_gid) for one in self.get_publishers_info_by_topic(self._transitions)}
        changed = self._transitioned or publishers != self._known_publishers
        self._known_publishers, self._transitioned = publishers, False
        return changed

    def _on_scene(self, message: Any) -> None:
        """Ask for the whole scene; MoveIt's messages about joints omit attached objects."""
        objects = message.robot_state.attached_collision_objects or message.world.collision_objects
        if objects or not message.is_diff:
            self._ask()

    def _ask(self) -> None:
        if not self._scene.send(self._components, self._on_answer):
            self.log.problem("get_planning_scene", "silent", "no answer from MoveIt's move_group")

    def _on_answer(self, response: Any) -> None:
        """Send the first payload that differs from the attached objects; the others follow its answer."""
        attached = response.scene.robot_state.attached_collision_objects
        before, self._attached = self._attached, {one.object.id for one in attached}
        self._masses.forget(before - self._attached)
        refuse = partial(self.log.problem, "attached objects", "not counted")
        wanted = payloads_of(attached, self._masses, refuse)
        for link in {**self._active, **wanted}:
            if self._differs(link, wanted.get(link)):
                self._send(link, wanted.get(link))
                return

    def _differs(self, link: str, load: Load | None) -> bool:
        """Return whether a link's load is not the active payload, and was not refused a moment ago."""
        refused, when = self._refused.get(link, (None, -TRY_AGAIN))
        if time.monotonic() - when < TRY_AGAIN and _same(load, refused):
            return False
        before = self._active.get(link)
        return before is None or not _same(load, before)

    def _send(self, link: str, load: Load | None) -> None:
        """Send a link's load; None removes its payload."""
        had_none = link not in self._active

        def processed(response: Any) -> None:
            if response.success:
                self._accepted(link, load)
            else:
                self._refused[link] = load, time.monotonic()
                if had_none:  # what is refused changes nothing
                    self._active.pop(link, None)
                if load is not None or response.error_code != response.UNKNOWN_NAME:
                    self.log.problem(f"payload on '{link}'", "refused", response.error_message)
            self._ask()

        if self._payload.ready and not self._payload.awaits:
            self._active[link] = None  # unknown until it is accepted
        if not self._payload.send(payload_request(link, load), processed):
            self.log.problem(self.parameters.set_payload, "silent", "no answer from dynamics_node")

    def _accepted(self, link: str, load: Load | None) -> None:
        self._refused.pop(link, None)
        if load is None:
            self._active.pop(link, None)
            self.get_logger().info(f"nothing is attached to '{link}' any more")
        else:
            self._active[link] = load
            self.get_logger().info(f"{load.mass:g} kg are attached to '{link}'")


def _same(load: Load | None, other: Load | None) -> bool:
    """Return whether two loads are equal up to rounding, or both missing."""
    return load is other or (load is not None and other is not None and load.is_close(other))


def _messages() -> tuple[Any, Any, Any]:
    """Return PlanningScene, AttachedCollisionObject and GetPlanningScene of moveit_msgs."""
    try:
        messages, services = import_module("moveit_msgs.msg"), import_module("moveit_msgs.srv")
    except ImportError as error:
        remedy = "apt install ros-$ROS_DISTRO-moveit-msgs installs it"
        raise ParameterError(f"moveit_msgs cannot be imported ({error}); {remedy}") from error
    return messages.PlanningScene, messages.AttachedCollisionObject, services.GetPlanningScene


def main() -> int:
    """Run the node as a process."""
    return run_node(MoveitPayloadNode, usage("moveit_payload_node", str(__doc__), MoveitParameters))
