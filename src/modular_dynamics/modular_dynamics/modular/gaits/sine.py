"""The rhythmic gait: each joint a sine."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .gait import Array, Gait, GaitState
from .rhythm import Rhythm
from .values import duration

__all__ = ["Sine"]


@dataclass(frozen=True)
class Sine(Gait):
    """q = offset + amplitude sin(2 pi frequency t + phase), joint by joint.

    Attributes:
        rhythm: numbers of the joints, such as ``body_wave(...)`` or ``body_wave(...) + legs(...)``.
        ramp: see :class:`Gait`.
    """

    rhythm: Rhythm
    ramp: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "ramp", duration("ramp", self.ramp))

    @property
    def joint_names(self) -> tuple[str, ...]:  # type: ignore[override]  # read-only
        """Joint names, in the order of the arrays."""
        return self.rhythm.joint_names

    def _motion(self, times: Array) -> GaitState:
        omega, amplitude = 2.0 * np.pi * self.rhythm.array("frequency"), self.rhythm.array("amplitude")
        angle = np.outer(times, omega) + self.rhythm.array("phase")
        wave = amplitude * np.sin(angle)
        return GaitState(
            self.rhythm.array("offset") + wave, amplitude * omega * np.cos(angle), -(omega**2) * wave
        )

    def mapping(self) -> dict[str, Any]:
        """Return the mapping from which ``gaits.load`` makes this gait."""
        return {"kind": "sine", "ramp": self.ramp, "joints": self.rhythm.mapping()}
