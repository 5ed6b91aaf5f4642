"""`graph.compile()`: machine code for one robot, used from then on unless the loops are faster."""

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import codegen, kernels
from ...exceptions import StateError, UnsupportedModelError
from ...kernels import layout
from ...kernels.numba_support.notices import is_quiet
from ...model import SubsystemGraph, refuse_closures
from ...model.code_export import register_exporter
from ..arrays.arguments import Array, Topology
from ..arrays.joint_terms import terms_of
from ..arrays.model_arrays import Arrays, constants_of, topology_of
from ..workspaces import discard_workspaces, generated_code
from .algorithms import DOUBLE, GENERATED, SINGLE, Algorithm, reason_for_matrix
from .timing import NoInertiaError, microseconds, raise_without_inertia

__all__ = [
    "CompileReport",
    "GeneratedCode",
    "address_of_code",
    "calling_code",
    "compile_graph",
    "keep_code",
]

#: Numbers in a result beyond which loops are better.
LARGEST_RESULT = 20_000
#: Operations beyond which the loops are faster, by algorithm and form; code of others is always used. From
#: the tables that graph.compile() returns for the robots in urdf/ and for trees and chains of 1 to 80 joints.
#: No clock decides at run time: code and loops round differently, and one input must have one result.
MOST_OPERATIONS = {
    ("inverse_dynamics", "single"): 4_500,
    ("inverse_dynamics", "batch"): 3_000,
    ("forward_dynamics", "single"): 12_000,
}
_KINDS: dict[tuple[str, np.dtype[Any]], codegen.Kind] = {
    ("single", DOUBLE): codegen.FLOAT64,
    ("batch", DOUBLE): codegen.FLOAT64X8,
    ("batch", SINGLE): codegen.FLOAT32X16,
}


@dataclass(frozen=True)
class GeneratedCode(codegen.MachineCode):
    """One piece of generated code beside the compiled loops that it can replace.

    Attributes:
        form: "single" (one state) or "batch" (many).
        loops_us, code_us: time for one state of the loops and of the code [us].
        seconds: spent on compiling it, or on reading it from the disk.
    """

    algorithm: str
    form: str
    dtype: str
    loops_us: float
    code_us: float

    @property
    def used(self) -> bool:
        """Whether it replaces the loops."""
        return self.operations <= MOST_OPERATIONS.get((self.algorithm, self.form), self.operations)


@dataclass(frozen=True)
class CompileReport:
    """What `graph.compile()` made, where it came from, and how fast it is. Printable.

    Attributes:
        left_out: one line for each algorithm without generated code: which, and why.
        seconds: that `graph.compile()` took.
    """

    robot: str
    pieces: tuple[GeneratedCode, ...]
    left_out: tuple[str, ...]
    seconds: float

    @property
    def cached(self) -> bool:
        """Whether everything was read from the disk."""
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


def address_of_code(
    graph: SubsystemGraph, algorithm: Algorithm, form: str, kind: np.dtype[Any], terms: int
) -> int:
    """The address of the graph's generated code, where it is used; else 0.

    Code is generated for the ``terms`` that count by default: without friction, and with springs.
    """
    if terms != terms_of(graph):
        return 0
    return generated_code(graph).get((algorithm.name, form, kind), 0)


def calling_code(arrays: Arrays, address: int) -> Arrays:
    """Arrays as ``Algorithm.reduced`` makes them, of a kernel that calls the code at an address."""
    topology = arrays[0].copy()
    topology[-1, layout.CODE] = address
    return topology, arrays[1]


@register_exporter
def compile_graph(graph: SubsystemGraph, progress: Callable[[str], None] | None = None) -> CompileReport:
    """See :meth:`.SubsystemGraph.compile`, which calls it."""
    if not hasattr(kernels.inverse_dynamics, "signatures"):
        raise RuntimeError("graph.compile() needs Numba's compiler, which NUMBA_DISABLE_JIT turns off")
    if progress is not None and not callable(progress):
        raise StateError(f"progress is {progress!r}; a function of a line of text is needed")
    refuse_closures(graph, "generated code")
    boxes = [subsystem.name for subsystem in graph.subsystems if subsystem.black_box]
    if boxes:
        raise UnsupportedModelError(
            f"'{graph.name}' has black boxes ({', '.join(boxes)}): their wrenches are not known beforehand, "
            "and no code can be generated; the compiled loops work without compile()"
        )
    start = time.perf_counter()
    say = progress if progress is not None else _say_on_terminal()
    arrays = topology_of(graph, frozenset()), constants_of(graph)
    sources: list[tuple[Algorithm, Arrays, codegen.Source]] = []
    left_out: list[str] = []
    for algorithm in GENERATED:
        reason = _plan(graph, algorithm, arrays, say, sources)
        if reason is not None:
            left_out.append(f"{algorithm.name}: {reason}")
            say(left_out[-1])
    pieces = [piece for source in sources for piece in _generated(graph, *source, say)]
    code = {(p.algorithm, p.form, np.dtype(p.dtype)): p.address for p in pieces if p.used}
    discard_workspaces(graph, code)  # those that exist call the loops
    return CompileReport(graph.name, tuple(pieces), tuple(left_out), time.perf_counter() - start)


