"""Quantities of the library and the same by Pinocchio.

To add one: an entry in QUANTITIES, with a method of `Reference` that computes it by Pinocchio.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pinocchio
from numpy.typing import NDArray

import modular_dynamics as md
from benchmark.quantities import TREE, TREE_ROWS, State

Array = NDArray[np.float64]
#: Allowed relative differences: of values, and of derivatives.
VALUES, DERIVATIVES = 1e-11, 1e-9


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
        """Return torques by the recursive Newton-Euler algorithm."""
        return self.S.T @ pinocchio.rnea(self.model, self.data, *self._state(state))

    def mass_matrix(self, state: State) -> Array:
        """Return the mass matrix by the composite rigid body algorithm."""
        M = pinocchio.crba(self.model, self.data, self._state(state)[0])
        return self.S.T @ (np.triu(M) + np.triu(M, 1).T) @ self.S

    def bias(self, state: State) -> Array:
        """Return Coriolis, centrifugal and gravity torques."""
        q, v, _ = self._state(state)
        return self.S.T @ pinocchio.nonLinearEffects(self.model, self.data, q, v)

    def gravity(self, state: State) -> Array:
        """Return torques at rest."""
        return self.S.T @ pinocchio.computeGeneralizedGravity(self.model, self.data, self._state(state)[0])

    def accelerations(self, state: State) -> Array:
        """Return accelerations by articulated bodies; of mimic joints by M a = tau - h."""
        if len(self.graph.joint_names) < len(self.graph.joints):
            return np.linalg.solve(self.mass_matrix(state), state.tau - self.bias(state))
        q, v, _ = self._state(state)
        return self.S.T @ pinocchio.aba(self.model, self.data, q, v, self.S @ state.tau)

    def derivatives(self, state: State) -> Array:
        """Return derivatives of the torques by q, v and a."""
        parts = pinocchio.computeRNEADerivatives(self.model, self.data, *self._state(state))
        dq, dv, M = parts
        return np.array([self.S.T @ part @ self.S for part in (dq, dv, np.triu(M) + np.triu(M, 1).T)])

    def poses(self, state: State) -> Array:
        """Return the poses of all links."""
        pinocchio.framesForwardKinematics(self.model, self.data, self._state(state)[0])
        return np.array([self.data.oMf[self._frame(link)].homogeneous for link in self.graph.links])

    def jacobian(self, state: State) -> Array:
        """Return the jacobian of the last link, in the axes of the root link; columns as rows."""
        axes, q = pinocchio.LOCAL_WORLD_ALIGNED, self._state(state)[0]
        frame = self._frame(self.graph.links[-1])
        J = pinocchio.computeFrameJacobian(self.model, self.data, q, frame, axes)
        return (J.reshape(6, -1) @ self.S).T  # one column comes as 1-D

    def _frame(self, link: str) -> int:
        if self.graph.floating_base and link == self.graph.links[0]:
            return 0  # the ground
        return int(self.model.getFrameId(link, pinocchio.FrameType.BODY))

    @cached_property
    def _columns(self) -> NDArray[np.intp]:
        return np.concatenate([10 * (index - 1) + np.arange(10) for index in self.converter.ids])

    def _moved(self, state: State) -> tuple[Array, Array, Array]:
        """Compute the motion of all frames; return q, v and a in Pinocchio's order."""
        there = self._state(state)
        pinocchio.forwardKinematics(self.model, self.data, *there)
        pinocchio.updateFramePlacements(self.model, self.data)
        return there

    def _of_links(self, function: Callable[..., Any], state: State) -> Array:
        self._moved(state)
        axes = pinocchio.LOCAL_WORLD_ALIGNED
        frames = (self._frame(link) for link in self.graph.links)
        return np.array([function(self.model, self.data, frame, axes).vector for frame in frames])

    def velocities(self, state: State) -> Array:
        """Return velocities of all links, in the axes of the root link."""
        return self._of_links(pinocchio.getFrameVelocity, state)

    def link_accelerations(self, state: State) -> Array:
        """Return accelerations of all links: angular, and those of their origins."""
        return self._of_links(pinocchio.getFrameClassicalAcceleration, state)

    def centre_of_mass(self, state: State) -> Array:
        """Return position, velocity and acceleration of the centre of mass."""
        pinocchio.centerOfMass(self.model, self.data, *self._state(state))
        return np.array([self.data.com[0], self.data.vcom[0], self.data.acom[0]])

    def centre_jacobian(self, state: State) -> Array:
        """Return the jacobian of the centre of mass."""
        J = pinocchio.jacobianCenterOfMass(self.model, self.data, self._state(state)[0])
        return np.reshape(J, (3, -1)) @ self.S

    def momentum(self, state: State) -> Array:
        """Return centroidal momentum and its rate."""
        rate = pinocchio.computeCentroidalMomentumTimeVariation(self.model, self.data, *self._state(state))
        return np.array([self.data.hg.vector, rate.vector])

    def momentum_matrix(self, state: State) -> Array:
        """Return the centroidal map; columns as rows."""
        A = pinocchio.computeCentroidalMap(self.model, self.data, self._state(state)[0])
        return (np.reshape(A, (6, -1)) @ self.S).T

    def energies(self, state: State) -> Array:
        """Return kinetic and potential energy."""
        q, v, _ = self._state(state)
        kinetic = pinocchio.computeKineticEnergy(self.model, self.data, q, v)
        return np.array([kinetic, pinocchio.computePotentialEnergy(self.model, self.data, q)])

    def coriolis(self, state: State) -> Array:
        """Return C(q, v)."""
        q, v, _ = self._state(state)
        return self.S.T @ pinocchio.computeCoriolisMatrix(self.model, self.data, q, v) @ self.S

    def integrated(self, state: State) -> Array:
        """Return the difference from q to where it is after a second at v."""
        q, v, _ = self._state(state)
        order = md.joint_order.from_pinocchio(self.graph, self.model)
        there = order.from_q(pinocchio.integrate(self.model, q, v))
        return self.graph.difference(state.q, there, shortest=True)

    def acceleration_derivatives(self, state: State) -> Array:
        """Return derivatives of accelerations by q, v and torques; of mimic joints, which it lacks, ours."""
        if len(self.graph.joint_names) < len(self.graph.joints):
            return np.array(md.forward_dynamics_derivatives(self.graph, state.q, state.v, state.tau)[:3])
        q, v, _ = self._state(state)
        pinocchio.computeABADerivatives(self.model, self.data, q, v, self.S @ state.tau)
        data = self.data
        inverse = np.triu(data.Minv) + np.triu(data.Minv, 1).T  # of which it fills one half
        return np.array([self.S.T @ part @ self.S for part in (data.ddq_dq, data.ddq_dv, inverse)])

    def regressor(self, state: State) -> Array:
        """Return the regressor of the inertial parameters of the moving bodies."""
        Y = pinocchio.computeJointTorqueRegressor(self.model, self.data, *self._state(state))
        ours = self.S.T @ np.reshape(Y, (self.model.nv, -1))[:, self._columns]
        return ours.reshape(len(ours), -1, 10)

    def parameters(self, _: State) -> Array:
        """Return the inertial parameters."""
        return np.concatenate([self.model.inertias[k].toDynamicParameters() for k in self.converter.ids])


