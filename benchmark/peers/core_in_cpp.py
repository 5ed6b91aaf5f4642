"""The core of this library called from C++, one state after the other: by its headers and `graph.to_cpp`."""

import ctypes
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

import modular_dynamics as md
from benchmark.peers.compilers import cxx_compiler, pointer, run_command
from benchmark.setting.robots import ROOT, Array
from benchmark.setting.timing import Timed

__all__ = ["CoreInCpp"]

SOURCE = Path(__file__).with_suffix(".cpp")
#: Those of examples/cpp, for a library.
FLAGS = ("-std=c++17", "-O3", "-march=native", "-fno-math-errno", "-fno-trapping-math", "-fno-signed-zeros")
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
            command = [cxx_compiler(), *FLAGS, *loops, "-shared", "-fPIC", f"-I{HEADERS}", f"-I{folder}"]
            run_command([*command, str(SOURCE), "-o", "core.so"], folder)
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
