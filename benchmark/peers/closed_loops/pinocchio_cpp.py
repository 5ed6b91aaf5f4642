"""The same by Pinocchio in C++: torques.cpp, compiled once and kept under a hash of its inputs.

Called by ctypes: one state, or a loop over states in C++. The algorithms are those of Pinocchio's libraries.
"""

import ctypes
import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pinocchio

import modular_dynamics as md
from benchmark.peers.closed_loops.pinocchio_closed import PinocchioClosed
from benchmark.peers.compilers import cxx_compiler, header_folders, pointer, run_command
from benchmark.setting.robots import Array, States
from benchmark.setting.timing import Timed

__all__ = ["PinocchioCpp", "PinocchioTreeCpp", "built_torques"]

SOURCE = Path(__file__).with_name("torques.cpp")
#: Without -march=native, which would lay objects of Pinocchio's libraries out otherwise.
#: Pinocchio has more joint types than Boost's lists hold by default; its CMake files set the same limits.
FLAGS = (
    *("-std=c++17", "-O3", "-DNDEBUG", "-shared", "-fPIC", "-w", "-DPINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION"),
    *("-DBOOST_FUSION_INVOKE_MAX_ARITY=10", "-DBOOST_MPL_LIMIT_LIST_SIZE=30"),
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
)


def built_torques(cache: Path, tick: Callable[[str], None]) -> ctypes.CDLL:
    """Return the compiled library. Raises BuildError: headers or a compiler are missing."""
    headers, eigen = header_folders()
    cxx = cxx_compiler()
    parts = SOURCE.read_text(encoding="utf-8"), pinocchio.__version__, str(headers), str(eigen)
    key = hashlib.sha256("\n".join([*parts, *FLAGS, run_command([cxx, "--version"], Path.cwd())]).encode())
    folder = cache / f"closed_loops_{key.hexdigest()[:12]}"
    library = folder / "torques.so"
    if not library.is_file():
        tick("compiling Pinocchio's closed loops, once on this machine: half a minute")
        folder.mkdir(parents=True, exist_ok=True)
        includes = [f"-I{path}" for path in (headers / "include", headers / "include/urdfdom_headers", eigen)]
        place = [f"-L{headers / 'lib'}", f"-Wl,-rpath,{headers / 'lib'}"]
        libraries = ["-lpinocchio_default", "-lpinocchio_parsers"]
        command = [cxx, *FLAGS, *includes, str(SOURCE), *place, *libraries, "-o", "torques.part"]
        run_command(command, folder)
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
