"""What the peers are given of a robot with loops: states that are closed, and what does not depend on them.

Positions, velocities and accelerations of all joints are given, and the torques of the springs: the peers
need neither close loops nor solve for dependent motions. What is left to them: the tree's torques tau and the
constraint Jacobian J at each state. Velocities of all joints are T [v_d; v_i], of passive and independent
joints, with the gears' constant ratios in T. J_d, J_i = J T and tau_d, tau_i = T^T tau give

    J_d^T lambda = tau_d,    torques of the independent joints = tau_i - J_i^T lambda.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pinocchio as pin
from lxml import etree

import modular_dynamics as md
from benchmark.peers.pinocchio_loops import AXES, PinocchioLoops
from benchmark.setting.robots import Array

__all__ = ["ClosedStates", "Cut", "Reduction", "closed_states", "numbers"]

#: Of a motion, from the assembled configuration: amplitude of the independent joints [rad or m], and rates.
AMPLITUDE, RATE = 0.02, 1.0


@dataclass(frozen=True)
class Cut:
    """A revolute cut joint: on two links, its point and its axes, of which z is its axis."""

    links: tuple[str, str]
    points: tuple[Array, Array]
    rotations: tuple[Array, Array]


@dataclass(frozen=True, eq=False)
class Reduction:
    """T (nv, dependent + independent) in one library's order of velocities; see above.

    Attributes:
        square: whether J_d is; else it has more rows than columns, which the normal equations allow for.
    """

    motions: Array
    dependent: int
    square: bool

    def __call__(self, J: Array, tau: Array) -> Array:
        """Return torques of the independent joints; J (rows, nv) and tau (nv,), or stacks of them."""
        d, T = self.dependent, self.motions
        reduced, own = J @ T, tau @ T
        across, right = reduced[..., :d].mT, own[..., :d, None]
        if self.square:
            forces = np.linalg.solve(across, right)
        else:  # the solution of least norm
            forces = across.mT @ np.linalg.solve(across @ across.mT, right)
        passed: Array = own[..., d:] - (reduced[..., d:].mT @ forces)[..., 0]
        return passed


@dataclass(frozen=True, eq=False)
class ClosedStates:
    """Closed states of a motion, a row for each.

    Attributes:
        independent: q, v, a of the independent joints.
        first: coordinates of all joints near the first state, the guess.
        coordinates, velocities, accelerations (count, joints): of all joints in the graph's order.
        torques: ours, of the independent joints.
    """

    graph: md.SubsystemGraph
    independent: tuple[Array, Array, Array]
    first: Array
    coordinates: Array
    velocities: Array
    accelerations: Array
    torques: Array

    @cached_property
    def cuts(self) -> list[Cut]:
        """Return all cut joints. Raises ValueError where one is not revolute."""
        return [_cut(loop) for loop in self._elements("loop_joint")]

    def reduction(self, index: Callable[[str], int], square: bool) -> Reduction:
        """Return T with each joint's velocity in the row that ``index`` gives it."""
        graph = self.graph
        gears = {gear.joint: gear.drivers for gear in graph.gears}
        free = set(graph.independent_joint_names)
        passive = [name for name in graph.joint_names if name not in free | set(gears)]
        columns = [*passive, *graph.independent_joint_names]
        T = np.zeros((graph.nv, len(columns)))

        def row(name: str) -> Array:
            if name in gears:
                return sum((ratio * row(driver) for driver, ratio in gears[name]), np.zeros(len(columns)))
            return np.eye(len(columns))[columns.index(name)]

        for name in graph.joint_names:
            T[index(name)] = row(name)
        return Reduction(T, len(passive), square)

    def spring_torques(self, peer: PinocchioLoops) -> Array:
        """Return the springs' torques on all joints, (count, nv) in Pinocchio's order, by its Jacobians."""
        model, torques = peer.model, np.zeros((len(self.coordinates), self.graph.nv))
        for spring in self._elements("spring"):
            ends = [_frame_at(model, spring.get("name"), anchor) for anchor in spring.findall("anchor")]
            stiffness, free, initial = (
                float(spring.get(key, 0.0)) for key in ("stiffness", "free_length", "initial_force")
            )
            data = model.createData()
            for k, q in enumerate(self.in_order(peer)):
                pin.computeJointJacobians(model, data, q)
                pin.updateFramePlacements(model, data)
                first, second = (data.oMf[end].translation for end in ends)
                length = float(np.linalg.norm(second - first))
                force = (initial + stiffness * (length - free)) * (second - first) / length
                apart = [pin.getFrameJacobian(model, data, end, AXES)[:3] for end in ends]
                torques[k] += (apart[0] - apart[1]).T @ force
        return torques

    def in_order(self, peer: PinocchioLoops) -> Array:
        """Return Pinocchio's configurations, a row for each state."""
        names = self.graph.joint_names
        rows = [dict(zip(names, row, strict=True)) for row in self.coordinates.tolist()]
        return np.array([peer.configuration(row) for row in rows])

    def _elements(self, tag: str) -> list[etree._Element]:
        return list(etree.fromstring(self.graph.urdf.encode()).iter(tag))


