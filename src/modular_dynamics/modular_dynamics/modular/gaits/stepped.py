"""Gaits that are stepped from t = 0: a lattice of coupled logistic maps, and coupled Hopf oscillators."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...exceptions import GaitError
from ..names import shown
from .gait import (
    SHORTEST,
    Array,
    Gait,
    GaitState,
    Rhythm,
    Values,
    checked_names,
    duration,
    number,
    per_joint,
    whole_number,
)

__all__ = ["CoupledMaps", "Oscillators"]

Complex = NDArray[np.complex128]
#: Default and largest step of the integration, times the fastest rate.
USUAL_STEP, LARGEST_STEP = 0.1, 0.5
BOUNDARIES = ("ring", "open")
MOST_SETTLED = 1_000_000  # some seconds of computation
#: States that are kept behind the last one: integrators and callers step back by a few.
KEPT = 1000


class Stepped(Gait):
    """A gait of states x_(k+1) = _advance(x_k), x_0 = _first, that give q, v and a at knots.

    States do not depend on which were asked for before. Memory stays bounded: a state further back than
    ``KEPT`` is computed from the first one again. Threads may share a gait: what it keeps is replaced as a
    whole.
    """

    _interval: float
    _first: NDArray[Any]

    def _advance(self, x: Any) -> Any:
        """Return the next state."""
        raise NotImplementedError

    def _knot(self, x: Any) -> tuple[Array, Array, Array]:
        """Return q, v and a (n,) at a state."""
        raise NotImplementedError

    def _x(self, k: int) -> Any:
        """Return state k."""
        start, states = self.__dict__.get("_kept") or (0, [self._first])
        if k < start:
            start, states = 0, [self._first]
        if k >= start + len(states):
            states = states.copy()
            while k >= start + len(states):
                states.append(self._advance(states[-1]))
                if len(states) > 2 * KEPT:
                    del states[:KEPT]
                    start += KEPT
            self._set(_kept=(start, states))
        return states[k - start]

    def _motion(self, times: Array) -> GaitState:
        """Return states (k, n): between two knots the quintics through q, v, a of both.

        The motion is C2, and v and a are its exact derivatives. With
        q = q0 + v0 u + a0 u^2 / 2 + c3 u^3 + c4 u^4 + c5 u^5, u the time since the knot in units of the
        interval h, the coefficients c follow from what the end has beyond the first three terms.
        """
        h, index = self._interval, (times / self._interval).astype(np.int64)
        ends = np.empty((2, 3, len(times), len(self.joint_names)))
        for row in np.argsort(times, kind="stable"):  # states are computed forwards
            for end in (0, 1):
                ends[end, :, row] = self._knot(self._x(int(index[row]) + end))
        u = (times / h - index)[:, np.newaxis]
        (q0, v0, a0), (q1, v1, a1) = ends * np.array([1.0, h, h * h])[:, np.newaxis, np.newaxis]
        dq, dv, da = q1 - (q0 + v0 + 0.5 * a0), v1 - (v0 + a0), a1 - a0
        c3 = 10.0 * dq - 4.0 * dv + 0.5 * da
        c4 = -15.0 * dq + 7.0 * dv - da
        c5 = 6.0 * dq - 3.0 * dv + 0.5 * da
        return GaitState(
            q0 + u * (v0 + u * (0.5 * a0 + u * (c3 + u * (c4 + u * c5)))),
            (v0 + u * (a0 + u * (3.0 * c3 + u * (4.0 * c4 + u * 5.0 * c5)))) / h,
            (a0 + u * (6.0 * c3 + u * (12.0 * c4 + u * 20.0 * c5))) / h**2,
        )


@dataclass(frozen=True)
class CoupledMaps(Stepped):
    """A lattice of maps, one for each joint, that drives the joints' angles from one iteration to the next.

        x_i' = (1 - e) f(x_i) + (e/2) (f(x_(i-1)) + f(x_(i+1))), f(x) = a x (1 - x)
        q_i = offset_i + amplitude_i (2 x_i - 1)

    (Kaneko, Progress of Theoretical Physics 72, 1984; driving a robot's joints by such maps: Kernbach et al.,
    International Journal on Advances in Intelligent Systems 3, 2010, without formulas of the gait.)
    Iteration k is at t = k period. In between q follows 10 u^3 - 15 u^4 + 6 u^5, the motion of least jerk
    from rest to rest (Flash & Hogan, Journal of Neuroscience 5, 1985): it stays between the two iterates, and
    |v| <= 15/8, |a| <= 10/sqrt(3) of the change per period and per period squared.

    Attributes:
        growth: a. From 3.57 to 4 chaotic, with periodic windows; below, periodic.
        coupling: e. papers/modular_robots/synchronisation.py shows which ones synchronise.
        period: of one iteration [s].
        boundary: ring: the last joint is a neighbour of the first; open: an end is its own outer neighbour.
        seed: of the first x, uniform in [0, 1). initial: the first x instead, one for each joint.
        settle: number of iterations before t = 0.

    Raises:
        GaitError: names the key, its value, and what is needed.
    """

    joint_names: tuple[str, ...]
    amplitude: Values
    period: float
    growth: float = 4.0
    coupling: float = 0.4
    boundary: str = "ring"
    seed: int = 0
    initial: Sequence[float] | None = None
    settle: int = 0
    offset: Values = 0.0
    ramp: float = 0.0

    def __post_init__(self) -> None:
        names = checked_names("joints", self.joint_names)
        if self.boundary not in BOUNDARIES:
            raise GaitError(f"boundary is {shown(self.boundary)}; {' and '.join(BOUNDARIES)} are known")
        checked = {
            "joint_names": names,
            "amplitude": per_joint("amplitude", self.amplitude, names),
            "offset": per_joint("offset", self.offset, names),
            "period": number("period", self.period, least=SHORTEST),
            "growth": number("growth", self.growth, least=0.0, most=4.0),
            "coupling": number("coupling", self.coupling, least=0.0, most=1.0),
            "seed": whole_number("seed", self.seed),
            "settle": whole_number("settle", self.settle, most=MOST_SETTLED),
            "ramp": duration("ramp", self.ramp),
        }
        if self.initial is not None:
            checked["initial"] = tuple(
                number(f"initial of joint '{name}'", x, least=0.0, most=1.0)
                for name, x in zip(names, per_joint("initial", self.initial, names), strict=True)
            )
        self._set(**checked)

    def iterates(self, count: int) -> Array:
        """Return x (count, n) of iterations 0 to count - 1; number k is at t = k period."""
        return np.array([self._x(k) for k in range(count)]).reshape(count, len(self.joint_names))

    @property
    def _interval(self) -> float:  # type: ignore[override]  # read-only
        return self.period

    @cached_property
    def _first(self) -> Array:  # type: ignore[override]  # read-only
        if self.initial is None:
            x = np.random.default_rng(self.seed).random(len(self.joint_names))
        else:
            x = np.array(self.initial, np.float64)
        for _ in range(self.settle):
            x = self._advance(x)
        return x

    def _advance(self, x: Array) -> Array:
        f = self.growth * x * (1.0 - x)
        before, after = np.roll(f, 1), np.roll(f, -1)
        if self.boundary == "open":
            before[0], after[-1] = f[0], f[-1]
        y = (1.0 - self.coupling) * f + 0.5 * self.coupling * (before + after)
        return np.clip(y, 0.0, 1.0)  # an iterate that rounding moved outside [0, 1] would diverge

    def _knot(self, x: Array) -> tuple[Array, Array, Array]:
        q = np.asarray(self.offset) + np.asarray(self.amplitude) * (2.0 * x - 1.0)
        return q, np.zeros_like(q), np.zeros_like(q)

    def mapping(self) -> dict[str, Any]:
        """Return the mapping from which ``gaits.load`` makes this gait."""
        numbers = zip(self.joint_names, np.array(self.amplitude), np.array(self.offset), strict=True)
        keys = ("ramp", "period", "growth", "coupling", "boundary", "settle")
        start = {"seed": self.seed} if self.initial is None else {"initial": list(self.initial)}
        joints = {name: {"amplitude": float(a), "offset": float(b)} for name, a, b in numbers}
        values = {key: getattr(self, key) for key in keys}
        return {"kind": "coupled_maps", **values, **start, "joints": joints}


@dataclass(frozen=True)
class Oscillators(Stepped):
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
            self._set(**{key: number(key, getattr(self, key), above=0.0)})
        self._set(seed=whole_number("seed", self.seed), ramp=duration("ramp", self.ramp))
        self._set(connections=self._checked_connections())
        degree = np.abs(self._adjacency).sum(axis=0).max()
        rate = float(self._omega.max() + 2.0 * self.convergence + 2.0 * self.coupling * degree)
        if rate > USUAL_STEP / SHORTEST:
            raise GaitError(
                f"the fastest rate, of frequency, convergence and coupling, is {rate:g} 1/s; "
                f"at most {USUAL_STEP / SHORTEST:g} is needed"
            )
        step = duration("step", self.step, most=LARGEST_STEP / rate)
        self._set(step=step or USUAL_STEP / rate)

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

    @property
    def _interval(self) -> float:  # type: ignore[override]  # read-only
        return self.step

    @cached_property
    def _first(self) -> Complex:  # type: ignore[override]  # read-only
        radius, angle = np.random.default_rng(self.seed).random((2, len(self.joint_names)))
        return np.asarray(np.sqrt(radius) * np.exp(2j * np.pi * angle))

    def _knot(self, z: Complex) -> tuple[Array, Array, Array]:
        amplitude, rate = self.rhythm.array("amplitude"), self._rate(z)
        q = self.rhythm.array("offset") + amplitude * z.real
        return q, amplitude * rate.real, amplitude * self._second(z, rate).real

    def mapping(self) -> dict[str, Any]:
        """Return the mapping from which ``gaits.load`` makes this gait."""
        links = self.connections if isinstance(self.connections, str) else [list(p) for p in self.connections]
        keys = ("ramp", "coupling", "convergence", "seed", "step")
        values = {key: getattr(self, key) for key in keys}
        return {"kind": "oscillators", **values, "connections": links, "joints": self.rhythm.mapping()}
