"""The closed form M(q) a + C(q, v) v + N(q) = tau: Meister & Gutenkunst, eqs. 30-39.

Corrections: N = S^T T^T (M T_H0 Vdot0 - F^e) in (39) (and -T^T F^e in (32)), for in (27) F^e acts on the body
from outside; ad*_V M in place of ad*_V in (38), as (32) has it.

The paper's C, S^T T^T (M T ad_Sq + ad*_V M) T S, gives the right C v, but Mdot - 2 C is not skew-symmetric:
Mdot = J^T M Jdot + (J^T M Jdot)^T with J = T S and Jdot = T ad_Sq T S, so that what remains is
-2 J^T ad*_V M J, and -ad_V^T M_i is not skew-symmetric. Any B_i with B_i V_i = -ad_{V_i}^T M_i V_i may stand
in its place. With b_i = B(M_i V_i) of :func:`.dual_bracket_matrix`, which is skew-symmetric,
B_i = (M_i ad_{V_i} - ad_{V_i}^T M_i - b_i) / 2 is skew-symmetric, too, and gives Christoffel's symbols: it
cancels the asymmetry -M_i [V_i, W_i] of M_i Jdot (that of Jdot is the Maurer-Cartan equation).

A floating base is six virtual joints (section V.B) in series, without mass between them, S = e_1 ... e_6, so
that S v is its twist (v, w). Its pose H_0,1(q), by a quaternion instead of six angles and lengths, has no
singular orientation. It occurs in T_H0 only: M and C do not depend on it, and ad_Sq has no block of it.
"""

import math
import warnings
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...algebra import to_rotation_translation
from ...algebra.matrix_forms import Array, ad, dual_bracket_matrix, homogeneous, inverse, skew
from ...algebra.matrix_forms import adjoint_matrix as adjoint
from ...exceptions import ModelWarning, StateError, UnsupportedModelError
from ...model import (
    JointType,
    SubsystemGraph,
    checked_vectors,
    refuse_closures,
    require_graph,
    root_floating_joints,
)
from ...model.number_arrays import number_array
from ...urdf import load_urdf

# Parts of the equations of Meister & Gutenkunst; their matrices are those of algebra/matrix_forms.py.
#
# The functions take arrays of numbers or, as arrays of objects, of symbols; they keep exact zeros.


def generalized_mass(mass: Any, com: Array, inertia: Array) -> Array:
    """Return M_i (6, 6) = [[m 1, -m c^], [m c^, I - m c^ c^]] of a body with centre of mass c, I about it.

    It is diag(m 1, I), as eq. 29 must read for twists (v, w), where the frame is at the centre of mass.
    """
    c, identity = skew(com), np.eye(3, dtype=int)
    matrix = np.zeros((6, 6), np.result_type(com, inertia))
    matrix[:3, :3] = mass * identity
    matrix[:3, 3:], matrix[3:, :3] = -mass * c, mass * c
    matrix[3:, 3:] = inertia - mass * (c @ c)
    return matrix


def gyroscopic(M: Array, V: Array, half: Any = 0.5) -> Array:
    """Return B (6, 6), skew-symmetric, with B V = -ad_V^T M V: (M ad_V - ad_V^T M - b) / 2, as above.

    half: 1/2 as M and V have their numbers.
    """
    bracket = M @ ad(V)
    B: Array = half * (bracket - bracket.T - dual_bracket_matrix(M @ V))
    return B


def exp(
    s: Array, q: Any, sin: Callable[[Any], Any] = math.sin, cos: Callable[[Any], Any] = math.cos
) -> Array:
    """Return exp(s^ q) (4, 4) of a unit twist s = (v, w), |w| = 1, or w = 0 and |v| = 1 (eqs. 8-12).

    R = 1 + w^ sin q + w^^2 (1 - cos q), as eq. 8 must read; p = (1 - R) (w x v) + w w.v q.
    """
    v, w = s[:3], s[3:]
    identity = np.eye(3, dtype=int)
    if not any(w):
        return homogeneous(identity + 0 * skew(v), v * q)
    turn = skew(w)
    R = identity + turn * sin(q) + (turn @ turn) * (1 - cos(q))
    return homogeneous(R, (identity - R) @ (turn @ v) + w * ((w @ v) * q))


