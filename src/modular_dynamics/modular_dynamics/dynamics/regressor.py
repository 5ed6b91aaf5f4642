"""Inverse dynamics as a linear map of the inertial parameters, for identification."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..exceptions import StateError
from ..kernels import regressor as kernel
from ..kernels import regressor_float64
from ..kernels.recursions.regressor import PARAMETERS, REGRESSOR_COLUMNS, SIGNATURE, TURN
from ..model import SubsystemGraph, refuse_closures
from .arrays.model_arrays import alignment, constants_of, plain, topology_of
from .execution.batch import Progress
from .execution.solver import Solver, kept

__all__ = ["Regressor", "inertial_parameters", "regressor", "regressor_batch"]


class Regressor(Solver):
    """The regressor of one graph with everything allocated beforehand. Not for several threads at once.

    Raises:
        StateError: a black box, whose masses are no parameters.
        UnsupportedModelError: the graph has loop joints, passive joints, gears or springs.
    """

    def __init__(self, graph: SubsystemGraph) -> None:
        refuse_closures(graph, "regressor")
        _refuse_black_boxes(graph, "the regressor")
        constants = constants_of(graph)
        for joint, row in zip(graph.joints, constants[:-1], strict=True):
            row[TURN : TURN + 9] = alignment(joint).ravel()
        arrays = topology_of(graph, frozenset()), constants
        shape = graph.nv, PARAMETERS * len(graph.joints)
        super().__init__(graph, kernel, SIGNATURE, regressor_float64, arrays, REGRESSOR_COLUMNS, shape)

    def __call__(
        self, q: ArrayLike, v: ArrayLike, vdot: ArrayLike, out: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        """Y: see :func:`regressor`. With ``out`` nothing is allocated after the first call."""
        result = np.empty(self.shape) if out is None else out
        arrays = self.topology, self.constants, self._work
        if (
            plain(q, v, vdot, result)
            and result.shape == self.shape
            and self._kernel(*arrays, q, v, vdot, result) == 0
        ):
            return result
        return self._checked({"q": q, "v": v, "vdot": vdot}, result)


def _refuse_black_boxes(graph: SubsystemGraph, what: str) -> None:
    boxes = [subsystem.name for subsystem in graph.subsystems if subsystem.black_box]
    if boxes:
        raise StateError(f"{what} of '{graph.name}' is not known: its black boxes are {', '.join(boxes)}")


def _solver(graph: SubsystemGraph) -> Regressor:
    return kept(graph, "regressor", None, lambda: Regressor(graph))


def inertial_parameters(graph: SubsystemGraph) -> NDArray[np.float64]:
    """theta (10 n,): of each body of ``graph.bodies`` [m, m c_x, m c_y, m c_z, Ixx, Ixy, Iyy, Ixz, Iyz, Izz].

    Mass, first moment and inertia I about the origin (I = I_c + m (c.c 1 - c c^T)), in the axes of the
    body's moving link, links that are fixed to it included. [kg, kg m, kg m^2]

    Raises:
        StateError: a black box in the graph.
    """
    _refuse_black_boxes(graph, "theta")
    theta = np.empty((len(graph.bodies), PARAMETERS))
    for row, body in zip(theta, graph.bodies, strict=True):
        c = body.com
        inertia = body.inertia + body.mass * (c @ c * np.eye(3) - np.outer(c, c))
        row[0], row[1:4] = body.mass, body.mass * c
        row[4:] = inertia[[0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]
    return theta.ravel()


def regressor(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    vdot: ArrayLike,
    out: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Y (nv, 10 n) with tau = Y theta: inverse dynamics, gravity included, linear in the parameters.

    n is the number of bodies and theta that of :func:`inertial_parameters`; Y depends on the motion and the
    robot's geometry alone (Atkeson, An & Hollerbach, Estimation of inertial parameters of manipulator loads
    and links, 1986). Not all of theta can be identified: the columns of Y over many motions are dependent. A
    mimic joint's row, times its multiplier, is added to its driver's. [tau: N m or N]

    Args:
        q: positions (nq,) in the order of ``graph.joint_names`` [rad or m].
        v, vdot: velocities and accelerations (nv,).
        out: float64 array (nv, 10 n) for the result; with it nothing is allocated after the first call.

    Raises:
        StateError: a wrong shape, a number that is not finite, or a black box in the graph.
        UnsupportedModelError: the graph has loop joints, passive joints, gears or springs.
    """
    return _solver(graph)(q, v, vdot, out)


def regressor_batch(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    vdot: ArrayLike,
    threads: int | None = None,
    *,
    out: NDArray[np.float64] | None = None,
    progress: Progress = None,
) -> NDArray[np.float64]:
    """Regressors of many states (count, nv, 10 n): ``regressor`` of each row of the arguments.

    For least squares stack them: ``Y.reshape(-1, Y.shape[2])`` belongs to ``tau.ravel()`` of torques
    (count, nv).

    Args:
        q: positions (count, nq). v, vdot: velocities and accelerations (count, nv).
        threads: how many to use; all cores by default.
        out: float64 array (count, nv, 10 n) for the result. Beside it memory does not grow with count.
        progress: called now and then with (states done, count), from the calling thread.

    Raises:
        StateError: a wrong shape or number of threads, a number that is not finite, with its row, or a black
            box in the graph.
        UnsupportedModelError: the graph has loop joints, passive joints, gears or springs.
    """
    return _solver(graph).batch()({"q": q, "v": v, "vdot": vdot}, threads, out, np.float64, progress)
