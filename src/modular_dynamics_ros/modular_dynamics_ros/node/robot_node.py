"""What every node about one robot is: a lifecycle, its parameters, robot descriptions, and sessions.

A session is one robot in the node: its joint states while the node is active, and its publishers.

unconfigured --configure--> inactive: the robot is loaded or, without robot_description_file, awaited on the
topic robot_description; both succeed, so that nodes may start in any order. A bad file makes configuring
fail. inactive --activate--> active: each joint state goes to the session of the robot. While a robot is
awaited nothing is processed and /diagnostics says so.

Descriptions are prepared by a worker while joint states are processed, and used as soon as they are ready.
If one without a stamp is refused the last good one stays. One with a stamp (attribute of <modular_dynamics>)
says that the robot has changed: joint states that came after it wait until it is prepared, and if it is
refused nothing is processed. A joint state may name its description (`description_frame`): it is processed by
the active one, waits for one that is being prepared, and is refused if it names any other.
"""

from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, Generic, NamedTuple

from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.lifecycle import LifecycleState
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.robot import header_of
from modular_dynamics_ros.computation.values import CLOCK_SET_BACK, State
from modular_dynamics_ros.exceptions import BadMessage, NodeError, NoJointsError, RobotError, SettingError
from modular_dynamics_ros.lifecycle.entities import DESCRIPTIONS, JOINT_STATES
from modular_dynamics_ros.lifecycle.node import STEADY_CLOCK, ManagedNode
from modular_dynamics_ros.messages.stamps import description_digest, description_of, stamp_seconds
from modular_dynamics_ros.messages.status import ERROR, OK, WARN, Status, status_of
from modular_dynamics_ros.node.inputs import Subscriptions, require_reference_type
from modular_dynamics_ros.node.joint_states import JointStates
from modular_dynamics_ros.node.outputs import Outputs
from modular_dynamics_ros.node.session_node import AnswerRecord, SessionNode, SharedEntities
from modular_dynamics_ros.node.settings import given_positions, settings_of
from modular_dynamics_ros.node.worker import Worker
from modular_dynamics_ros.parameters.nodes import Parameters

WATCH_PERIOD = 0.02  # [s] from one look for stale input to the next
MOST_AHEAD = 0.2  # [s] by which the clocks of two computers may differ, at least
MOST_WAITING = 20  # descriptions that wait, as many as the middleware keeps


class Description(NamedTuple):
    """A description from the topic.

    Attributes:
        name: of the robot. stamp: [ns]; None if it has none.
    """

    text: str = ""
    name: str = ""
    stamp: int | None = None

    @property
    def mark(self) -> tuple[str, int | None]:
        """Return name and stamp, as joint states name their description: see `description_of`."""
        return self.name, self.stamp

    @property
    def digest(self) -> str:
        """Return the digest of the text; empty: it comes from a file, which stays the same."""
        return description_digest(self.text) if self.text else ""


class NoRobot(NamedTuple):
    """Why the joint states of a robot cannot be processed.

    Attributes:
        why: the reason. usual: whether that is no fault.
    """

    why: str
    usual: bool


