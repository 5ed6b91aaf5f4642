"""The library's functions and the same by Pinocchio: one entry of a table for each public function.

To add a function: one entry in QUANTITIES, with a method of `Reference` that computes it by Pinocchio.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pinocchio
from numpy.typing import NDArray

import modular_dynamics as md

__all__ = ["QUANTITIES", "Quantity", "Reference", "State", "random_state"]

Array = NDArray[np.float64]
#: Allowed relative differences: of values, and of derivatives.
VALUES, DERIVATIVES = 1e-11, 1e-9
#: About how many links' jacobians are compared, spread over the robot.
MOST_LINKS = 12


class State(NamedTuple):
    """One state in graph order, and the torques that Pinocchio computes for it."""

    q: Array
    v: Array
    a: Array
    tau: Array


class ParsedModel(md.crosscheck.PinocchioModel):
    """Conversion to and from Pinocchio's model as Pinocchio's own parser reads it from the URDF.

    Raises:
        ValueError: it refuses the URDF, or reads other joints from it.
    """

    def __init__(self, graph: md.SubsystemGraph) -> None:
        self.graph = graph
        root = [pinocchio.JointModelFreeFlyer()] if graph.floating_base else []
        self.model = pinocchio.buildModelFromXML(graph.urdf, *root)
        self.model.gravity = pinocchio.Motion(graph.gravity, np.zeros(3))
        self.data = self.model.createData()
        other = (set(self.model.names) - {"universe"}) ^ {joint.name for joint in graph.joints}
        if other:
            raise ValueError(f"Pinocchio reads other joints from the URDF: {', '.join(sorted(other))}")
        self.ids = [self.model.getJointId(joint.name) for joint in graph.joints]


class Reference:
    """Pinocchio's model of a graph, read from the same URDF text; results in the graph's order.

    S maps our velocities to Pinocchio's, whose mimic joints are independent: v_theirs = S v, and
    tau = S^T tau_theirs.
    """

    def __init__(self, graph: md.SubsystemGraph) -> None:
        self.graph = graph
        self.converter = ParsedModel(graph)
        self.model, self.data = self.converter.model, self.converter.data
        self.S = np.empty((self.model.nv, graph.nv))
        for column, unit in enumerate(np.eye(graph.nv)):
            self.S[:, column] = self.converter.v(unit)

    def _state(self, state: State) -> tuple[Array, Array, Array]:
        to = self.converter
        return to.q(state.q), to.v(state.v), to.v(state.a)

    def torques(self, state: State) -> Array:
        """Recursive Newton-Euler algorithm."""
        return np.asarray(self.S.T @ pinocchio.rnea(self.model, self.data, *self._state(state)))

    def mass_matrix(self, state: State) -> Array:
        """Composite rigid body algorithm."""
        M = pinocchio.crba(self.model, self.data, self._state(state)[0])
        return np.asarray(self.S.T @ (np.triu(M) + np.triu(M, 1).T) @ self.S)

    def bias(self, state: State) -> Array:
        """Coriolis, centrifugal and gravity torques."""
        q, v, _ = self._state(state)
        return np.asarray(self.S.T @ pinocchio.nonLinearEffects(self.model, self.data, q, v))

    def gravity(self, state: State) -> Array:
        """Torques at rest."""
        return np.asarray(
            self.S.T @ pinocchio.computeGeneralizedGravity(self.model, self.data, self._state(state)[0])
        )

    def accelerations(self, state: State) -> Array:
        """Articulated body algorithm; with mimic joints, which it has not, M a = tau - h is solved."""
        if len(self.graph.joint_names) < len(self.graph.joints):
            return np.linalg.solve(self.mass_matrix(state), state.tau - self.bias(state))
        q, v, _ = self._state(state)
        return np.asarray(self.S.T @ pinocchio.aba(self.model, self.data, q, v, self.S @ state.tau))

    def derivatives(self, state: State) -> Array:
        """Of the torques, by q, v and a."""
        parts = pinocchio.computeRNEADerivatives(self.model, self.data, *self._state(state))
        dq, dv, M = parts
        return np.array([self.S.T @ part @ self.S for part in (dq, dv, np.triu(M) + np.triu(M, 1).T)])

    def poses(self, state: State) -> Array:
        """Of every link."""
        pinocchio.framesForwardKinematics(self.model, self.data, self._state(state)[0])
        return np.array([self.data.oMf[self._frame(link)].homogeneous for link in self.graph.links])

    @cached_property
    def links(self) -> tuple[str, ...]:
        """The links whose jacobians are compared."""
        names = self.graph.links
        return names[:: max(1, len(names) // MOST_LINKS)]

    def jacobians(self, state: State) -> Array:
        """In the axes of the root link."""
        axes, q = pinocchio.LOCAL_WORLD_ALIGNED, self._state(state)[0]
        of = (
            pinocchio.computeFrameJacobian(self.model, self.data, q, self._frame(link), axes)
            for link in self.links
        )
        return np.array([J.reshape(6, -1) @ self.S for J in of])  # one column comes as 1-D

    def _frame(self, link: str) -> int:
        if self.graph.floating_base and link == self.graph.links[0]:
            return 0  # the ground
        return int(self.model.getFrameId(link, pinocchio.FrameType.BODY))

    @cached_property
    def _columns(self) -> NDArray[np.intp]:
        return np.concatenate([10 * (index - 1) + np.arange(10) for index in self.converter.ids])

    def regressor(self, state: State) -> Array:
        """Of the inertial parameters of the moving bodies."""
        Y = pinocchio.computeJointTorqueRegressor(self.model, self.data, *self._state(state))
        return np.asarray(self.S.T @ np.reshape(Y, (self.model.nv, -1))[:, self._columns])

    def parameters(self, _: State) -> Array:
        """The inertial parameters themselves."""
        return np.concatenate([self.model.inertias[k].toDynamicParameters() for k in self.converter.ids])


@dataclass(frozen=True)
class Quantity:
    """A public function of the library, the same by Pinocchio, and the allowed relative difference.

    Attributes:
        solves: it solves M x = b. Then the rounding of M's own numbers moves x by the condition number of M
            times 2.2e-16 (Higham, Accuracy and Stability of Numerical Algorithms, chapter 7), in Pinocchio as
            here, and that much is allowed where it is more. M x must agree with b as other quantities do.
        part_of_torques: it is a part of tau, perhaps zero but for rounding; differences are relative to tau.
    """

    name: str
    ours: Callable[[md.SubsystemGraph, Reference, State], Any]
    theirs: Callable[[Reference, State], Array]
    allowed: float = VALUES
    solves: bool = False
    part_of_torques: bool = False

    def difference(self, graph: md.SubsystemGraph, reference: Reference, state: State) -> float:
        """Largest difference over the largest number; infinite where one is not finite or shapes differ."""
        ours = np.asarray(self.ours(graph, reference, state), np.float64)
        theirs = self.theirs(reference, state)
        if ours.shape != theirs.shape or not (np.isfinite(ours).all() and np.isfinite(theirs).all()):
            return float("inf")
        scales = [theirs, state.tau] if self.part_of_torques else [theirs]
        scale = max(float(np.abs(numbers).max(initial=0.0)) for numbers in scales)
        difference = float(np.abs(ours - theirs).max(initial=0.0))
        return difference / scale if scale > 0.0 else difference

    def tolerance(self, reference: Reference, state: State) -> float:
        """The allowed relative difference at one state."""
        if not self.solves:
            return self.allowed
        condition = float(np.linalg.cond(reference.mass_matrix(state)))
        return max(self.allowed, condition * float(np.finfo(float).eps))


def _jacobians(graph: md.SubsystemGraph, reference: Reference, s: State) -> Array:
    return np.array([md.jacobian(graph, s.q, link) for link in reference.links])


def _first(function: Callable[..., Any], graph: md.SubsystemGraph, *rows: Array) -> Any:
    """The first of three equal states: of many several are computed at once."""
    return function(graph, *(np.array([row] * 3) for row in rows))[0]


QUANTITIES = (
    Quantity("inverse_dynamics", lambda g, _, s: md.inverse_dynamics(g, s.q, s.v, s.a), Reference.torques),
    Quantity("compose", lambda g, _, s: md.compose(g, s.q, s.v, s.a).tau, Reference.torques),
    Quantity("mass_matrix", lambda g, _, s: md.mass_matrix(g, s.q), Reference.mass_matrix),
    Quantity("bias", lambda g, _, s: md.nonlinear_effects(g, s.q, s.v), Reference.bias, part_of_torques=True),
    Quantity(
        "gravity_torque",
        lambda g, _, s: md.gravity_torque(g, s.q),
        Reference.gravity,
        part_of_torques=True,
    ),
    Quantity(
        "forward_dynamics",
        lambda g, _, s: md.forward_dynamics(g, s.q, s.v, s.tau),
        Reference.accelerations,
        solves=True,
    ),
    Quantity(
        "forward_dynamics, its torques",
        lambda g, r, s: r.torques(s._replace(a=md.forward_dynamics(g, s.q, s.v, s.tau))),
        lambda _, s: s.tau,
    ),
    Quantity(
        "inverse_dynamics_derivatives",
        lambda g, _, s: np.array(md.inverse_dynamics_derivatives(g, s.q, s.v, s.a)),
        Reference.derivatives,
        DERIVATIVES,
    ),
    Quantity("frame_poses", lambda g, _, s: md.frame_poses(g, s.q), Reference.poses),
    Quantity("jacobian", _jacobians, Reference.jacobians),
    Quantity("regressor", lambda g, _, s: md.regressor(g, s.q, s.v, s.a), Reference.regressor),
    Quantity("inertial_parameters", lambda g, _, s: md.inertial_parameters(g), Reference.parameters),
    Quantity(
        "inverse_dynamics, many states",
        lambda g, _, s: _first(md.inverse_dynamics, g, s.q, s.v, s.a),
        Reference.torques,
    ),
    Quantity(
        "forward_dynamics, many states",
        lambda g, _, s: _first(md.forward_dynamics, g, s.q, s.v, s.tau),
        Reference.accelerations,
        solves=True,
    ),
)


def random_state(reference: Reference, rng: np.random.Generator) -> State:
    """Angles over the full turn, within a metre, rates and accelerations of up to 2."""
    graph = reference.graph
    q = rng.uniform(-np.pi, np.pi, graph.nq)
    for name in graph.joint_names:
        part = graph.q_slice(name)
        if graph.joint(name).type == "prismatic":
            q[part] /= np.pi
        elif part.stop - part.start == 7:
            q[part] = [*rng.uniform(-1.0, 1.0, 3), *_unit_quaternion(rng)]
    v, a = rng.uniform(-2.0, 2.0, (2, graph.nv))
    state = State(q, v, a, np.zeros(graph.nv))
    return state._replace(tau=reference.torques(state))


def _unit_quaternion(rng: np.random.Generator) -> Array:
    numbers = rng.normal(size=4)
    return np.asarray(numbers / np.linalg.norm(numbers))
