"""The double pendulum and the crane as assemblies of modules, and their motion beside Lagrange's equations.

The paper publishes neither masses and lengths nor initial states. The modules are in config/modular/. Both
mechanisms begin at rest, far from the vertical, so that all nonlinear terms count; nothing drives them.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import modular_dynamics as md
from modular_dynamics import modular
from modular_dynamics.text.yaml_text import documents
from papers.modular_robots.lagrange import Crane, DoublePendulum, Equations, growth, integrate

ROOT = Path(__file__).resolve().parents[2]
MODULES = ROOT / "config/modular"
DURATION = 10.0  # [s], as long as the plots
TOLERANCE = 1e-12  # of the integrator's steps
TARGET = 1e-8  # of the amplitude of each coordinate
#: A start of the double pendulum from which its motion is chaotic: no two integrators agree for long [rad].
CHAOTIC = (3.0, 3.0)
Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Benchmark:
    """An assembly at rest, and Lagrange's equations of the same mechanism.

    Attributes:
        start: initial coordinates of the equations [rad or m].
        coordinates, units: their names. x_of_q: matrix (2, 2) from joint positions to coordinates.
    """

    name: str
    assembly: modular.Assembly
    equations: Equations
    start: Array
    coordinates: tuple[str, str]
    units: tuple[str, str]
    x_of_q: Array


@dataclass(frozen=True, eq=False)
class Comparison:
    """A motion by the library and by Lagrange's equations, at the same times (k,).

    Attributes:
        ours, theirs: the coordinates (k, 2).
        our_energy, their_energy: of the motion [J] (k,), each by its own formula.
        grows: largest factor by which a small difference of the start grows.
    """

    benchmark: Benchmark
    times: Array
    ours: Array
    theirs: Array
    our_energy: Array
    their_energy: Array
    grows: float

    @property
    def amplitudes(self) -> Array:
        """Half of the range of each coordinate [rad or m]."""
        return 0.5 * np.ptp(self.theirs, axis=0)

    @property
    def differences(self) -> Array:
        """Differences of the coordinates, relative to their amplitudes (k, 2)."""
        return np.abs(self.ours - self.theirs) / self.amplitudes

    @property
    def drifts(self) -> tuple[float, float]:
        """Largest change of the energy, ours and theirs, relative to the range of the potential energy."""
        resting = self.benchmark.equations.energy(self.theirs, np.zeros_like(self.theirs))
        energies = self.our_energy, self.their_energy
        ours, theirs = (float(np.abs(energy - energy[0]).max() / np.ptp(resting)) for energy in energies)
        return ours, theirs


def double_pendulum() -> Benchmark:
    """Return two links below a pivot; for angles of this size errors grow little over 10 s."""
    assembly = modular.Assembly(base=("pivot", _kind("pivot")))
    assembly = assembly.dock("pivot", "down", "upper", "up", kind=_kind("pendulum_link"))
    assembly = assembly.dock("upper", "down", "lower", "up", kind=_kind("pendulum_link_short"))
    (m1, l1), (m2, l2) = _mass_and_length("pendulum_link"), _mass_and_length("pendulum_link_short")
    equations = DoublePendulum(m1, m2, l1, l2)
    joints = np.array([[1.0, 0.0], [1.0, 1.0]])  # a joint's angle is from the link above
    start = np.array([1.0, -0.5])
    return Benchmark("double pendulum", assembly, equations, start, ("th1", "th2"), ("rad", "rad"), joints)


def crane() -> Benchmark:
    """Return a link below a cart that moves along x on a virtual prismatic joint."""
    rail = modular.virtual_joint("rail", "prismatic", [1.0, 0.0, 0.0])
    assembly = modular.Assembly(base=("cart", _kind("cart")), mount=[rail])
    assembly = assembly.dock("cart", "down", "load", "up", kind=_kind("pendulum_link"))
    cart = _data("cart")["bodies"]["cart"]["mass"]
    equations = Crane(cart, *_mass_and_length("pendulum_link"))
    start = np.array([0.0, 1.5])
    return Benchmark("crane", assembly, equations, start, ("x", "th"), ("m", "rad"), np.eye(2))


def compare(benchmark: Benchmark, duration: float = DURATION, count: int = 1001) -> Comparison:
    """Return both motions over ``duration`` [s] at ``count`` times."""
    times = np.linspace(0.0, duration, count)
    q = np.linalg.solve(benchmark.x_of_q, benchmark.start)
    graph, rest = benchmark.assembly.graph(), np.zeros(2)
    ours = md.simulate(graph, q, rest, None, duration, times=times, rtol=TOLERANCE, atol=TOLERANCE)
    x, v = integrate(benchmark.equations, benchmark.start, times)
    return Comparison(
        benchmark,
        times,
        ours.coordinates @ benchmark.x_of_q.T,
        x,
        ours.energy,
        benchmark.equations.energy(x, v),
        growth(benchmark.equations, benchmark.start, times),
    )


def _kind(name: str) -> modular.ModuleType:
    return modular.read_module_type(MODULES / f"{name}.yaml")


def _mass_and_length(name: str) -> tuple[float, float]:
    """Return a link's numbers, without the library's reader, whose errors would be in both motions."""
    rod = _data(name)["bodies"]["rod"]
    return rod["mass"], -rod["com"][2]


def _data(name: str) -> Any:
    return documents((MODULES / f"{name}.yaml").read_text(encoding="utf-8"), name)[0]
