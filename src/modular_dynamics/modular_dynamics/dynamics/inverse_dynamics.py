"""Inverse dynamics: tau of q, v and a, and its parts at rest and without acceleration."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra import DualQuaternion
from ..exceptions import StateError
from ..model import (
    SubsystemGraph,
    black_box_wrenches,
    checked_vectors,
    refuse_black_boxes,
    refuse_closures,
    require_graph,
)
from .arguments import Array, has_loops, of_loops
from .core_robot import ARMATURE, GOOD, OVERFLOW, loads_on_bodies, passing_of
from .designs import inverse_dynamics_of_designs
from .quantity import Quantity, evaluate, terms_of
from .transmitted_wrenches import InverseDynamicsResult

Wrenches = Mapping[str, ArrayLike] | None

_ARE = "torques"
_INVERSE_DYNAMICS = Quantity(
    "inverse_dynamics",
    ("q", "v", "a"),
    lambda graph: (graph.nv,),
    _ARE,
    lambda graph: refuse_closures(graph, "inverse dynamics"),
    single=True,
)
_JOINT_WRENCHES = Quantity(
    "joint_wrenches",
    ("q", "v", "a"),
    lambda graph: (graph.nv + 6 * len(graph.joints),),
    _ARE,
    lambda graph: refuse_closures(graph, "inverse dynamics"),
)


def inverse_dynamics(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    *,
    external_wrenches: Wrenches = None,
    black_box_wrenches: Wrenches = None,
    friction: str = "none",
    guess: ArrayLike | None = None,
    parameters: Mapping[str, ArrayLike] | None = None,
    threads: int | None = None,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Return the joint torques tau (nv,) [N m or N] for accelerations a; of many states (n, nv).

    Recursive Newton-Euler (RNEA), composed of subsystems (Silva & Adorno, eqs. 1, 5-7). What joints
    themselves add where they have it: armature times a, and stiffness (q - rest position).

    With closed loops (loop joints, passive joints, gears, springs between links) everything is of the p
    independent joints, in the order of ``graph.independent_joint_names``, and tau = W^T tau_tree (Schappler
    et al., section 3.4; loops/dynamics/inverse_dynamics.py).

    Args:
        q: positions (nq,) in the order of ``graph.joint_names`` [rad or m]; of many states (n, nq).
        v, a: velocities and accelerations (nv,), or (n, nv). float32 arrays of many states give float32
            torques, computed in single precision: faster, and to 1e-5 of the largest torque.
        external_wrenches: {link: [force N, moment N m]} acting on the link, at and in its frame; the same for
            every state.
        black_box_wrenches: {subsystem: [force, moment]} of the predecessor on that subsystem, at and in its
            connection frame. Any subsystem may be given; those with black_box must be. Theirs and their
            successors' wrenches reach the predecessor by this value alone.
        friction: "none", or "urdf": the joints' damping and friction count, damping v + friction sign(v) with
            sign(0) = 0.
        guess: with closed loops, coordinates (nq,) of all joints near q. The assembly mode is the one nearest
            to them (sum of squares of the joints that loops determine, angles modulo whole turns) at their
            own independent coordinates, followed to q without a jump; where loops do not close there, the one
            nearest at q. Of loops that are not planar, the nearest that Newton's method finds. Limits are
            ignored. Of many states one for each (n, nq), or for the first one (nq,): then each follows from
            the one before it. Without a guess, the mode reached from the zero pose, or, where zero is beyond
            a joint's limits, from their middle; of several modes one in which passive joints are within their
            limits. Where loops do not close so, from what `assemble` finds.
        parameters: columns (n,) by the names of ``graph.parameters``: torques of n designs, robots that
            differ in these numbers; nothing is loaded for each. Then q, v and a are one state of each,
            (n, ...), or s states of each, (n, s, ...), and so is the result. It goes without wrenches and
            ``out``.
        threads: for many states; by default as many as there are cores.
        out: array for the result. With it and without wrenches nothing is allocated. Of one state it may be
            one of the arguments.

    Returns:
        tau; NaN for joints inside black boxes, whose torques are not known.

    Raises:
        StateError: a wrong shape, dtype or number of threads, a number that is not finite, an unknown name, a
            missing wrench, or another friction; of many states with the row.
        UnknownNameError: no such parameter. ModelError: no robot can be that design.
        ClosureError: the loops do not close there; it has the residual and the closest configuration. Or the
            independent joints are too many: their motion would open loops. Or there is no guess, and passive
            joints would be beyond their limits by more than 2e-3 rad or m.
        SingularityError: a singular configuration, or too few independent joints; with condition number.
        UnsupportedModelError: closed loops and a black box.
    """
    terms_of(friction)
    try:
        prepared = graph.once(InverseDynamics if friction == "none" else _with_friction)
    except AttributeError:
        require_graph(graph)
        raise
    if parameters is None:
        if external_wrenches is None and black_box_wrenches is None and threads is None:
            return prepared(q, v, a, guess, out)  # what a robot's controller does a thousand times a second
        wrenches: Any = {"external_wrenches": external_wrenches, "black_box_wrenches": black_box_wrenches}
        return prepared(q, v, a, guess, out, **wrenches, threads=threads)
    if external_wrenches is not None or black_box_wrenches is not None or out is not None:
        raise StateError("parameters go without wrenches and out")
    if graph.has_loops:
        of_many: Any = prepared
        tau: Array = of_many.solve_many(
            q, v, a, guess=guess, threads=threads, errors="raise", parameters=parameters
        ).tau
        return tau
    return inverse_dynamics_of_designs(graph, {"q": q, "v": v, "a": a}, parameters, threads, friction)


