"""Peers on robots with loops: the closed states that they are given, and Pinocchio in Python.

Positions, velocities and accelerations of all joints are given, and the torques of the springs: the peers
need neither close loops nor solve for dependent motions. What is left to them: the tree's torques tau and the
constraint Jacobian J at each state. Velocities of all joints are T [v_d; v_i], of passive and independent
joints, with the gears' constant ratios in T. J_d, J_i = J T and tau_d, tau_i = T^T tau give

    J_d^T lambda = tau_d,    torques of the independent joints = tau_i - J_i^T lambda.

Of Pinocchio alone: loops are pairs of frames that coincide (6 rows) or whose origins do (3 rows). Its frame
Jacobians J close them: velocities and accelerations of all joints from those of the independent ones by least
squares of J v = 0 and J a = -gamma, torques from the null space N of J: N^T S^T tau = N^T rnea(q, v, a),
where S selects the independent joints.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pinocchio as pin
from lxml import etree

import modular_dynamics as md
from benchmark.setting.robots import Array
from benchmark.setting.timing import Timed

RANK = 1e-9  # smaller singular values, relative to the largest, count as zero
AXES = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED


@dataclass(frozen=True)
class FramePair:
    """Two frames (links) that a loop joins; ``rows`` is 6, or 3 where only their origins meet."""

    first: str
    second: str
    rows: int


class PinocchioLoops:
    """A URDF's tree and its pairs of frames; joints by name."""

    def __init__(self, urdf: str, pairs: Sequence[FramePair]) -> None:
        self.model = pin.buildModelFromXML(urdf)
        self.data, self.pairs = self.model.createData(), pairs
        self._frames = [[self.model.getFrameId(k) for k in (pair.first, pair.second)] for pair in pairs]
        self._joints = {name: self.model.joints[self.model.getJointId(name)] for name in self.model.names[1:]}
        self.names = tuple(self._joints)

    def index(self, name: str) -> int:
        """Return the index of the velocity of a joint with one coordinate."""
        return self._joints[name].idx_v

    def configuration(self, coordinates: Mapping[str, float]) -> Array:
        """Return Pinocchio's q of joints' coordinates [rad or m]."""
        q = pin.neutral(self.model)
        for name, value in coordinates.items():
            joint = self._joints[name]
            if joint.nq == 2:  # continuous: cosine and sine
                q[joint.idx_q : joint.idx_q + 2] = np.cos(value), np.sin(value)
            else:
                q[joint.idx_q] = value
        return q

    def jacobian(self, q: Array) -> Array:
        """Return J (rows, nv) of all pairs, along the root's axes."""
        pin.computeJointJacobians(self.model, self.data, q)
        pin.updateFramePlacements(self.model, self.data)
        rows = [
            (self._jacobian_of(first) - self._jacobian_of(second))[: pair.rows]
            for pair, (first, second) in zip(self.pairs, self._frames, strict=True)
        ]
        return np.vstack(rows)

    def _jacobian_of(self, frame: int) -> Array:
        return pin.getFrameJacobian(self.model, self.data, frame, AXES)

    def gap(self, q: Array) -> float:
        """Return the largest distance or angle [m, rad] that a pair is open by."""
        pin.framesForwardKinematics(self.model, self.data, q)
        sizes = []
        for pair, (first, second) in zip(self.pairs, self._frames, strict=True):
            between = self.data.oMf[first].actInv(self.data.oMf[second])
            turned = np.linalg.norm(pin.log3(between.rotation)) if pair.rows == 6 else 0.0
            sizes.append(max(np.linalg.norm(between.translation), turned))
        return float(max(sizes))

    def _velocity_product(self, q: Array, v: Array) -> Array:
        """Return gamma = dJ/dt v: accelerations of the pairs at zero joint acceleration."""
        pin.forwardKinematics(self.model, self.data, q, v, np.zeros(self.model.nv))
        pin.updateFramePlacements(self.model, self.data)
        rows = []
        for pair, frames in zip(self.pairs, self._frames, strict=True):
            first, second = (
                pin.getFrameClassicalAcceleration(self.model, self.data, frame, AXES).vector
                for frame in frames
            )
            rows.append((first - second)[: pair.rows])
        return np.concatenate(rows)

    def torques(self, q: Array, independent: Sequence[int], rates: Array, accelerations: Array) -> Array:
        """Return torques of the joints with velocities ``independent``, at their rates and accelerations."""
        nv, J = self.model.nv, self.jacobian(q)
        S = np.eye(nv)[list(independent)]
        both = np.vstack([J, S])
        v = np.linalg.lstsq(both, np.concatenate([np.zeros(len(J)), rates]), RANK)[0]
        drift = self._velocity_product(q, v)
        a = np.linalg.lstsq(both, np.concatenate([-drift, accelerations]), RANK)[0]
        load = pin.rnea(self.model, self.data, q, v, a)
        _, sizes, rows = np.linalg.svd(J)
        free = rows[int((sizes > RANK * sizes[0]).sum()) :]
        return np.linalg.lstsq(free @ S.T, free @ load, RANK)[0]


#: Of a motion, from the assembled configuration: amplitude of the independent joints [rad or m], and rates.
AMPLITUDE, RATE = 0.02, 1.0


#: Both ends of a revolute cut joint: the link, the axes, of which z is the cut axis, and the point.
Cut = list[tuple[str, Array, Array]]


