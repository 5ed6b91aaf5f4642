"""Gaits: positions, velocities and accelerations of named joints, from rhythms or coupled maps.

::

    gait = gaits.load("config/gaits/snake.yaml")
    q, v, a = gait.at(0.5)
"""

import math
import os
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..exceptions import GaitError, StateError, UnknownNameError
from ..model.number_arrays import Constant, number_array
from ..text.element import Element
from ..text.files import given_text
from ..text.numbers import LARGEST
from ..text.sizes import MAX_YAML_BYTES
from ..text.yaml_text import documents
from .names import listed, shown

__all__ = [
    "Gait",
    "GaitState",
    "load",
    "Rhythm",
    "body_wave",
    "legs",
    "Sine",
    "CoupledMaps",
]

Array = NDArray[np.float64]
#: One number for all joints, or one for each.
Values = float | Sequence[float]
#: Shorter times [s] but 0 are mistakes, as are numbers beyond LARGEST: products of them could overflow.
SHORTEST = 1e-6
NUMBERS = ("amplitude", "frequency", "offset", "phase")  # of each joint of a rhythm
BOUNDARIES = ("ring", "open")
MOST_SETTLED = 1_000_000  # some seconds of computation
#: Number of iterates before the last one that are kept, because integrators step back by a few.
KEPT = 1000


def number(key: str, value: Any, *, least: float = -LARGEST, most: float = LARGEST) -> float:
    """Return a number in [least, most]. Raises GaitError: names key, range."""
    plain = value.item() if isinstance(value, np.generic) else value
    return Element({key: plain}, "", error=GaitError).number(key, None, least, most)


def duration(key: str, value: Any) -> float:
    """Return a time [s], 0 or at least a microsecond. Raises GaitError."""
    result = number(key, value, least=0.0)
    if 0.0 < result < SHORTEST:
        raise GaitError(f"{key} is {result:g}; 0 or at least {SHORTEST:g} s is needed")
    return result


def whole_number(key: str, value: Any, *, most: int = 2**63 - 1) -> int:
    """Return an integer from 0 to ``most``. Raises GaitError."""
    plain = value.item() if isinstance(value, np.generic) else value
    return Element({key: plain}, "", error=GaitError).whole(key, None, 0, most)


def checked_names(key: str, names: Any) -> tuple[str, ...]:
    """Return at least one name, none twice. Raises GaitError."""
    if isinstance(names, str | Mapping | Set) or not isinstance(names, Iterable):
        raise GaitError(f"{key} is {shown(names)}; a list of joints' names is needed")
    result = tuple(names)
    if not result:
        raise GaitError(f"{key} is empty; the name of at least one joint is needed")
    for name in result:
        if not isinstance(name, str) or not name:
            raise GaitError(f"{key} holds {shown(name)}; the name of a joint is needed")
    twice = [name for name, count in Counter(result).items() if count > 1]
    if twice:
        raise GaitError(f"{key} names {listed(twice)} twice; each joint has one motion")
    return result


def per_joint(key: str, values: Any, joints: Sequence[str], *, least: float = -LARGEST) -> tuple[float, ...]:
    """Return one number for each joint; a single number is for all. Raises GaitError: names the joint."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        return (number(key, values, least=least),) * len(joints)
    numbers = list(values)
    if len(numbers) != len(joints):
        counts = f"{len(numbers)} numbers for {len(joints)} joints"
        raise GaitError(f"{key} has {counts}; one number, or one for each joint is needed")
    return tuple(
        number(f"{key} of joint '{joint}'", value, least=least)
        for joint, value in zip(joints, numbers, strict=True)
    )


class GaitState(NamedTuple):
    """Joints' positions q [rad or m], velocities v and accelerations a: (n,), or (k, n) at k times."""

    q: Array
    v: Array
    a: Array