@dataclass(frozen=True)
class Quantity:
    """A quantity of the library, the same by Pinocchio, and the allowed relative difference.

    Attributes:
        name: of `quantities.TREE`, which computes ours unless ``ours`` does.
        solves: it solves M x = b. Then the rounding of M's own numbers moves x by the condition number of M
            times 2.2e-16 (Higham, Accuracy and Stability of Numerical Algorithms, chapter 7), in Pinocchio as
            here, and that much is allowed where it is more. M x must agree with b as other quantities do.
        part_of_torques: it is a part of tau, perhaps zero but for rounding; differences are relative to tau.
        least: differences are relative to this at least.
    """

    name: str
    theirs: Callable[[Reference, State], Array]
    ours: Callable[[md.SubsystemGraph, Reference, State], Any] | None = None
    allowed: float = VALUES
    solves: bool = False
    part_of_torques: bool = False
    least: float = 0.0

    def difference(self, graph: md.SubsystemGraph, reference: Reference, state: State) -> float:
        """Return the largest difference over the largest number; infinite for other shapes or no numbers."""
        given = (graph, state) if self.ours is None else (graph, reference, state)
        ours = np.asarray((self.ours or TREE[self.name][1])(*given), np.float64)
        theirs = np.asarray(self.theirs(reference, state))
        if ours.shape != theirs.shape or not (np.isfinite(ours).all() and np.isfinite(theirs).all()):
            return float("inf")
        scales = [theirs, state.tau] if self.part_of_torques else [theirs]
        scale = max(self.least, *(float(np.abs(numbers).max(initial=0.0)) for numbers in scales))
        difference = float(np.abs(ours - theirs).max(initial=0.0))
        return difference / scale if scale > 0.0 else difference

    def tolerance(self, reference: Reference, state: State) -> float:
        """Return the allowed relative difference at one state."""
        if not self.solves:
            return self.allowed
        condition = float(np.linalg.cond(reference.mass_matrix(state)))
        return max(self.allowed, condition * float(np.finfo(float).eps))


