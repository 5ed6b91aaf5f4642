"""Joint states of one robot: read, completed with what is known of other joints, handed on to be answered.

A message may hold some of the joints. It is answered, with its own stamp, as soon as the values of all joints
that are needed are not older than stale_after; of each joint the newest value counts. Positions that no joint
can reach in the time are reported: of publishers that contradict each other, or of a faulty encoder.
"""

from array import array
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from modular_dynamics_ros.computation.accelerations.filtered_acceleration import LONGEST_GAP
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.computation.values import LARGEST, Array, State, all_usable
from modular_dynamics_ros.exceptions import BadMessage, listed, repeated
from modular_dynamics_ros.messages.stamps import message_stamp
from modular_dynamics_ros.node.session_node import NEVER, OVERTAKEN, AnswerRecord, SessionNode

if TYPE_CHECKING:  # the command bag runs without ROS
    from sensor_msgs.msg import JointState

__all__ = ["Answering", "JointStates", "JointSteps", "Steps"]

Answering = Callable[[State, int], None]
"""Takes a state and its arrival [ns of the system]; raises BadMessage where it cannot be answered."""

MOST_LAYOUTS = 64  # that are remembered, those used last: one for each publisher of joint states

PERIOD = 1_000_000_000  # [ns] after which the middleware is asked again: it takes longer than an answer
RESOLUTION = 0.01  # [s]: stamps of a simulation are as coarse as its clock
#: Joints really exceed their limits, since many files hold a guess: a step is more than STEP times what the
#: limit allows.
STEP = 5.0
NEWEST_SHARE = 0.2  # of the newest interval in a mean period: one lost message makes it 1.2 times as long
#: Velocities by which several publishers are compared where the limit is larger, or absent [rad/s, m/s].
USUAL_TURN, USUAL_SLIDE = 10.0, 1.0


class Publishers:
    """Looks up the nodes that publish joint_states, once per PERIOD."""

    def __init__(self, node: SessionNode) -> None:
        self._node, self._next = node, 0
        self._names: Sequence[str] = ()

    def __call__(self) -> Sequence[str]:
        """Return the full name of the node of each publisher."""
        if (now := self._node.steady()) >= self._next:
            infos = self._node.get_publishers_info_by_topic("joint_states")
            self._names = sorted(f"{info.node_namespace.rstrip('/')}/{info.node_name}" for info in infos)
            self._next = now + PERIOD
        return self._names


class Steps(NamedTuple):
    """Positions of one message that no joint can have reached in the time.

    Attributes:
        joints: by name. text: what to log of the largest step; empty if there is none.
    """

    joints: Sequence[str] = ()
    text: str = ""