class Gait(Constant, ABC):
    """A motion of named joints for t >= 0, the same in every run; v and a are the derivatives of q.

    Maps are iterated from t = 0: asking for times that rise, or that go back by less than 1000 iterations,
    costs a few iterations; other times cost all iterations before them.

    Attributes:
        joint_names: the order of the arrays.
        ramp: time [s] in which the motion grows out of q = v = a = 0; 0 for none.
    """

    joint_names: tuple[str, ...]
    ramp: float

    def at(self, t: float) -> GaitState:
        """Return state (n,) at time t [s]. Raises StateError: a time that is negative or not finite."""
        return GaitState(*(row[0] for row in self.states([t])))

    def states(self, times: ArrayLike) -> GaitState:
        """Return states (k, n) at k times [s], in any order. Raises StateError: as ``at``, or no vector."""
        t = number_array("times", times, "are")
        if t.ndim != 1 or not np.isfinite(t).all() or (t < 0.0).any():
            raise StateError(f"times are {times!r}; finite times [s] of at least 0 are needed, as a vector")
        return _smooth_start(self._motion(t), t, self.ramp)

    @abstractmethod
    def _motion(self, times: Array) -> GaitState:
        """Return states (k, n) without the ramp at the start."""

    def checked_against(self, joint_names: Iterable[str]) -> "Gait":
        """Return the same motion in the order of ``joint_names``; joints without a motion stay at 0.

        Raises UnknownNameError: the gait moves joints that are not among ``joint_names``.
        """
        names = checked_names("joint_names", joint_names)
        unknown = [name for name in self.joint_names if name not in names]
        if unknown:
            raise UnknownNameError(f"no joint {', '.join(unknown)}; the joints: {', '.join(names)}")
        return _OnJoints(self, names, self.ramp)


@dataclass(frozen=True)
class _OnJoints(Gait):
    """A gait extended to more joints, which stay at 0."""

    gait: Gait
    joint_names: tuple[str, ...]
    ramp: float

    def _motion(self, times: Array) -> GaitState:
        wide = np.zeros((3, len(times), len(self.joint_names)))
        columns = [self.joint_names.index(name) for name in self.gait.joint_names]
        wide[:, :, columns] = self.gait._motion(times)
        return GaitState(*wide)


def _least_jerk(u: Array) -> tuple[Array, Array, Array]:
    """Return s(u) = 10 u^3 - 15 u^4 + 6 u^5, s' and s'': from rest to rest, 0 <= u <= 1."""
    s = u**3 * (10.0 - 15.0 * u + 6.0 * u**2)
    return s, 30.0 * u**2 * (1.0 - u) ** 2, 60.0 * u * (1.0 - u) * (1.0 - 2.0 * u)


def _smooth_start(motion: GaitState, times: Array, ramp: float) -> GaitState:
    """Return the motion times s(t / ramp) up to t = ramp: q, v and a start at 0, and nothing jumps."""
    if ramp == 0.0:
        return motion
    s, ds, dds = _least_jerk(np.minimum(times / ramp, 1.0)[:, np.newaxis])
    (q, v, a), ds, dds = motion, ds / ramp, dds / ramp**2
    return GaitState(s * q, s * v + ds * q, s * a + 2.0 * ds * v + dds * q)


