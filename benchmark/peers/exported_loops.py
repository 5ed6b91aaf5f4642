"""Inverse dynamics of a robot with closed loops in C by `graph.export_c`: called by ctypes."""

import ctypes
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import modular_dynamics as md
from benchmark.peers.exported_c import compiled
from benchmark.setting.robots import Array

FUNCTION = "inverse_dynamics"
#: A call without arguments, so that ctypes converts none.
WRAPPER = """
#include "robot.c"
static const double *given[3]; static double *result;
void bind(const double *q, const double *v, const double *a, double *tau)
{ given[0] = q; given[1] = v; given[2] = a; result = tau; }
int call(void) { return robot_inverse_dynamics(given[0], given[1], given[2], result); }
"""


class LoopsInC:
    """One robot at one state of its independent joints.

    Attributes:
        call: computes the torques; returns the status. tau: these torques.

    Raises:
        BuildError: no C compiler.
    """

    def __init__(self, graph: md.SubsystemGraph, guess: Array, state: Sequence[Array], folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        graph.export_c(folder / "robot.c", FUNCTION, guess=guess)
        library = compiled(folder, WRAPPER)
        self.tau = np.zeros(len(state[1]))
        bound = [*state, self.tau]
        library.bind(*(ctypes.c_void_p(array.ctypes.data) for array in bound))
        self.call = library.call
        self.call.bound = bound  # whoever keeps the function keeps the arrays whose addresses C has
