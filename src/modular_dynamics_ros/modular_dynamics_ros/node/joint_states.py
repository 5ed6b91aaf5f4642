"""Joint states of one robot: read, completed with what is known of other joints, handed on to be processed.

A message may hold some of the joints. It is processed, with its own stamp, as soon as the values of all
needed joints are not older than stale_after; of each joint the newest value counts.
"""

from array import array
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.values import LARGEST, Array, State, all_usable
from modular_dynamics_ros.exceptions import BadMessage, listed, repeated
from modular_dynamics_ros.messages.stamps import message_stamp
from modular_dynamics_ros.node.session_node import OVERTAKEN, AnswerRecord, Clocks

if TYPE_CHECKING:  # the command bag runs without ROS
    from sensor_msgs.msg import JointState


Answering = Callable[[State, int], None]
"""Takes a state and its arrival [ns of the system]; raises BadMessage where it cannot be processed."""

NEVER = int(np.iinfo(np.int64).min)  # stamp of a joint that no message has held yet
MOST_LAYOUTS = 64  # that are remembered, those used last: one for each publisher of joint states
Rows = NDArray[np.intp]


class Layout(NamedTuple):
    """Where the joints of messages with the same list of names are stored.

    Attributes:
        names: of the messages. source: (k,) indices in the message of the joints that are read.
        rows: (k,) of these joints in the table. own: whether any of the names is of the robot, or in the
        subsystem of another node.
    """

    names: list[str]
    source: Rows
    rows: Rows
    own: bool


class JointValues(NamedTuple):
    """The usable values of one message.

    Attributes:
        rows: (k,) in the table. q, v: (k,) [rad or m, per s], NaN where a velocity is missing.
        effort: (k,) [N m or N], NaN where one is missing.
    """

    rows: Rows
    q: Array
    v: Array
    effort: Array

    def where(self, flags: NDArray[np.bool_]) -> "JointValues":
        """Return the values of the joints whose flag (k,) is set."""
        return JointValues(self.rows[flags], self.q[flags], self.v[flags], self.effort[flags])


