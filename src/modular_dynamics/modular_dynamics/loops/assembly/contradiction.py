"""Loops that close in no configuration, because a residual of theirs does not depend on any joint."""

import numpy as np

from ...dynamics.arguments import Array
from ...exceptions import ClosureError
from ..constraints import newton
from ..constraints.constraint_system import ConstraintSystem
from ..constraints.coordinates import Coordinates
from .diagnosis import open_loops

__all__ = ["contradiction"]

#: Configurations that are compared, and the largest difference of what is constant: rounding, in m or 1.
COMPARED, EQUAL = 4, 1e-12


def contradiction(system: ConstraintSystem, near: Array) -> ClosureError | None:
    """Return the error of loops that no motion of any joints closes; None if they may close.

    Residuals are analytic in the coordinates: those that are equal at random configurations are constant.
    Compared are each row of the loops, and of each loop the distance of its points and the norm of its
    rows of orientation. Two planes of motion that are parallel but apart, or at an angle, are found so.
    """
    rng, coordinates = np.random.default_rng(0), Coordinates(system.graph)
    places = near + rng.normal(size=(COMPARED, len(near)))
    table = np.array([_sizes(system, coordinates.unit(q)) for q in places])
    is_constant = np.ptp(table, axis=0) <= EQUAL * (1.0 + table.max(axis=0))
    if not (is_constant & (table.min(axis=0) > newton.CLOSED)).any():
        return None
    why = "no joint changes that, as where axes are not parallel, or planes of motion not the same"
    return open_loops(system, near, "in any configuration", why)


def _sizes(system: ConstraintSystem, q: Array) -> Array:
    """Return |phi| of each row, then the norms of each loop's position rows and of its orientation rows."""
    phi, is_along, names = (
        np.abs(system.evaluate(q).phi),
        system.kinds == "along",
        np.array(system.names, object),
    )
    sizes = [*phi[~system.is_gear]]
    for loop in system.graph.loop_joints:
        own = names == loop.name
        is_position = own & is_along
        sizes += [float(np.linalg.norm(phi[kind])) for kind in (is_position, own & ~is_position)]
    return np.array(sizes)