def _integrated(graph: md.SubsystemGraph, _: Reference, s: State) -> Array:
    return graph.difference(s.q, graph.integrate(s.q, s.v), shortest=True)


def _torque_derivatives(graph: md.SubsystemGraph, _: Reference, s: State) -> Array:
    return np.array(md.inverse_dynamics_derivatives(graph, s.q, s.v, s.a))


def _acceleration_derivatives(graph: md.SubsystemGraph, _: Reference, s: State) -> Array:
    return np.array(md.forward_dynamics_derivatives(graph, s.q, s.v, s.tau)[:3])


def _own_torques(graph: md.SubsystemGraph, reference: Reference, s: State) -> Array:
    return reference.torques(replace(s, a=md.forward_dynamics(graph, s.q, s.v, s.tau)))


def _first_of_many(name: str) -> Callable[[md.SubsystemGraph, Reference, State], Any]:
    """Return the function for the first of three equal states: of many several are computed at once."""

    def first(graph: md.SubsystemGraph, _: Reference, s: State) -> Any:
        return TREE_ROWS[name](graph, State(*(np.array([x] * 3) for x in vars(s).values())))[0]

    return first


def _part(method: Callable[[Reference, State], Array], number: int) -> Callable[[Reference, State], Array]:
    return lambda reference, state: method(reference, state)[number]


QUANTITIES = (
    *(Quantity(name, Reference.torques) for name in ("torques", "torques, composition")),
    Quantity("torques, many states", Reference.torques, _first_of_many("torques")),
    Quantity("mass matrix", Reference.mass_matrix),
    Quantity("bias", Reference.bias, part_of_torques=True),
    Quantity("gravity", Reference.gravity, part_of_torques=True),
    Quantity("accelerations", Reference.accelerations, solves=True),
    Quantity(
        "accelerations, many states", Reference.accelerations, _first_of_many("accelerations"), solves=True
    ),
    Quantity("torques of these accelerations", lambda _, s: s.tau, _own_torques),
    Quantity("torques, derivatives", Reference.derivatives, _torque_derivatives, DERIVATIVES),
    Quantity(
        "accelerations, derivatives",
        Reference.acceleration_derivatives,
        _acceleration_derivatives,
        DERIVATIVES,
        solves=True,
    ),
    Quantity("Coriolis matrix", Reference.coriolis, allowed=DERIVATIVES, least=1.0),
    Quantity("regressor", Reference.regressor),
    Quantity("parameters", Reference.parameters, lambda g, *_: md.inertial_parameters(g)),
    Quantity("poses", Reference.poses),
    Quantity("jacobian", Reference.jacobian),
    *(
        Quantity(name, theirs, least=1.0)
        for name, theirs in (
            ("velocities", Reference.velocities),
            ("accelerations of links", Reference.link_accelerations),
            *(
                (name, _part(Reference.centre_of_mass, k))
                for k, name in enumerate(("centre of mass", "velocity of it", "acceleration of it"))
            ),
            ("jacobian of it", Reference.centre_jacobian),
            ("momentum", _part(Reference.momentum, 0)),
            ("rate of momentum", _part(Reference.momentum, 1)),
            ("momentum matrix", Reference.momentum_matrix),
            ("kinetic energy", _part(Reference.energies, 0)),
            ("potential energy", _part(Reference.energies, 1)),
        )
    ),
    Quantity("integrated over a second", Reference.integrated, _integrated, least=1.0),
)


def random_state(reference: Reference, rng: np.random.Generator) -> State:
    """Return a state: angles over the full turn, within a metre, rates and accelerations of up to 2."""
    graph = reference.graph
    q = rng.uniform(-np.pi, np.pi, graph.nq)
    for name in graph.joint_names:
        part = graph.q_slice(name)
        if graph.joint(name).type == "prismatic":
            q[part] /= np.pi
        elif part.stop - part.start == 7:
            quaternion = rng.normal(size=4)
            q[part] = [*rng.uniform(-1.0, 1.0, 3), *quaternion / np.linalg.norm(quaternion)]
    v, a = rng.uniform(-2.0, 2.0, (2, graph.nv))
    nothing = np.empty(0)
    state = State(q, v, a, np.zeros(graph.nv), *[nothing] * 5)
    return replace(state, tau=reference.torques(state))
