"""Calls of the compiled core's functions, of one state or of many; errors name joint and row.

A quantity is a function of `_core.Robot` (_core.pyi). Arguments go to it unchanged. Only if it refuses them
they are checked here: lists and other dtypes are converted, and errors say what is wrong.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..exceptions import StateError
from ..model import SubsystemGraph, checked_vectors, refuse_black_boxes, refuse_closures, require_graph
from ..model.structure import joint_at
from .arguments import Array, checked_out, errors_begin_with, state_rows, thread_count
from .core_robot import ARMATURE, FRICTION, GOOD, NO_INERTIA, OVERFLOW, SPRINGS, core_robot

#: Coordinates [rad or m] from which on single precision loses more than 1e-6: they are refused.
SINGLE_UP_TO = 16.0
#: Values of the argument ``friction``: none, or the damping and friction of the joints as the URDF has them.
FRICTION_CHOICES = ("none", "urdf")
#: States in one call of the core; Ctrl-C is handled between calls.
ROWS = 2**16
_TERMS = {"none": ARMATURE + SPRINGS, "urdf": ARMATURE + SPRINGS + FRICTION}
_DOUBLE = np.dtype(np.float64)


class Calls(NamedTuple):
    """The core's functions for one graph, of one state and of many; and the shape of one state's result."""

    one: Callable[..., int]
    rows: Callable[..., tuple[int, int]]
    shape: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Quantity:
    """A function of the core.

    Attributes:
        function: its name in `_core.Robot`.
        inputs: names of the state vectors that it takes, q first.
        shape: (graph) -> shape of one state's result.
        are: its results in the plural, for "q is finite, but so large that the poses are not".
        require: (graph) -> None; raises where the quantity is not defined.
        at_rest: the inputs that may be None, which stands for zeros.
        single: whether it can be computed in single precision.
    """

    function: str
    inputs: tuple[str, ...]
    shape: Callable[[SubsystemGraph], tuple[int, ...]]
    are: str
    require: Callable[[SubsystemGraph], None] = require_graph
    at_rest: tuple[str, ...] = ()
    single: bool = False

    def overflow(self, states: Sequence[Any]) -> StateError:
        """Return the error of finite states, None where at rest, whose results are not finite."""
        *first, last = (name for name, x in zip(self.inputs, states, strict=True) if x is not None)
        names = f"{', '.join(first)} and {last} are" if first else f"{last} is"
        return StateError(f"{names} finite, but so large that the {self.are} are not")

    def __call__(self, graph: SubsystemGraph) -> Calls:
        """Return the calls of a graph, for ``graph.once``."""
        self.require(graph)
        robot = graph.once(core_robot)
        return Calls(
            getattr(robot, self.function), getattr(robot, f"{self.function}_rows"), self.shape(graph)
        )


def only_trees(what: str) -> Callable[[SubsystemGraph], None]:
    """Return a function that refuses graphs with closed loops or black boxes for the quantity ``what``."""

    def require(graph: SubsystemGraph) -> None:
        refuse_closures(graph, what)
        refuse_black_boxes(graph, what)

    return require


def terms_of(friction: str) -> int:
    """Return the terms of joints that count, as the core's flags. Raises StateError: another friction."""
    try:
        return _TERMS[friction]
    except (KeyError, TypeError):
        choices = " or ".join(map(repr, FRICTION_CHOICES))
        raise StateError(f"friction is {friction!r}; {choices} is needed") from None


def counts_friction(friction: str) -> bool:
    """Return whether the joints' friction counts. Raises StateError: another friction."""
    return terms_of(friction) != _TERMS["none"]


def evaluate(
    graph: SubsystemGraph,
    quantity: Quantity,
    states: tuple[Any, ...],
    out: NDArray[Any] | None = None,
    threads: int | None = None,
    *,
    before: tuple[Any, ...] = (),
    after: tuple[Any, ...] = (),
    shape: tuple[int, ...] | None = None,
) -> NDArray[Any]:
    """Return a quantity of one state, or of many, which have one axis more in front.

    Args:
        states: one array for each of ``quantity.inputs``: q (nq,) or (n, nq), others (nv,) or (n, nv).
        out: array for the result. Of one state it may be one of the arguments.
        threads: for many states; None: as many as there are cores.
        before, after: other arguments of the core's function, before the states and at its end.
        shape: of one state's result, where the graph does not determine it.

    Raises:
        StateError: a wrong shape, dtype or number of threads, or a number that is not finite, with its joint
            and row.
    """
    require_graph(graph)
    calls = graph.once(quantity)
    shape = calls.shape if shape is None else shape
    result = np.empty(shape) if out is None else out
    if threads is not None:
        threads = thread_count(threads)
    if quantity.at_rest or not _has_none(states):  # the core takes None as zeros
        try:
            status = calls.one(*before, *states, result, *after)
        except (TypeError, ValueError):
            status = None  # many states, or what is to be converted or refused
        if status == GOOD:
            return result
        if status == OVERFLOW:  # states that ``out`` shares memory with are overwritten: not looked at again
            raise quantity.overflow(states)
    try:
        many = np.ndim(states[0]) > 1
    except ValueError:  # ragged
        many = False
    call = _Call(graph, quantity, calls, shape, before, after)
    return call.rows(states, out, thread_count(threads)) if many else call.one(states, out)