class JointSteps:
    """Compares the positions of each message with the last ones.

    A position is a step where it is far beyond what velocity limit and time allow. Where several nodes
    publish joint states, also a usual velocity counts as limit if the joint goes to and fro, as if one of
    them contradicts another: a wheel may turn faster.

    Args:
        publishers: returns the names of the nodes that publish joint states now.
    """

    def __init__(self, robot: Robot, publishers: Callable[[], Sequence[str]]) -> None:
        joints = [robot.graph.joint(name) for name in robot.state_names]
        self._names, self._publishers = robot.state_names, publishers
        self._units = [robot.position_unit(name) for name in robot.state_names]
        self._turns = np.array([joint.type == "continuous" for joint in joints], bool)
        self._limits = robot.graph.velocity_limits[robot.indices]
        usual = [USUAL_SLIDE if unit == "m" else USUAL_TURN for unit in self._units]
        self._usual = np.minimum(self._limits, usual)
        # no joint makes a step where all of them together stay below the smallest one
        self._unsuspicious = float(STEP * RESOLUTION * self._usual.min(initial=np.inf)) ** 2
        self.forget()

    def forget(self) -> None:
        """Forget the positions so far: the clock was set back."""
        self._q, self._stamps = np.zeros(len(self._names)), np.full(len(self._names), NEVER)
        self._large = np.zeros(len(self._names))  # the last differences beyond usual velocities
        self._time = NEVER

    def note_time(self, now: int) -> None:
        """Forget the positions so far if the node's clock [ns] was set back."""
        if now < self._time:
            self.forget()
        self._time = now

    def take(self, joints: NDArray[np.intp], q: Array, stamp: int) -> Steps:
        """Return which positions (k,) of some joints are steps from those before, and store them.

        Args:
            joints: indices (k,) in the robot's `state_names`. stamp: [ns].
        """
        steps, difference = Steps(), q - self._q[joints]
        if difference.dot(difference) > self._unsuspicious:
            steps = self._compare(joints, q, stamp)
        self._q[joints], self._stamps[joints] = q, stamp
        return steps

    def _compare(self, joints: NDArray[np.intp], q: Array, stamp: int) -> Steps:
        """Return the steps: see `take`."""
        last, known = self._q[joints], self._stamps[joints] != NEVER
        before = np.where(known, self._stamps[joints], stamp)
        seconds = np.maximum(np.abs(stamp - before) * 1e-9, RESOLUTION)
        difference, turns = q - last, self._turns[joints]
        difference[turns] -= 2.0 * np.pi * np.round(difference[turns] / (2.0 * np.pi))  # the shorter way
        size = np.abs(difference)
        large = known & (size > STEP * self._usual[joints] * seconds)
        if not large.any():
            return Steps()
        publishers, limits = self._publishers(), self._limits[joints]
        if len(publishers) > 1:
            limits = np.where(difference * self._large[joints] < 0.0, self._usual[joints], limits)
        self._large[joints[large]] = difference[large]
        stepping = known & (size > STEP * limits * seconds)
        if not stepping.any():
            return Steps()
        worst = int(np.argmax(np.where(stepping, size, -1.0)))
        unit, limit, time = self._units[joints[worst]], limits[worst], seconds[worst]
        text = (
            f"'{self._names[joints[worst]]}' steps from {last[worst]:.3f} to {q[worst]:.3f} {unit} within "
            f"{time * 1e3:.1f} ms; at {limit:.3f} {unit}/s it can move {limit * time:.4f} {unit}: "
        )
        if len(publishers) > 1:
            text += (
                f"{listed(publishers)} publish joint states; if both know this joint, torques go to and fro"
            )
        else:
            text += "look at its encoder and its driver, and whether the velocity limit is right"
        return Steps([self._names[k] for k in joints[stepping]], text)


class HeldVelocities:
    """Finds joints whose velocities are held over several states, for too long to be filtered.

    The filter of the velocities would make accelerations of the steps from one to the next.
    """

    def __init__(self, joints: int) -> None:
        # the last ones are those of the states; a period is LONGEST_GAP [s] until it is known
        self._stamps, self._periods = np.zeros(joints + 1, np.int64), np.full(joints + 1, LONGEST_GAP)
        self._whole = True  # no value was older than its state yet: usual, and soon seen

    def take(self, stamp: int, stamps: NDArray[np.int64], longest: float) -> tuple[NDArray[np.intp], float]:
        """Return the joints of a state whose values come every `longest` [s] or less often, and their period.

        Args:
            stamp: of the state [ns]. stamps: (n,) of the values in it.
        """
        if self._whole and (stamps == stamp).all():
            return np.zeros(0, np.intp), 0.0
        self._whole = False
        stamps, before = np.append(stamps, stamp), self._periods
        interval = np.minimum((stamps - self._stamps) * 1e-9, LONGEST_GAP)
        interval[interval < 0.0] = LONGEST_GAP  # the clock was set back
        mean = np.where(before < LONGEST_GAP, before + NEWEST_SHARE * (interval - before), interval)
        self._stamps, self._periods = stamps, np.where(interval == 0.0, before, mean)
        periods, of_states = self._periods[:-1], self._periods[-1]
        held = np.flatnonzero((periods >= longest) & (periods > 1.5 * of_states))
        return held, float(periods[held].max(initial=0.0))


