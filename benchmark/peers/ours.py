"""This library's calls: by its public functions, and of its compiled core without those."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import modular_dynamics as md
from benchmark.setting.robots import MATRICES, VECTORS, Array, States
from benchmark.setting.timing import Timed
from modular_dynamics.dynamics.core_robot import core_robot


class Ours:
    """All calls of one graph on the same states; result arrays are allocated before timing.

    Attributes:
        timed: the calls. "library NAME": public functions, of many states with their number of threads behind
            the name. "core NAME": what they call for one state, without the Python that looks at arguments.
    """

    def __init__(self, graph: md.SubsystemGraph, states: States, threads: int) -> None:
        nv, (q, v, a), many = graph.nv, states.first, states.repeated(VECTORS)
        given, few = md.inverse_dynamics(graph, q, v, a), states.repeated(MATRICES)
        (tau, own_tau), (result, own_result) = np.empty((2, 2, nv))
        (M, own_M), (parts, own_parts) = np.empty((2, nv, nv)), np.empty((2, 3, nv, nv))
        robot = graph.once(core_robot)
        inverse, mass, forward = robot.inverse_dynamics, robot.mass_matrix, robot.forward_dynamics
        derivatives = robot.inverse_dynamics_derivatives
        calls: dict[str, tuple[Callable[[], object], str, Array]] = {
            "library inverse_dynamics": (lambda: md.inverse_dynamics(graph, q, v, a), "torques", tau),
            "library inverse_dynamics out=": (
                lambda: md.inverse_dynamics(graph, q, v, a, out=tau),
                "torques",
                tau,
            ),
            "library mass_matrix": (lambda: md.mass_matrix(graph, q, out=M), "mass matrix", M),
            "library forward_dynamics": (
                lambda: md.forward_dynamics(graph, q, v, given, out=result),
                "accelerations",
                result,
            ),
            "library inverse_dynamics_derivatives": (
                lambda: md.inverse_dynamics_derivatives(graph, q, v, a, out=parts),
                "derivatives",
                parts,
            ),
            "core inverse_dynamics out=": (lambda: inverse(q, v, a, own_tau), "torques", own_tau),
            "core mass_matrix": (lambda: mass(q, own_M), "mass matrix", own_M),
            "core forward_dynamics": (lambda: forward(q, v, given, own_result), "accelerations", own_result),
            "core inverse_dynamics_derivatives": (
                lambda: derivatives(q, v, a, own_parts),
                "derivatives",
                own_parts,
            ),
        }
        self.timed: Timed = {name: (call, 1) for name, (call, _, _) in calls.items()}
        self._first = {name: (quantity, array) for name, (_, quantity, array) in calls.items()}
        rows, of_few = [many.q, many.v, many.a], [few.q, few.v, few.a]
        low = [x.astype(np.float32) for x in rows]
        known = [many.q, many.v, md.inverse_dynamics(graph, *rows, threads=threads)]
        batches: list[tuple[str, str, Any, list[Array], tuple[int, ...], Any]] = [
            ("torques", "inverse_dynamics float64", md.inverse_dynamics, rows, (nv,), float),
            ("torques", "inverse_dynamics float32", md.inverse_dynamics, low, (nv,), np.float32),
            ("accelerations", "forward_dynamics float64", md.forward_dynamics, known, (nv,), float),
            ("mass matrix", "mass_matrix float64", md.mass_matrix, of_few[:1], (nv, nv), float),
            (
                *("derivatives", "inverse_dynamics_derivatives float64", md.inverse_dynamics_derivatives),
                *(of_few, (3, nv, nv), float),
            ),
        ]
        for quantity, name, function, arguments, shape, dtype in batches:
            count = len(arguments[0])
            out = np.empty((count, *shape), dtype)
            for n in {1, threads}:
                call = partial(function, graph, *arguments, threads=n, out=out)
                self.timed[f"library {name} {n}"] = call, count
            self._first[f"library {name} 1"] = quantity, out[0]

    def results(self) -> dict[str, tuple[str, Array]]:
        """Return quantity and result of the timed calls for the first state: call -> (quantity, array)."""
        return {name: (quantity, np.array(array)) for name, (quantity, array) in self._first.items()}
