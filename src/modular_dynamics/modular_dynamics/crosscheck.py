"""The same robot in Pinocchio, and differences of torques. The only file that imports Pinocchio."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import hypot
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .algebra import DualQuaternion, to_rotation_translation, translation
from .dynamics import inverse_dynamics
from .dynamics.arguments import Array
from .model import (
    Joint,
    JointType,
    Subsystem,
    SubsystemGraph,
    body_of_link,
    checked_vectors,
    joint_order,
    refuse_closures,
    require_graph,
)
from .optional_packages import needed

with needed("modular_dynamics.crosscheck", "Pinocchio", "crosscheck"):
    import pinocchio

__all__ = ["CrossCheck", "PinocchioModel", "Residual", "rnea_residual"]

# Pinocchio's model is assembled from the graph as it is, joint by joint, so that it follows every change of
# the graph; its algorithms remain independent of ours. Mimic joints are independent there.

#: For an axis along x, y or z, and for any other. From Python, the axis of Pinocchio's continuous joint about
#: any axis (JointModelRevoluteUnboundedUnaligned) cannot be set: there the position is one angle.
_TYPES = {
    JointType.REVOLUTE: ("RX", "RY", "RZ", "RevoluteUnaligned"),
    JointType.CONTINUOUS: ("RUBX", "RUBY", "RUBZ", "RevoluteUnaligned"),
    JointType.PRISMATIC: ("PX", "PY", "PZ", "PrismaticUnaligned"),
}


def _joint_model(joint: Joint) -> Any:
    """Return Pinocchio's joint of the same type and axis."""
    if joint.type is JointType.FLOATING:
        return pinocchio.JointModelFreeFlyer()
    if joint.type is JointType.SPHERICAL:
        return pinocchio.JointModelSpherical()
    *aligned, unaligned = _TYPES[joint.type]
    for axis, name in zip(np.eye(3), aligned, strict=True):
        if np.array_equal(axis, joint.axis):
            return getattr(pinocchio, f"JointModel{name}")()
    return getattr(pinocchio, f"JointModel{unaligned}")(joint.axis)


def _placement(x: DualQuaternion) -> Any:
    """Return a pose as pinocchio.SE3."""
    return pinocchio.SE3(*to_rotation_translation(x))


class PinocchioModel:
    """Pinocchio's model and data of a graph: its joints, bodies, armatures, gravity and links (as frames)."""

    def __init__(self, graph: SubsystemGraph) -> None:
        require_graph(graph)
        self.graph = graph
        self.model: Any = pinocchio.Model()
        self.model.name = graph.name
        self.model.gravity = pinocchio.Motion(graph.gravity, np.zeros(3))
        self.ids = [0] * len(graph.joints)
        for k in self._depth_first():
            self._add(k)
        for link in graph.links:
            body, x_body_link = graph.link_pose(link)
            joint = 0 if body is None else self.ids[body]
            frame = pinocchio.Frame(link, joint, 0, _placement(x_body_link), pinocchio.FrameType.BODY)
            self.model.addFrame(frame, False)
        self.data: Any = self.model.createData()

    def _depth_first(self) -> list[int]:
        """Return joints, each followed by all that it carries, as Pinocchio's algorithms need them."""
        carried: dict[int | None, list[int]] = {}
        for k, parent in enumerate(self.graph.parents):
            carried.setdefault(parent, []).append(k)

        def after(k: int | None) -> list[int]:
            return sorted(carried.get(k, []), key=lambda k: self.graph.joints[k].name, reverse=True)

        waiting, order = after(None), list[int]()
        while waiting:
            k = waiting.pop()
            order.append(k)
            waiting += after(k)
        return order

    def _add(self, k: int) -> None:
        """Add joint k and its body to the model; its predecessor is there already."""
        joint, body, parent = self.graph.joints[k], self.graph.bodies[k], self.graph.parents[k]
        below = 0 if parent is None else self.ids[parent]
        added = self.model.addJoint(below, _joint_model(joint), _placement(joint.x_parent_joint), joint.name)
        self.ids[k] = added
        inertia = pinocchio.Inertia(body.mass, body.com, np.zeros((3, 3)))
        # the constructor rejects inertias that load_urdf accepts with a warning; the setter rejects large
        # moments that rounding made asymmetric
        inertia.inertia = (body.inertia + body.inertia.T) / 2.0
        self.model.appendBodyToJoint(added, inertia, pinocchio.SE3.Identity())
        self.model.addJointFrame(added, 0)
        start = self.model.idx_vs[added]
        self.model.armature[start : start + joint.type.nv] = joint.armature

    @cached_property
    def order(self) -> joint_order.JointOrder:
        """The order of Pinocchio's joints, whose mimic joints have coordinates of their own."""
        return joint_order.from_pinocchio(self.graph, self.model)

    def q(self, q: ArrayLike) -> Array:
        """Return a position (nq,) of the graph as Pinocchio's configuration."""
        return self.order.to_q(q)

    def v(self, v: ArrayLike) -> Array:
        """Return a velocity or acceleration (nv,) of the graph in Pinocchio's order."""
        return self.order.to_v(v)

    def tau(self, theirs: ArrayLike) -> Array:
        """Return Pinocchio's torques in graph order; those of mimic joints added to their drivers'."""
        return self.order.from_tau(theirs)


