"""`graph.compile()`: machine code for one fixed robot, used from then on wherever it is the faster one."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import codegen, kernels
from ..exceptions import UnsupportedModelError
from ..kernels import layout
from ..kernels.turns import new_turns
from ..model import SubsystemGraph, refuse_closures
from .algorithms import ALGORITHMS, DOUBLE, SINGLE, Algorithm, Arrays
from .arrays import constants_of, topology_of, work_of
from .pivots import joint_without_inertia

__all__ = ["CompileReport", "Generated", "compile_graph", "with_code"]

#: Numbers in a result from which on loops are better.
LARGEST_RESULT = 20_000
#: States in a timed batch, rounds of timing, and turns that code and loops take: some milliseconds each.
TIMED_STATES, ROUNDS, TURNS = 256, 5, 3
_KINDS: dict[tuple[str, np.dtype[Any]], codegen.Kind] = {
    ("single", DOUBLE): codegen.FLOAT64,
    ("batch", DOUBLE): codegen.FLOAT64X8,
    ("batch", SINGLE): codegen.FLOAT32X16,
}


class _RefusedError(Exception):
    """The graph is none for this algorithm."""


@dataclass(frozen=True)
class Generated:
    """One piece of code beside the loops that it may stand for; microseconds for one state.

    Attributes:
        form: "single" or "batch". used: is it the faster one?
        seconds: spent on making it, or on reading it from the disk.
    """

    algorithm: str
    form: str
    dtype: str
    address: int
    operations: int
    size: int
    seconds: float
    cached: bool
    loops_us: float
    code_us: float

    @property
    def used(self) -> bool:
        """Does it stand for the loops?"""
        return self.code_us < self.loops_us


@dataclass(frozen=True)
class CompileReport:
    """What `graph.compile()` made, from where, and what it brings."""

    robot: str
    pieces: tuple[Generated, ...]
    left_out: tuple[str, ...]
    seconds: float

    @property
    def cached(self) -> bool:
        """Did everything come from the disk?"""
        return all(piece.cached for piece in self.pieces)

    @property
    def operations(self) -> dict[str, int]:
        """Floating-point instructions for one state, by algorithm."""
        return {piece.algorithm: piece.operations for piece in self.pieces}

    def __str__(self) -> str:
        source = "from the cache" if self.cached else "compiled"
        lines = [f"'{self.robot}': generated code {source} in {self.seconds:.2f} s; us per state"]
        lines.append(f"{'':46}{'operations':>11}{'kB':>6}{'s':>7}{'loops':>9}{'code':>9}  used")
        for one in self.pieces:
            name = f"{one.algorithm}, {one.form}, {one.dtype}"
            lines.append(
                f"{name:46}{one.operations:11}{one.size / 1000:6.0f}{one.seconds:7.2f}"
                f"{one.loops_us:9.3f}{one.code_us:9.3f}  {'yes' if one.used else 'no'}"
            )
        return "\n".join([*lines, *self.left_out])


def with_code(graph: SubsystemGraph, algorithm: Algorithm, form: str, kind: Any, topology: Any) -> Any:
    """A topology that calls the graph's generated code, if there is some and it wins."""
    address = graph.machine_code.get((algorithm.name, form, kind), 0)
    if not address:
        return topology
    called = topology.copy()
    called[-1, layout.CODE] = address
    return called


