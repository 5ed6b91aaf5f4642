"""What a rhythmic gait gives each joint: amplitude, frequency, offset, phase; waves along bodies and legs."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...exceptions import GaitError
from ..names import shown
from .gait import Array
from .values import Values, joint_names, number, per_joint

__all__ = ["Rhythm", "body_wave", "legs"]


@dataclass(frozen=True)
class Rhythm:
    """Numbers of each joint; one number is that of all joints.

    Attributes:
        amplitude, offset: [rad], or [m] of prismatic joints. frequency: [Hz], at least 0. phase: [rad].

    Raises:
        GaitError: a joint twice, a wrong count of numbers, one that is not finite, a negative frequency.
    """

    joint_names: tuple[str, ...]
    amplitude: Values
    frequency: Values
    offset: Values = 0.0
    phase: Values = 0.0

    def __post_init__(self) -> None:
        names = joint_names("joints", self.joint_names)
        object.__setattr__(self, "joint_names", names)
        for key in ("amplitude", "frequency", "offset", "phase"):
            least = 0.0 if key == "frequency" else -math.inf
            object.__setattr__(self, key, per_joint(key, getattr(self, key), names, least=least))

    def __add__(self, other: "Rhythm") -> "Rhythm":
        """Return a rhythm with the joints of both. Raises GaitError: a joint is in both."""
        return Rhythm(
            self.joint_names + other.joint_names,
            *(
                np.concatenate([self.array(key), other.array(key)]).tolist()
                for key in ("amplitude", "frequency", "offset", "phase")
            ),
        )

    def array(self, key: str) -> Array:
        """Return amplitude, frequency, offset or phase as an array (n,)."""
        return np.asarray(getattr(self, key), np.float64)

    def mapping(self) -> dict[str, dict[str, Any]]:
        """Return {joint: its numbers}, as in YAML."""
        keys = ("amplitude", "frequency", "offset", "phase")
        rows = zip(*(self.array(key).tolist() for key in keys), strict=True)
        return {
            name: dict(zip(keys, row, strict=True)) for name, row in zip(self.joint_names, rows, strict=True)
        }


def body_wave(
    joints: Sequence[str],
    amplitude: Values,
    frequency: Values,
    lag: float,
    *,
    offset: Values = 0.0,
    phase: float = 0.0,
) -> Rhythm:
    """Return a wave that travels along joints in their order: joint k has phase - k lag.

    Args:
        lag: of each joint behind the one before [rad]; the wave's length is 2 pi / lag joints.

    Raises:
        GaitError: as of :class:`Rhythm`.
    """
    names = joint_names("body/joints", joints)
    lag, phase = number("body/lag", lag), number("body/phase", phase)
    return Rhythm(names, amplitude, frequency, offset, [phase - k * lag for k in range(len(names))])


def legs(
    left: Sequence[Sequence[str]],
    right: Sequence[Sequence[str]],
    amplitude: Values,
    frequency: Values,
    lag: float,
    *,
    opposition: float = math.pi,
    within: float = 0.0,
    offset: Values = 0.0,
    phase: float = 0.0,
) -> Rhythm:
    """Legs along a body: joint j of leg k has phase - k lag - j within, on the right less ``opposition``.

    Args:
        left, right: the joints of each leg from the body outwards, legs from front to back.
        lag: of each leg behind the one before it on its side [rad].
        opposition: of the right side behind the left [rad]; pi: the sides alternate. A trot has lag pi.
        within: of each joint of a leg behind the one before it [rad].

    Raises:
        GaitError: as of :class:`Rhythm`.
    """
    lag, within = number("legs/lag", lag), number("legs/within", within)
    opposition, phase = number("legs/opposition", opposition), number("legs/phase", phase)
    names, phases = [], []
    for side, chains in (("left", left), ("right", right)):
        if isinstance(chains, str) or not isinstance(chains, Sequence):
            raise GaitError(
                f"legs/{side} is {shown(chains)}; a list of legs is needed, each a list of joints"
            )
        for k, leg in enumerate(chains):
            for j, name in enumerate(joint_names(f"legs/{side}, leg {k + 1}", leg)):
                names.append(name)
                phases.append(phase - k * lag - j * within - (opposition if side == "right" else 0.0))
    return Rhythm(joint_names("legs", names), amplitude, frequency, offset, phases)
