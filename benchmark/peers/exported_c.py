"""C by `graph.export_c`: called by ctypes, and by a loop in C."""

import ctypes
from functools import partial
from pathlib import Path

import numpy as np

import modular_dynamics as md
from benchmark.peers.compilers import c_compiler, pointer, run_command
from benchmark.setting.robots import VECTORS, Array, States
from benchmark.setting.timing import Timed

FLAGS = "-std=c99", "-O3", "-march=native", "-shared", "-fPIC"
FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "mass_matrix")
#: Calls without arguments, so that ctypes converts none; and a loop over states in C.
WRAPPER = """
#include "robot.c"
static const double *first[4]; static double *result[3];
void bind(const double *q, const double *v, const double *a, const double *tau,
          double *torques, double *accelerations, double *matrix)
{
  first[0] = q; first[1] = v; first[2] = a; first[3] = tau;
  result[0] = torques; result[1] = accelerations; result[2] = matrix;
}
int call_inverse_dynamics(void) { return robot_inverse_dynamics(first[0], first[1], first[2], result[0]); }
int call_forward_dynamics(void) { return robot_forward_dynamics(first[0], first[1], first[3], result[1]); }
int call_mass_matrix(void) { return robot_mass_matrix(first[0], result[2]); }
int loop(long count, const double *q, const double *v, const double *a, double *tau)
{
  int status = 0;
  for (long k = 0; k < count; ++k) {
    const long i = k * ROBOT_NQ, j = k * ROBOT_NV;
    status |= robot_inverse_dynamics(q + i, v + j, a + j, tau + j);
  }
  return status;
}
"""


class CodeInC:
    """The functions of one graph on its first state, and its torques of many states.

    Raises BuildError: no C compiler.

    Attributes:
        timed: "C99 NAME", under the names of :class:`.ours.Ours`.
    """

    def __init__(self, graph: md.SubsystemGraph, states: States, folder: Path) -> None:
        library = _compiled(graph, folder / f"{graph.name}_c")
        many, nv, first = states.repeated(VECTORS), graph.nv, states.first
        self._arrays = [*first, md.inverse_dynamics(graph, *first)]
        self._results = {name: np.empty((nv, nv) if name == "mass_matrix" else nv) for name in FUNCTIONS}
        library.bind(*map(pointer, (*self._arrays, *self._results.values())))
        rows = many.q, many.v, many.a, np.empty((VECTORS, nv))
        self._rows, self._library = rows, library  # kept alive while C has their addresses
        self.timed: Timed = {}
        for name in FUNCTIONS:
            call = getattr(library, f"call_{name}")
            if call() != 0:
                raise RuntimeError(f"the exported {name} reports an error")
            # the other libraries are called by a line of Python, too
            self.timed[f"C99 {name}{' out=' * (name == FUNCTIONS[0])}"] = (lambda call=call: call()), 1
        loop = partial(library.loop, ctypes.c_long(VECTORS), *map(pointer, rows))
        self.timed["C99 inverse_dynamics float64 1"] = loop, VECTORS

    def results(self) -> dict[str, tuple[str, Array]]:
        """Return quantity and result for the first state by call."""
        quantities = zip(("torques", "accelerations", "mass matrix"), FUNCTIONS, strict=True)
        return {f"C99 {name}": (quantity, self._results[name]) for quantity, name in quantities}


def _compiled(graph: md.SubsystemGraph, folder: Path) -> ctypes.CDLL:
    """Return the library of the exported code and its wrapper, made in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    graph.export_c(folder / "robot.c", FUNCTIONS)
    (folder / "calls.c").write_text(WRAPPER, encoding="ascii")
    run_command([c_compiler(), *FLAGS, "calls.c", "-o", "robot.so", "-lm"], folder)
    return ctypes.CDLL(str(folder / "robot.so"))
