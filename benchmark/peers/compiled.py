"""Peers in C and C++: code of `graph.export_c`, this core by `graph.to_cpp`, Pinocchio (torques.cpp).

Called by ctypes: one state, or a loop over states. The algorithms of Pinocchio are those of its libraries.
"""

import ctypes
import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pinocchio
from numpy.typing import ArrayLike

import modular_dynamics as md
from benchmark.peers.closed_loops import PinocchioClosed
from benchmark.setting.robots import ROOT, VECTORS, Array, States
from benchmark.setting.timing import Timed


class BuildError(Exception):
    """Code could not be compiled; the text says why."""


def cxx_compiler() -> str:
    """Return the command of the C++ compiler."""
    return os.environ.get("CXX", "c++")


def _folder(*choices: str) -> Path:
    """Return the first of these folders that is below an entry of sys.path."""
    for choice in choices:
        for entry in sys.path:
            if (Path(entry) / choice).is_dir():
                return Path(entry) / choice
    raise BuildError(f"there is no folder {' or '.join(choices)} below sys.path")


def run_command(command: list[str], folder: Path) -> str:
    """Run a command in a folder and return what it prints. Raises BuildError."""
    try:
        return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout
    except FileNotFoundError:
        raise BuildError(f"the command {command[0]} is missing") from None
    except subprocess.CalledProcessError as error:
        last = (error.stderr.strip().splitlines() or ["no message"])[-1]
        raise BuildError(f"{Path(command[0]).name} failed: {last}") from None


def pointer(array: Array) -> ctypes.c_void_p:
    """Return the address of an array's numbers, which the caller keeps alive."""
    return ctypes.c_void_p(array.ctypes.data)


C_FLAGS = "-std=c99", "-O3", "-march=native", "-shared", "-fPIC"
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
    run_command([os.environ.get("CC", "cc"), *C_FLAGS, "calls.c", "-o", "robot.so", "-lm"], folder)
    return ctypes.CDLL(str(folder / "robot.so"))


CORE_SOURCE = Path(__file__).with_name("core_in_cpp.cpp")
#: Those of examples/cpp, for a library.
CORE_FLAGS = (
    *("-std=c++17", "-O3", "-march=native", "-fno-math-errno", "-fno-trapping-math", "-fno-signed-zeros"),
)
HEADERS = ROOT / "src/modular_dynamics/include"


class CoreInCpp:
    """A robot and rows of its states; with closed loops those of the independent joints, and a guess.

    Attributes:
        timed: one call, a loop in C++ over all states.

    Raises:
        BuildError: the compiler is missing, or says why not.
    """

    def __init__(
        self, graph: md.SubsystemGraph, call: str, *rows: Array, guess: ArrayLike | None = None
    ) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            graph.to_cpp(folder / "robot.hpp", guess=guess)
            loops = ["-DCLOSED_LOOPS"] if graph.has_loops else []
            command = [cxx_compiler(), *CORE_FLAGS, *loops, "-shared", "-fPIC", f"-I{HEADERS}", f"-I{folder}"]
            run_command([*command, str(CORE_SOURCE), "-o", "core.so"], folder)
            self._torques = ctypes.CDLL(str(folder / "core.so")).torques
        self._rows = [np.ascontiguousarray(row) for row in rows]  # kept alive while C++ reads them
        self._tau = np.empty_like(self._rows[1])
        arrays = map(pointer, (*self._rows, self._tau))
        self._arguments = ctypes.c_long(len(self._tau)), *arrays
        self._name = call
        self.timed: Timed = {call: (self._call, len(self._tau))}

    def _call(self) -> None:
        if self._torques(*self._arguments):
            raise ValueError("states without a result")

    @property
    def torques(self) -> dict[str, Array]:
        """Return torques of the first state by the name of the call that computed them."""
        return {self._name: self._tau[0].copy()}

    def results(self) -> dict[str, tuple[str, Array]]:
        """Return quantity and result for the first state by call."""
        return {name: ("torques", array) for name, array in self.torques.items()}


PINOCCHIO_SOURCE = Path(__file__).with_name("torques.cpp")
#: Without -march=native, which would lay objects of Pinocchio's libraries out otherwise.
#: Pinocchio has more joint types than Boost's lists hold by default; its CMake files set the same limits.
PINOCCHIO_FLAGS = (
    *("-std=c++17", "-O3", "-DNDEBUG", "-shared", "-fPIC", "-w", "-DPINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION"),
    *("-DBOOST_FUSION_INVOKE_MAX_ARITY=10", "-DBOOST_MPL_LIMIT_LIST_SIZE=30"),
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
)