def _with_friction(graph: SubsystemGraph) -> "InverseDynamics":
    return InverseDynamics(graph, friction="urdf")


class InverseDynamics:
    """Inverse dynamics of one graph: for results with wrenches, `solve`, and for calls in a fast loop.

    Of a graph with closed loops it is a :class:`.ClosedLoopInverseDynamics`, which also has ``solve_many``.

    Args:
        friction: as of :func:`inverse_dynamics`.

    Raises:
        StateError: another friction. UnsupportedModelError: closed loops and a black box.
    """

    def __new__(cls, graph: SubsystemGraph, *, friction: str = "none") -> "InverseDynamics":
        """Return an object of the subclass for closed loops where the graph has them."""
        kind = cls
        if cls is InverseDynamics and has_loops(graph):
            kind = of_loops("ClosedLoopInverseDynamics")
        return super().__new__(kind)

    def __init__(self, graph: SubsystemGraph, *, friction: str = "none") -> None:
        require_graph(graph)
        self.graph, self.friction = graph, friction
        self._one, self._terms = graph.once(_INVERSE_DYNAMICS).one, terms_of(friction)
        self._has_boxes = _has_black_boxes(graph)

    def __call__(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        guess: ArrayLike | None = None,
        out: NDArray[Any] | None = None,
        *,
        external_wrenches: Wrenches = None,
        black_box_wrenches: Wrenches = None,
        threads: int | None = None,
        coordinates: Array | None = None,
    ) -> NDArray[Any]:
        """Return tau: see `inverse_dynamics`. With ``out`` and without wrenches nothing is allocated.

        In fast loops give guess and out by position: keywords take longer.

        Args:
            coordinates: with closed loops, float64 array (nq,), or (n, nq) of many states, for the
                coordinates of all joints; it may be the guess: the next call's, for a robot that moves.

        Raises:
            StateError: also where ``out`` and ``coordinates`` share memory, or of ``coordinates`` without
                closed loops.
        """
        if coordinates is not None:
            raise StateError(f"coordinates: '{self.graph.name}' has no closed loops; q has all there are")
        is_plain = external_wrenches is None and black_box_wrenches is None and threads is None
        if is_plain and not (self._has_boxes or v is None or a is None):
            tau = np.empty(self.graph.nv) if out is None else out
            try:
                status = self._one(q, v, a, tau, self._terms)
            except (TypeError, ValueError):
                status = None  # many states, or what is to be converted or refused
            if status == GOOD:
                return tau
            if status == OVERFLOW:
                raise _INVERSE_DYNAMICS.overflow((q, v, a))
        _, after = _terms_and_loads(self.graph, external_wrenches, black_box_wrenches, self.friction)
        return evaluate(self.graph, _INVERSE_DYNAMICS, (q, v, a), out, threads, after=after)

    def solve(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        guess: ArrayLike | None = None,
        external_wrenches: Wrenches = None,
        black_box_wrenches: Wrenches = None,
    ) -> InverseDynamicsResult:
        """Return torques of one state and the wrenches of its joints. Arguments as of `inverse_dynamics`.

        With closed loops the result is a :class:`.ClosedLoopResult`.
        """
        graph = self.graph
        boxes, after = _terms_and_loads(graph, external_wrenches, black_box_wrenches, self.friction)
        q, v, a = checked_vectors(graph, q=q, v=v, a=a)
        tau = evaluate(graph, _INVERSE_DYNAMICS, (q, v, a), after=after)  # as a call: equal bits
        wrenches = evaluate(graph, _JOINT_WRENCHES, (q, v, a), after=after)[graph.nv :].reshape(-1, 6)
        return InverseDynamicsResult(graph, np.array(q), boxes, wrenches, tau)


