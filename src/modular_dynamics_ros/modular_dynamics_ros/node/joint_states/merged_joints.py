"""The newest that is known of each joint: several publishers may each report a part of the robot."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from modular_dynamics_ros.messages.joint_state_reader import JointSample

__all__ = ["JointValues", "MergedJoints"]

Array = NDArray[np.float64]
NEVER = int(np.iinfo(np.int64).min)  # stamp of a joint that no message has held yet


class JointValues(NamedTuple):
    """Positions (n,), velocities (n,), positions of the optional joints (m,), and efforts (n,).

    NaN where a velocity or an effort is missing, or the position of an optional joint is not known. Later
    messages do not change them.
    """

    q: Array
    v: Array
    optional: Array
    effort: Array

    def copy(self) -> "JointValues":
        """Return a copy of the values that may be changed."""
        return JointValues(*(one.copy() for one in self))


class MergedJoints:
    """Position, velocity, effort and stamp of each joint of a robot, from messages that may hold only some.

    Args:
        joint_names: the order of the vectors. optional: joints whose position may be missing.
        given: positions [rad or m] of joints, at rest, while no message holds them.

    Attributes:
        latest: no value has a later stamp [ns].
        with_velocities: whether no velocity is NaN; if False, some may be.
        has_efforts: whether efforts were asked for with the last message.
    """

    def __init__(
        self, joint_names: Sequence[str], optional: Sequence[str], given: Mapping[str, float]
    ) -> None:
        self._names, self._optional_names = tuple(joint_names), tuple(optional)
        self._given = np.array([given.get(name, np.nan) for name in joint_names])
        count = len(self._names)
        self._no_efforts = np.full(count, np.nan)
        self._newest = JointValues(
            np.zeros(count), np.zeros(count), np.full(len(optional), np.nan), self._no_efforts
        )
        self.has_efforts = self.with_velocities = False
        self._stamps, self._optional_stamps = np.full(count, NEVER), np.full(len(optional), NEVER)
        self.latest = NEVER
        # q, v, effort and stamp of a message of all joints that `_newest` and `_stamps` do not have yet
        self._ahead: tuple[Array, Array, Array | None, int] | None = None

    @property
    def newest(self) -> JointValues:
        """Newest value of each joint."""
        self._catch_up()
        return self._newest

    @property
    def stamps(self) -> NDArray[np.int64]:
        """Stamps (n,) [ns] of the newest values."""
        self._catch_up()
        return self._stamps

    def _catch_up(self) -> None:
        """Merge the values that were added last; done only on access, as mostly the next ones come first."""
        if self._ahead is not None:
            (q, v, effort, stamp), self._ahead = self._ahead, None
            efforts = self._no_efforts if effort is None else effort
            self._newest = JointValues(q, v, self._newest.optional, efforts)
            self._stamps.fill(stamp)

    def forget_after(self, horizon: int) -> None:
        """Forget values with a later stamp [ns] than any that can come: the clock was set back.

        It may reach their stamps again.
        """
        if self.latest <= horizon:
            return
        for stamps in (self.stamps, self._optional_stamps):
            stamps[stamps > horizon] = NEVER
        self.latest = max((int(one) for one in (*self.stamps, *self._optional_stamps)), default=NEVER)

    def add(self, sample: JointSample, stamp: int) -> bool:
        """Take the values of a message with this stamp [ns]; newer ones of another message stay.

        Returns:
            whether all joints have this stamp now.
        """
        layout, effort = sample.layout, sample.effort
        if layout.complete and not layout.optional and stamp >= self.latest:
            self.with_velocities = sample.with_velocities
            self.add_all(sample.q, sample.v, effort, stamp)
            return True
        return self._add_some(sample, stamp)

    def add_all(self, q: Array, v: Array, effort: Array | None, stamp: int) -> None:
        """Keep the newest values of all joints (n,), but the optional ones; `with_velocities` stays.

        The arrays must not change.
        """
        self._ahead = q, v, effort, stamp
        self.has_efforts = effort is not None
        self.latest = stamp

    def _add_some(self, sample: JointSample, stamp: int) -> bool:
        layout, joints, q, v, effort = sample.layout, sample.layout.joints, sample.q, sample.v, sample.effort
        complete = layout.complete
        if stamp < self.latest:
            taken = self.stamps[joints] <= stamp
            joints, q, v = joints[taken], q[taken], v[taken]
            effort = None if effort is None else effort[taken]
            complete &= bool(taken.all())
        self.latest = max(self.latest, stamp)
        self._catch_up()
        newest = self._newest = self._newest.copy()
        newest.q[joints], newest.v[joints], self.stamps[joints] = q, v, stamp
        self.with_velocities = False
        if effort is not None:
            newest.effort[joints], self.has_efforts = effort, True
        elif self.has_efforts:  # efforts are no longer needed
            newest.effort[:], self.has_efforts = np.nan, False
        for k, _ in layout.optional:
            if stamp >= self._optional_stamps[k]:
                newest.optional[k], self._optional_stamps[k] = sample.optional[k], stamp
        return complete

    def continue_from(self, other: "MergedJoints") -> None:
        """Take over the values of the robot before its change; call it before `add`."""
        own, its = self.newest.copy(), other.newest
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
        self._newest, self.with_velocities = own, False
        self.latest, self.has_efforts = other.latest, other.has_efforts

    def newest_of(self, late: "MergedJoints", oldest: int) -> tuple[Array, Array]:
        """Return the newest positions of all (n,) and optional joints (m,), of this one and of `late`.

        Args:
            late: of the same joints. oldest: joints without a value since then [ns] have their given
                position; optional ones are not known.
        """
        own, its = self.newest, late.newest
        newer, optional_newer = late.stamps > self.stamps, late._optional_stamps > self._optional_stamps
        q, optional = np.where(newer, its.q, own.q), np.where(optional_newer, its.optional, own.optional)
        given = (np.maximum(self.stamps, late.stamps) < oldest) & ~np.isnan(self._given)
        q[given] = self._given[given]
        optional[np.maximum(self._optional_stamps, late._optional_stamps) < oldest] = np.nan
        return q, optional

    def measured(self, late: "MergedJoints") -> dict[str, float]:
        """Return by joint the newest position that came, however old, of this one and of `late`."""
        q, _ = self.newest_of(late, NEVER)
        came = np.maximum(self.stamps, late.stamps) > NEVER
        return {name: float(at) for name, at, known in zip(self._names, q, came, strict=True) if known}

    def missing(self, oldest: int) -> tuple[str, ...]:
        """Return the joints without a value since `oldest` [ns] and without a given one."""
        return self.named((self.stamps < oldest) & np.isnan(self._given))

    def at(self, sample: JointSample, stamp: int, oldest: int) -> JointValues | None:
        """Return the values at the stamp [ns] of a message that was added, with all of its own.

        Joints without a value since `oldest` [ns] have their given one; optional ones are not known. None
        where the values are not known any more: a joint that it does not hold has a newer one already.
        """
        if stamp >= self.latest:
            return self._known_since(oldest)
        values, layout = self._known_since(oldest).copy(), sample.layout
        newer, optional_newer = self.stamps > stamp, self._optional_stamps > stamp
        newer[layout.joints] = False
        values.q[layout.joints], values.v[layout.joints] = sample.q, sample.v
        values.effort[layout.joints] = np.nan if sample.effort is None else sample.effort
        for k, _ in layout.optional:
            values.optional[k], optional_newer[k] = sample.optional[k], False
        return None if newer.any() or optional_newer.any() else values

    def _known_since(self, oldest: int) -> JointValues:
        """Return the newest values that are not older than `oldest` [ns].

        Older values are kept, as they become valid again if the clock is set back a little.
        """
        old, optional_old = self.stamps < oldest, self._optional_stamps < oldest
        if not old.any() and not optional_old.any():
            return self.newest
        values = self.newest.copy()
        values.q[old], values.v[old], values.effort[old] = self._given[old], 0.0, np.nan
        values.optional[optional_old] = np.nan
        return values

    def named(self, flags: NDArray[np.bool_]) -> tuple[str, ...]:
        """Return names of the joints with a flag (n,)."""
        return tuple(self._names[index] for index in np.flatnonzero(flags))
