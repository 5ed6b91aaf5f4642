"""What an accepted description is good for: finite numbers that agree with each other and with Pinocchio."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pinocchio

import modular_dynamics as md
from modular_dynamics import loops
from modular_dynamics.algebra import translation

#: Rounding of one torque, against the largest product of masses and lengths that may enter it.
_ROUNDING = 1e-12
#: Numbers whose squares are 0: Pinocchio takes an axis of that length for none.
_SQUARED_ZERO = re.compile(r"[eE]-0*[1-9][0-9]{2}")
_MOST_COMPARED = 400  # joints
_MOST_CLOSED = 60  # joints


class Wrong(Exception):
    """A number that is not finite, or contradicts another one. No error of the library has this base."""


def compute(graph: md.SubsystemGraph, seed: int, urdf: str | None = None) -> str:
    """Torques, mass matrix and accelerations at a random state; a line about them.

    Args:
        urdf: what the graph was made of, where Pinocchio is to read it, too.

    Raises:
        Wrong: as its name says.
    """
    str(graph).encode()
    tree, random = graph.tree, np.random.default_rng(seed)
    q = tree.integrate(tree.neutral(), random.uniform(-1.0, 1.0, tree.nv))  # limits may be anything
    v, a = random.uniform(-1.0, 1.0, (2, tree.nv))
    boxes = {one.name: random.uniform(-1.0, 1.0, 6) for one in tree.subsystems if one.black_box}
    tau = md.inverse_dynamics(tree, q, v, a, black_box_wrenches=boxes)
    known = [k for one in tree.subsystems if not one.black_box for k in _columns(tree, one)]
    _require_finite("torques", tau[known])
    bound = _ROUNDING * _largest_terms(tree, q)
    if len(tree.joints) <= _MOST_COMPARED:
        residual = md.crosscheck.CrossCheck(tree)(q, v, a, tau, black_box_wrenches=boxes)
        if not residual.worst <= bound:
            raise Wrong(f"{residual.worst:g} from Pinocchio's {residual.scale:g}, bound {bound:g}")
        if urdf is not None and not boxes:
            _as_pinocchio_reads_it(tree, urdf, q, v, a, tau, bound)
        if not boxes:
            _equation_of_motion(tree, q, v, a, tau, bound)
    if graph.has_loops and len(graph.joints) <= _MOST_CLOSED:
        return _closed(graph, random)
    return f"{len(graph.joints)} joints"


def _as_pinocchio_reads_it(
    tree: md.SubsystemGraph, urdf: str, q: Any, v: Any, a: Any, tau: Any, bound: float
) -> None:
    """The torques of Pinocchio's own model of the text, where it says all: what was misread differs."""
    joints = [tree.joint(name) for name in tree.joint_names]
    if any(one.mimic or one.armature or one.stiffness or one.type.nq != 1 for one in joints):
        return  # of our tags, or of no angle or length
    if _SQUARED_ZERO.search(urdf):
        return
    try:
        model = pinocchio.buildModelFromXML(urdf)
    except (ValueError, RuntimeError):  # it refuses more
        return
    names = list(model.names)[1:]
    if "universe" in urdf or sorted(names) != sorted(tree.joint_names):  # planar joints are several of ours
        return
    order = [tree.joint_names.index(name) for name in names]
    place = pinocchio.integrate(model, pinocchio.neutral(model), q[order])
    model.gravity = pinocchio.Motion(np.array(tree.gravity), np.zeros(3))
    right = pinocchio.rnea(model, model.createData(), place, v[order], a[order])
    worst = np.abs(tau[order] - right).max(initial=0.0)
    if not worst <= bound:
        raise Wrong(f"{worst:g} from Pinocchio, which has read the text itself; bound {bound:g}")


def _columns(graph: md.SubsystemGraph, subsystem: Any) -> Iterator[int]:
    for joint in subsystem.joints:
        yield from range(*graph.v_slice(graph.driver(joint)).indices(graph.nv))


def _require_finite(what: str, values: Any) -> None:
    if not np.isfinite(values).all():
        raise Wrong(f"{what}: {values}")


def _own_error(function: Callable[[], Any]) -> Any:
    """The result; None where the library refuses, with a message that a log can take."""
    try:
        return function()
    except md.ModularDynamicsError as error:
        str(error).encode()
        return None


def _equation_of_motion(tree: md.SubsystemGraph, q: Any, v: Any, a: Any, tau: Any, bound: float) -> None:
    """M a + h = tau, and the accelerations that tau gives need tau again."""
    M, h = md.mass_matrix(tree, q), md.inverse_dynamics(tree, q, v, np.zeros(tree.nv))
    _require_finite("mass matrix", M)
    worst = np.abs(M @ a + h - tau).max(initial=0.0)
    if not worst <= 10.0 * bound:
        raise Wrong(f"M a + h is {worst:g} from tau, bound {10.0 * bound:g}")
    solved = _own_error(lambda: md.forward_dynamics(tree, q, v, tau))
    if solved is None:
        return
    _require_finite("accelerations", solved)
    again = _own_error(lambda: md.inverse_dynamics(tree, q, v, solved))
    if again is None:
        return
    # Articulated bodies are backward stable joint by joint: their error is that of M's largest entries.
    allowed = 1e4 * bound * (1.0 + np.abs(solved).max(initial=0.0))
    if not np.abs(again - tau).max(initial=0.0) <= allowed:
        raise Wrong(f"accelerations {solved} need {again}, not {tau}; bound {allowed:g}")


def _closed(graph: md.SubsystemGraph, random: np.random.Generator) -> str:
    """With loops: finite numbers that agree, or the library's error about loops that cannot close."""
    n = sum(graph.joint(name).type.nv for name in graph.independent_joint_names)
    scalar = all(graph.joint(name).type.nq == 1 for name in graph.independent_joint_names)
    for q in (np.zeros(n), random.uniform(-0.3, 0.3, n)) if scalar else ():
        v, a = random.uniform(-1.0, 1.0, (2, n))
        result = _own_error(lambda: md.InverseDynamics(graph).solve(q, v, a))  # noqa: B023
        if result is None:
            return "open"
        for what in ("tau", "multipliers", "coordinates", "velocities", "accelerations", "projection"):
            _require_finite(f"{what} of closed loops", getattr(result, what))
        for what in ("wrenches", "tensions", "residual"):
            _require_finite(f"{what} of closed loops", np.array([*getattr(result, what).values()], float))
        at = result.coordinates
        for function in (md.mass_matrix, md.gravity_torque):
            values = _own_error(lambda: function(graph, q, guess=at))  # noqa: B023
            if values is not None:
                _require_finite(function.__name__, values)
        state = at, result.velocities, result.tau
        motion = _own_error(lambda: md.constrained_dynamics(graph, *state))  # noqa: B023
        if motion is not None:
            _require_finite("accelerations of closed loops", motion.a)
    assembly = _own_error(lambda: loops.assemble(graph))
    if assembly is not None:
        _require_finite("assembly", assembly.coordinates)
    return "closed"


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
