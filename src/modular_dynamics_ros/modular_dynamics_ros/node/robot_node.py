"""What every node about one robot is: a lifecycle, its parameters, a robot description, diagnostics.

unconfigured --configure--> inactive: the robot is loaded and compiled or, without robot_description_file,
awaited on the topic robot_description; both succeed, so that nodes may start in any order. A bad file makes
configuring fail. inactive --activate--> active: joint states are taken and answered. While a robot is awaited
nothing is answered and /diagnostics says so. A new description replaces the robot if it is good; else the
last good one stays. Which robot answers a joint state: `Succession`.
"""

import time
from dataclasses import replace
from typing import Any, Generic

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray
from rcl_interfaces.msg import SetParametersResult
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.parameter import Parameter
from std_msgs.msg import String

from modular_dynamics_ros.diagnostics.change_log import ChangeLog
from modular_dynamics_ros.exceptions import ParameterError, RobotError
from modular_dynamics_ros.messages.stamps import stamp_seconds
from modular_dynamics_ros.messages.status import WARN, Status, diagnostic_array
from modular_dynamics_ros.node.interfaces import Parameters, Session, SessionType
from modular_dynamics_ros.node.shared_entities import SharedEntities
from modular_dynamics_ros.node.spinning import run_node
from modular_dynamics_ros.node.succession import STEADY_CLOCK, Succession
from modular_dynamics_ros.node.topics import DESCRIPTIONS
from modular_dynamics_ros.parameters.table import changed, declare, usage

__all__ = ["FAILURE", "SUCCESS", "RobotNode", "run_robot_node"]

CLOCK_SET_BACK = 1_000_000_000  # [ns] clocks of two computers differ by less
SUCCESS, FAILURE = TransitionCallbackReturn.SUCCESS, TransitionCallbackReturn.FAILURE


class RobotNode(LifecycleNode, Generic[Parameters]):
    """Parameters, transitions, description and diagnostics; all about one robot is in its session.

    A subclass sets NAME and PARAMETERS (a table, see parameters/table.py), and defines `session_type`.
    """

    NAME: str
    PARAMETERS: type[Parameters]

    @staticmethod
    def session_type() -> SessionType[Parameters]:
        """Import the class of the sessions, and with it the library: called when the node is configured.

        DDS finds the other nodes meanwhile, so that a node that was killed answers sooner.
        """
        raise NotImplementedError

    def __init__(self, **options: Any) -> None:
        super().__init__(self.NAME, **options)
        self.parameters = declare(self, self.PARAMETERS)
        self.add_on_set_parameters_callback(self._on_set_parameters)
        self.log = ChangeLog(self.get_logger(), time.monotonic)
        self.succession = Succession(self, lambda: self.parameters.stale_after)
        self._entities = SharedEntities(self)
        self._description = ""
        self._description_subscription: Any = None
        self._diagnostics: Any = None
        self._diagnostics_timer: Any = None
        self._configured = False

    @property
    def session(self) -> Session[Parameters] | None:
        """The robot in force."""
        return self.succession.current

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Load the robot from its file, or begin to wait for it."""
        file = self.parameters.robot_description_file
        if file:
            # logged before the imports: for every line rclpy searches all modules for the caller
            self.get_logger().info(f"loading {file}")
        try:
            self.session_type()
        except ImportError as error:
            self.get_logger().fatal(f"the library cannot be imported: {error}")
            return FAILURE
        if file:
            if not self._take_description(file, "robot_description_file"):
                return FAILURE
        else:
            self._description_subscription = self.create_subscription(
                String, "robot_description", self._on_robot_description, DESCRIPTIONS
            )
            self.get_logger().info("waiting for a robot on the topic robot_description")
        self._diagnostics = self.create_lifecycle_publisher(DiagnosticArray, "/diagnostics", 10)
        self._configured = True
        return super().on_configure(state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Begin to take joint states."""
        self.succession.activate(state)
        # the steady clock: a simulation that never sends /clock must not silence the diagnostics, too
        self._diagnostics_timer = self.create_timer(1.0, self._on_diagnostics, clock=STEADY_CLOCK)
        return super().on_activate(state)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Take no more joint states; publish nothing."""
        self._stop()
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Forget the robot."""
        self._forget()
        return super().on_cleanup(state)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Forget the robot, whatever the state was."""
        self._stop()
        self._forget()
        return super().on_shutdown(state)

    def _stop(self) -> None:
        self.succession.deactivate()
        if self._diagnostics_timer is not None:
            self.destroy_timer(self._diagnostics_timer)
        self._diagnostics_timer = None
        self.log.clear()

    def _forget(self) -> None:
        self.succession.destroy()
        if self._description_subscription is not None:
            self.destroy_subscription(self._description_subscription)
        if self._diagnostics is not None:
            self.destroy_lifecycle_publisher(self._diagnostics)
        self._description_subscription = self._diagnostics = None
        self._description, self._configured = "", False

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

    def _on_set_parameters(self, changes: list[Parameter]) -> SetParametersResult:
        try:
            self.parameters = changed(self.parameters, changes, configured=self._configured)
        except ParameterError as error:
            return SetParametersResult(successful=False, reason=str(error))
        if self.session is not None:
            self.session.set_parameters(self.parameters)
        return SetParametersResult(successful=True)

    def _on_diagnostics(self) -> None:
        self.log.log_resolved()
        self.succession.tidy()
        if self.session is None:
            robot = ""
            statuses = [Status(WARN, "input", "waiting for a robot on the topic robot_description")]
        else:
            robot, statuses = self.session.robot.graph.name, self.session.statuses()
        named = (replace(s, name=f"{self.get_name()}: {s.name}", hardware_id=robot) for s in statuses)
        self._diagnostics.publish(diagnostic_array(self.stamp(), named))

    def now(self) -> int:
        """The node's clock [ns]: system time, or /clock with use_sim_time."""
        return int(self.get_clock().now().nanoseconds)

    def stamp(self) -> Time:
        """The node's clock as a stamp."""
        return self.get_clock().now().to_msg()


def run_robot_node(kind: Any, about: str) -> int:
    """Run a node as a process, or print its usage where the command line asks for help.

    Args:
        kind: a lifecycle node with NAME, PARAMETERS and, in ``parameters``, autostart. about: its docstring.
    """

    def make() -> Any:
        node = kind()
        if node.parameters.autostart and node.trigger_configure() == SUCCESS:
            node.trigger_activate()
        return node

    return run_node(make, usage(kind.NAME, about, kind.PARAMETERS))
