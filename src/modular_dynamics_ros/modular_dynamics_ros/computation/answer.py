"""One joint state as the computation takes it, and its torques: values that later calls do not change."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Answer",
    "AppliedWrenches",
    "Configuration",
    "Disagreement",
    "Dynamics",
    "Solver",
    "StampedWrench",
    "State",
    "TreeDynamics",
    "Wrenches",
]

Array = NDArray[np.float64]
Wrenches = Mapping[str, Array] | None  # by name [force N, moment N m] (6,)
StampedWrench = tuple[str, Array]  # link, [force N, moment N m] at and in its frame


@dataclass(frozen=True, eq=False)
class State:
    """A joint state with the accelerations that belong to it.

    Attributes:
        stamp: [ns]. q, v, a: (n,) of the robot's `state_names` [rad or m, per s, per s^2].
        measured: positions of the robot's `passive_names`, NaN where they are not measured.
    """

    stamp: int
    q: Array
    v: Array
    a: Array
    measured: Array


@dataclass(frozen=True, eq=False)
class AppliedWrenches:
    """Wrenches from topics: external ones by link, those of black boxes by subsystem."""

    external: Wrenches = None
    black_box: Wrenches = None


class TreeDynamics(NamedTuple):
    """Motion, torques and wrenches of the robot without its loop joints, all in the order of its graph."""

    q: Array
    v: Array
    a: Array
    tau: Array
    external: Wrenches
    black_box: Wrenches


@dataclass(frozen=True)
class Disagreement:
    """A passive joint and by how much its measured position differs from the closed one [rad or m]."""

    joint: str
    difference: float


@dataclass(frozen=True, eq=False)
class Configuration:
    """Where all joints are.

    Attributes:
        coordinates: (nq,) of the graph's joints, with the loops closed.
        disagreements: passive joints that are measured elsewhere.
        continues_last: whether the assembly mode is that of the answer before.
    """

    coordinates: Array
    disagreements: tuple[Disagreement, ...] = ()
    continues_last: bool = True


class Dynamics(Protocol):
    """The inverse dynamics of one state, of an open chain or of a robot with closed loops."""

    @property
    def tau(self) -> Array:
        """(n,) torques of the robot's `state_names` [N m or N]."""

    @property
    def friction(self) -> Array:
        """(n,) torques that overcome friction [N m or N]."""

    def connection_wrench(self, index: int) -> StampedWrench:
        """The wrench that holds the subsystem with this index."""

    def as_tree(self) -> TreeDynamics:
        """The same for a comparison with an implementation that knows no loops."""


@dataclass(frozen=True, eq=False)
class Answer:
    """What is published for one state.

    Attributes:
        state: what is answered. configuration: its joints. wrenches: those that were applied.
        effort: (n,) [N m or N], NaN inside black boxes. exceeded: (n,) whether its limit was exceeded.
        dynamics: the inverse dynamics behind the effort.
    """

    state: State
    configuration: Configuration
    wrenches: AppliedWrenches
    effort: Array
    exceeded: NDArray[np.bool_]
    dynamics: Dynamics


class Solver(Protocol):
    """The inverse dynamics of one robot; a workspace of one thread."""

    def configure(self, state: State, previous: Answer | None) -> Configuration:
        """Where all joints are. Raises BadMessage: the loops do not close."""

    def solve(self, configuration: Configuration, v: Array, a: Array, wrenches: AppliedWrenches) -> Dynamics:
        """At velocities and accelerations (n,) of the state. Raises BadMessage: there are no torques."""

    def gravity(self, configuration: Configuration) -> Array:
        """Torques (n,) at rest without wrenches. Raises BadMessage: as `solve`."""
