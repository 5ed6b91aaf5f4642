"""What the computation takes and returns, besides the answer; checks of numbers, values by joint."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from modular_dynamics_ros.exceptions import NumbersError

if TYPE_CHECKING:  # nodes import this file before the library
    from modular_dynamics.algebra import Quaternion

Array = NDArray[np.float64]
Instants = NDArray[np.int64]  # [ns]
#: Largest accepted joint values, rates, torques and wrenches: as in descriptions, see
#: modular_dynamics.text.numbers, which is not imported because a node would start later.
LARGEST = 1e9
#: [ns] A larger step back means that the clock was set; a smaller one, that the clocks of computers differ.
CLOCK_SET_BACK = 1_000_000_000
UNIT_NORM = 0.01  # by which the norm of a quaternion may differ from 1: digits that were cut off; as tf2
TWIST_NAMES = tuple(f"{kind}.{axis}" for kind in ("linear", "angular") for axis in "xyz")
Wrenches = Mapping[str, Array] | None  # by name [force N, moment N m] (6,)
StampedWrench = tuple[str, Array]  # link, [force N, moment N m] at and in its frame


def all_finite(values: Array) -> bool:
    """Return whether all numbers are finite, in a third of the time of ``np.isfinite(values).all()``."""
    return 0 not in np.isfinite(values).tobytes()


def all_usable(values: Array) -> bool:
    """Return whether all numbers are finite and at most LARGEST."""
    return 0 not in (np.abs(values) <= LARGEST).tobytes()


def checked_numbers(
    what: str, values: Any, count: int | None = None, largest: float = math.inf
) -> tuple[float, ...]:
    """Return numbers of a request or a file as floats.

    Raises:
        NumbersError: no numbers, not finite, above the largest size, or another count.
    """
    try:
        if isinstance(values, str | bytes):  # it would be read digit by digit
            raise TypeError
        numbers = tuple(float(value) for value in values)
    except (TypeError, ValueError, OverflowError):  # OverflowError: an integer beyond all floats
        raise NumbersError(f"{what}: {values!r:.80} is no list of numbers") from None
    if count is not None and len(numbers) != count:
        raise NumbersError(f"{what}: {len(numbers)} numbers; {count} are needed")
    if not all(map(math.isfinite, numbers)):
        raise NumbersError(f"{what}: {list(numbers)}; finite numbers are needed")
    most = max(numbers, key=abs, default=0.0)
    if abs(most) > largest:
        raise NumbersError(f"{what}: {most:g}; sizes of at most {largest:g} are accepted")
    return numbers


def joint_indices(names: Sequence[str], before: Sequence[str]) -> NDArray[np.intp]:
    """Return the index (n,) of each joint of ``names`` in ``before``; -1 for a new joint."""
    index = {name: k for k, name in enumerate(before)}
    return np.array([index.get(name, -1) for name in names], dtype=np.intp)


def values_at(where: NDArray[np.intp], values: NDArray[np.generic], new: float | Array = 0.0) -> Array:
    """Return values (..., n) at these indices of the last axis; ``new`` for new joints."""
    if not values.shape[-1]:
        return np.zeros((*values.shape[:-1], len(where))) + new
    return np.where(where >= 0, values[..., where], new)


@dataclass(frozen=True)
class ComputationSettings:
    """The settings of a computation, which may change between two joint states.

    Attributes:
        acceleration_source: zero | reference | filtered. filter_cutoff: of the velocity filter [Hz].
        output: full | gravity | full_minus_gravity. friction: none | urdf. effort_limits: off | clip | scale.
        without_reference: where no reference covers a state: zero | hold | stop.
        stale_after: how long inputs stay valid: wrenches, the base's state, what `hold` holds [s].
        on_stale_external_wrench, on_stale_black_box: stop | hold | zero.
        reversed_black_boxes: whose wrenches come with the opposite sign.
        closure_tolerance: by how much measured passive joints may differ from the closed ones [rad or m].
    """

    acceleration_source: str = "zero"
    filter_cutoff: float = 10.0
    without_reference: str = "zero"
    output: str = "full"
    friction: str = "none"
    effort_limits: str = "off"
    stale_after: float = 0.2
    closure_tolerance: float = 0.01
    on_stale_external_wrench: str = "zero"
    on_stale_black_box: str = "stop"
    reversed_black_boxes: tuple[str, ...] = ()


class Coverage(Enum):
    """Whether the accelerations at an instant come from the reference, and why not."""

    COVERED = "running"
    OVER = "over: accelerations are zero"  # it ended at rest, or was cancelled
    HELD = "its last point is over: the acceleration there is held"
    NONE = "none covers this instant: accelerations are taken as zero"
    UNUSED = "accelerations come from elsewhere"

    @property
    def doubtful(self) -> bool:
        """Return whether the true acceleration may differ: the reference is held, or there is none."""
        return self is Coverage.HELD or self is Coverage.NONE


@dataclass(frozen=True, eq=False)
class BaseState:
    """The state of a floating base.

    Attributes:
        orientation: of the base's link against the frame that its joint starts from.
        twist: (6,) [linear m/s, angular rad/s] at the origin of its link, in that link's axes.
        acceleration: (6,) the derivative of these six components.
    """

    orientation: "Quaternion"
    twist: Array
    acceleration: Array

    def at_rest(self) -> "BaseState":
        """Return the same orientation without motion."""
        return BaseState(self.orientation, np.zeros(6), np.zeros(6))


class State(NamedTuple):
    """A joint state with the accelerations that belong to it.

    Attributes:
        stamp: [ns]. q, v, a: (n,) of the robot's `state_names` [rad or m, per s, per s^2].
        measured: positions of the robot's `passive_names`, NaN where they are not measured.
        coverage: of the stamp by the reference. base: None where the root is fixed.
        effort: measured (n,) [N m or N], NaN where it is missing; None: not read.
        all_velocities: whether all are measured; those that are not are zero.
    """

    stamp: int
    q: Array
    v: Array
    a: Array
    measured: Array
    coverage: Coverage = Coverage.UNUSED
    base: BaseState | None = None
    effort: Array | None = None
    all_velocities: bool = True

    def at_rest(self) -> "State":
        """Return the same positions without motion."""
        rest = np.zeros_like(self.q)
        base = None if self.base is None else self.base.at_rest()
        return State(self.stamp, self.q, rest, rest, self.measured, base=base)


class AppliedWrenches(NamedTuple):
    """Wrenches from topics: external ones by link, those of black boxes by subsystem.

    Attributes:
        stopped: black boxes whose wrenches have stopped coming; the last ones, or zeros, are used.
    """

    external: Wrenches = None
    black_box: Wrenches = None
    stopped: tuple[str, ...] = ()


class Configuration(NamedTuple):
    """The positions of all joints at a state.

    Attributes:
        coordinates: (nq,) of the graph's joints, with the loops closed.
        disagreements: by passive joint, measured less closed position beyond closure_tolerance [rad or m].
        continues_last: whether the assembly mode is that of the answer before.
    """

    state: State
    coordinates: Array
    disagreements: Mapping[str, float] = MappingProxyType({})
    continues_last: bool = True