@dataclass(frozen=True)
class Rhythm(Constant):
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
        names = checked_names("joints", self.joint_names)
        self._set(joint_names=names)
        for key in NUMBERS:
            least = 0.0 if key == "frequency" else -LARGEST
            self._set(**{key: per_joint(key, getattr(self, key), names, least=least)})

    def __add__(self, other: "Rhythm") -> "Rhythm":
        """Return a rhythm with the joints of both. Raises GaitError: a joint is in both."""
        values = (getattr(self, key) + getattr(other, key) for key in NUMBERS)  # tuples, by `per_joint`
        return Rhythm(self.joint_names + other.joint_names, *values)

    def array(self, key: str) -> Array:
        """Return amplitude, frequency, offset or phase as an array (n,)."""
        return np.asarray(getattr(self, key), np.float64)


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
    names = checked_names("body/joints", joints)
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
    """Return a wave of legs along a body: joint j of leg k has phase - k lag - j within.

    Legs on the right have ``opposition`` less.

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
            for j, name in enumerate(checked_names(f"legs/{side}, leg {k + 1}", leg)):
                names.append(name)
                phases.append(phase - k * lag - j * within - (opposition if side == "right" else 0.0))
    return Rhythm(checked_names("legs", names), amplitude, frequency, offset, phases)


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
        self._set(ramp=duration("ramp", self.ramp))

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


@dataclass(frozen=True)
class CoupledMaps(Gait):
    """A lattice of maps, one for each joint, that drives the joints' angles from one iteration to the next.

    ::

        x_i' = (1 - e) f(x_i) + (e/2) (f(x_(i-1)) + f(x_(i+1))), f(x) = a x (1 - x)
        q_i = offset_i + amplitude_i (2 x_i - 1)

    (Kaneko, Progress of Theoretical Physics 72, 1984; driving a robot's joints by such maps: Kernbach et al.,
    International Journal on Advances in Intelligent Systems 3, 2010, without formulas of the gait.)
    Iteration k is at t = k period. In between q follows 10 u^3 - 15 u^4 + 6 u^5, the motion of least jerk
    from rest to rest (Flash & Hogan, Journal of Neuroscience 5, 1985): it stays between the two iterates, and
    |v| <= 15/8, |a| <= 10/sqrt(3) of the change per period and per period squared.

    Attributes:
        growth: the number a. From 3.57 to 4 chaotic, with periodic windows; below, periodic.
        coupling: the number e. docs/reference/gaits.md says which ones synchronise.
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

    @cached_property
    def _first(self) -> Array:
        """The first iterate, after the settling iterations."""
        if self.initial is None:
            x = np.random.default_rng(self.seed).random(len(self.joint_names))
        else:
            x = np.array(self.initial, np.float64)
        for _ in range(self.settle):
            x = self._advance(x)
        return x

    def _advance(self, x: Array) -> Array:
        """Return the iterate after x."""
        f = self.growth * x * (1.0 - x)
        before, after = np.roll(f, 1), np.roll(f, -1)
        if self.boundary == "open":
            before[0], after[-1] = f[0], f[-1]
        y = (1.0 - self.coupling) * f + 0.5 * self.coupling * (before + after)
        return np.clip(y, 0.0, 1.0)  # an iterate that rounding moved outside [0, 1] would diverge

    def _x(self, k: int) -> Array:
        """Return iterate k. Threads may share a gait: what it keeps is replaced as a whole."""
        start, kept = self.__dict__.get("_kept") or (0, [self._first])
        if k < start:
            start, kept = 0, [self._first]
        if k >= start + len(kept):
            kept = kept.copy()
            while k >= start + len(kept):
                kept.append(self._advance(kept[-1]))
                if len(kept) > 2 * KEPT:
                    del kept[:KEPT]
                    start += KEPT
            self._set(_kept=(start, kept))
        iterate: Array = kept[k - start]
        return iterate

    def _motion(self, times: Array) -> GaitState:
        h, index = self.period, (times / self.period).astype(np.int64)
        x = np.empty((2, len(times), len(self.joint_names)))
        for row in np.argsort(times, kind="stable"):  # iterates are computed forwards
            x[:, row] = self._x(int(index[row])), self._x(int(index[row]) + 1)
        q0, q1 = np.asarray(self.offset) + np.asarray(self.amplitude) * (2.0 * x - 1.0)
        s, ds, dds = _least_jerk((times / h - index)[:, np.newaxis])
        return GaitState(q0 + s * (q1 - q0), ds / h * (q1 - q0), dds / h**2 * (q1 - q0))


# Gaits from YAML: the keys of each kind, and sections for waves along bodies and legs.

