"""The newest that is known of each joint: several publishers may each report a part of the robot."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from modular_dynamics_ros.messages.joint_state_reader import JointSample

__all__ = ["JointValues", "MergedJoints"]

Array = NDArray[np.float64]
NEVER = np.iinfo(np.int64).min  # stamp of a joint that no message has held yet
EVERY = slice(None)  # needs less time than as many indices


class JointValues(NamedTuple):
    """Positions (n,), velocities (n,), positions of the optional joints (m,), and efforts (n,).

    NaN where a velocity or an effort is missing, or the position of an optional joint is not known.
    """

    q: Array
    v: Array
    optional: Array
    effort: Array


class MergedJoints:
    """Position, velocity, effort and stamp of each joint of a robot, from messages that may hold only some.

    Args:
        joint_names: the order of the vectors. optional: joints whose position may be missing.
        given: positions [rad or m] of joints, at rest, while no message holds them.

    Attributes:
        newest: the newest value of each joint. stamps: (n,) of the values [ns].
        has_efforts: whether efforts were asked for with the last message.
    """

    def __init__(
        self, joint_names: Sequence[str], optional: Sequence[str], given: Mapping[str, float]
    ) -> None:
        self._names, self._optional_names = tuple(joint_names), tuple(optional)
        self._given = np.array([given.get(name, np.nan) for name in joint_names])
        count = len(self._names)
        missing = np.full(len(optional), np.nan), np.full(count, np.nan)
        self.newest = JointValues(np.zeros(count), np.zeros(count), *missing)
        self.has_efforts = False
        self.stamps, self._optional_stamps = np.full(count, NEVER), np.full(len(optional), NEVER)
        self._last = int(NEVER)  # no value has a later stamp

    def forget_after(self, horizon: int) -> None:
        """Forget values with a later stamp [ns] than any that can come: the clock was set back.

        It may reach their stamps again.
        """
        if self._last <= horizon:
            return
        for stamps in (self.stamps, self._optional_stamps):
            stamps[stamps > horizon] = NEVER
        self._last = max((int(one) for one in (*self.stamps, *self._optional_stamps)), default=int(NEVER))

    def add(self, sample: JointSample, stamp: int) -> bool:
        """Take the values of a message with this stamp [ns]; newer ones of another message stay.

        Returns:
            whether all joints have this stamp now.
        """
        layout, q, v, effort = sample.layout, sample.q, sample.v, sample.effort
        complete = layout.complete
        joints: NDArray[np.intp] | slice = EVERY if complete else layout.joints
        if stamp < self._last:
            taken = self.stamps[layout.joints] <= stamp
            joints, q, v = layout.joints[taken], q[taken], v[taken]
            effort = None if effort is None else effort[taken]
            complete &= bool(taken.all())
        self._last = max(self._last, stamp)
        self.newest.q[joints], self.newest.v[joints], self.stamps[joints] = q, v, stamp
        if effort is not None:
            self.newest.effort[joints], self.has_efforts = effort, True
        elif self.has_efforts:  # nobody asks for them any more
            self.newest.effort[:], self.has_efforts = np.nan, False
        for k, _ in layout.optional:
            if stamp >= self._optional_stamps[k]:
                self.newest.optional[k], self._optional_stamps[k] = sample.optional[k], stamp
        return complete

    def continue_from(self, other: "MergedJoints") -> None:
        """Know what is known of the joints of a robot that was changed; call it before `add`."""
        own, its = self.newest, other.newest
        for k, name in enumerate(self._names):
            if name in other._names:
                place = other._names.index(name)
                own.q[k], own.v[k], own.effort[k] = its.q[place], its.v[place], its.effort[place]
                self.stamps[k] = other.stamps[place]
        for k, name in enumerate(self._optional_names):
            if name in other._optional_names:
                place = other._optional_names.index(name)
                own.optional[k] = its.optional[place]
                self._optional_stamps[k] = other._optional_stamps[place]
        self._last, self.has_efforts = other._last, other.has_efforts

    def newest_of(self, late: "MergedJoints", oldest: int) -> tuple[Array, Array]:
        """The newest positions (n,) and those of the optional joints (m,), of this one and of `late`.

        Args:
            late: of the same joints. oldest: optional joints without a value since then [ns] are not known.
        """
        own, its = self.newest, late.newest
        newer, optional_newer = late.stamps > self.stamps, late._optional_stamps > self._optional_stamps
        optional = np.where(optional_newer, its.optional, own.optional)
        optional[np.maximum(self._optional_stamps, late._optional_stamps) < oldest] = np.nan
        return np.where(newer, its.q, own.q), optional

    def fill(self, oldest: int) -> tuple[str, ...]:
        """Give joints without a value since `oldest` [ns] their given one; return those that have none."""
        self.newest.optional[self._optional_stamps < oldest] = np.nan
        old = self.stamps < oldest
        if not old.any():
            return ()
        given = old & ~np.isnan(self._given)
        self.newest.q[given], self.newest.v[given] = self._given[given], 0.0
        self.newest.effort[given] = np.nan
        return tuple(self._names[index] for index in np.flatnonzero(old & ~given))

    def at(self, sample: JointSample, stamp: int) -> JointValues | None:
        """Copies of the values at the stamp [ns] of a message that was added, with all of its own.

        None where they are not known any more: a joint that it does not hold has a newer value already.
        """
        values = JointValues(*(one.copy() for one in self.newest))
        if stamp >= self._last:
            return values
        layout = sample.layout
        newer, optional_newer = self.stamps > stamp, self._optional_stamps > stamp
        newer[layout.joints] = False
        values.q[layout.joints], values.v[layout.joints] = sample.q, sample.v
        values.effort[layout.joints] = np.nan if sample.effort is None else sample.effort
        for k, _ in layout.optional:
            values.optional[k], optional_newer[k] = sample.optional[k], False
        return None if newer.any() or optional_newer.any() else values

    def named(self, flags: NDArray[np.bool_]) -> tuple[str, ...]:
        """Names of the joints with a flag (n,)."""
        return tuple(self._names[index] for index in np.flatnonzero(flags))
