"""The gait of coupled Hopf oscillators, which return to their amplitudes and phase lags when disturbed."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...exceptions import GaitError
from ..names import shown
from .gait import Array, Gait, GaitState, between_knots
from .recursion import Recursion
from .rhythm import Rhythm
from .values import SHORTEST, duration, number, whole_number

__all__ = ["Oscillators"]

Complex = NDArray[np.complex128]
#: Default and largest step of the integration, times the fastest rate.
USUAL_STEP, LARGEST_STEP = 0.1, 0.5


@dataclass(frozen=True)
class Oscillators(Gait):
    """One Hopf oscillator z_i for each joint; coupling keeps the differences of neighbours' phases.

        z_i' = (g (1 - |z_i|^2) + i w_i) z_i + k sum_j (exp(i (phase_i - phase_j)) z_j - z_i)
        q_i = offset_i + amplitude_i Re z_i

    In x_i = amplitude_i z_i this is the Hopf oscillator with mu_i = amplitude_i^2 and limit cycle
    sqrt(mu_i) (Righetti & Ijspeert, ICRA 2008), coupled by rotations (Seo & Slotine, ICRA 2007; Chung &
    Dorothy, Journal of Guidance, Control, and Dynamics 33, 2010). Equal frequencies lock: then
    z_i = exp(i (w t + phase_i + c)), with a common c; from any start if k times the second smallest
    eigenvalue of the connections' Laplacian exceeds g. Different frequencies lock to a common one if they
    differ little against k. Hopf oscillators rather than Matsuoka's: amplitude, frequency and lag are
    parameters here, where Matsuoka's follow only approximately from time constants and weights (Matsuoka,
    Biological Cybernetics 104, 2011).

    Integrated by Runge-Kutta's method of order 4 with a fixed step; in between quintics through q, v, a.

    Attributes:
        coupling: k [1/s]. convergence: g [1/s]; a small change of the amplitude vanishes as exp(-2 g t).
        connections: "chain" in the order of the joints, "all", or pairs of names; all joints must be
            connected directly or through others.
        seed: of the start: uniform in the disc of radius 1 about 0.
        step: of the integration [s]; 0 becomes 0.1 over the fastest rate, max(w) + 2 g + 2 k (most links).

    Raises:
        GaitError: names the key, its value, and what is needed.
    """

    rhythm: Rhythm
    coupling: float = 5.0
    convergence: float = 5.0
    connections: str | Sequence[tuple[str, str]] = "chain"
    seed: int = 0
    step: float = 0.0
    ramp: float = 0.0

    def __post_init__(self) -> None:
        for key in ("coupling", "convergence"):
            object.__setattr__(self, key, number(key, getattr(self, key), above=0.0))
        object.__setattr__(self, "seed", whole_number("seed", self.seed))
        object.__setattr__(self, "ramp", duration("ramp", self.ramp))
        object.__setattr__(self, "connections", self._checked_connections())
        degree = np.abs(self._adjacency).sum(axis=0).max()
        rate = float(self._omega.max() + 2.0 * self.convergence + 2.0 * self.coupling * degree)
        if rate > USUAL_STEP / SHORTEST:
            raise GaitError(
                f"the fastest rate, of frequency, convergence and coupling, is {rate:g} 1/s; "
                f"at most {USUAL_STEP / SHORTEST:g} is needed"
            )
        step = duration("step", self.step, most=LARGEST_STEP / rate)
        object.__setattr__(self, "step", step or USUAL_STEP / rate)

    @property
    def joint_names(self) -> tuple[str, ...]:  # type: ignore[override]  # read-only
        """Joint names, in the order of the arrays."""
        return self.rhythm.joint_names

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Pairs of names of coupled joints."""
        if self.connections == "chain":
            return tuple(pairwise(self.joint_names))
        if self.connections == "all":
            return tuple(combinations(self.joint_names, 2))
        return tuple((pair[0], pair[1]) for pair in self.connections)

    def _checked_connections(self) -> str | tuple[tuple[str, str], ...]:
        given, wanted = self.connections, "chain, all, or a list of pairs of joints is needed"
        if isinstance(given, str):
            if given not in ("chain", "all"):
                raise GaitError(f"connections is {shown(given)}; {wanted}")
            return given
        if not isinstance(given, Sequence):
            raise GaitError(f"connections is {shown(given)}; {wanted}")
        for pair in given:
            is_pair = isinstance(pair, Sequence) and not isinstance(pair, str) and len(pair) == 2
            if not is_pair or pair[0] == pair[1]:
                raise GaitError(f"connections holds {shown(pair)}; two different joints are needed")
            for name in pair:
                if name not in self.joint_names:
                    raise GaitError(
                        f"connections names {shown(name)}; the joints: {', '.join(self.joint_names)}"
                    )
        reached = {self.joint_names[0]}
        for _ in given:
            reached.update(name for pair in given if reached.intersection(pair) for name in pair)
        lost = [name for name in self.joint_names if name not in reached]
        if lost:
            raise GaitError(f"connections do not link {', '.join(lost)} to {self.joint_names[0]}")
        return tuple((pair[0], pair[1]) for pair in given)

    @cached_property
    def _omega(self) -> Array:
        return 2.0 * np.pi * self.rhythm.array("frequency")

    @cached_property
    def _adjacency(self) -> Array:
        index = {name: k for k, name in enumerate(self.joint_names)}
        matrix = np.zeros((len(index), len(index)))
        for a, b in self.pairs:
            matrix[index[a], index[b]] = matrix[index[b], index[a]] = 1.0
        return matrix

    @cached_property
    def _couplings(self) -> Complex:
        """Return the coupling terms as a matrix that multiplies z."""
        turn = np.exp(1j * self.rhythm.array("phase"))
        links = self._adjacency * np.outer(turn, turn.conj())
        return np.asarray(self.coupling * (links - np.diag(self._adjacency.sum(axis=0))))

    def _rate(self, z: Complex) -> Complex:
        own = self.convergence * (1.0 - np.abs(z) ** 2) + 1j * self._omega
        return np.asarray(own * z + self._couplings @ z)

    def _second(self, z: Complex, rate: Complex) -> Complex:
        """Return the second derivative of z along the motion."""
        own = self.convergence * (1.0 - np.abs(z) ** 2) + 1j * self._omega
        stretch = -2.0 * self.convergence * (z.conj() * rate).real
        return np.asarray(own * rate + stretch * z + self._couplings @ rate)

    def _advance(self, z: Complex) -> Complex:
        h = self.step
        k1 = self._rate(z)
        k2 = self._rate(z + 0.5 * h * k1)
        k3 = self._rate(z + 0.5 * h * k2)
        k4 = self._rate(z + h * k3)
        return np.asarray(z + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4))

    @cached_property
    def _z(self) -> Recursion:
        rng = np.random.default_rng(self.seed)
        radius, angle = rng.random((2, len(self.joint_names)))
        return Recursion(np.sqrt(radius) * np.exp(2j * np.pi * angle), self._advance)

    def _knot(self, k: int) -> GaitState:
        amplitude, z = self.rhythm.array("amplitude"), self._z[k]
        rate = self._rate(z)
        q = self.rhythm.array("offset") + amplitude * z.real
        return GaitState(q, amplitude * rate.real, amplitude * self._second(z, rate).real)

    def _motion(self, times: Array) -> GaitState:
        return between_knots(self._knot, times, self.step)

    def mapping(self) -> dict[str, Any]:
        """Return the mapping from which ``gaits.load`` makes this gait."""
        links = self.connections if isinstance(self.connections, str) else [list(p) for p in self.connections]
        keys = ("ramp", "coupling", "convergence", "seed", "step")
        values = {key: getattr(self, key) for key in keys}
        return {"kind": "oscillators", **values, "connections": links, "joints": self.rhythm.mapping()}