def quaternion_rotation(r: Array, twice: Any) -> Array:
    """Return the rotation (3, 3) of a quaternion r (4,), w x y z; ``twice``: 2 / |r|^2."""
    turn = skew(r[1:])
    rotation: Array = np.eye(3, dtype=int) + twice * (r[0] * turn + turn @ turn)
    return rotation


# What the equations of Meister & Gutenkunst need of a robot, from its SubsystemGraph.

Vector = NDArray[np.float64]
_SUPPORTED = JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC


class HasGraph(Protocol):
    """An object such as an assembly of modules, which gives its graph."""

    def graph(self) -> SubsystemGraph:
        """Return the robot as a SubsystemGraph."""


class TreeData(NamedTuple):
    """A tree of n joints; joint i moves body i, and bodies stand behind those that carry them.

    A floating base is six of them, JOINT.0 to JOINT.5, of which the last moves the base.

    Attributes:
        bodies, joints: their names. parents: the body that carries each joint; None: the base.
        columns: (n,) where each joint stands in v and tau, which are in joint_names' order; positions: in q.
        floating: the first of the six joints of a floating base, or None.
        H0: (n, 4, 4) H_i(0), body i's frame in its parent's at q_i = 0 (eq. 18).
        S: (n, 6) unit twists s_i = (v, w) in body i's frame (eqs. 11, 12).
        M: (n, 6, 6) generalized masses in the bodies' frames: diag(m 1, I) (eq. 29 with its blocks in the
            order of (v, w)) where the centre of mass is the origin; [[m 1, -m c^], [m c^, I - m c^ c^]] with
            the centre of mass at c and I about it.
        mass: (n,) [kg]. com: (n, 3) centres of mass in the bodies' frames [m]. inertia: (n, 3, 3) about them.
        Vdot0: (6,) (0 0 g 0 0 0), the base's acceleration against gravity (eq. 23), in the base's frame.
        armature, stiffness, rest_position: (n,) of the joints' drives and springs.
        joint_names: of q, v and tau. links: body (None: the base) and pose of every link.
    """

    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    parents: tuple[int | None, ...]
    columns: NDArray[np.intp]
    positions: NDArray[np.intp]
    floating: int | None
    H0: Vector
    S: Vector
    M: Vector
    mass: Vector
    com: Vector
    inertia: Vector
    Vdot0: Vector
    armature: Vector
    stiffness: Vector
    rest_position: Vector
    joint_names: tuple[str, ...]
    links: Mapping[str, tuple[int | None, Vector]]

    def is_floating(self, k: int) -> bool:
        """Return whether joint k is one of the six of a floating base."""
        return self.floating is not None and 0 <= k - self.floating < 6


def graph_of(robot: SubsystemGraph | HasGraph, floating_base: bool = False) -> SubsystemGraph:
    """Return the graph itself, or that of an object with a method ``graph()``. Raises GraphTypeError.

    floating_base: with a floating base, as of ``md.load_urdf``, if it has none.
    """
    given: Any = robot
    has_graph = not isinstance(given, (SubsystemGraph, type)) and callable(getattr(given, "graph", None))
    graph = given.graph() if has_graph else given
    require_graph(graph)
    checked: SubsystemGraph = graph
    if floating_base and not root_floating_joints(checked):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)  # the robot's own reader has given them
            checked = load_urdf(checked.to_urdf(), floating_base=True)
    return checked