RHYTHMIC = ("kind", "ramp", "body", "legs", "joints", *NUMBERS)
MAPS = ("period", "growth", "coupling", "boundary", "seed", "initial", "settle", "ramp")


def load(source: str | os.PathLike[str] | Mapping[str, Any]) -> Gait:
    """Return a gait from a YAML file, YAML text (of more than one line), or a mapping.

    Keys and units: docs/reference/gaits.md; examples: config/gaits/.

    Raises:
        GaitError: no such file, not YAML, a key twice or unknown, a value out of range; it names file, line,
            key and value, and what is right.
    """
    name, content = "", source
    if not isinstance(source, Mapping):
        name, text = given_text(source, "gait", MAX_YAML_BYTES, GaitError)
        found = documents(text, name, GaitError, merges=True)
        content = found[0] if len(found) == 1 else found  # type: ignore[assignment]
    try:
        return _gait(Element.top(content, name, "a mapping of keys to values", GaitError))
    except GaitError as error:
        if error.line is not None or not name:  # it names file and line
            raise
        raise error.located(f"{name[:250]}: ", None) from None


def _gait(top: Element) -> Gait:
    """Return the gait of a mapping."""
    kind = top.choice("kind", ("sine", "coupled_maps"))
    if kind == "sine":
        return Sine(_rhythm(top.require((), RHYTHMIC)), **_chosen(top, ("ramp",)))
    top.require(("kind", "joints", "period"), ("amplitude", "offset", *MAPS))
    if "seed" in top.item and "initial" in top.item:
        raise top.failure("seed", " and initial both give the first states; leave one of them out")
    names, numbers = _own_numbers(top, ("amplitude", "offset"))
    return CoupledMaps(joint_names=names, **numbers, **_chosen(top, MAPS))


def _rhythm(top: Element) -> Rhythm:
    """Return the rhythm of the sections body, legs and joints, in this order."""
    parts = []
    common = _chosen(top, NUMBERS)
    if "body" in top.item:
        section = top.element("body").require(("joints", "lag"), NUMBERS)
        parts.append(body_wave(**_with(section, common, "amplitude", "frequency")))
    if "legs" in top.item:
        section = top.element("legs").require(("lag",), ("left", "right", "opposition", "within", *NUMBERS))
        values = {"left": [], "right": [], **common}
        parts.append(legs(**_with(section, values, "amplitude", "frequency")))
    if "joints" in top.item:
        names, numbers = _own_numbers(top, NUMBERS)
        parts.append(Rhythm(names, **numbers))
    if not parts:
        raise top.failure("", "no section body, legs or joints; at least one is needed")
    return reduce(add, parts)


def _own_numbers(top: Element, keys: tuple[str, ...]) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return the names under joints, and each joint's numbers: its own, or else the gait's."""
    given = top.item["joints"]
    names = checked_names("joints", tuple(given) if isinstance(given, Mapping) else given)
    numbers: dict[str, list[float]] = {key: [] for key in keys}
    common = {"offset": 0.0, "phase": 0.0, **_chosen(top, keys)}
    own = Element({}, top.file, "joints/", GaitError)
    for name in names:
        if isinstance(given, Mapping) and given[name] is not None:
            own = top.element("joints").element(name)
        else:
            own = own._replace(item={}, path=f"joints/{name}/")
        for key, value in _with(own.require((), keys), common, *keys).items():
            if key in keys:
                numbers[key].append(number(f"{key} of joint '{name}'", value))
    return names, numbers


def _with(section: Element, common: Mapping[str, Any], *needed: str) -> dict[str, Any]:
    """Return the values of a section, or else the gait's. Raises GaitError: there is neither."""
    values = {**common, **section.item}
    for key in needed:
        if key not in values:
            raise section.failure(key, " is missing")
    return values


def _chosen(top: Element, keys: tuple[str, ...]) -> dict[str, Any]:
    """Return the values of those keys that are given."""
    return {key: value for key, value in top.item.items() if key in keys}