def built_torques(cache: Path, tick: Callable[[str], None]) -> ctypes.CDLL:
    """Return the compiled library. Raises BuildError: headers or a compiler are missing."""
    headers = _folder("cmeel.prefix/include/pinocchio").parents[1]  # and libraries
    eigen = _folder("cmeel.prefix/include/eigen3/Eigen", "/usr/include/eigen3/Eigen").parent
    cxx = cxx_compiler()
    parts = PINOCCHIO_SOURCE.read_text(encoding="utf-8"), pinocchio.__version__, str(headers), str(eigen)
    key = hashlib.sha256(
        "\n".join([*parts, *PINOCCHIO_FLAGS, run_command([cxx, "--version"], Path.cwd())]).encode()
    )
    folder = cache / f"closed_loops_{key.hexdigest()[:12]}"
    library = folder / "torques.so"
    if not library.is_file():
        tick("compiling Pinocchio's closed loops, once on this machine: half a minute")
        folder.mkdir(parents=True, exist_ok=True)
        includes = [f"-I{path}" for path in (headers / "include", headers / "include/urdfdom_headers", eigen)]
        place = [f"-L{headers / 'lib'}", f"-Wl,-rpath,{headers / 'lib'}"]
        libraries = ["-lpinocchio_default", "-lpinocchio_parsers"]
        command = [cxx, *PINOCCHIO_FLAGS, *includes, str(PINOCCHIO_SOURCE), *place, *libraries]
        run_command([*command, "-o", "torques.part"], folder)
        (folder / "torques.part").rename(library)
    return ctypes.CDLL(str(library))


class PinocchioCpp:
    """A robot and its closed states, as :class:`.PinocchioClosed` has them.

    Attributes:
        timed: "single", the first state, and "batch".
    """

    def __init__(self, library: ctypes.CDLL, peer: PinocchioClosed, urdf: str) -> None:
        library.make.restype = ctypes.c_void_p
        motions = np.ascontiguousarray(peer.reduction.motions)
        joints = np.array([joint for joint, _ in peer.placements], np.int64)
        placements = np.array(
            [np.concatenate([at.rotation.ravel(), at.translation]) for _, at in peer.placements]
        )
        self._robot = ctypes.c_void_p(
            library.make(
                urdf.encode(),
                *map(ctypes.c_double, peer.model.gravity.linear),
                *(ctypes.c_int64(len(joints) // 2), pointer(joints), pointer(placements)),
                *(ctypes.c_int64(motions.shape[1]), pointer(motions)),
            )
        )
        count = len(peer.q)
        self._tau = np.empty((count, motions.shape[1] - peer.reduction.dependent))
        self._arrays = peer.q, peer.v, peer.a, peer.springs, self._tau  # kept alive while C++ reads them
        library.bind(self._robot, ctypes.c_int64(count), *map(pointer, self._arrays))
        self._first, self._all = library.first, library.all
        self._first.restype = self._all.restype = None
        # methods, which keep the arrays alive
        self.timed: Timed = {"single": (self._single, 1), "batch": (self._batch, count)}

    def _single(self) -> None:
        self._first(self._robot)

    def _batch(self) -> None:
        self._all(self._robot)

    @property
    def torques(self) -> dict[str, Array]:
        """Return torques of the independent joints, of one state and of all, after the calls."""
        return {"single": self._tau[0].copy(), "batch": self._tau.copy()}


class PinocchioTreeCpp:
    """Pinocchio's rnea on states of a tree, one after the other in a loop in C++."""

    def __init__(self, library: ctypes.CDLL, graph: md.SubsystemGraph, states: States) -> None:
        library.make.restype = ctypes.c_void_p
        library.tree.restype = None
        self._order = md.joint_order.from_pinocchio(graph, pinocchio.buildModelFromXML(graph.urdf))
        self._tau, none, nv = np.empty_like(states.v), np.empty((0, 0)), ctypes.c_int64(0)
        gravity = map(ctypes.c_double, graph.gravity)
        robot = ctypes.c_void_p(
            library.make(graph.urdf.encode(), *gravity, nv, pointer(none), pointer(none), nv, pointer(none))
        )
        rows = self._order.to_q(states.q), self._order.to_v(states.v), self._order.to_a(states.a)
        self._arrays = [np.ascontiguousarray(row) for row in rows]  # kept alive while C++ reads them
        library.bind(robot, ctypes.c_int64(len(self._tau)), *map(pointer, [*self._arrays, none, self._tau]))
        self.timed: Timed = {"rnea (loop in C++)": (lambda: library.tree(robot), len(self._tau))}

    def results(self) -> dict[str, tuple[str, Array]]:
        """Return quantity and result for the first state by call, in the graph's order."""
        return {name: ("torques", self._order.from_tau(self._tau[0])) for name in self.timed}
