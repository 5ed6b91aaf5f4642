"""The double pendulum and the crane as assemblies of modules, and their motion beside Lagrange's equations.

The paper publishes neither masses and lengths nor initial states. The modules are in config/modular/. Both
mechanisms begin at rest, far from the vertical, so that all nonlinear terms count; nothing drives them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

import modular_dynamics as md
from modular_dynamics import modular
from modular_dynamics.text.yaml_text import documents
from papers.modular_robots.lagrange import (
    Crane,
    DoublePendulum,
    Equations,
    growth,
    integrate,
    symbolic_forces,
)

ROOT = Path(__file__).resolve().parents[2]
MODULES = ROOT / "config/modular"
DURATION = 10.0  # [s], as long as the plots
TOLERANCE = 1e-12  # of the integrator's steps
TARGET = 1e-8  # of the amplitude of each coordinate
EACH = 10  # of how many states accelerations are compared at one
#: A start of the double pendulum from which its motion is chaotic: no two integrators agree for long [rad].
CHAOTIC = (3.0, 3.0)
Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Benchmark:
    """An assembly at rest, and Lagrange's equations of the same mechanism.

    Attributes:
        start: initial coordinates of the equations [rad or m].
        coordinates, units: their names. x_of_q: matrix (2, 2) from joint positions to coordinates.
        parameters: of the closed form's symbols, which of the equations has the same value.
    """

    name: str
    assembly: modular.Assembly
    equations: Equations
    start: Array
    coordinates: tuple[str, str]
    units: tuple[str, str]
    x_of_q: Array
    parameters: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Comparison:
    """A motion by the library and by Lagrange's equations, at the same times (k,).

    Attributes:
        ours, theirs: the coordinates (k, 2). closed_form: by M, C and N of symbols.
        accelerations: those by M, C and N of numbers at states of their motion, less theirs, relative to
            their largest.
        our_energy, their_energy: of the motion [J] (k,), each by its own formula.
        grows: largest factor by which a small difference of the start grows.
    """

    benchmark: Benchmark
    times: Array
    ours: Array
    closed_form: Array
    theirs: Array
    accelerations: float
    our_energy: Array
    their_energy: Array
    grows: float

    @property
    def amplitudes(self) -> Array:
        """Half of the range of each coordinate [rad or m]."""
        return 0.5 * np.ptp(self.theirs, axis=0)

    @property
    def differences(self) -> dict[str, Array]:
        """Differences of the coordinates, relative to their amplitudes (k, 2), by method."""
        motions = {"M, C, N of symbols": self.closed_form, "md.simulate": self.ours}
        return {name: np.abs(x - self.theirs) / self.amplitudes for name, x in motions.items()}

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
    names, same = ("th1", "th2"), {"m1": "m1", "r1": "l1", "l2": "l1", "m2": "m2", "r2": "l2", "g": "g"}
    return Benchmark("double pendulum", assembly, equations, start, names, ("rad", "rad"), joints, same)


def crane() -> Benchmark:
    """Return a link below a cart that moves along x on a virtual prismatic joint."""
    rail = modular.virtual_joint("rail", "prismatic", [1.0, 0.0, 0.0])
    assembly = modular.Assembly(base=("cart", _kind("cart")), mount=[rail])
    assembly = assembly.dock("cart", "down", "load", "up", kind=_kind("pendulum_link"))
    cart = _data("cart")["bodies"]["cart"]["mass"]
    equations = Crane(cart, *_mass_and_length("pendulum_link"))
    start = np.array([0.0, 1.5])
    same = {"m1": "M", "m2": "m", "r2": "length", "g": "g"}
    return Benchmark("crane", assembly, equations, start, ("x", "th"), ("m", "rad"), np.eye(2), same)


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
        closed_form_motion(benchmark, times),
        x,
        _accelerations(benchmark, x[::EACH], v[::EACH]),
        ours.energy,
        benchmark.equations.energy(x, v),
        growth(benchmark.equations, benchmark.start, times),
    )


def closed_form_motion(benchmark: Benchmark, times: Array) -> Array:
    """Return coordinates (k, 2) at ``times`` (k,) by M(q) a + C(q, v) v + N(q) = 0 of symbols: eqs. 36-39."""
    equations = modular.closed_form(benchmark.assembly, symbolic=True)
    M, C, N = (equations.python_function(name) for name in "MCN")

    def derivative(_: float, y: Array) -> Array:
        q, v = y[:2], y[2:]
        return np.concatenate([v, np.linalg.solve(M(q), -C(q, v) @ v - N(q))])

    start = np.concatenate([np.linalg.solve(benchmark.x_of_q, benchmark.start), np.zeros(2)])
    span, options = (times[0], times[-1]), {"rtol": TOLERANCE, "atol": TOLERANCE}
    return solve_ivp(derivative, span, start, "DOP853", times, **options).y[:2].T @ benchmark.x_of_q.T


def _accelerations(benchmark: Benchmark, x: Array, v: Array) -> float:
    equations, q_of_x = modular.closed_form(benchmark.assembly), np.linalg.inv(benchmark.x_of_q)
    theirs = np.array([benchmark.equations.accelerations(0.0, *state) for state in zip(x, v, strict=True)])
    ours = []
    for q, rates in zip(x @ q_of_x.T, v @ q_of_x.T, strict=True):
        bias = equations.C(q, rates) @ rates + equations.N(q)
        ours.append(benchmark.x_of_q @ np.linalg.solve(equations.M(q), -bias))
    return float(np.abs(ours - theirs).max() / np.abs(theirs).max())


def symbolic_difference(benchmark: Benchmark) -> Any:
    """Return M a + C v + N less Lagrange's equations (2, 1), simplified, with symbols for all parameters."""
    ours = modular.closed_form(benchmark.assembly, symbolic=True, parameters="symbols")
    symbols = {one.name: sympy.Symbol(one.name) for one in fields(benchmark.equations) if one.name != "force"}
    same = {symbol: symbols[benchmark.parameters[str(symbol)]] for symbol in ours.values}
    X = sympy.Matrix(benchmark.x_of_q.astype(int))
    x, v, a = ([*(X * sympy.Matrix(one))] for one in (ours.q, ours.v, ours.a))
    # dL/dx at new symbols, which become sums of joint angles afterwards
    own = [sympy.symbols(f"{name}_1 {name}_2") for name in ("x", "v", "a")]
    theirs = symbolic_forces(replace(benchmark.equations, **symbols), *own)
    values = dict(zip([*own[0], *own[1], *own[2]], [*x, *v, *a], strict=True))
    difference = ours.written_out("tau").subs(same) - X.T * theirs.subs(values)
    return difference.applyfunc(lambda entry: sympy.simplify(sympy.expand_trig(entry)))


def _kind(name: str) -> modular.ModuleType:
    return modular.read_module_type(MODULES / f"{name}.yaml")


def _mass_and_length(name: str) -> tuple[float, float]:
    """Return a link's numbers, without the library's reader, whose errors would be in both motions."""
    rod = _data(name)["bodies"]["rod"]
    return rod["mass"], -rod["com"][2]


def _data(name: str) -> Any:
    return documents((MODULES / f"{name}.yaml").read_text(encoding="utf-8"), name)[0]
