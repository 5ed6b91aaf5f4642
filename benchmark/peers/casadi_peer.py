"""Generated C (see casadi_build.py), called from Python and by a loop in C."""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import NDArray

from benchmark.peers.pinocchio_peer import PinocchioPeer
from benchmark.setting.states import VECTORS
from benchmark.setting.timing import Timed

__all__ = ["CasadiPeer"]

Array = NDArray[np.float64]


class CasadiPeer:
    """rnea and aba of a robot in C, on Pinocchio's states."""

    def __init__(self, libraries: dict[str, ctypes.CDLL], pinocchio: PinocchioPeer) -> None:
        self._pinocchio = pinocchio
        self._results = {name: np.empty((VECTORS, pinocchio.model.nv)) for name in libraries}
        self._calls = {name: _Calls(lib, pinocchio, self._results[name]) for name, lib in libraries.items()}

    def timed(self) -> Timed:
        """One state by ctypes, and many in C, one thread."""
        single: Timed = {f"C {name} (ctypes)": (calls.call, 1) for name, calls in self._calls.items()}
        loops: Timed = {f"C {name} (loop in C)": (calls.loop, VECTORS) for name, calls in self._calls.items()}
        return single | loops

    def results(self) -> dict[str, Array]:
        """Results for the first state, in the graph's order: quantity -> array."""
        for calls in self._calls.values():
            calls.call()
        return {
            "torques": self._pinocchio.torques(self._results["rnea"][0]),
            "accelerations": self._pinocchio.accelerations(self._results["aba"][0]),
        }


class _Calls:
    """One library with its arrays: q, v and third argument of many states, the first of them for ``call``."""

    def __init__(self, library: ctypes.CDLL, pinocchio: PinocchioPeer, result: Array) -> None:
        rows = pinocchio.states.repeated(VECTORS)
        third = pinocchio.many_torques(VECTORS) if "aba" in library._name else rows.vdot
        self._arrays = rows.q, rows.v, third, result  # kept alive while C has their addresses
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in self._arrays]
        library.bind(*pointers)
        library.call.restype = library.loop.restype = None
        library.loop.argtypes = [ctypes.c_long] * 3 + [ctypes.c_void_p] * 4
        sizes = VECTORS, pinocchio.model.nq, pinocchio.model.nv
        call = library.call

        def call_from_python() -> None:  # the other libraries are called by a line of Python, too
            call()

        self.call = call_from_python
        self.loop = lambda: library.loop(*sizes, *pointers)