def tree_data(robot: SubsystemGraph | HasGraph) -> TreeData:
    """Return masses, unit twists and poses of a robot, which is an open tree.

    A virtual joint is a prismatic or revolute joint like the others; its body may have no mass.

    Raises:
        UnsupportedModelError: closed loops (pass ``graph.tree`` to leave them open), black boxes, mimic
            joints, joints that are neither revolute, continuous nor prismatic nor a floating base; each by
            its name.
        GraphTypeError: neither a graph nor an object with one.
    """
    graph = graph_of(robot)
    _refuse_unsupported(graph)
    counts = [joint.type.nv for joint in graph.joints]
    ends = np.cumsum(counts, dtype=int).tolist()
    n, floating = sum(counts), None
    H0, S, parents = np.tile(np.eye(4), (n, 1, 1)), np.zeros((n, 6)), [None, *range(n - 1)][:n]
    names, bodies, columns, positions = list[str](), list[str](), list[int](), list[int]()
    for k, (joint, end) in enumerate(zip(graph.joints, ends, strict=True)):
        first, parent = end - counts[k], graph.parents[k]
        H0[first] = homogeneous(*to_rotation_translation(joint.x_parent_joint))
        parents[first] = None if parent is None else ends[parent] - 1
        own = [joint.name]
        if joint.type is JointType.FLOATING:
            floating, own = first, [f"{joint.name}.{i}" for i in range(6)]
            S[first:end] = np.eye(6)
        else:
            part = slice(0, 3) if joint.type is JointType.PRISMATIC else slice(3, 6)
            S[first, part] = joint.axis / np.linalg.norm(joint.axis)
        names, bodies = [*names, *own], [*bodies, *own[:-1], graph.bodies[k].name]
        columns += [graph.v_slice(joint.name).start + i for i in range(counts[k])]
        positions += [graph.q_slice(joint.name).start + i for i in range(counts[k])]

    def of_bodies(rows: list[Any], *shape: int) -> Vector:
        values = np.zeros((n, *shape))
        values[np.array(ends, int) - 1] = np.reshape(rows, (-1, *shape))
        return values

    def of_joints(attribute: str) -> Vector:
        return np.repeat([float(getattr(joint, attribute)) for joint in graph.joints], counts)

    poses = {link: graph.link_pose(link) for link in graph.links}
    return TreeData(
        bodies=tuple(bodies),
        joints=tuple(names),
        parents=tuple(parents),
        columns=np.array(columns, np.intp),
        positions=np.array(positions, np.intp),
        floating=floating,
        H0=H0,
        S=S,
        M=of_bodies([generalized_mass(body.mass, body.com, body.inertia) for body in graph.bodies], 6, 6),
        mass=of_bodies([body.mass for body in graph.bodies]),
        com=of_bodies([body.com for body in graph.bodies], 3),
        inertia=of_bodies([body.inertia for body in graph.bodies], 3, 3),
        Vdot0=np.concatenate([-graph.gravity, np.zeros(3)]),
        armature=of_joints("armature"),
        stiffness=of_joints("stiffness"),
        rest_position=of_joints("rest_position"),
        joint_names=graph.joint_names,
        links={
            link: (None if body is None else ends[body] - 1, homogeneous(*to_rotation_translation(x)))
            for link, (body, x) in poses.items()
        },
    )


def body_wrenches(tree: TreeData, wrenches: Mapping[str, ArrayLike] | None) -> Vector:
    """Return F^e (n, 6): sums of wrenches on links, in body frames by F_a = Ad_{H_ba}^T F_b (eq. 17).

    Args:
        wrenches: (force, moment) [N, N m] that act on links, in the link's frame, by the link's name.

    Raises:
        StateError: no mapping, an unknown link, or not six finite numbers.
    """
    F = np.zeros((len(tree.bodies), 6))
    given: Any = {} if wrenches is None else wrenches
    if not isinstance(given, Mapping):
        raise StateError(f"wrenches is {given!r:.80}; a mapping of links to (force, moment) is needed")
    for link, wrench in given.items():
        if link not in tree.links:
            raise StateError(f"no link '{link}' for a wrench; the links: {', '.join(tree.links)}")
        values = number_array(f"the wrench on link '{link}'", wrench)
        if values.shape != (6,) or not np.isfinite(values).all():
            raise StateError(
                f"the wrench on link '{link}' is {wrench!r:.80}; (force, moment), six finite numbers, "
                "is needed"
            )
        body, H_body_link = tree.links[link]
        if body is not None:
            F[body] += adjoint(inverse(H_body_link)).T @ values
    return F


