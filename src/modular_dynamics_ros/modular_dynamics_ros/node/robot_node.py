"""What every node about one robot is: a lifecycle, its parameters, a robot description, diagnostics.

unconfigured --configure--> inactive: the robot is loaded and compiled or, without robot_description_file,
awaited on the topic robot_description; both succeed, so that nodes may start in any order. A bad file makes
configuring fail. inactive --activate--> active: joint states are taken and answered. While a robot is awaited
nothing is answered and /diagnostics says so. A new description replaces the robot if it is good; else the
last good one stays. Which robot answers a joint state: `Succession`.
"""

from typing import Any, Generic

from rclpy.lifecycle import LifecycleState
from std_msgs.msg import String

from modular_dynamics_ros.exceptions import RobotError
from modular_dynamics_ros.lifecycle.node import FAILURE, SUCCESS, ManagedNode
from modular_dynamics_ros.messages.stamps import stamp_seconds
from modular_dynamics_ros.messages.status import WARN, Status
from modular_dynamics_ros.node.interfaces import Parameters, Session, SessionType
from modular_dynamics_ros.node.shared_entities import SharedEntities
from modular_dynamics_ros.node.succession import Succession
from modular_dynamics_ros.node.topics import DESCRIPTIONS

__all__ = ["FAILURE", "SUCCESS", "RobotNode"]

CLOCK_SET_BACK = 1_000_000_000  # [ns] clocks of two computers differ by less


class RobotNode(ManagedNode[Parameters], Generic[Parameters]):
    """Robot descriptions and what becomes of them; all about one robot is in its session.

    A subclass sets NAME and PARAMETERS (a table, see parameters/table.py), and defines `session_type`.
    """

    @staticmethod
    def session_type() -> SessionType[Parameters]:
        """Import the class of the sessions, and with it the library: called when the node is configured.

        DDS finds the other nodes meanwhile, so that a node that was killed answers sooner.
        """
        raise NotImplementedError

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._begin_anew()

    def _begin_anew(self) -> None:
        self.succession = Succession(self, lambda: self.parameters.stale_after)
        self._entities = SharedEntities(self)
        self._description = ""

    @property
    def session(self) -> Session[Parameters] | None:
        """The robot in force."""
        return self.succession.current

    def configure(self) -> bool:
        """Load the robot from its file, or begin to wait for it."""
        self.while_configured.callback(self._forget_robots)
        file = self.parameters.robot_description_file
        if file:
            # logged before the imports: for every line rclpy searches all modules for the caller
            self.get_logger().info(f"loading {file}")
        try:
            self.session_type()
        except ImportError as error:
            self.get_logger().fatal(f"the library cannot be imported: {error}")
            return False
        if file:
            return self._take_description(file, "robot_description_file")
        subscription = self.create_subscription(
            String, "robot_description", self._on_robot_description, DESCRIPTIONS
        )
        self.while_configured.callback(self.destroy_subscription, subscription)
        self.get_logger().info("waiting for a robot on the topic robot_description")
        return True

    def _forget_robots(self) -> None:
        try:
            self.succession.destroy()
        finally:
            self._begin_anew()

    def activate(self, state: LifecycleState) -> None:
        """Begin to take joint states."""
        self.while_active.callback(self.succession.deactivate)
        self.succession.activate(state)

    def report(self) -> tuple[str, list[Status]]:
        """See `ManagedNode`."""
        self.succession.tidy()
        if self.session is None:
            return "", [Status(WARN, "input", "waiting for a robot on the topic robot_description")]
        return self.session.robot.graph.name, self.session.statuses()

    def parameters_changed(self) -> None:
        """See `ManagedNode`."""
        if self.session is not None:
            self.session.set_parameters(self.parameters)

    def _on_robot_description(self, message: String) -> None:
        if not message.data.lstrip("\ufeff \t\r\n").startswith("<"):  # load_urdf would take it for a path
            self.get_logger().error(
                "robot_description refused: the topic must carry the URDF's XML, which starts with '<', "
                f"not '{message.data[:40]}'"
            )
        elif message.data != self._description:
            self._take_description(message.data, "robot_description")

    def _take_description(self, description: str, where: str) -> bool:
        """Replace the robot by this one; a bad one is refused, and the last good one stays."""
        kept = f"; '{self.session.robot.graph.name}' stays" if self.session is not None else ""
        stamp: int | None = None
        try:
            if where == "robot_description":
                stamp = self._stamp_of(description)
            session = self.session_type()(self._entities, description, self.parameters)
        except RobotError as error:
            self.get_logger().error(f"{where} refused: {error}{kept}")
            self.succession.refuse(stamp)
            return False
        except Exception as error:
            # rclpy would swallow it in a transition, and a topic must not end the node
            if not self.context.ok():
                return False  # Ctrl-C has shut rclpy down: the description is not to blame
            self.get_logger().error(f"{where} refused, unexpectedly: {type(error).__name__}: {error}{kept}")
            self.succession.refuse(stamp)
            return False
        self._description = description
        for warning in session.robot.warnings:
            self.get_logger().warning(warning)
        for note in session.robot.notes:
            self.get_logger().info(note)
        self.get_logger().info(session.robot.summary)
        self.succession.add(session, stamp)
        return True

    def _stamp_of(self, description: str) -> int | None:
        """Since when a text from the topic is valid [ns]; None where it does not say.

        Raises:
            RobotError: no URDF; or it is older than the robot in force, unless the clock was set back.
        """
        from modular_dynamics_ros.computation.robot import stamp_of  # noqa: PLC0415  # imports the library

        stamp, newest = stamp_of(description), self.succession.stamp
        if stamp is None or newest is None or stamp >= newest or self.now() < newest - CLOCK_SET_BACK:
            return stamp
        text = f"its stamp {stamp_seconds(stamp)} is older than {stamp_seconds(newest)} of the robot in force"
        raise RobotError(text)