def compile_graph(graph: SubsystemGraph, progress: Callable[[str], None] | None = None) -> CompileReport:
    """Behind :meth:`.SubsystemGraph.compile`."""
    if not hasattr(kernels.inverse_dynamics, "signatures"):
        raise RuntimeError("graph.compile() needs Numba's compiler, which NUMBA_DISABLE_JIT turns off")
    refuse_closures(graph, "generated code")
    boxes = [subsystem.name for subsystem in graph.subsystems if subsystem.black_box]
    if boxes:
        raise UnsupportedModelError(
            f"'{graph.name}' has black boxes ({', '.join(boxes)}): their wrenches are not known beforehand, "
            "and no code can be generated; the compiled loops work without compile()"
        )
    start = time.perf_counter()
    arrays = topology_of(graph, frozenset()), constants_of(graph)
    pieces, left_out = [], []
    for algorithm in ALGORITHMS:
        forms = [key for key in _KINDS if key[0] == "single" or key[1] in algorithm.batches]
        try:
            for form, dtype in forms:
                if progress is not None:
                    progress(f"{algorithm.name}, {form}, {dtype}")
                pieces.append(_generated(graph, algorithm, form, dtype, arrays))
        except codegen.TooLargeError as error:
            left_out.append(f"{algorithm.name}: the loops stay; {error}")
        except _RefusedError as error:
            left_out.append(f"{algorithm.name}: left out; {error}")
    for piece in pieces:
        if piece.used:
            graph.machine_code[piece.algorithm, piece.form, np.dtype(piece.dtype)] = piece.address
    for name in ("workspaces", "entries"):
        graph.__dict__.pop(name, None)  # those that exist call the loops
    return CompileReport(graph.name, tuple(pieces), tuple(left_out), time.perf_counter() - start)


def _generated(
    graph: SubsystemGraph,
    algorithm: Algorithm,
    form: str,
    dtype: np.dtype[Any],
    arrays: Arrays,
) -> Generated:
    """Make one piece of code, or read it from the disk, and time it beside the loops."""
    results = algorithm.results(graph)
    if results > LARGEST_RESULT:
        raise codegen.TooLargeError(f"{results} results; at most {LARGEST_RESULT} are compiled")
    if not algorithm.mimics and any(joint.mimic is not None for joint in graph.joints):
        raise _RefusedError("joints mimic others, and the mass matrix does its work")
    topology, constants = algorithm.prepared(*arrays)
    loops = _timed(graph, algorithm, form, dtype, constants, topology)  # first: they may refuse the graph
    start = time.perf_counter()
    written, kind = algorithm.written(graph), _KINDS[form, dtype]
    made = codegen.machine_code(algorithm.recursion, topology, constants, written, kind)
    seconds = time.perf_counter() - start
    called = topology.copy()
    called[-1, layout.CODE] = made.address
    code = np.inf
    for _ in range(TURNS):  # a neighbour's burst of work must not decide
        code = min(code, _timed(graph, algorithm, form, dtype, constants, called))
        loops = min(loops, _timed(graph, algorithm, form, dtype, constants, topology))
    facts = made.address, made.operations, made.size, seconds, made.cached
    return Generated(algorithm.name, form, str(dtype), *facts, loops, code)


def _timed(
    graph: SubsystemGraph,
    algorithm: Algorithm,
    form: str,
    dtype: np.dtype[Any],
    constants: NDArray[np.float64],
    topology: NDArray[np.int64],
) -> float:
    """Microseconds for one state: the best of some rounds, at a state that is special in no way."""
    shape, inputs = algorithm.shape(graph), len(algorithm.inputs)
    rng = np.random.default_rng(0)
    vectors = [rng.uniform(0.5, 1.0, size) for size in (graph.nq, graph.nv, graph.nv)][:inputs]
    work = work_of(graph, algorithm.columns)
    if form == "single":
        kernel, repeat, states = algorithm.bound(graph, topology, constants, work), 50, 50
        arguments: list[Any] = [*vectors, np.empty(shape)]
    else:
        width = algorithm.results(graph)
        rows = [np.tile(vector, (TIMED_STATES, 1)) for vector in vectors]
        rows = [*rows, *np.empty((3 - inputs, TIMED_STATES, 0))]
        rows = [row.astype(dtype) for row in [*rows, np.zeros((TIMED_STATES, width))]]
        batch, known, constants = algorithm.batches[dtype], algorithm.checked(graph), constants.astype(dtype)
        blank = algorithm.blank(graph, dtype, topology, constants)
        arguments = [topology, constants, *rows]
        kernel, repeat, states = lambda *x: batch(*x, known, blank, new_turns()), 1, TIMED_STATES
    code = kernel(*arguments)
    if form == "single" and algorithm.pivots and code == 3:
        raise _RefusedError(f"joint '{joint_without_inertia(graph, work).name}' moves no inertia")
    best = np.inf
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(repeat):
            kernel(*arguments)
        best = min(best, time.perf_counter() - start)
    return best / states * 1e6


SubsystemGraph.generate = staticmethod(compile_graph)