class RobotNode(ManagedNode[Parameters], Generic[Parameters]):
    """Loads and prepares robot descriptions; each robot has a session, which answers its joint states.

    A subclass sets NAME, PARAMETERS (a table, see parameters/table.py) and SESSION.

    Attributes:
        session: of the robot; None while there is none, or its joint states cannot be processed.
    """

    SESSION: Any
    session: Any

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._reset()

    def _reset(self) -> None:
        """Forget all descriptions, robots and joint states."""
        self.session = None
        self._no_robot: NoRobot | None = None
        self._described = Description()  # of the active robot
        self._entities = SharedEntities(self, lambda: self.parameters.stale_after)
        self._newest_stamp: int | None = None  # [ns] of the last accepted description with a stamp
        self._refusal = ""  # of the last description from the topic, until one is used
        self._newest_text = ""  # of the topic; empty again once it was refused
        self._preparing: list[Description] = []  # with a stamp, in the order in which they came
        self._waiting = deque[tuple[JointState, dict[str, Any]]]()  # of descriptions that are being prepared
        self._worker: Worker | None = None
        self._subscription: Any = None  # to joint_states

    @property
    def why_no_robot(self) -> str:
        """Return why no robot is active, for requests. Thread-safe."""
        if (reason := self._no_robot) is not None:
            return f"the robot of the last robot_description cannot be used: {reason.why}"
        if refusal := self._refusal:
            return f"there is no robot; the last robot_description was refused: {refusal}"
        return "there is no robot; one is awaited on the topic robot_description"

    def configure(self) -> bool:
        """Load the robot from its file, or begin to wait for it."""
        self.while_configured.callback(self._forget_robot)
        file = self.parameters.robot_description_file
        if file:
            self.get_logger().info(f"loading {file}")
        try:
            require_reference_type(self.parameters.reference_type)
        except RobotError as error:
            self.get_logger().error(str(error))
            return False
        if not self.prepare_robots():
            return False
        if file:
            return self._load_file(file)
        self._worker = Worker(self)
        self.while_configured.callback(self._worker.destroy, NodeError("the node was cleaned up"))
        receive, events = self._on_robot_description, SubscriptionEventCallbacks()
        subscription = self.create_subscription(
            String, "robot_description", receive, DESCRIPTIONS, event_callbacks=events
        )
        self.while_configured.callback(self.destroy_subscription, subscription)
        self.get_logger().info("waiting for a robot on the topic robot_description")
        return True

    def prepare_robots(self) -> bool:
        """Make what a subclass needs before the first robot; return False, after logging why, on failure."""
        return True

    def _forget_robot(self) -> None:
        """Remove the session, and forget everything."""
        try:
            if self.session is not None:
                self.session.destroy()
        finally:
            self._reset()

    def activate(self, state: LifecycleState) -> None:
        """Begin to take joint states, or wait for a robot."""
        self._entities.begin()
        self.while_active.callback(self._stop_receiving)
        if self.session is not None:
            self._begin(self.session, state)

    def _begin(self, session: Any, state: LifecycleState | None) -> None:
        """Activate a session, and subscribe to joint states if that was not done before.

        The session's own subscriptions come first: so a waiting reference is read before a waiting joint
        state, and a player that waits for subscribers finds all of them.
        """
        session.activate(state)
        if self._subscription is None:
            make = self.create_subscription
            self._subscription = make(JointState, "joint_states", self._receive, JOINT_STATES)

    def _stop_receiving(self) -> None:
        """Remove the subscription to joint states, and deactivate the session."""
        if self._subscription is not None:
            self.destroy_subscription(self._subscription)
        self._subscription = None
        self._waiting.clear()
        if self.session is not None:
            self.session.deactivate()

    def wind_down(self) -> None:
        """See `ManagedNode`."""
        if self.session is not None:
            self.session.wind_down(self.hurried)

    def parameters_changed(self) -> None:
        """See `ManagedNode`."""
        if self.session is not None:
            self.session.set_parameters(self.parameters)

    def _receive(self, message: JointState, info: dict[str, Any]) -> None:
        """Pass a joint state to the robot's session, or let it wait until its description is prepared."""
        try:
            if self._is_prepared(message.header.frame_id):
                self.session.receive(message, info)
                return
            self._waiting.append((message, info))
            if self.session is not None:
                self.session.superseded = True
            if len(self._waiting) > JOINT_STATES.depth:
                self._waiting.popleft()
                text = f"its description is being prepared, and {JOINT_STATES.depth} newer ones wait for it"
                raise BadMessage("robot not prepared", text)
        except BadMessage as error:
            self._entities.record.unanswerable(error)

    def _is_prepared(self, frame_id: str) -> bool:
        """Return whether a joint state is of the active robot; False while its description is prepared.

        One that names no description belongs to the newest one.

        Raises:
            BadMessage: there is no such description, or no robot.
        """
        named = description_of(frame_id)
        if named in [one.mark for one in self._preparing] or (named is None and self._preparing):
            return False
        if named is not None and named != self._described.mark:
            name, stamp = named
            own = self._described.stamp
            age = "another" if own is None else "an older" if stamp < own else "a newer"
            text = f"it belongs to {age} description, '{name[:60]}' since {stamp_seconds(stamp)}"
            raise BadMessage("another robot", text)
        if self.session is None:
            why = self._no_robot.why if self._no_robot else ""
            raise BadMessage("robot refused", f"it belongs to a robot that cannot be processed: {why}")
        return True

    def _on_robot_description(self, message: String) -> None:
        """Have a description prepared by the worker, if it is a new one."""
        text = message.data
        if not text.lstrip("\ufeff \t\r\n").startswith("<"):  # load_urdf reads other text as a path
            why = f"the topic must carry the URDF's XML, which starts with '<', not '{text[:40]}'"
            self._refuse("robot_description", RobotError(why))
            return
        if text == self._newest_text or self._worker is None:
            return
        self._newest_text = text
        try:
            header = header_of(text)
            self._require_current(header.stamp)
            if len(self._worker) >= MOST_WAITING:
                raise RobotError(f"{MOST_WAITING} descriptions wait already to be prepared")
        except RobotError as error:
            self._refuse("robot_description", error)
            self._newest_text = ""  # its sender may repeat it
            return
        description = Description(text, header.name, header.stamp)
        if header.stamp is not None:
            self._newest_stamp = header.stamp
            self._preparing.append(description)
        self._worker.submit(partial(self._load, text), partial(self._on_prepared, description))

    def _on_prepared(self, description: Description, prepared: Any, refusal: Exception | None) -> None:
        """Use a prepared description, and answer the joint states that waited for it."""
        if not self.configured:  # the node was cleaned up meanwhile
            return
        if description.stamp is not None:
            self._preparing.remove(description)
        self._use_or_refuse(description, prepared, refusal)
        waiting, self._waiting = self._waiting, deque()
        for message, info in waiting:
            self._receive(message, info)

    def _load(self, description: str) -> Any:
        """Return a prepared robot. Thread-safe."""
        return self.SESSION.load(description, self.parameters)

    def _load_file(self, file: str) -> bool:
        """Load the robot of a file; return False if it is refused."""
        try:
            self._add(self._load(file), Description())
        except Exception as error:
            if self.context.ok():  # else Ctrl-C has shut rclpy down: the description is not to blame
                self._refuse("robot_description_file", error)
            return False
        return True

    def _use_or_refuse(self, description: Description, prepared: Any, error: Exception | None) -> None:
        """Replace the robot by one from the topic, or report why it is refused."""
        stamp = description.stamp
        if error is None:
            try:
                self._add(prepared, description)
                return
            except Exception as refusal:
                error = refusal
        if not self.context.ok():  # Ctrl-C has shut rclpy down: the description is not to blame
            return
        usual = isinstance(error, NoJointsError) and stamp is not None
        if usual:
            self.get_logger().info(f"robot_description: {error}")
        else:
            self._refuse("robot_description", error, stays=stamp is None)
            if self._newest_text == description.text:
                self._newest_text = ""  # its sender may repeat it
        if stamp is not None:
            before, self.session = self.session, None
            self._described, self._no_robot = description, NoRobot(str(error), usual)
            if before is not None:
                before.finish()
                before.destroy()

    def _add(self, prepared: Any, description: Description) -> None:
        """Replace the robot by a prepared one."""
        self._replace(self._session(prepared), description)

    def _replace(self, session: Any, description: Description) -> None:
        """Replace the session by another one, which answers from the next joint state on."""
        before, session.description = self.session, description.digest
        same_time = description.stamp == self._described.stamp
        try:
            if self.active:
                self._begin(session, None)
        except Exception:
            session.destroy()
            raise
        self.session, self._described, self._no_robot, self._refusal = session, description, None, ""
        if before is not None:
            try:
                if self.active:
                    before.finish()
                    self._entities.record.last = None  # of another robot
                    if same_time:  # else joint states from before its stamp are of another robot
                        session.keep_joint_states(before)
                    session.continue_from(before)
            finally:
                before.destroy()

    def _session(self, prepared: Any) -> Any:
        """Return a session of a prepared robot, after logging notes about the robot."""
        session = self.SESSION(self._entities, prepared, self.parameters)
        session.set_parameters(self.parameters)  # they may have changed since the robot was prepared
        robot, before = session.robot, None if self.session is None else self.session.robot
        # not repeated for a robot that changes all the time
        said = () if before is None else (*before.warnings, before.mounting)
        for warning in robot.warnings:
            if warning not in said:
                self.get_logger().warning(warning)
        for note in robot.graph.notes:
            self.get_logger().info(note)
        mounting = "" if robot.mounting in said else robot.mounting
        self.get_logger().info("; ".join(filter(None, (robot.about, mounting))))
        return session

    def _refuse(self, where: str, error: Exception, *, stays: bool = True) -> None:
        """Log why a description is not used and which robot remains; while active, also in /diagnostics."""
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
        """Raise RobotError unless a description with this stamp [ns] may replace the active robot.

        Raises:
            RobotError: the stamp is older than the last one, unless the clock was set back; or it is far
                ahead of the clock.
        """
        if stamp is None or (now := self.now()) == 0:  # no /clock yet
            return
        if (stamp - now) * 1e-9 > max(self.parameters.stale_after, MOST_AHEAD):
            text = f"its stamp {stamp_seconds(stamp)} is ahead of this node's clock, {stamp_seconds(now)}"
            raise RobotError(f"{text}: synchronise the clocks, or set use_sim_time on both sides")
        newest = self._newest_stamp
        if newest is not None and stamp < newest and now >= newest - CLOCK_SET_BACK:
            own, last = stamp_seconds(stamp), stamp_seconds(newest)
            raise RobotError(f"its stamp {own} is older than {last} of the last one")

    def report(self) -> tuple[str, list[Status]]:
        """See `ManagedNode`."""
        if self.session is not None:
            robot, statuses = self.session.robot, self.session.statuses()
            return robot.graph.name, [*statuses, self._joint_states_status(), _model_status(robot.warnings)]
        if (reason := self._no_robot) is not None:
            text = f"nothing is processed until the next robot_description: {reason.why}"
            return "", [Status(OK if reason.usual else ERROR, "input", text)]
        refused = f"; the last one was refused: {self._refusal}" if self._refusal else ""
        text = f"waiting for a robot on the topic robot_description{refused}"
        return "", [Status(ERROR if refused else WARN, "input", text)]

    def _joint_states_status(self) -> Status:
        """Return the status that names who publishes joint states: two of one joint contradict each other."""
        # the full name: rclpy does not remap the topic that it is asked about
        infos = self.get_publishers_info_by_topic(self.resolve_topic_name("joint_states"))
        names = sorted(f"{info.node_namespace.rstrip('/')}/{info.node_name}" for info in infos)
        return Status(OK, "joint_states", "received", values={"published by": ", ".join(names) or "nobody"})


