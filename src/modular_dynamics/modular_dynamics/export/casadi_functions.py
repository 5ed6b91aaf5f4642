"""CasADi functions of a graph: `graph.to_casadi`."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from numpy.typing import ArrayLike

from ..codegen.casadi import casadi_function
from ..model import SubsystemGraph
from ..optional_packages import needed
from .functions import recordings_of

__all__ = ["CasadiFunctions"]


@dataclass(frozen=True)
class CasadiFunctions:
    """A casadi.Function for each exported function of this library; None for those that were not requested.

    Vectors are columns in the order and units of the library. They check nothing, neither numbers that are
    not finite nor quaternions of norm zero; quaternions of other norms are normalized.

    Attributes:
        inverse_dynamics: (q, v, a) -> tau. nonlinear_effects: (q, v) -> h. gravity_torque: q -> g.
        mass_matrix: q -> M. forward_dynamics: (q, v, tau) -> a.
        inverse_dynamics_derivatives: (q, v, a) -> (dq, dv, da), as in the library: for a floating joint
            dq is a displacement in the child's axes, while casadi.jacobian differentiates by its quaternion.
        frame_poses: q -> poses (4 n, 4), jacobian: q -> J (6 n, nv) of n links, one below the other.
        close_loops: q -> coordinates of all joints. explicit_constraint_jacobian: q -> W.

    With closed loops q, v, a and tau are of the independent joints. Where the loops do not close, what
    depends on passive joints is NaN.
    """

    inverse_dynamics: Any = None
    nonlinear_effects: Any = None
    gravity_torque: Any = None
    mass_matrix: Any = None
    forward_dynamics: Any = None
    inverse_dynamics_derivatives: Any = None
    frame_poses: Any = None
    jacobian: Any = None
    close_loops: Any = None
    explicit_constraint_jacobian: Any = None


def to_casadi(
    graph: SubsystemGraph, functions: Sequence[str] | None, links: Sequence[str], guess: ArrayLike | None
) -> CasadiFunctions:
    """See :meth:`.SubsystemGraph.to_casadi`, which calls it."""
    recordings = recordings_of(graph, functions, links, guess, "to_casadi")
    programs = [recording.program for recording in recordings]
    with needed("graph.to_casadi()", "CasADi", "symbolic"):
        import_module("casadi")
    return CasadiFunctions(**{one.name: casadi_function(one) for one in programs})