def _refuse_unsupported(graph: SubsystemGraph) -> None:
    """Raise UnsupportedModelError for a robot without closed form; names the element."""
    refuse_closures(graph, "the closed form")
    if boxes := [subsystem.name for subsystem in graph.subsystems if subsystem.black_box]:
        raise UnsupportedModelError(
            f"'{graph.name}' has the black boxes {', '.join(boxes)}, whose masses are unknown; the closed "
            "form needs those of all bodies"
        )
    base = root_floating_joints(graph)[:1]
    for joint in graph.joints:
        if joint.mimic is not None:
            raise UnsupportedModelError(
                f"joint '{joint.name}' mimics '{joint.mimic.joint}'; the closed form supports joints with a "
                "coordinate of their own"
            )
        if joint.type not in _SUPPORTED and joint.name not in base:
            raise UnsupportedModelError(
                f"joint '{joint.name}' is {joint.type.value}; the closed form supports revolute, continuous "
                "and prismatic joints and one floating base; virtual joints of these types, on links "
                "without mass, move other bodies"
            )


class Matrices(NamedTuple):
    """The matrices of eqs. 30-35 at one position; blocks of six rows are bodies, columns of S joints.

    Attributes:
        T: (6n, 6n) block (i, j) is Ad_{H_{j,i}^-1} where j carries i, identities on the diagonal, else zero:
            lower triangular (eq. 35).
        T_H0: (6n, 6) Ad_{H_{0,i}^-1} (eq. 34). S: (6n, nv) unit twists. M: (6n, 6n) generalized masses.
    """

    T: Array
    T_H0: Array
    S: Array
    M: Array