def _model_status(warnings: Sequence[str]) -> Status:
    """Return the status of the library's warnings about the robot's description."""
    good = "nothing in the description looks wrong"
    return status_of("model", good, {"warnings": str(len(warnings))}, warnings=warnings)


class RobotSession(Generic[Parameters]):
    """One robot in a node: its joint states while the node is active, and its publishers.

    A subclass has a static method `load`, which does all that takes long, in any thread: it returns what
    `__init__` takes as `prepared`, from path or text of the URDF and the parameters. `__init__` makes the
    publishers last: they would be left behind if the robot was refused after that.

    Attributes:
        robot, computation: of the robot. record: of the joint states since activation. parameters: they may
        change at run time. description: digest of the robot's description, from before activation on; empty:
        not known. superseded: whether joint states wait for the next robot; then this one holds no
        position any more: its weight would be the wrong one.

    Raises:
        RobotError: a parameter contradicts the robot.
    """

    _outputs: Outputs

    def __init__(self, node: SessionNode, computation: Computation, parameters: Parameters) -> None:
        self._node, self.parameters = node, parameters
        self.robot, self.computation = computation.robot, computation
        self._given = given_positions(parameters.absent_joints, self.robot.state_names)
        self.description, self.superseded = "", False
        self._states: JointStates | None = None
        self._inputs: Sequence[Subscriptions] = ()
        self._watch: Any = None

    @property
    def record(self) -> AnswerRecord:
        """What became of the joint states since activation."""
        return self._node.record

    def activate(self, state: LifecycleState | None) -> None:
        """Subscribe and begin to answer."""
        raise NotImplementedError

    def on_state(self, state: State, arrival: int) -> None:
        """Answer a joint state, now or later.

        Args:
            arrival: of its message [ns of the system].

        Raises:
            BadMessage: it cannot be processed.
        """
        raise NotImplementedError

    def on_watch(self) -> None:
        """Look for stale input, every WATCH_PERIOD."""
        raise NotImplementedError

    def statuses(self) -> list[Status]:
        """Return the statuses for /diagnostics, while active."""
        raise NotImplementedError

    def set_parameters(self, parameters: Parameters) -> None:
        """Take parameters that changed at run time."""
        self.parameters = parameters
        self.computation.apply_settings(settings_of(parameters))

    def wind_down(self, hurried: Callable[[], bool]) -> None:
        """Publish the last messages before the node stops, until `hurried` is true."""

    def _subscribe(
        self,
        inputs: Sequence[Subscriptions],
        other_joints: Collection[str] = (),
        efforts: Callable[[], bool] = lambda: False,
    ) -> None:
        """Read joint states from now on.

        Args:
            inputs: the session's other subscriptions. other_joints, efforts: see `JointStates`.
        """
        node, computation = self._node, self.computation
        self._states = JointStates(
            node, computation, self.on_state, self.record, self._given, other_joints, efforts
        )
        self._inputs = inputs
        self._watch = node.create_timer(WATCH_PERIOD, self.on_watch, clock=STEADY_CLOCK)

    @property
    def positions(self) -> Mapping[str, float]:
        """Return last measured positions [rad or m] by joint; none while the node is not active."""
        return {} if self._states is None else self._states.positions

    @property
    def acceleration_source(self) -> str:
        """Return the source of accelerations, with its condition at the last answer if that is fresh."""
        last = self.record.last_if_fresh
        return self.computation.accelerations.description(None if last is None else last.state)

    def receive(self, message: JointState, info: dict[str, Any]) -> None:
        """Answer a joint state, now or later, or report why not; ignored while the node is not active.

        Args:
            info: rclpy's.
        """
        if self._states is not None:
            self._states.receive(message, info)

    def keep_joint_states(self, other: "RobotSession[Parameters]") -> None:
        """Take over the newest values of joints that the session before had, too."""
        if self._states is not None and other._states is not None:
            self._states.continue_from(other._states)

    def finish(self) -> None:
        """Answer or reject waiting joint states: another robot replaces this one."""

    def continue_from(self, other: Any) -> None:
        """Take over inputs and results of the session that this one replaces."""

    def deactivate(self) -> None:
        """Take no more messages; forget what the next activation must not build upon."""
        if self._states is None:
            return
        self._node.destroy_timer(self._watch)
        for subscriptions in self._inputs:
            subscriptions.destroy()
        self._inputs, self._watch, self._states = (), None, None
        self.computation.forget()

    def destroy(self) -> None:
        """Deactivate, and remove the publishers."""
        self.deactivate()
        self._outputs.destroy()
