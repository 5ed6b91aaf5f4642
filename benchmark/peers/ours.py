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
        timed: the calls; those of many states have their number of threads behind their name.
    """

    def __init__(self, graph: md.SubsystemGraph, states: States, many: States, threads: int) -> None:
        nv, (q, v, a) = graph.nv, states.first
        tau, acceleration, matrix, parts = _results(nv)
        given = md.inverse_dynamics(graph, q, v, a)
        self.timed: Timed = {
            "inverse_dynamics out=": (lambda: md.inverse_dynamics(graph, q, v, a, out=tau), 1),
            "inverse_dynamics": (lambda: md.inverse_dynamics(graph, q, v, a), 1),
            "mass_matrix": (lambda: md.mass_matrix(graph, q, out=matrix), 1),
            "forward_dynamics": (lambda: md.forward_dynamics(graph, q, v, given, out=acceleration), 1),
            "inverse_dynamics_derivatives": (
                lambda: md.inverse_dynamics_derivatives(graph, q, v, a, out=parts),
                1,
            ),
        }
        self._first: dict[str, dict[str, Array]] = {
            "torques": {"inverse_dynamics out=": tau},
            "mass matrix": {"mass_matrix": matrix},
            "accelerations": {"forward_dynamics": acceleration},
            "derivatives": {"inverse_dynamics_derivatives": parts},
        }
        rows, threads_used = (many.q, many.v, many.a), sorted({1, threads})
        few, low = [x[:MATRICES] for x in rows], [x.astype(np.float32) for x in rows]
        many_given = md.inverse_dynamics(graph, *rows, threads=threads)

        def add(
            quantity: str, name: str, function: Callable[..., Any], arguments: list[Array], out: Any
        ) -> None:
            for count in threads_used:
                call = partial(function, graph, *arguments, threads=count, out=out)
                self.timed[f"{name} {count}"] = call, len(arguments[0])
            self._first[quantity][f"{name} 1"] = out[0]

        vectors, singles = np.empty((2, VECTORS, nv)), np.empty((VECTORS, nv), np.float32)
        add("torques", "inverse_dynamics float64", md.inverse_dynamics, [*rows], vectors[0])
        add("torques", "inverse_dynamics float32", md.inverse_dynamics, low, singles)
        forward = [many.q, many.v, many_given]
        add("accelerations", "forward_dynamics float64", md.forward_dynamics, forward, vectors[1])
        matrices, stacks = np.empty((MATRICES, nv, nv)), np.empty((MATRICES, 3, nv, nv))
        add("mass matrix", "mass_matrix float64", md.mass_matrix, few[:1], matrices)
        derivatives = md.inverse_dynamics_derivatives
        add("derivatives", "inverse_dynamics_derivatives float64", derivatives, few, stacks)

    def results(self) -> dict[str, dict[str, Array]]:
        """Results of the timed calls for the first state: quantity -> call -> array."""
        return {
            quantity: {name: np.array(array) for name, array in calls.items()}
            for quantity, calls in self._first.items()
        }


class OurCore:
    """The calls of one state of the compiled core, without the Python that looks at arguments.

    Attributes:
        timed: under the names of :class:`Ours`.
    """

    def __init__(self, graph: md.SubsystemGraph, states: States) -> None:
        (q, v, a), robot = states.first, graph.once(core_robot)
        given = md.inverse_dynamics(graph, q, v, a)
        tau, acceleration, matrix, parts = _results(graph.nv)
        inverse, mass, forward = robot.inverse_dynamics, robot.mass_matrix, robot.forward_dynamics
        derivatives = robot.inverse_dynamics_derivatives
        self.timed: Timed = {
            "inverse_dynamics out=": (lambda: inverse(q, v, a, tau), 1),
            "mass_matrix": (lambda: mass(q, matrix), 1),
            "forward_dynamics": (lambda: forward(q, v, given, acceleration), 1),
            "inverse_dynamics_derivatives": (lambda: derivatives(q, v, a, parts), 1),
        }
        quantities = "torques", "mass matrix", "accelerations", "derivatives"
        arrays = tau, matrix, acceleration, parts
        self._first = dict(zip(quantities, zip(self.timed, arrays, strict=True), strict=True))

    def results(self) -> dict[str, dict[str, Array]]:
        """Results of the timed calls: quantity -> call -> array."""
        return {quantity: {name: array.copy()} for quantity, (name, array) in self._first.items()}


def _results(nv: int) -> tuple[Array, Array, Array, Array]:
    """Arrays for torques, accelerations, a mass matrix and derivatives of one state."""
    return np.empty(nv), np.empty(nv), np.empty((nv, nv)), np.empty((3, nv, nv))