def _has_none(states: tuple[Any, ...]) -> bool:
    """Return whether one of the states is None."""
    for x in states:  # noqa: SIM110  # any() takes longer than a small robot's torques
        if x is None:
            return True
    return False


class _Call(NamedTuple):
    """Arguments of `evaluate`, for calls whose states must be checked or converted."""

    graph: SubsystemGraph
    quantity: Quantity
    calls: Calls
    shape: tuple[int, ...]
    before: tuple[Any, ...]
    after: tuple[Any, ...]

    def one(self, states: tuple[Any, ...], out: NDArray[Any] | None) -> Array:
        """Return the quantity of one state."""
        given = self.given(states)
        checked = dict(zip(given, checked_vectors(self.graph, **given), strict=True))
        result: Array = np.empty(self.shape) if out is None else checked_out(out, self.shape)
        inputs = [
            None
            if name not in checked
            else _copied_if_shared(np.require(checked[name], np.float64, ["C", "A"]), result)
            for name in self.quantity.inputs
        ]
        status = self.calls.one(*self.before, *inputs, result, *self.after)
        if status != GOOD:
            self._fail(status, checked)
        return result

    def given(self, states: tuple[Any, ...]) -> dict[str, Any]:
        """Return the given states by name, without optional ones that are None."""
        named, at_rest = zip(self.quantity.inputs, states, strict=True), self.quantity.at_rest
        return {name: x for name, x in named if x is not None or name not in at_rest}

    def rows(self, states: tuple[Any, ...], out: NDArray[Any] | None, threads: int) -> NDArray[Any]:
        """Return the quantity (n, ...) of n states."""
        given = self.given(states)
        arrays = state_rows(self.graph, given)
        kind = self._kind(arrays, out)
        shape = (len(arrays["q"]), *self.shape)
        result = np.empty(shape, kind) if out is None else checked_out(out, shape, kind)
        if out is not None and any(np.may_share_memory(out, array) for array in arrays.values()):
            raise StateError(f"out shares memory with {' or '.join(arrays)}; an array of its own is needed")
        if kind == np.float32:
            self._raise_if_large(arrays["q"])
        self._write_rows(arrays, result, threads)
        return result

    def _raise_if_large(self, q: NDArray[Any]) -> None:
        """Raise StateError where single precision would lose digits of q (n, nq)."""
        if not q.size or (q.max() < SINGLE_UP_TO and q.min() > -SINGLE_UP_TO):
            return
        for row, k in np.argwhere((np.abs(q) >= SINGLE_UP_TO) & np.isfinite(q))[:1]:
            joint = joint_at(self.graph, k, self.graph.q_slice)
            raise StateError(
                f"row {row}: q[{k}] of joint '{joint}' is {q[row, k]:.6g}; single precision, of float32 "
                f"arrays, takes less than {SINGLE_UP_TO:g} rad or m: give float64 arrays"
            )

    def _write_rows(self, arrays: dict[str, NDArray[Any]], result: NDArray[Any], threads: int) -> None:
        """Write all rows, chunk by chunk, in the precision of the result."""
        kind = result.dtype
        after = tuple(
            x.astype(kind) if isinstance(x, np.ndarray) and x.dtype == np.float64 else x for x in self.after
        )
        for first in range(0, len(result), ROWS):
            inputs = [
                np.require(arrays[name][first : first + ROWS], kind, ["C", "A"]) if name in arrays else None
                for name in self.quantity.inputs
            ]
            done, status = self.calls.rows(
                *self.before, *inputs, result[first : first + ROWS], threads, *after
            )
            if status != GOOD:
                row = first + done
                with errors_begin_with(f"row {row}"):
                    self._fail(status, {name: array[row] for name, array in arrays.items()})

    def _kind(self, arrays: dict[str, NDArray[Any]], out: NDArray[Any] | None) -> np.dtype[Any]:
        """Return the dtype of the result: single precision for torques of arrays that all have it."""
        given = [*arrays.values(), *([] if out is None else [out])]
        single = all(isinstance(x, np.ndarray) and x.dtype == np.float32 for x in given)
        return np.dtype(np.float32) if single and self.quantity.single else _DOUBLE

    def _fail(self, status: int, state: dict[str, NDArray[Any]]) -> NoReturn:
        """Raise the StateError of a state for which the core returned this status."""
        checked_vectors(self.graph, **state)  # raises where a number is not finite
        if status >= NO_INERTIA:
            joint = self.graph.joints[status - NO_INERTIA]
            raise StateError(
                f"joint '{self.graph.driver(joint)}' moves no inertia: link '{joint.child_link}' and what it "
                "carries have none along the joint while the joints beyond it are free; any torque would "
                "accelerate it infinitely. An inertia of the links, or an armature, changes that"
            )
        raise self.quantity.overflow([state.get(name) for name in self.quantity.inputs])


def _copied_if_shared(x: Array, out: Array) -> Array:
    """Return x, or a copy where it shares some of its memory with ``out``."""
    return x.copy() if x is not out and np.may_share_memory(x, out) else x