class ClosedForm:
    """M, C and N of one robot as products of the paper's matrices; made by :func:`.closed_form`.

    Vectors are in joint_names' order. O(n^2) transformations, and dense products of them: this is the form
    to read and to compare; ``md.mass_matrix`` and the others are the fast ones.

    Attributes:
        tree: the data of the equations.
    """

    def __init__(self, graph: SubsystemGraph) -> None:
        self._graph, self.tree = graph, tree_data(graph)

    @cached_property
    def _constant(self) -> tuple[Array, Array]:
        """The matrices S and M, which do not depend on q."""
        n = len(self.tree.bodies)
        S, M = np.zeros((6 * n, n)), np.zeros((6 * n, 6 * n))
        for k in range(n):
            rows = slice(6 * k, 6 * k + 6)
            S[rows, self.tree.columns[k]], M[rows, rows] = self.tree.S[k], self.tree.M[k]
        return S, M

    def transformations(self, q: ArrayLike) -> Array:
        """Return H_ij (n + 1, n + 1, 4, 4) of bodies i, j on one path, 0 the base; zeros for others.

        H_ij = H_ix H_xj with x the body before j (eq. 21): each from its predecessor's, direct (x = i, from
        (18)) or indirect.
        """
        (q,) = checked_vectors(self._graph, q=q)
        n = len(self.tree.bodies)
        H = np.zeros((n + 1, n + 1, 4, 4))
        H[range(n + 1), range(n + 1)] = np.eye(4)
        for k, (parent, own) in enumerate(zip(self.tree.parents, dyads(self.tree, q), strict=True)):
            before = 0 if parent is None else parent + 1
            H[: k + 1, k + 1] = H[: k + 1, before] @ own  # zeros where they are on no common path
        return H

    def matrices(self, q: ArrayLike) -> Matrices:
        """Return T, T_H0, S and M. Raises StateError: q of the wrong shape, or not finite."""
        n, H = len(self.tree.bodies), self.transformations(q)
        R = np.swapaxes(H[..., :3, :3], -1, -2)
        blocks = np.zeros((n + 1, n + 1, 6, 6))  # Ad of the inverses: [[R^T, -R^T p^], [0, R^T]]
        blocks[..., :3, :3] = blocks[..., 3:, 3:] = R
        blocks[..., :3, 3:] = -R @ skew(H[..., :3, 3])
        T = blocks[1:, 1:].transpose(1, 2, 0, 3).reshape(6 * n, 6 * n)  # block (i, j) of H_ji
        T_H0 = blocks[0, 1:].reshape(6 * n, 6)
        return Matrices(T, T_H0, *self._constant)

    def M(self, q: ArrayLike) -> Array:
        """Return M(q) = S^T T^T M T S (nv, nv) (eq. 37), with the joints' armatures on the diagonal."""
        T, _, S, M = self.matrices(q)
        J = T @ S
        total: Array = J.T @ M @ J
        total[self.tree.columns, self.tree.columns] += self.tree.armature
        return total

    def C(self, q: ArrayLike, v: ArrayLike, form: str = "skew") -> Array:
        """Return C(q, v) (nv, nv) (eq. 38): S^T T^T (M T ad_Sq + B) T S.

        Args:
            form: "skew": a B with which Mdot - 2 C is skew-symmetric, as that of ``md.coriolis_matrix``.
                "paper": B = ad*_V M. Both have the same C v.

        Raises:
            StateError: q or v of the wrong shape or not finite, or another form.
        """
        if form not in ("skew", "paper"):
            raise StateError(f"form is {form!r}; 'skew' or 'paper' is needed")
        (v,) = checked_vectors(self._graph, v=v)
        T, _, S, M = self.matrices(q)
        J = T @ S
        V = (J @ v).reshape(-1, 6)
        ad_Sq, B = np.zeros_like(T), np.zeros_like(T)
        for k, twist in enumerate(V):
            rows, M_k = slice(6 * k, 6 * k + 6), self.tree.M[k]
            if not self.tree.is_floating(k):
                ad_Sq[rows, rows] = -ad(self.tree.S[k] * v[self.tree.columns[k]])
            B[rows, rows] = gyroscopic(M_k, twist) if form == "skew" else -ad(twist).T @ M_k
        C: Array = J.T @ (M @ T @ ad_Sq + B) @ J
        return C

    def N(self, q: ArrayLike, wrenches: Mapping[str, ArrayLike] | None = None) -> Array:
        """Return N(q) = S^T T^T (M T_H0 Vdot0 - F^e) (nv,) (eq. 39), with the springs of the joints.

        Args:
            wrenches: on links, see :func:`.body_wrenches`.

        Raises:
            StateError: q of the wrong shape or not finite, an unknown link.
        """
        T, T_H0, S, M = self.matrices(q)
        F = body_wrenches(self.tree, wrenches).ravel()
        N: Array = (T @ S).T @ (M @ T_H0 @ self.tree.Vdot0 - F)
        positions = np.asarray(q, np.float64)[self.tree.positions]
        N[self.tree.columns] += self.tree.stiffness * (positions - self.tree.rest_position)
        return N

    def tau(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, wrenches: Mapping[str, ArrayLike] | None = None
    ) -> Array:
        """Return tau (nv,) = M(q) a + C(q, v) v + N(q) (eq. 36), without friction. Errors as of the parts."""
        v, a = checked_vectors(self._graph, v=v, a=a)
        tau: Array = self.M(q) @ a + self.C(q, v) @ v + self.N(q, wrenches)
        return tau


def dyads(tree: TreeData, q: Array) -> Array:
    """Return the direct transformations H_i(0) exp(s_i q_i) (n, 4, 4), of body i's frame in its parent's.

    Of a floating base's six joints the first has its pose.
    """
    own = tree.H0.copy()
    for k, position in enumerate(tree.positions):
        if k == tree.floating:
            pose = q[position : position + 7]
            own[k] = own[k] @ homogeneous(
                quaternion_rotation(pose[3:], 2.0 / (pose[3:] @ pose[3:])), pose[:3]
            )
        elif not tree.is_floating(k):
            own[k] = own[k] @ exp(tree.S[k], float(q[position]))
    return own