@dataclass(frozen=True, eq=False)
class Layout:
    """Where the joints of messages with the same list of names are stored.

    Attributes:
        names: of the messages. source: (k,) indices in the message of the joints that are read.
        rows: (k,) of these joints in the table. needed: (k,) their indices in the robot's `state_names`, -1
        for other joints. own: whether any is needed, passive, or in the subsystem of another node.
    """

    names: list[str]
    source: NDArray[np.intp]
    rows: NDArray[np.intp]
    needed: NDArray[np.intp]
    own: bool


@dataclass(frozen=True, eq=False)
class JointSample:
    """The usable values of one message.

    Attributes:
        rows, needed: as of `Layout`, of the joints with usable values.
        q, v: (k,) [rad or m, per s], NaN where a velocity is missing.
        effort: (k,) [N m or N], NaN where one is missing; None: not read.
    """

    layout: Layout
    rows: NDArray[np.intp]
    needed: NDArray[np.intp]
    q: Array
    v: Array
    effort: Array | None


class JointStates:
    """Makes states of the messages on joint_states, for one robot while its node is active.

    Args:
        answer: takes each state. record: counts what becomes of the messages.
        given: positions [rad or m] of joints in `state_names` that no message holds.
        other_joints: joints of subsystems in other nodes. A message of these alone is answered, too.
        efforts: returns whether measured efforts are read now: see `State`.
    """

    def __init__(
        self,
        node: SessionNode,
        computation: Computation,
        answer: Answering,
        record: AnswerRecord,
        given: Mapping[str, float],
        other_joints: Collection[str] = (),
        efforts: Callable[[], bool] = lambda: False,
    ) -> None:
        self._node, self._table = node, node.joints
        self._computation, self._answer, self._record = computation, answer, record
        self._efforts = efforts
        robot = computation.robot
        self._names = robot.state_names
        self._index = {name: k for k, name in enumerate(self._names)}
        self._own = {*self._names, *robot.passive_names, *other_joints}
        self._table.begin((*self._names, *robot.passive_names), node.now() - self._valid_for)
        self._needed, self._passive = map(self._table.rows_of, (self._names, robot.passive_names))
        self._rows = np.concatenate((self._needed, self._passive))
        self._given = np.array([given.get(name, np.nan) for name in self._names])
        self._steps, self._held = JointSteps(robot, Publishers(node)), HeldVelocities(len(self._names))
        self._layouts: deque[Layout] = deque(maxlen=MOST_LAYOUTS)
        self._time = node.now()

    @property
    def _valid_for(self) -> int:
        """Return the parameter stale_after in ns."""
        return round(self._computation.settings.stale_after * 1e9)

    @property
    def positions(self) -> dict[str, float]:
        """Return the newest position [rad or m] by joint, however old."""
        q, came = self._table.q[self._needed], self._table.stamps[self._needed] > NEVER
        return {name: float(q[k]) for k, name in enumerate(self._names) if came[k]}

    def receive(self, message: "JointState", info: dict[str, Any]) -> None:
        """Read a message, and have it answered; count and report it where it cannot be.

        Args:
            info: rclpy's, with the time of arrival and the publisher's number of the message.
        """
        record, now = self._record, self._node.now()
        record.counts.received += 1
        self._computation.accelerations.note_time(now)
        self._steps.note_time(now)
        if now < self._time - self._valid_for:  # the clock was set back
            self._table.forget()
            record.counts.last_stamp = None
        self._time = now
        self._table.forget_after(now + self._valid_for)
        try:
            sample, stamp = self._sample(message), message_stamp(message, info, self._node)
            if not sample.layout.own:
                record.counts.of_other_joints += 1
                self._add(sample, stamp)
            elif self._add_and_check(sample, stamp, now, info):
                self._answer(self._state(stamp, now), info["received_timestamp"])
        except BadMessage as error:
            record.rejected(error)

    def _add_and_check(self, sample: JointSample, stamp: int, now: int, info: dict[str, Any]) -> bool:
        """Add a message to the table, and return whether the values of all needed joints are known.

        Raises:
            BadMessage: it is too old; a newer one was answered, or holds newer values of other joints.
        """
        record, table = self._record, self._table
        try:
            record.require_fresh(stamp, now, info["received_timestamp"])
            self._report_steps(sample, stamp)
            self._add(sample, stamp)
            old = table.stamps[self._needed] < now - self._valid_for
            missing = np.flatnonzero(old & np.isnan(self._given)) if old.any() else ()
            record.missing = tuple(self._names[k] for k in missing)
            record.require_order(stamp, now)
            if table.stamps[self._rows].max(initial=NEVER) > stamp:
                raise BadMessage(OVERTAKEN, "newer values of joints that it does not hold came before it")
        except BadMessage:
            if stamp <= now + self._valid_for:  # it may hold the newest known positions of its joints
                self._add(sample, stamp)
                self._note_position(stamp)
            raise
        if record.missing:
            record.counts.incomplete += 1
            self._note_position(stamp)
        return not record.missing

    def _add(self, sample: JointSample, stamp: int) -> None:
        self._table.add(sample.rows, sample.q, sample.v, sample.effort, stamp)

    def _report_steps(self, sample: JointSample, stamp: int) -> None:
        """Report positions that cannot follow earlier ones."""
        of_robot = sample.needed >= 0
        steps = self._steps.take(sample.needed[of_robot], sample.q[of_robot], stamp)
        if steps.text:
            self._record.counts.steps.update(steps.joints)
            self._node.log.problem("joint_states", "step", steps.text)

    def _note_position(self, stamp: int) -> None:
        """Store the robot's position after an unanswered message with this stamp [ns].

        Joints without a new position are assumed not to have moved.
        """
        newest = max(stamp, int(self._table.stamps[self._needed].max(initial=NEVER)))
        self._computation.note_position(newest, *self._positions(stamp - self._valid_for))

    def _positions(self, oldest: int) -> tuple[Array, Array]:
        """Return positions (n,) of the needed joints, and those of the passive joints.

        Needed joints without a value since `oldest` [ns] have their given position, or the last one. Passive
        joints without a value since then have NaN.
        """
        table = self._table
        q, measured = table.q[self._needed], table.q[self._passive]
        given = (table.stamps[self._needed] < oldest) & ~np.isnan(self._given)
        q[given] = self._given[given]
        measured[table.stamps[self._passive] < oldest] = np.nan
        return q, measured

    def _state(self, stamp: int, now: int) -> State:
        """Return the state at a stamp [ns]; report velocities that are missing, and a doubtful reference.

        Raises:
            BadMessage: it has no accelerations, or the base has no state, at the stamp.
        """
        log, computation, table, needed = self._node.log, self._computation, self._table, self._needed
        oldest, stamps = now - self._valid_for, table.stamps[needed]
        q, measured = self._positions(oldest)
        v, old = table.v[needed], stamps < oldest
        v[old] = 0.0  # of joints with a given position
        if len(passive := self._passive):  # where they are by the state's stamp, as far as that is known
            age = (stamp - np.maximum(table.stamps[passive], oldest)) * 1e-9
            measured += np.nan_to_num(table.v[passive]) * age
        if computation.accelerations.filters:
            self._require_frequent(stamp, np.where(old, stamp, stamps))
        without = tuple[str, ...]()
        if not all_usable(v):
            absent = np.isnan(v)
            without, v[absent] = tuple(self._names[k] for k in np.flatnonzero(absent)), 0.0
        effort = None
        if self._efforts():
            effort = np.where(old, np.nan, table.effort[needed])
        state = computation.observe(stamp, q, v, without, measured, effort)
        if without and computation.needs_velocity:
            log.problem("joint_states", "no velocity", f"no velocity of {listed(without)}: taken as zero")
        if state.coverage.doubtful:
            log.problem("reference", state.coverage.name.lower(), state.coverage.value)
        return state

    def _require_frequent(self, stamp: int, stamps: NDArray[np.int64]) -> None:
        """Raise BadMessage where values (n,) with these stamps come too rarely for the velocities' filter."""
        cutoff = self._computation.settings.filter_cutoff
        held, period = self._held.take(stamp, stamps, 0.5 / cutoff)
        if not len(held):
            return
        self._note_position(stamp)
        names = listed([self._names[k] for k in held])
        if period >= LONGEST_GAP:
            text = f"the filter starts: values of {names} must come twice within {LONGEST_GAP:g} s"
            raise BadMessage("filter starts", text)
        need = f"filter_cutoff {cutoff:g} Hz needs more than {2.0 * cutoff:g} Hz"
        raise BadMessage("unfit for the filter", f"values of {names} come at {1.0 / period:.3g} Hz: {need}")

    def _sample(self, message: "JointState") -> JointSample:
        """Return the values of a message.

        Positions of needed joints must be finite. A velocity or an effort may be missing (empty array or
        NaN). Unusable values of other joints are left out.

        Raises:
            BadMessage: duplicate joints, arrays of the wrong length, values that are not finite, or huge.
        """
        layout = self._layout(message.name)
        count = len(layout.names)
        for field in ("effort", "position", "velocity"):
            values = getattr(message, field)
            if len(values) != count and (len(values) or field == "position"):
                text = f"{field} has {len(values)} values for {count} joint names"
                raise BadMessage("wrong length", text)
        q = _numbers(message.position)[layout.source]
        v = _numbers(message.velocity)[layout.source] if len(message.velocity) else np.full(len(q), np.nan)
        effort = None
        if self._efforts():
            effort = (
                _numbers(message.effort)[layout.source] if len(message.effort) else np.full(len(q), np.nan)
            )
            effort[~(np.abs(effort) <= LARGEST)] = np.nan
        rows, needed = layout.rows, layout.needed
        if not (all_usable(q) and all_usable(v)):
            self._check(layout, q, v)
            usable = (np.abs(q) <= LARGEST) & ~(np.abs(v) > LARGEST)
            if not usable.all():
                rows, needed, q, v = rows[usable], needed[usable], q[usable], v[usable]
                effort = None if effort is None else effort[usable]
        return JointSample(layout, rows, needed, q, v, effort)

    def _check(self, layout: Layout, q: Array, v: Array) -> None:
        """Raise BadMessage where a needed position is not finite, a velocity is infinite, or one is huge."""
        of_robot = layout.needed >= 0

        def refuse(flags: NDArray[np.bool_], cause: str, what: str, why: str) -> None:
            if (flags & of_robot).any():
                names = listed([self._names[k] for k in layout.needed[flags & of_robot]])
                raise BadMessage(cause, f"{what} of {names} is {why}")

        refuse(~np.isfinite(q), "not finite", "position", "NaN or infinite")
        refuse(np.isinf(v), "not finite", "velocity", "infinite")
        for what, values in (("position", q), ("velocity", v)):
            why = f"beyond {LARGEST:g}, the largest that is taken"
            refuse(np.abs(values) > LARGEST, "too large", what, why)

    def _layout(self, names: Sequence[str]) -> Layout:
        """Return the layout of messages with these names.

        Raises:
            BadMessage: a joint of the robot is named twice.
        """
        for k, known in enumerate(self._layouts):
            if known.names == names:
                if k:
                    del self._layouts[k]
                    self._layouts.appendleft(known)
                return known
        names = list(names)
        if len({*names}) < len(names) and (twice := sorted(self._own.intersection(repeated(names)))):
            raise BadMessage("duplicate joints", f"{listed(twice)} named more than once")
        index_of = {name: index for index, name in enumerate(names)}
        joints = self._table.readable(index_of)
        layout = Layout(
            names,
            np.array([index_of[name] for name in joints], np.intp),
            self._table.rows_of(joints),
            np.array([self._index.get(name, -1) for name in joints], np.intp),
            not self._own.isdisjoint(joints),
        )
        self._layouts.appendleft(layout)
        return layout


def _numbers(values: "array[float] | Sequence[float]") -> Array:
    """Return the numbers of a message as an array; rclpy's arrays are not copied."""
    return np.asarray(values, np.float64)
