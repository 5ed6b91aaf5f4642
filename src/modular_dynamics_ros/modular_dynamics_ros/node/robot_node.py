"""What every node about one robot is: a lifecycle, its parameters, a robot description, diagnostics.

unconfigured --configure--> inactive: the robot is loaded and compiled or, without robot_description_file,
awaited on the topic robot_description; both succeed, so that nodes may start in any order. A bad file makes
configuring fail. inactive --activate--> active: joint states are taken and answered. While a robot is awaited
nothing is answered and /diagnostics says so. A new description is prepared beside, and replaces the robot
between two joint states. If it is refused the last good one stays, unless the description has a stamp: then
the robot has changed, and nothing is answered. Which robot answers a joint state: `Succession`.
"""

from collections.abc import Sequence
from typing import Any, Generic

from rclpy.lifecycle import LifecycleState
from std_msgs.msg import String

from modular_dynamics_ros.computation.values import CLOCK_SET_BACK
from modular_dynamics_ros.exceptions import NoJointsError, RobotError, SettingError
from modular_dynamics_ros.lifecycle.node import FAILURE, SUCCESS, ManagedNode
from modular_dynamics_ros.messages.stamps import stamp_seconds
from modular_dynamics_ros.messages.status import ERROR, OK, WARN, Status, status_of
from modular_dynamics_ros.node.interfaces import Parameters, Session, SessionType
from modular_dynamics_ros.node.joint_states.change_stamp import is_far_ahead
from modular_dynamics_ros.node.joint_states.robot_version import Vacancy
from modular_dynamics_ros.node.joint_states.succession import Succession
from modular_dynamics_ros.node.shared_entities import SharedEntities
from modular_dynamics_ros.node.threads.description_loader import DescriptionLoader, Loaded
from modular_dynamics_ros.node.topics import DESCRIPTIONS

__all__ = ["FAILURE", "SUCCESS", "RobotNode"]