def closed_states(graph: md.SubsystemGraph, count: int) -> ClosedStates:
    """Return a motion about the assembled configuration; velocities and accelerations are random."""
    found = md.assemble(graph)
    rng, names = np.random.default_rng(0), graph.independent_joint_names
    phase = np.linspace(0.0, 2.0 * np.pi, count)[:, None] + rng.uniform(0.0, np.pi, len(names))
    q = found.independent + AMPLITUDE * np.sin(phase)
    v, a = RATE * rng.standard_normal((2, count, len(names)))
    all_joints: list[list[Array]] = [[], [], []]
    torques, guess, first = [], found.coordinates, found.coordinates
    for row in zip(q, v, a, strict=True):
        dynamics = md.InverseDynamics(graph).solve(*row, guess=guess)
        guess = dynamics.coordinates
        for rows, values in zip(
            all_joints, (guess, dynamics.velocities, dynamics.accelerations), strict=True
        ):
            rows.append(values)
        torques.append(dynamics.tau)
    return ClosedStates(graph, (q, v, a), first, *map(np.array, all_joints), np.array(torques))


def numbers(element: etree._Element, key: str) -> Array:
    """Return the three numbers of an attribute; zero without it."""
    return np.array([float(number) for number in element.get(key, "0 0 0").split()])


def _cut(loop: etree._Element) -> Cut:
    if loop.get("type") != "revolute":
        raise ValueError(f"loop joint '{loop.get('name')}' is {loop.get('type')}; revolute ones are compared")
    ends, axis = (loop.find("predecessor"), loop.find("successor")), numbers(loop.find("axis"), "xyz")
    along = np.column_stack([*_across(axis), axis])
    rotations = [pin.rpy.rpyToMatrix(numbers(end, "rpy")) @ along for end in ends]
    first, second = (end.get("link") for end in ends)
    points = [numbers(end, "xyz") for end in ends]
    return Cut((first, second), (points[0], points[1]), (rotations[0], rotations[1]))


def _across(axis: Array) -> Sequence[Array]:
    first = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    first /= np.linalg.norm(first)
    return first, np.cross(axis, first)


def _frame_at(model: pin.Model, name: str, anchor: etree._Element) -> int:
    """Add a frame at a spring's anchor; return its index."""
    frame = model.frames[model.getFrameId(anchor.get("link"))]
    placed = frame.placement * pin.SE3(np.eye(3), numbers(anchor, "xyz"))
    return int(
        model.addFrame(
            pin.Frame(f"{name} {anchor.get('link')}", frame.parentJoint, placed, pin.FrameType.OP_FRAME)
        )
    )
