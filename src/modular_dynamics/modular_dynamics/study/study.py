"""A study: a robot, its inputs and motions, what is measured of a design, and its requirements."""

import hashlib
import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from math import prod
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..exceptions import ModularDynamicsError, StudyError
from ..model import SubsystemGraph
from ..motions import AccelerationProfile

# Inputs of a study: what a designer chooses, and the robot's parameters that follow from it.

Array = NDArray[np.float64]
#: The column of an input that is one number.
VALUE = "value"


@dataclass(frozen=True)
class Target:
    """A parameter of the robot that an input sets: factor * value + offset."""

    parameter: str
    factor: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class Input:
    """A list, a catalogue, a range, or a choice of trajectories. In a design it is one number.

    That number is a range's value itself; of all others the number of the row, from 0.

    Attributes:
        labels: names of the rows; none of a range.
        columns: of a list or a catalogue, the rows' values by column; a list's column is VALUE.
        low, high, steps: of a range; steps: how many values the grid has of it, ends included.
        targets: by column, what it sets. A column may set nothing, and only be a limit.
        is_trajectory: whether the rows are trajectories.
    """

    name: str
    labels: tuple[str, ...] = ()
    columns: tuple[tuple[str, tuple[float, ...]], ...] = ()
    low: float = 0.0
    high: float = 0.0
    steps: int = 0
    targets: tuple[tuple[str, tuple[Target, ...]], ...] = ()
    is_trajectory: bool = False

    @property
    def is_range(self) -> bool:
        """Whether every number between two values is possible."""
        return not self.labels

    @property
    def count(self) -> int:
        """Number of values on the grid."""
        return len(self.labels) or self.steps

    def on_grid(self, levels: NDArray[np.int64]) -> Array:
        """Return the designs' numbers at levels 0 ... count - 1 of the grid."""
        return self.at(levels / (self.steps - 1)) if self.is_range else levels.astype(float)

    def at(self, share: Array) -> Array:
        """Return the designs' numbers at shares 0 ... 1 of the input's range or rows."""
        if self.is_range:
            return self.low * (1.0 - share) + self.high * share  # the ends exactly
        return np.minimum(np.floor(share * self.count), self.count - 1.0)

    def column(self, name: str, numbers: Array) -> Array:
        """Return a column's values for the numbers of designs (n,)."""
        if self.is_range:
            return numbers
        return np.array(dict(self.columns)[name])[numbers.astype(np.int64)]

    def label(self, number: float) -> str:
        """Return a design's number as text for people."""
        return f"{number:.6g}" if self.is_range else self.labels[int(number)]


# A study: a robot, its inputs and motions, what is measured of a design, and its requirements.

#: A number, or a column of an input.
Bound = float | tuple[str, str]


@dataclass(frozen=True)
class Sampling:
    """Choice of designs: "grid" (all combinations), or a number of "sobol" (with a seed)."""

    kind: str = "grid"
    designs: int = 0
    seed: int = 0


@dataclass(frozen=True)
class TensionLimit:
    """Least and largest tension of a spring [N]; each a number, or a column (input, column)."""

    spring: str
    least: Bound | None = None
    largest: Bound | None = None


@dataclass(frozen=True)
class Keep:
    """Requirements on a design at every state.

    Attributes:
        strokes: joints within their position limits. efforts: actuators within their effort limits.
        sine: the smallest sine of a loop's angle; 0 is a singular configuration. tensions: of springs.
    """

    strokes: tuple[str, ...] = ()
    efforts: tuple[str, ...] = ()
    sine: float | None = None
    tensions: tuple[TensionLimit, ...] = ()


@dataclass(frozen=True, eq=False)
class Study:
    """The content of a study file, with the robot and the motions that it names.

    Attributes:
        graph: the robot as it is, the published design. inputs: in the file's order.
        trajectories: by name; the first one is the published design's. rate: of their states [1/s].
        instead: independent joint -> passive joint that the trajectories move instead of it.
        actuators: independent joints whose load counts, with their weights.
        objective: shares of the relative "largest" and "mean" load in a design's score.
        source: the file. text: what it holds.
    """

    name: str
    graph: SubsystemGraph
    inputs: tuple[Input, ...]
    trajectories: Mapping[str, AccelerationProfile]
    rate: float
    instead: Mapping[str, str]
    actuators: Mapping[str, float]
    objective: Mapping[str, float]
    keep: Keep
    sampling: Sampling
    source: Path
    text: str

    @property
    def count(self) -> int:
        """Number of designs."""
        if self.sampling.kind != "grid":
            return self.sampling.designs
        return prod(one.count for one in self.inputs)

    def task(self) -> SubsystemGraph:
        """Return the robot with the trajectories' joints independent. Raises StudyError: they cannot be."""
        if not self.instead:
            return self.graph
        names = [self.instead.get(name, name) for name in self.graph.independent_joint_names]
        try:
            return self.graph.with_independent_joints(*names)
        except ModularDynamicsError as error:
            raise StudyError(str(error)) from error

    def digest(self) -> str:
        """Return 16 hexadecimal digits of all that results depend on: study, motions, robot, versions.

        The objective is left out: it chooses among results.
        """
        motions = {
            name: (one.joint_names, one.accelerations.tolist(), one.start.tolist(), one.duration, one.pieces)
            for name, one in self.trajectories.items()
        }
        own = [*(asdict(one) for one in self.inputs), asdict(self.keep), asdict(self.sampling)]
        rest = self.rate, dict(self.instead), dict(self.actuators)
        versions = {
            package: _version(package) for package in ("modular_dynamics", "numpy", "scipy", "pyarrow")
        }
        everything = self.name, own, motions, rest, self.graph.to_urdf(), versions
        return hashlib.sha256(json.dumps(everything).encode()).hexdigest()[:16]


def _version(package: str) -> str:
    """Return the version of a package, installed or only on the path; empty if there is none."""
    own = import_module(package) if package == __name__.partition(".")[0] else None
    try:
        return str(own.__version__) if own is not None else version(package)
    except PackageNotFoundError:
        return ""


# The numbers of designs, each from its index alone: any worker can make any chunk.

#: The Sobol sequence has 2**_BITS points; SciPy skips points of at most 32 bits.
_BITS = 32


def designs_between(inputs: Sequence[Input], sampling: Sampling, first: int, last: int) -> Array:
    """Return designs first ... last - 1: (last - first, inputs), a number for each input (`Input`).

    "grid": the index in mixed radix, the last input fastest. "sobol": the Sobol sequence with Owen's
    scrambling, from ``scipy.stats.qmc``.
    """
    if sampling.kind == "grid":
        counts = [one.count for one in inputs]
        levels = np.unravel_index(np.arange(first, last), counts)
        columns = [one.on_grid(np.asarray(level)) for one, level in zip(inputs, levels, strict=True)]
    else:
        shares = _sobol(len(inputs), sampling.seed, first, last - first)
        columns = [one.at(shares[:, k]) for k, one in enumerate(inputs)]
    return np.stack(columns, axis=1)


def _sobol(width: int, seed: int, first: int, count: int) -> Array:
    """Return points first ... first + count - 1 (count, width) of the scrambled Sobol sequence."""
    from scipy.stats import qmc  # noqa: PLC0415  # takes long

    sequence = qmc.Sobol(width, scramble=True, bits=_BITS, rng=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a chunk is not balanced by itself; the sequence is, at powers of 2
        if first:
            sequence.fast_forward(first)
        return np.asarray(sequence.random(count))
