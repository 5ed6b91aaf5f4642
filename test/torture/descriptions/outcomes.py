"""What became of a damaged description: right, refused, or one of the faults."""

import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import thread_time
from typing import Any, NamedTuple

import numpy as np

import modular_dynamics as md
from modular_dynamics.algebra import translation
from modular_dynamics.closure import closed_loop_inverse_dynamics

__all__ = ["FAULTS", "Outcome", "outcome_of"]

#: Outcomes that no description may have.
FAULTS = ("wrong", "raw", "slow")
#: Rounding of one torque, against the largest product of masses and lengths that may enter it.
_ROUNDING = 1e-12
_MOST_COMPARED = 400  # joints


class Outcome(NamedTuple):
    """``kind``: right, refused, wrong, raw (another library's error) or slow. ``text``: what happened."""

    kind: str
    text: str


class _TooSlow(BaseException):
    """Not an Exception: no handler in between may take it for one."""


def outcome_of(load: Callable[[], md.SubsystemGraph], seed: int, limit: float = 2.0) -> Outcome:
    """Load a description, then compare its torques at a random state with Pinocchio's.

    Args:
        limit: processor time that loading may take [s].
    """
    try:
        with warnings.catch_warnings(), _at_most(20.0 * limit):
            warnings.simplefilter("ignore", md.ModelWarning)
            before = thread_time()
            try:
                graph = load()
            except md.ModularDynamicsError as error:
                text = f"{type(error).__name__}: {str(error)[:200]}"
                str(error).encode()  # an error that no log can take is none
                took = thread_time() - before
                return Outcome("refused", text) if took < limit else Outcome("slow", f"{took:.1f} s, {text}")
            took = thread_time() - before
            if took > limit:
                return Outcome("slow", f"{took:.1f} s for a graph of {len(graph.joints)} joints")
            return _computed(graph, seed)
    except _TooSlow:
        return Outcome("slow", f"more than {20.0 * limit:g} s")
    except Exception as error:
        return Outcome("raw", f"{type(error).__name__}: {str(error)[:200]!a}")


def _computed(graph: md.SubsystemGraph, seed: int) -> Outcome:
    """Torques of the tree against Pinocchio's, and of its closed loops where they close: finite."""
    tree, random = graph.tree, np.random.default_rng(seed)
    str(graph).encode()
    q = tree.integrate(tree.neutral(), random.uniform(-1.0, 1.0, tree.nv))  # limits may be anything
    v, vdot = random.uniform(-1.0, 1.0, (2, tree.nv))
    boxes = {one.name: random.uniform(-1.0, 1.0, 6) for one in tree.subsystems if one.black_box}
    tau = md.inverse_dynamics(tree, q, v, vdot, black_box_wrenches=boxes)
    known = [k for one in tree.subsystems if not one.black_box for k in _columns(tree, one)]
    if not np.isfinite(tau[known]).all():
        return Outcome("wrong", f"torques {tau} at q={q}")
    if len(tree.joints) <= _MOST_COMPARED:
        residual = md.crosscheck.CrossCheck(tree)(q, v, vdot, tau, black_box_wrenches=boxes)
        bound = _ROUNDING * _largest_terms(tree, q)
        if not residual.worst <= bound:
            return Outcome(
                "wrong", f"{residual.worst:g} from Pinocchio's {residual.scale:g}, bound {bound:g}"
            )
    if graph.closing_elements:
        return _closed(graph)
    return Outcome("right", f"{len(graph.joints)} joints")


def _columns(graph: md.SubsystemGraph, subsystem: Any) -> Iterator[int]:
    for joint in subsystem.joints:
        yield from range(*graph.v_slice(graph.driver(joint)).indices(graph.nv))


def _closed(graph: md.SubsystemGraph) -> Outcome:
    """With loops: finite numbers, or the library's error about loops that cannot close."""
    zeros = np.zeros(len(graph.independent_joint_names))
    try:
        result = closed_loop_inverse_dynamics(graph, zeros, zeros, zeros)
    except md.ModularDynamicsError as error:
        str(error).encode()
        return Outcome("right", f"open: {str(error)[:80]}")
    finite = np.isfinite(result.tau).all()
    return Outcome("right", "closed") if finite else Outcome("wrong", f"torques {result.tau} of closed loops")


def _largest_terms(graph: md.SubsystemGraph, q: np.ndarray) -> float:
    """A bound of the terms that are added up to torques: their rounding remains where they cancel."""
    mimics = [joint.mimic for joint in graph.joints if joint.mimic]
    factor = max((1.0 + abs(mimic.multiplier) for mimic in mimics), default=1.0)
    reach = 1.0 + factor * float(np.abs(q).sum()) + sum(abs(mimic.offset) for mimic in mimics)
    reach += sum(float(np.abs(translation(joint.x_parent_joint)).sum()) for joint in graph.joints)
    rate = 1.0 + factor * len(graph.joints)
    total = 1e-9
    for body in graph.bodies:
        arm = reach + float(np.abs(body.com).sum())
        total += body.mass * arm * arm + float(np.abs(body.inertia).sum())
    total *= rate * rate * (1.0 + float(np.abs(graph.gravity).sum()))
    for joint in graph.joints:
        total += joint.armature * rate + joint.stiffness * (reach + abs(joint.rest_position))
    return total * factor


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """End what takes longer, by an alarm of this process."""

    def stop(*_: object) -> None:
        raise _TooSlow

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