def _terms_and_loads(
    graph: SubsystemGraph, external: Wrenches, boxes: Wrenches, friction: str
) -> tuple[dict[str, DualQuaternion], tuple[Any, ...]]:
    """Return black boxes' wrenches, and the core's last arguments: terms, loads, passing (_core.pyi)."""
    terms = terms_of(friction)
    if external is None and boxes is None and not graph.once(_has_black_boxes):
        return {}, (terms,)
    given = black_box_wrenches(graph, {} if boxes is None else boxes)
    loads = loads_on_bodies(graph, external, given)
    return given, (terms, loads, passing_of(graph, given) if given else None)


def _has_black_boxes(graph: SubsystemGraph) -> bool:
    return any(subsystem.black_box for subsystem in graph.subsystems)


def nonlinear_effects(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    *,
    friction: str = "none",
    guess: ArrayLike | None = None,
    threads: int | None = None,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Return h (nv,): torques at zero acceleration, so that M a + h = tau; of many states (n, nv).

    Coriolis, centrifugal, gravity, the joints' springs and, where ``friction`` says so, friction. Arguments
    and errors as of ``inverse_dynamics``; StateError also for a black box in the graph: ``inverse_dynamics``
    takes its wrench.
    """
    if has_loops(graph):
        h: NDArray[Any] = of_loops("nonlinear_effects")(**locals())
        return h
    return evaluate(graph, _NONLINEAR_EFFECTS, (q, v, None), out, threads, after=(terms_of(friction),))


def gravity_torque(
    graph: SubsystemGraph,
    q: ArrayLike,
    *,
    guess: ArrayLike | None = None,
    threads: int | None = None,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Return g (nv,): torques that hold the robot at q against gravity, without springs at its joints.

    With those: ``nonlinear_effects`` at rest. Of many states (n, nv). Errors as of ``nonlinear_effects``.
    """
    if has_loops(graph):
        g: NDArray[Any] = of_loops("gravity_torque")(**locals())
        return g
    return evaluate(graph, _GRAVITY_TORQUE, (q, None, None), out, threads, after=(ARMATURE,))


def _at_rest(quantity: str) -> Quantity:
    """Return inverse dynamics at rest as a quantity with this name, of graphs without black boxes."""

    def require(graph: SubsystemGraph) -> None:
        refuse_closures(graph, quantity)
        instead = "inverse_dynamics at zero acceleration takes their black_box_wrenches"
        refuse_black_boxes(graph, quantity, instead)

    inputs = _INVERSE_DYNAMICS.inputs
    return Quantity(
        "inverse_dynamics", inputs, _INVERSE_DYNAMICS.shape, _ARE, require, at_rest=("v", "a"), single=True
    )


_NONLINEAR_EFFECTS, _GRAVITY_TORQUE = _at_rest("nonlinear effects"), _at_rest("the gravity torque")