@register_exporter
def keep_code(old: SubsystemGraph, new: SubsystemGraph) -> None:
    """Use a graph's generated code for a changed one, too, if all numbers that are folded in are the same."""
    code = generated_code(old)
    if not code:
        return
    before, after = ((topology_of(graph, frozenset()), constants_of(graph)) for graph in (old, new))
    for _, constants in (before, after):
        constants[:-1, layout.DAMPING : layout.FRICTION + 1] = 0.0  # code is without friction
    boxes = any(subsystem.black_box for subsystem in new.subsystems)
    if not boxes and all(map(np.array_equal, before, after)):
        discard_workspaces(new, code)


def _generated(
    graph: SubsystemGraph,
    algorithm: Algorithm,
    arrays: Arrays,
    source: codegen.Source,
    say: Callable[[str], None],
) -> Iterator[GeneratedCode]:
    """The code of all forms of an algorithm."""
    for form, dtype in _KINDS:
        if form == "single" or dtype in algorithm.batches:
            say(f"{algorithm.name}, {form}, {dtype}")
            yield _generate(graph, algorithm, form, dtype, arrays, source)


def _plan(
    graph: SubsystemGraph,
    algorithm: Algorithm,
    arrays: Arrays,
    say: Callable[[str], None],
    sources: list[tuple[Algorithm, Arrays, codegen.Source]],
) -> str | None:
    """Add the source of an algorithm's code to ``sources``; returns why there is none, or None.

    Calls ``say`` with the forms whose code will not be used, because the compiled loops are faster.
    """
    results = algorithm.results(arrays[0])
    if results > LARGEST_RESULT:
        return f"the kernel is kept; {results} results; at most {LARGEST_RESULT} are compiled"
    if algorithm.by_matrix and (why := reason_for_matrix(graph)):
        return f"left out; {why}, and the mass matrix is used instead"
    topology, constants = algorithm.prepared(*arrays)
    own = algorithm.reduced(topology, constants)
    source = codegen.Source(algorithm.recursion, *own, algorithm.outputs(topology))
    try:
        raise_without_inertia(graph, algorithm, topology, constants)  # tracing would divide by zero
        operations = source.raise_if_large(codegen.FLOAT64)
    except codegen.TooLargeError as error:
        return f"the kernel is kept; {error}"
    except NoInertiaError as error:
        return f"left out; {error}"
    sources.append((algorithm, (topology, constants), source))
    for form in ("single", "batch"):
        most = MOST_OPERATIONS.get((algorithm.name, form), operations)
        if operations > most:
            say(
                f"{algorithm.name}, {form}: the kernel is kept, because it is faster; "
                f"{operations} operations; code is used up to {most}"
            )
    return None


def _generate(
    graph: SubsystemGraph,
    algorithm: Algorithm,
    form: str,
    dtype: np.dtype[Any],
    arrays: Arrays,
    source: codegen.Source,
) -> GeneratedCode:
    """Make one piece of code, or read it from the disk, and time it beside the loops."""

    def time_of(topology: Topology, constants: Array) -> float:
        return microseconds(graph, algorithm, form, dtype, topology, constants)

    reduced = algorithm.reduced(*arrays)
    loops = time_of(*(arrays if form == "single" else reduced))
    start = time.perf_counter()
    made = codegen.machine_code(source, _KINDS[form, dtype])
    seconds = time.perf_counter() - start
    code = time_of(*calling_code(reduced, made.address))
    facts = {**vars(made), "seconds": seconds, "loops_us": loops, "code_us": code}
    return GeneratedCode(**facts, algorithm=algorithm.name, form=form, dtype=str(dtype))


def _say_on_terminal() -> Callable[[str], None]:
    """Prints lines on stderr where that is a terminal and MODULAR_DYNAMICS_QUIET does not forbid it."""
    stream = sys.stderr
    if stream is None or getattr(stream, "closed", False) or not stream.isatty() or is_quiet():
        return lambda line: None
    return lambda line: print(f"graph.compile(): {line}", file=stream, flush=True)