class JointStates:
    """Makes states of the messages on joint_states, for one robot while its node is active.

    The newest values of each joint are in a table, with their stamps: first the joints in `state_names`,
    which are needed, then the passive joints of closed loops.

    Args:
        answer: takes each state. record: counts what becomes of the messages.
        given: positions [rad or m] of joints in `state_names` that no message holds.
        other_joints: joints of subsystems in other nodes. A message of these alone is processed, too.
        efforts: returns whether measured efforts are read now: see `State`.
    """

    def __init__(
        self,
        node: Clocks,
        computation: Computation,
        answer: Answering,
        record: AnswerRecord,
        given: Mapping[str, float],
        other_joints: Collection[str] = (),
        efforts: Callable[[], bool] = lambda: False,
    ) -> None:
        self._node, self._computation, self._answer, self._record = node, computation, answer, record
        self._efforts = efforts
        robot = computation.robot
        self._names, self._needed = (*robot.state_names, *robot.passive_names), len(robot.state_names)
        self._row_of = {name: row for row, name in enumerate(self._names)}
        self._own = {*self._names, *other_joints}
        self._given = np.array([given.get(name, np.nan) for name in robot.state_names])
        self._q, self._v, self._effort = np.full((3, len(self._names)), np.nan)
        self._stamps = np.zeros(len(self._names), np.int64)  # [ns]
        self.forget()
        self._layouts: list[Layout] = []  # those used last first
        self._time, self._valid_for = node.now(), 0  # [ns] of the last message, and stale_after by then

    @property
    def positions(self) -> dict[str, float]:
        """Return the newest position [rad or m] by joint of `state_names`, however old."""
        came = np.flatnonzero(self._stamps[: self._needed] > NEVER)
        return {self._names[row]: float(self._q[row]) for row in came}

    def forget(self) -> None:
        """Forget all values: they are of another robot, or of another time."""
        self._stamps[:] = NEVER
        self._newest = NEVER  # no joint has a later stamp

    def continue_from(self, other: "JointStates") -> None:
        """Take over the values of the joints that the robot before had, too."""
        names = [name for name in self._names if name in other._row_of]
        rows, before = ([one._row_of[name] for name in names] for one in (self, other))
        for own, others in ((self._q, other._q), (self._v, other._v), (self._effort, other._effort)):
            own[rows] = others[before]
        self._stamps[rows] = other._stamps[before]
        self._newest = int(self._stamps.max(initial=NEVER))

    def receive(self, message: "JointState", info: dict[str, Any]) -> None:
        """Read a message, and have it processed; count and report it where it cannot be.

        Args:
            info: rclpy's, with the time of arrival and the publisher's number of the message.
        """
        record, now = self._record, self._node.now()
        self._valid_for = round(self._computation.settings.stale_after * 1e9)
        record.counts.received += 1
        self._computation.accelerations.note_time(now)
        self._follow_clock(now)
        try:
            layout = self._layout(message.name)
            if not layout.own:
                record.counts.of_other_joints += 1
                return
            values, stamp = self._values(message, layout), message_stamp(message, info, self._node)
            if self._is_complete(values, stamp, now, info["received_timestamp"]):
                self._answer(self._state(stamp, now), info["received_timestamp"])
        except BadMessage as error:
            record.rejected(error)

    def _follow_clock(self, now: int) -> None:
        """Forget values from before the clock was set back: it may reach their stamps again."""
        if now < self._time - self._valid_for:
            self.forget()
            self._record.counts.last_stamp = None
        self._time, horizon = now, now + self._valid_for
        if self._newest > horizon:
            self._stamps[self._stamps > horizon] = NEVER
            self._newest = int(self._stamps.max())

    def _is_complete(self, values: JointValues, stamp: int, now: int, arrival: int) -> bool:
        """Store a message's values, and return whether those of all needed joints are known.

        Raises:
            BadMessage: it is too old; a newer one was processed, or holds newer values of other joints.
        """
        record, past = self._record, stamp <= now + self._valid_for
        if past:  # also where it is not processed it may hold the newest known values of its joints
            self._store(values, stamp)
        try:
            record.require_fresh(stamp, now, arrival)
            record.missing = self._missing(now)
            record.require_order(stamp, now)
            if self._newest > stamp:
                raise BadMessage(OVERTAKEN, "newer values of joints that it does not hold came before it")
        except BadMessage:
            if past:
                self._note_position(stamp)
            raise
        if record.missing:
            record.counts.incomplete += 1
            self._note_position(stamp)
        return not record.missing

    def _store(self, values: JointValues, stamp: int) -> None:
        """Store the values of a message with this stamp [ns]; values with a later stamp stay."""
        if stamp < self._newest:
            values = values.where(self._stamps[values.rows] <= stamp)
        else:
            self._newest = stamp if len(values.rows) else self._newest
        self._q[values.rows], self._v[values.rows] = values.q, values.v
        self._effort[values.rows], self._stamps[values.rows] = values.effort, stamp

    def _missing(self, now: int) -> tuple[str, ...]:
        """Return the needed joints without a value within stale_after and without a given position."""
        old = self._stamps[: self._needed] < now - self._valid_for
        if not old.any():
            return ()
        return tuple(self._names[row] for row in np.flatnonzero(old & np.isnan(self._given)))

    def _note_position(self, stamp: int) -> None:
        """Store the robot's position after an unprocessed message with this stamp [ns].

        Joints without a new position are assumed not to have moved.
        """
        newest = max(stamp, int(self._stamps[: self._needed].max(initial=NEVER)))
        self._computation.note_position(newest, *self._positions(stamp - self._valid_for))

    def _positions(self, oldest: int) -> tuple[Array, Array]:
        """Return positions (n,) of the needed joints, and those of the passive joints.

        Needed joints without a value since `oldest` [ns] have their given position, or the last one. Passive
        joints without a value since then have NaN.
        """
        old, q = self._stamps < oldest, self._q.copy()
        q, measured = q[: self._needed], q[self._needed :]
        if old.any():
            given = old[: self._needed] & ~np.isnan(self._given)
            q[given] = self._given[given]
            measured[old[self._needed :]] = np.nan
        return q, measured

    def _state(self, stamp: int, now: int) -> State:
        """Return the state at a stamp [ns]; report velocities that are missing, and a doubtful reference.

        Raises:
            BadMessage: it has no accelerations, or the base has no state, at the stamp.
        """
        log, computation, needed = self._node.log, self._computation, slice(self._needed)
        oldest, stamps = now - self._valid_for, self._stamps[needed]
        q, measured = self._positions(oldest)
        v, old = self._v[needed].copy(), stamps < oldest
        v[old] = 0.0  # of joints with a given position
        if len(measured):  # where they are by the state's stamp, as far as that is known
            age = (stamp - np.maximum(self._stamps[self._needed :], oldest)) * 1e-9
            measured += np.nan_to_num(self._v[self._needed :]) * age
        if computation.accelerations.filters and (stamps[~old] < stamp).any():
            self._note_position(stamp)
            late = listed([self._names[row] for row in np.flatnonzero((stamps < stamp) & ~old)])
            text = f"acceleration_source 'filtered' needs values of its stamp of all joints, also of {late}"
            raise BadMessage("unfit for the filter", text)
        without = tuple[str, ...]()
        if not all_usable(v):
            absent = np.isnan(v)
            without, v[absent] = tuple(self._names[row] for row in np.flatnonzero(absent)), 0.0
        effort = np.where(old, np.nan, self._effort[needed]) if self._efforts() else None
        state = computation.observe(stamp, q, v, without, measured, effort)
        if without and computation.needs_velocity:
            log.problem("joint_states", "no velocity", f"no velocity of {listed(without)}: taken as zero")
        if state.coverage.doubtful:
            log.problem("reference", state.coverage.name.lower(), state.coverage.value)
        return state

    def _values(self, message: "JointState", layout: Layout) -> JointValues:
        """Return the values of a message.

        Positions of needed joints must be finite. A velocity or an effort may be missing (empty array or
        NaN). Unusable values of passive joints are left out.

        Raises:
            BadMessage: arrays of the wrong length, values that are not finite, or huge.
        """
        count, source = len(layout.names), layout.source
        for field in ("effort", "position", "velocity"):
            values = getattr(message, field)
            if len(values) != count and (len(values) or field == "position"):
                raise BadMessage("wrong length", f"{field} has {len(values)} values for {count} joint names")
        q, v = _numbers(message.position)[source], _numbers(message.velocity, count)[source]
        effort = np.full(len(source), np.nan)
        if self._efforts():
            effort = _numbers(message.effort, count)[source]
            effort[~(np.abs(effort) <= LARGEST)] = np.nan
        values = JointValues(layout.rows, q, v, effort)
        if all_usable(q) and all_usable(v):
            return values
        self._check(layout.rows, q, v)
        return values.where((np.abs(q) <= LARGEST) & ~(np.abs(v) > LARGEST))

    def _check(self, rows: Rows, q: Array, v: Array) -> None:
        """Raise BadMessage where a needed position is not finite, a velocity is infinite, or one is huge."""

        def refuse(flags: NDArray[np.bool_], cause: str, what: str, why: str) -> None:
            if len(refused := rows[flags & (rows < self._needed)]):
                raise BadMessage(cause, f"{what} of {listed([self._names[row] for row in refused])} is {why}")

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
                    self._layouts.insert(0, self._layouts.pop(k))
                return known
        names = list(names)
        if len({*names}) < len(names) and (twice := sorted(self._own.intersection(repeated(names)))):
            raise BadMessage("duplicate joints", f"{listed(twice)} named more than once")
        source = [index for index, name in enumerate(names) if name in self._row_of]
        rows = [self._row_of[names[index]] for index in source]
        own = not self._own.isdisjoint(names)
        layout = Layout(names, np.array(source, np.intp), np.array(rows, np.intp), own)
        self._layouts = [layout, *self._layouts[: MOST_LAYOUTS - 1]]
        return layout


def _numbers(values: "array[float] | Sequence[float]", missing: int = 0) -> Array:
    """Return the numbers of a message as an array, not copied; `missing` NaN where there are none."""
    return np.asarray(values, np.float64) if len(values) or not missing else np.full(missing, np.nan)