@dataclass(frozen=True, eq=False)
class Reduction:
    """The matrix T (nv, dependent + independent) in one library's order of velocities; J_d is square."""

    motions: Array
    dependent: int

    def __call__(self, J: Array, tau: Array) -> Array:
        """Return torques of the independent joints; J (rows, nv) and tau (nv,), or stacks of them."""
        d, T = self.dependent, self.motions
        reduced, own = J @ T, tau @ T
        forces = np.linalg.solve(reduced[..., :d].mT, own[..., :d, None])
        return own[..., d:] - (reduced[..., d:].mT @ forces)[..., 0]


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

    def reduction(self, index: Callable[[str], int]) -> Reduction:
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
        return Reduction(T, len(passive))

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
    solved, guess, first = [], found.coordinates, found.coordinates
    for row in zip(q, v, a, strict=True):
        dynamics = md.InverseDynamics(graph).solve(*row, guess=guess)
        guess = dynamics.coordinates
        solved.append((guess, dynamics.velocities, dynamics.accelerations, dynamics.tau))
    return ClosedStates(graph, (q, v, a), first, *map(np.array, zip(*solved, strict=True)))


def numbers(element: etree._Element, key: str) -> Array:
    """Return the three numbers of an attribute; zero without it."""
    return np.array([float(number) for number in element.get(key, "0 0 0").split()])


def _cut(loop: etree._Element) -> Cut:
    if loop.get("type") != "revolute":
        raise ValueError(f"loop joint '{loop.get('name')}' is {loop.get('type')}; revolute ones are compared")
    ends, axis = (loop.find("predecessor"), loop.find("successor")), numbers(loop.find("axis"), "xyz")
    first = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    first /= np.linalg.norm(first)
    along = np.column_stack([first, np.cross(axis, first), axis])
    turned = [pin.rpy.rpyToMatrix(numbers(end, "rpy")) @ along for end in ends]
    return [(end.get("link"), R, numbers(end, "xyz")) for end, R in zip(ends, turned, strict=True)]


def _frame_at(model: pin.Model, name: str, anchor: etree._Element) -> int:
    """Add a frame at a spring's anchor; return its index."""
    frame = model.frames[model.getFrameId(anchor.get("link"))]
    placed = frame.placement * pin.SE3(np.eye(3), numbers(anchor, "xyz"))
    own = pin.Frame(f"{name} {anchor.get('link')}", frame.parentJoint, placed, pin.FrameType.OP_FRAME)
    return model.addFrame(own)


class PinocchioClosed:
    """Pinocchio on a robot's closed states; converted, and springs evaluated, beforehand.

    Pinocchio has no inverse dynamics with constraints in one call. Called are rnea (of a batch
    rneaInParallel), computeJointJacobians, calc of each constraint model and getConstraintsJacobian. Of a
    loop's three rows, in the axes of its cut joint, the two across the cut axis are taken, so that the
    equations are square.

    Attributes:
        timed: "single", the first state, and "batch".
        torques: "single" (independent,) and "batch" (count, independent), after a call.
    """

    def __init__(self, states: ClosedStates) -> None:
        graph = states.graph
        peer = PinocchioLoops(graph.urdf, [])
        self.model, self.data = peer.model, peer.data
        self.model.gravity.linear = graph.gravity
        order = np.argsort([peer.index(name) for name in graph.joint_names])
        self.q, self.v, self.a = (
            states.in_order(peer),
            np.ascontiguousarray(states.velocities[:, order]),
            np.ascontiguousarray(states.accelerations[:, order]),
        )
        self.springs = states.spring_torques(peer)
        self.reduction = states.reduction(peer.index)
        self.placements = [self._placed(*end) for cut in states.cuts for end in cut]
        self._models, self._datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        for (first, at_first), (second, at_second) in zip(
            self.placements[::2], self.placements[1::2], strict=True
        ):
            model = pin.RigidConstraintModel(
                *(pin.ContactType.CONTACT_3D, self.model, first, at_first, second, at_second),
                pin.ReferenceFrame.LOCAL,
            )
            self._models.append(model)
            self._datas.append(model.createData())
        self._loops = list(zip(self._models, self._datas, strict=True))  # references, not copies
        count, nv = len(self.q), self.model.nv
        rows = np.arange(3 * len(self._models))
        self._rows = rows[rows % 3 < 2]
        self._stack, self._tree = np.empty((count, len(self._rows), nv)), np.empty((count, nv))
        self._first = self.q[0].copy(), self.v[0].copy(), self.a[0].copy()
        self._pool, self._q_rows = pin.ModelPool(self.model, 1), list(self.q)
        self.torques: dict[str, Array] = {}
        self.timed: Timed = {"single": (self._single, 1), "batch": (self._batch, count)}

    def _placed(self, link: str, rotation: Array, point: Array) -> tuple[int, pin.SE3]:
        """Return the joint that carries a link, and a cut joint's placement on its body."""
        frame = self.model.frames[self.model.getFrameId(link)]
        return frame.parentJoint, frame.placement * pin.SE3(rotation, point)

    def _jacobian(self, q: Array) -> Array:
        model, data = self.model, self.data
        pin.computeJointJacobians(model, data, q)
        for loop, its_data in self._loops:
            loop.calc(model, data, its_data)
        return pin.getConstraintsJacobian(model, data, self._models, self._datas).take(self._rows, 0)

    def _single(self) -> None:
        q, v, a = self._first
        tau = pin.rnea(self.model, self.data, q, v, a) - self.springs[0]
        self.torques["single"] = self.reduction(self._jacobian(q), tau)

    def _batch(self) -> None:
        pin.rneaInParallel(1, self._pool, self.q.T, self.v.T, self.a.T, self._tree.T)
        for k, q in enumerate(self._q_rows):
            self._stack[k] = self._jacobian(q)
        self.torques["batch"] = self.reduction(self._stack, self._tree - self.springs)
