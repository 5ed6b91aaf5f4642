"""How large the terms are that add up to a torque, which its rounding error is relative to.

Torques may cancel: an arm that hangs straight down takes none, although its links are heavy, and what is
computed there is rounding error. So each vector in the recursion of Newton and Euler is replaced by its norm
and each sum by the sum of norms: the result bounds every number that enters the torque.
"""

from collections.abc import Collection, Mapping
from math import hypot
from typing import NamedTuple

import numpy as np

from ..algebra import to_rotation_translation
from ..dynamics.arguments import Array
from ..model import JointType, SubsystemGraph

SMALLEST = 1e-200  # a size below loses digits by underflow, whatever is computed


def _norm(vector: Array) -> float:
    return hypot(*vector.ravel().tolist())  # unlike the root of a sum of squares it never underflows


class _Lengths(NamedTuple):
    """Sizes of a joint and body: distance from the joint before, mass, distance of centre, inertia."""

    offset: float
    mass: float
    com: float
    inertia: float


class TermSizes:
    """Sizes of the terms of the torques of a graph."""

    def __init__(self, graph: SubsystemGraph) -> None:
        self.graph = graph
        self._gravity = _norm(graph.gravity)
        self._lengths = [
            _Lengths(
                _norm(to_rotation_translation(joint.x_parent_joint)[1]),
                abs(body.mass),
                _norm(body.com),
                _norm(body.inertia),
            )
            for joint, body in zip(graph.joints, graph.bodies, strict=True)
        ]

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
        for link, wrench in (external or {}).items():
            body, placement = graph.link_pose(link)
            self._add(forces, moments, body, _norm(to_rotation_translation(placement)[1]), wrench)
        inside = self._inside(black_boxes or ())
        for name, wrench in (black_boxes or {}).items():
            connection = graph.subsystem(name).connection
            lever = _norm(to_rotation_translation(connection.x_body_connection)[1])
            self._add(forces, moments, connection.body, lever, wrench)
        for k in range(len(offsets) - 1, -1, -1):
            parent = graph.parents[k]
            if parent is not None and k not in inside:
                forces[parent] += forces[k]
                moments[parent] += moments[k] + offsets[k] * forces[k]
        return self._at_joints(q, a, forces, moments)

    def _body_wrenches(self, q: Array, v: Array, a: Array) -> tuple[list[float], list[float], list[float]]:
        """Return by body: distance from the one before, and force and moment of inertia and weight."""
        graph = self.graph
        spins, turns, speeds, gains = list[float](), list[float](), list[float](), list[float]()
        offsets, forces, moments = list[float](), list[float](), list[float]()
        for k, (joint, length) in enumerate(zip(graph.joints, self._lengths, strict=True)):
            parent = graph.parents[k]
            # angular and linear velocity and acceleration of the body before, at its origin
            spin, turn, speed, gain = 0.0, 0.0, 0.0, self._gravity
            if parent is not None:
                spin, turn, speed, gain = spins[parent], turns[parent], speeds[parent], gains[parent]
            own_spin, own_speed = map(_norm, joint.screw(graph.joint_rate(joint, v)))
            own_turn, own_gain = map(_norm, joint.screw(graph.joint_rate(joint, a)))
            offset = length.offset
            if joint.type in (JointType.PRISMATIC, JointType.FLOATING):
                offset += _norm(graph.joint_position(joint, q)[:3])
            gain += (turn + spin * spin) * offset + own_gain + 2.0 * spin * own_speed
            speed += spin * offset + own_speed
            spin += own_spin
            turn += own_turn + spin * own_spin
            for values, value in zip((spins, turns, speeds, gains), (spin, turn, speed, gain), strict=True):
                values.append(value)
            turning = turn + spin * spin
            # with spatial accelerations spin * speed is subtracted and added again
            force = length.mass * (gain + spin * speed + turning * length.com)
            momentum = length.mass * (speed + spin * length.com)
            offsets.append(offset)
            forces.append(force)
            # likewise velocity x momentum, all that there is where the mass is a point at the joint
            moments.append(length.inertia * turning + length.com * force + speed * momentum)
        return offsets, forces, moments

    @staticmethod
    def _add(
        forces: list[float], moments: list[float], body: int | None, lever: float, wrench: Array
    ) -> None:
        if body is not None:  # else it acts on the ground
            force = _norm(wrench[:3])
            forces[body] += force
            moments[body] += _norm(wrench[3:]) + lever * force

    def _inside(self, black_boxes: Collection[str]) -> set[int]:
        """Return joints inside black boxes, which do not transmit the loads that they carry."""
        return {k for name in black_boxes for k in self.graph.subsystem(name).indices}

    def _at_joints(self, q: Array, a: Array, forces: list[float], moments: list[float]) -> Array:
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
