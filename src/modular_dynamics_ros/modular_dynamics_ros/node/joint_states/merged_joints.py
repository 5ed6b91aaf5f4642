"""The newest that is known of each joint: several publishers may each report a part of the robot."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from modular_dynamics_ros.messages.joint_state_reader import JointSample

__all__ = ["MergedJoints"]

Array = NDArray[np.float64]
NEVER = np.iinfo(np.int64).min  # stamp of a joint that no message has held yet


class MergedJoints:
    """Position, velocity and stamp of each joint of a robot, from messages that may hold only some.

    Args:
        joint_names: the order of the vectors. optional: joints whose position may be missing.
        given: positions [rad or m] of joints, at rest, while no message holds them.

    Attributes:
        q, v: (n,) newest values, NaN where a velocity is missing. optional: (m,) NaN where unknown.
        stamps: (n,) of the values [ns].
    """

    def __init__(
        self, joint_names: Sequence[str], optional: Sequence[str], given: Mapping[str, float]
    ) -> None:
        self._names, self._optional_names = tuple(joint_names), tuple(optional)
        self._given = np.array([given.get(name, np.nan) for name in joint_names])
        count = len(self._names)
        self.q, self.v = np.zeros(count), np.zeros(count)
        self.stamps = np.full(count, NEVER)
        self.optional = np.full(len(optional), np.nan)
        self._optional_stamps = np.full(len(optional), NEVER)
        self._newest = int(NEVER)  # no value has a later stamp

    def add(self, sample: JointSample, stamp: int, horizon: int) -> bool:
        """Take the values of a message with this stamp [ns]; newer ones of another message stay.

        Args:
            horizon: values with a later stamp [ns] are from before the clock was set back.

        Returns:
            whether all joints have this stamp now.
        """
        layout, q, v = sample.layout, sample.q, sample.v
        joints, complete = layout.joints, layout.complete
        if stamp < self._newest:
            before = self.stamps[joints]
            taken = (before <= stamp) | (before > horizon)
            joints, q, v = joints[taken], q[taken], v[taken]
            complete &= bool(taken.all())
        self._newest = stamp if complete else max(self._newest, stamp)
        self.q[joints], self.v[joints], self.stamps[joints] = q, v, stamp
        for k, _ in layout.optional:
            if not stamp < self._optional_stamps[k] <= horizon:
                self.optional[k], self._optional_stamps[k] = sample.optional[k], stamp
        return complete

    def continue_from(self, other: "MergedJoints") -> None:
        """Know what is known of the joints of a robot that was changed; call it before `add`."""
        for k, name in enumerate(self._names):
            if name in other._names:
                place = other._names.index(name)
                self.q[k], self.v[k], self.stamps[k] = other.q[place], other.v[place], other.stamps[place]
        for k, name in enumerate(self._optional_names):
            if name in other._optional_names:
                place = other._optional_names.index(name)
                self.optional[k] = other.optional[place]
                self._optional_stamps[k] = other._optional_stamps[place]
        self._newest = other._newest

    def fill(self, oldest: int, horizon: int) -> tuple[str, ...]:
        """Give joints without a value since `oldest` [ns] their given one; return those that have none."""
        self.optional[(self._optional_stamps < oldest) | (self._optional_stamps > horizon)] = np.nan
        old = (self.stamps < oldest) | (self.stamps > horizon)
        if not old.any():
            return ()
        given = old & ~np.isnan(self._given)
        self.q[given], self.v[given] = self._given[given], 0.0
        return tuple(self._names[index] for index in np.flatnonzero(old & ~given))

    def without_velocity(self) -> tuple[str, ...]:
        """Whose velocity is missing."""
        missing = np.isnan(self.v)
        return tuple(self._names[index] for index in np.flatnonzero(missing)) if missing.any() else ()