# Sizes of the terms that add up to a torque. Rounding errors are relative to these: the torque itself may
# be zero, as of an arm that hangs straight down although its links are heavy. In the recursion of Newton and
# Euler each vector is replaced by its norm and each sum by the sum of norms, which bounds every term.

#: Least size of terms: smaller torques lose digits by underflow.
SMALLEST = 1e-200


def _norm(vector: Array) -> float:
    """Return the Euclidean norm of all entries."""
    return hypot(*vector.ravel().tolist())  # unlike the root of a sum of squares it never underflows


class TermSizes:
    """Sizes of the terms of the torques of a graph."""

    def __init__(self, graph: SubsystemGraph) -> None:
        self.graph = graph
        self._gravity = _norm(graph.gravity)
        self._offsets = [_norm(translation(joint.x_parent_joint)) for joint in graph.joints]
        self._bodies = [(abs(body.mass), _norm(body.com), _norm(body.inertia)) for body in graph.bodies]

    def set_gravity(self, gravity: Array) -> None:
        """Take the weights at this gravitational acceleration (3,) [m/s^2] from now on."""
        self._gravity = _norm(gravity)

    def __call__(
        self,
        q: Array,
        v: Array,
        a: Array,
        external: Mapping[str, Array] | None = None,
        black_boxes: Mapping[str, Array] | None = None,
    ) -> Array:
        """Return sizes (nv,) [N m or N] at a state, in graph order; meaningless inside black boxes.

        Args:
            external, black_boxes: as of ``inverse_dynamics``.
        """
        graph = self.graph
        offsets, forces, moments = self._body_wrenches(q, v, a)
        acting = [(*graph.link_pose(link), wrench) for link, wrench in (external or {}).items()]
        for name, wrench in (black_boxes or {}).items():
            connection = graph.subsystem(name).connection
            acting.append((connection.body, connection.x_body_connection, wrench))
        for body, placement, wrench in acting:
            if body is not None:  # else it acts on the ground
                force = _norm(wrench[:3])
                forces[body] += force
                moments[body] += _norm(wrench[3:]) + _norm(translation(placement)) * force
        # joints inside black boxes do not transmit the loads that they carry
        inside = {k for name in black_boxes or () for k in graph.subsystem(name).indices}
        for k in range(len(offsets) - 1, -1, -1):
            parent = graph.parents[k]
            if parent is not None and k not in inside:
                forces[parent] += forces[k]
                moments[parent] += moments[k] + offsets[k] * forces[k]
        return self._at_joints(q, a, forces, moments)

    def _body_wrenches(self, q: Array, v: Array, a: Array) -> tuple[list[float], list[float], list[float]]:
        """Return by body: distance from the one before, sizes of force and moment of inertia and weight."""
        graph = self.graph
        #: angular and linear velocity and acceleration of each body, at its origin
        motions: list[tuple[float, float, float, float]] = []
        offsets, forces, moments = list[float](), list[float](), list[float]()
        for k, joint in enumerate(graph.joints):
            parent, offset, (mass, com, inertia) = graph.parents[k], self._offsets[k], self._bodies[k]
            rest = 0.0, 0.0, 0.0, self._gravity
            spin, speed, turn, gain = rest if parent is None else motions[parent]
            own_spin, own_speed = map(_norm, joint.screw(graph.joint_rate(joint, v)))
            own_turn, own_gain = map(_norm, joint.screw(graph.joint_rate(joint, a)))
            if joint.type in (JointType.PRISMATIC, JointType.FLOATING):
                offset += _norm(graph.joint_position(joint, q)[:3])
            gain += (turn + spin * spin) * offset + own_gain + 2.0 * spin * own_speed
            speed += spin * offset + own_speed
            spin += own_spin
            turn += own_turn + spin * own_spin
            motions.append((spin, speed, turn, gain))
            turning = turn + spin * spin
            # with spatial accelerations spin * speed is subtracted and added again
            force = mass * (gain + spin * speed + turning * com)
            momentum = mass * (speed + spin * com)
            offsets.append(offset)
            forces.append(force)
            # likewise velocity x momentum, all that there is where the mass is a point at the joint
            moments.append(inertia * turning + com * force + speed * momentum)
        return offsets, forces, moments

    def _at_joints(self, q: Array, a: Array, forces: list[float], moments: list[float]) -> Array:
        """Return sizes (nv,) of torques, those of armatures and springs included."""
        graph, sizes = self.graph, np.full(self.graph.nv, SMALLEST)
        for joint, force, moment in zip(graph.joints, forces, moments, strict=True):
            if joint.type is JointType.FLOATING:
                own = np.repeat((force, moment), 3)
            else:
                own = np.full(joint.type.nv, force if joint.type is JointType.PRISMATIC else moment)
            own = own + np.abs(joint.armature * graph.joint_rate(joint, a))
            if joint.stiffness != 0.0:
                stretched = np.abs(graph.joint_position(joint, q)) + abs(joint.rest_position)
                own = own + abs(joint.stiffness) * stretched
            multiplier = 1.0 if joint.mimic is None else abs(joint.mimic.multiplier)
            sizes[graph.v_slice(graph.driver(joint))] += multiplier * own
        return sizes


