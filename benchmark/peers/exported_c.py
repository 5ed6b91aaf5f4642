"""C by `graph.export_c`, and by CasADi of `graph.to_casadi`: called by ctypes, and by a loop in C."""

import ctypes
import os
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

import modular_dynamics as md
from benchmark.peers.casadi_peer import C_FLAGS, BuildError
from benchmark.setting.robots import VECTORS, Array, States
from benchmark.setting.timing import Timed

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
#: The signatures of export_c around CasADi's.
CASADI = """
#include "casadi.c"
#define ROBOT_NQ {nq}
#define ROBOT_NV {nv}
static int robot_inverse_dynamics(const double *q, const double *v, const double *a, double *tau)
{{ const double *in[] = {{q, v, a}}; double *out[] = {{tau}}; return inverse_dynamics(in, out, 0, 0, 0); }}
static int robot_forward_dynamics(const double *q, const double *v, const double *tau, double *a)
{{ const double *in[] = {{q, v, tau}}; double *out[] = {{a}}; return forward_dynamics(in, out, 0, 0, 0); }}
static int robot_mass_matrix(const double *q, double *M)
{{ const double *in[] = {{q}}; double *out[] = {{M}}; return mass_matrix(in, out, 0, 0, 0); }}
"""


def export_c(graph: md.SubsystemGraph, folder: Path) -> None:
    """Write robot.c by `graph.export_c`."""
    graph.export_c(folder / "robot.c", FUNCTIONS)


def export_by_casadi(graph: md.SubsystemGraph, folder: Path) -> None:
    """Write robot.c by CasADi, from `graph.to_casadi`."""
    try:
        import casadi  # noqa: PLC0415  # only this peer needs it, and it may be missing
    except ImportError:
        raise BuildError("casadi is not installed") from None
    functions = graph.to_casadi(FUNCTIONS)
    q = casadi.SX.sym("q", graph.nq)
    dense = casadi.Function("mass_matrix", [q], [casadi.densify(functions.mass_matrix(q))])  # symmetric
    generator = casadi.CodeGenerator("casadi.c")
    for function in (functions.inverse_dynamics, functions.forward_dynamics, dense):
        generator.add(function)
    generator.generate(f"{folder}{os.sep}")
    (folder / "robot.c").write_text(CASADI.format(nq=graph.nq, nv=graph.nv), encoding="ascii")


class CodeInC:
    """The functions of one graph on its first state, and its torques of many states.

    Attributes:
        timed: under the names of :class:`.ours.Ours`, which they are compared with.
    """

    def __init__(
        self,
        graph: md.SubsystemGraph,
        states: States,
        folder: Path,
        write: Callable[[md.SubsystemGraph, Path], None],
    ) -> None:
        library = _library(graph, folder, write)
        many, nv, first = states.repeated(VECTORS), graph.nv, states.first
        self._arrays = [*first, md.inverse_dynamics(graph, *first)]
        self._results = {name: np.empty((nv, nv) if name == "mass_matrix" else nv) for name in FUNCTIONS}
        library.bind(*map(_pointer, (*self._arrays, *self._results.values())))
        rows = many.q, many.v, many.a, np.empty((VECTORS, nv))
        self._rows, self._library = rows, library  # kept alive while C has their addresses
        calls = {name: getattr(library, f"call_{name}") for name in FUNCTIONS}
        # the other libraries are called by a line of Python, too
        self.timed: Timed = {name: (lambda call=call: call(), 1) for name, call in calls.items()}
        self.timed["inverse_dynamics out="] = self.timed.pop("inverse_dynamics")
        loop = partial(library.loop, ctypes.c_long(VECTORS), *map(_pointer, rows))
        self.timed["inverse_dynamics float64 1"] = loop, VECTORS

    def results(self) -> dict[str, dict[str, Array]]:
        """Results for the first state: quantity -> call -> array."""
        for name in FUNCTIONS:
            if getattr(self._library, f"call_{name}")() != 0:
                raise RuntimeError(f"the exported {name} reports an error")
        quantities = zip(("torques", "accelerations", "mass matrix"), FUNCTIONS, strict=True)
        return {quantity: {name: self._results[name]} for quantity, name in quantities}


def _pointer(array: Array) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def _library(
    graph: md.SubsystemGraph, folder: Path, write: Callable[[md.SubsystemGraph, Path], None]
) -> ctypes.CDLL:
    place = folder / f"{graph.name}_{write.__name__}"
    place.mkdir(parents=True, exist_ok=True)
    write(graph, place)
    return compiled(place, WRAPPER)


def compiled(place: Path, wrapper: str) -> ctypes.CDLL:
    """The library of C code around robot.c in a folder. Raises BuildError."""
    (place / "calls.c").write_text(wrapper, encoding="ascii")
    command = [os.environ.get("CC", "cc"), "-std=c99", *C_FLAGS, "calls.c", "-o", "robot.so", "-lm"]
    try:
        subprocess.run(command, cwd=place, check=True, capture_output=True, text=True)
    except FileNotFoundError:
        raise BuildError(f"the command {command[0]} is missing") from None
    except subprocess.CalledProcessError as error:
        raise BuildError(error.stderr.strip().splitlines()[-1]) from None
    return ctypes.CDLL(str(place / "robot.so"))