class RobotNode(ManagedNode[Parameters], Generic[Parameters]):
    """Loads and prepares robot descriptions; all about one robot is in its session.

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
        self.succession = Succession(self, lambda: self.parameters.stale_after, self._awaits)
        self._entities = SharedEntities(self)
        self._newest: int | None = None  # stamp [ns] of the last description that had one and was taken
        self._refusal = ""  # of the last description from the topic, until a robot is taken
        self._description = ""  # newest text from the topic; empty again once it was refused
        self._loader: DescriptionLoader[Any] | None = None
        self._lost_before: int | None = 0  # number of lost joint states at the last diagnostics

    @property
    def session(self) -> Session[Parameters] | None:
        """The session of the active robot."""
        return self.succession.current

    @property
    def why_no_robot(self) -> str:
        """Return why no robot is active, for requests. Thread-safe."""
        if (vacancy := self.succession.vacancy) is not None:
            return f"the robot of the last robot_description cannot be used: {vacancy.why}"
        if refusal := self._refusal:
            return f"there is no robot; the last robot_description was refused: {refusal}"
        return "there is no robot; one is awaited on the topic robot_description"

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
        from modular_dynamics_ros.node.reference_input import require_reference_type  # noqa: PLC0415  # as above

        try:
            require_reference_type(self.parameters.reference_type)
        except RobotError as error:
            self.get_logger().error(str(error))
            return False
        if not self.prepare_robots():
            return False
        if file:
            return self._take_file(file)
        from modular_dynamics_ros.computation.robot import header_of  # noqa: PLC0415  # imports the library

        self._loader = DescriptionLoader(
            self, header_of, self._load, self._outdated, self._take_loaded, self.succession.look_again
        )
        self.while_configured.callback(self._loader.destroy)
        subscription = self.create_subscription(
            String, "robot_description", self._on_robot_description, DESCRIPTIONS
        )
        self.while_configured.callback(self.destroy_subscription, subscription)
        self.get_logger().info("waiting for a robot on the topic robot_description")
        return True

    def prepare_robots(self) -> bool:
        """Make what a subclass needs before the first robot; false, after logging why, where it cannot."""
        return True

    def _forget_robots(self) -> None:
        try:
            self.succession.destroy()
        finally:
            self._begin_anew()

    def activate(self, state: LifecycleState) -> None:
        """Begin to take joint states."""
        self._lost_before = 0
        self.while_active.callback(self.succession.deactivate)
        self.succession.activate(state)

    def wind_down(self) -> None:
        """See `ManagedNode`."""
        if self.session is not None:
            self.session.wind_down(self.hurried)

    def report(self) -> tuple[str, list[Status]]:
        """See `ManagedNode`."""
        self.succession.tidy()
        if self.session is not None:
            robot, statuses = self.session.robot, self.session.statuses()
            return robot.graph.name, [*statuses, self._arrivals_status(), _model_status(robot.warnings)]
        if (vacancy := self.succession.vacancy) is not None:
            text = f"nothing is answered until the next robot_description: {vacancy.why}"
            return "", [Status(OK if vacancy.usual else ERROR, "input", text)]
        refused = f"; the last one was refused: {self._refusal}" if self._refusal else ""
        text = f"waiting for a robot on the topic robot_description{refused}"
        return "", [Status(ERROR if refused else WARN, "input", text)]

    def parameters_changed(self) -> None:
        """See `ManagedNode`."""
        if self.session is not None:
            self.session.set_parameters(self.parameters)

    def _on_robot_description(self, message: String) -> None:
        if not message.data.lstrip("\ufeff \t\r\n").startswith("<"):  # load_urdf reads other text as a path
            self._refuse(
                "robot_description",
                RobotError(
                    f"the topic must carry the URDF's XML, which starts with '<', not '{message.data[:40]}'"
                ),
            )
        elif message.data != self._description and self._loader is not None:
            self._description = message.data
            self._loader.load(message.data)

    def _load(self, description: str) -> Any:
        """Return a prepared robot. Thread-safe."""
        return self.session_type().load(description, self.parameters)

    def _take_file(self, file: str) -> bool:
        """Load the robot of a file; return False if it is refused."""
        try:
            self._add(self._load(file), None)
        except Exception as error:
            if self.context.ok():  # else Ctrl-C has shut rclpy down: the description is not to blame
                self._refuse("robot_description_file", error)
            return False
        return True

    def _take_loaded(self, loaded: Loaded[Any]) -> None:
        """Replace the robot by one from the topic, or refuse an invalid one."""
        stamp, error = loaded.stamp, loaded.error
        try:
            self._require_current(stamp)
        except RobotError as refusal:
            self._refuse("robot_description", refusal)
            self._forget_text(loaded.text)
            return
        if stamp is not None:
            self._newest = stamp
        if error is None:
            assert loaded.product is not None  # `Loaded` has a product if there is no error
            try:
                self._add(loaded.product, stamp)
            except Exception as refusal:
                if not self.context.ok():  # Ctrl-C has shut rclpy down: the description is not to blame
                    return
                error = refusal
        if error is None:
            return
        usual = isinstance(error, NoJointsError) and stamp is not None
        if usual:
            self.get_logger().info(f"robot_description: {error}")
        else:
            self._refuse("robot_description", error, stays=stamp is None)
            self._forget_text(loaded.text)
        if stamp is not None:
            self.succession.add_vacant(loaded.name, stamp, Vacancy(str(error), usual))

    def _add(self, prepared: Any, stamp: int | None) -> None:
        session = self._session(prepared)
        self._refusal = ""
        self.succession.add(session, session.robot.graph.name, stamp)

    def _session(self, prepared: Any) -> Session[Parameters]:
        """Return the session of a prepared robot, after logging notes on it."""
        session = self.session_type()(self._entities, prepared, self.parameters)
        session.set_parameters(self.parameters)  # they may have changed since the robot was prepared
        robot, before = session.robot, None if self.session is None else self.session.robot
        # a robot that changes all the time keeps its flaws, and stands where it stood
        said = () if before is None else (*before.warnings, before.mounting)
        for warning in robot.warnings:
            if warning not in said:
                self.get_logger().warning(warning)
        for note in robot.notes:
            self.get_logger().info(note)
        mounting = "" if robot.mounting in said else robot.mounting
        self.get_logger().info("; ".join(filter(None, (robot.summary, mounting))))
        return session

    def _refuse(self, where: str, error: Exception, *, stays: bool = True) -> None:
        """Report why a description is not used and which robot remains, while active in /diagnostics, too."""
        kept = f"; '{self.session.robot.graph.name}' stays" if stays and self.session is not None else ""
        unexpected = "" if isinstance(error, RobotError) else f", unexpectedly: {type(error).__name__}"
        # a file is there as long as the parameters; a description from the topic has to fit them
        of_file, at_fault = where == "robot_description_file", isinstance(error, SettingError)
        verdict = "does not fit the parameters" if at_fault and not of_file else f"refused{unexpected}"
        text, self._refusal = f"{verdict}: {error}{kept}", str(error)
        if self.active:
            self.log.event(where, "refused", text, severe=True)
        else:
            self.get_logger().error(f"{'parameters' if at_fault and of_file else where} {text}")

    def _require_current(self, stamp: int | None) -> None:
        """Refuse a stamp [ns] with which a description must not replace the active robot.

        Raises:
            RobotError: it is older, unless the clock was set back; or far ahead of the clock.
        """
        if stamp is None or (now := self.now()) == 0:  # no /clock yet
            return
        if is_far_ahead(stamp, now, self.parameters.stale_after):
            text = f"its stamp {stamp_seconds(stamp)} is ahead of this node's clock, {stamp_seconds(now)}"
            raise RobotError(f"{text}: synchronise the clocks, or set use_sim_time on both sides")
        newest = self._newest
        if newest is not None and stamp < newest and now >= newest - CLOCK_SET_BACK:
            own, last = stamp_seconds(stamp), stamp_seconds(newest)
            raise RobotError(f"its stamp {own} is older than {last} of the last one")

    def _outdated(self, next_stamp: int) -> bool:
        """Return whether a robot need not be prepared, given the stamp [ns] of its successor."""
        return (self.now() - next_stamp) * 1e-9 > self.parameters.stale_after

    def _awaits(self, after: int, until: int) -> bool:
        """See `DescriptionLoader.awaits`."""
        return self._loader is not None and self._loader.awaits(after, until)

    def _forget_text(self, text: str) -> None:
        """Forget a refused description, so that its sender may repeat it."""
        if self._description == text:
            self._description = ""

    def _arrivals_status(self) -> Status:
        """Return the status of joint states lost by the middleware."""
        lost, before = self.succession.lost, self._lost_before
        self._lost_before = lost
        if lost is None:
            reason = "unknown: several publishers, or one that was started again"
            return Status(OK, "joint_states", "received", values={"lost on the way": reason})
        new = lost - (before or 0)
        warnings = [f"{new} joint states were lost on the way"] if new > 0 else []
        return status_of("joint_states", "received", {"lost on the way": str(lost)}, warnings=warnings)


def _model_status(warnings: Sequence[str]) -> Status:
    """Return the status of the library's warnings about the robot's description."""
    good = "nothing in the description looks wrong"
    return status_of("model", good, {"warnings": str(len(warnings))}, warnings=warnings)