Wrenches = Mapping[str, ArrayLike] | None
#: [force, moment] on bodies of the graph, in the body's frame.
Loads = dict[int, Array]


@dataclass(frozen=True, eq=False)
class Residual:
    """Differences of torques from Pinocchio's. Inside black boxes, where none are known, they are zero.

    Attributes:
        per_joint: |tau - tau_pinocchio| (nv,) [N m or N].
        per_subsystem: the largest of each subsystem.
        scale: the largest |tau_pinocchio|.
        of_terms: by subsystem, the largest residual over the size of the terms that add up to its torque
            (`TermSizes`). It stays near 1e-16 also where torques cancel or are zero.
    """

    per_joint: Array
    per_subsystem: dict[str, float]
    scale: float
    of_terms: dict[str, float]

    @property
    def worst(self) -> float:
        """The largest residual [N m or N]."""
        return float(self.per_joint.max(initial=0.0))

    @property
    def relative(self) -> float:
        """The largest residual over the largest torque; the residual itself where all torques are zero."""
        return self.worst / self.scale if self.scale > 0.0 else self.worst


class CrossCheck:
    """Pinocchio's RNEA of a graph. Joints are matched by name.

    Raises:
        UnsupportedModelError: the graph has loop joints, passive joints, gears or springs.
    """

    def __init__(self, graph: SubsystemGraph) -> None:
        refuse_closures(graph, "cross-check")
        self.graph = graph
        self._robot, self._sizes = PinocchioModel(graph), TermSizes(graph)

    def set_gravity(self, gravity: Array) -> None:
        """Compare at this gravitational acceleration (3,) [m/s^2] from now on, instead of the graph's."""
        self._robot.model.gravity = pinocchio.Motion(gravity, np.zeros(3))
        self._sizes.set_gravity(gravity)

    def torques(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        external_wrenches: Wrenches = None,
        black_box_wrenches: Wrenches = None,
    ) -> Array:
        """Return Pinocchio's tau in graph order; NaN inside black boxes. Arguments: ``inverse_dynamics``."""
        q, v, a = checked_vectors(self.graph, q=q, v=v, a=a)
        loads, boxes = self._loads(external_wrenches or {}), black_box_wrenches or {}
        theirs, added = self._rnea(q, v, a, loads), dict[str, Loads]()
        for subsystem in reversed(self.graph.subsystems):  # what others carry comes first
            if subsystem.name in boxes:
                own = added[subsystem.name] = self._replaced(subsystem, added)
                connection, wrench = subsystem.connection, np.asarray(boxes[subsystem.name], dtype=float)
                self._add_load(own, connection.body, _placement(connection.x_body_connection), -wrench)
                for body, load in own.items():
                    self._add_load(loads, body, pinocchio.SE3.Identity(), load)
                theirs = self._rnea(q, v, a, loads)
        tau = self._robot.tau(theirs) + self._spring_torques(q)
        for name in boxes:
            for joint in self.graph.subsystem(name).joints:
                tau[self.graph.v_slice(self.graph.driver(joint))] = np.nan
        return tau

    def _replaced(self, box: Subsystem, added: Mapping[str, Loads]) -> Loads:
        """Return loads that cancel what a black box, with all beyond it, transmitted in the last `_rnea`.

        Args:
            added: by box beyond it, loads that were added: those on bodies that this box, which may have no
                joints, does not move are canceled, too.
        """
        names, robot, loads = {box.name}, self._robot, Loads()
        for subsystem in self.graph.subsystems:
            before = self.graph.predecessor(subsystem)
            if before is not None and before.name in names:
                names.add(subsystem.name)
        carried = {k for name in names for k in self.graph.subsystem(name).indices}
        for k in carried:
            parent, index = self.graph.parents[k], robot.ids[k]
            if parent not in carried:
                self._add_load(loads, parent, robot.data.liMi[index], robot.data.f[index].vector)
        for body, load in (item for name in names & added.keys() for item in added[name].items()):
            if body not in carried:
                self._add_load(loads, body, pinocchio.SE3.Identity(), -load)
        return loads

    def _spring_torques(self, q: Array) -> Array:
        """Return the torques (nv,) of springs at joints, which Pinocchio does not model."""
        tau = np.zeros(self.graph.nv)
        for joint in self.graph.joints:
            if joint.stiffness != 0.0:
                own = joint.stiffness * (self.graph.joint_position(joint, q) - joint.rest_position)
                multiplier = 1.0 if joint.mimic is None else joint.mimic.multiplier
                tau[self.graph.v_slice(self.graph.driver(joint))] += multiplier * own
        return tau

    def __call__(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        tau: ArrayLike,
        external_wrenches: Wrenches = None,
        black_box_wrenches: Wrenches = None,
        *,
        common_size: bool = False,
    ) -> Residual:
        """Return the residual of torques ``tau`` (nv,) against Pinocchio's.

        Args:
            common_size: whether ``of_terms`` is relative to the largest terms of all joints: for wrenches
                that were solved for together, as those at the cuts of loops: each has an error of that size.
        """
        theirs = self.torques(q, v, a, external_wrenches, black_box_wrenches)
        difference = np.abs(np.asarray(tau, dtype=float) - theirs).ravel()
        unknown = np.isnan(theirs)
        difference[unknown] = 0.0
        scale = float(np.abs(theirs[~unknown]).max(initial=0.0))
        q, v, a = checked_vectors(self.graph, q=q, v=v, a=a)
        sizes = self._sizes(q, v, a, _arrays(external_wrenches), _arrays(black_box_wrenches))
        of_terms = self._per_subsystem(difference / (sizes.max(initial=0.0) if common_size else sizes))
        return Residual(difference, self._per_subsystem(difference), scale, of_terms)

    def _per_subsystem(self, values: Array) -> dict[str, float]:
        """Return by subsystem the largest of the values (nv,) of its joints; NaN if one is."""
        graph, largest = self.graph, dict[str, float]()
        for subsystem in graph.subsystems:
            of_joints = [values[graph.v_slice(graph.driver(joint))] for joint in subsystem.joints]
            largest[subsystem.name] = float(np.concatenate([np.zeros(1), *of_joints]).max())
        return largest

    def _loads(self, external: Mapping[str, ArrayLike]) -> Loads:
        """Return external wrenches at the joints, moved there by Pinocchio."""
        loads: Loads = {}
        for link, wrench in external.items():
            body = body_of_link(self.graph, link)
            if body is not None:  # None: it acts on the ground
                # a joint may have the link's name: the frame's type distinguishes them
                frame = self._robot.model.frames[self._robot.model.getFrameId(link, pinocchio.FrameType.BODY)]
                self._add_load(loads, body, frame.placement, np.asarray(wrench, dtype=float))
        return loads

    @staticmethod
    def _add_load(loads: Loads, body: int | None, placement: Any, wrench: Array) -> None:
        """Add a wrench, given in a frame at ``placement`` in the body, to ``loads``; not on the ground."""
        if body is not None:
            moved = placement.act(pinocchio.Force(wrench)).vector
            loads[body] = loads[body] + moved if body in loads else moved

    def _rnea(self, q: Array, v: Array, a: Array, loads: Loads) -> Array:
        """Return Pinocchio's torques in its own order."""
        robot = self._robot
        forces = pinocchio.StdVec_Force()
        forces.extend([pinocchio.Force.Zero() for _ in range(robot.model.njoints)])
        for body, wrench in loads.items():
            forces[robot.ids[body]] = pinocchio.Force(wrench)
        return np.array(pinocchio.rnea(robot.model, robot.data, robot.q(q), robot.v(v), robot.v(a), forces))


def _arrays(wrenches: Wrenches) -> dict[str, Array]:
    """Return wrenches as arrays; None as an empty mapping."""
    return {name: np.asarray(wrench, dtype=float) for name, wrench in (wrenches or {}).items()}


def rnea_residual(graph: SubsystemGraph, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
    """Return |tau - tau_pinocchio| (nv,) [N m or N] of ``inverse_dynamics`` at one state."""
    require_graph(graph)
    return CrossCheck(graph)(q, v, a, inverse_dynamics(graph, q, v, a)).per_joint
