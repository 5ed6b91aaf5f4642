"""A graph as the arrays that the kernels work on.

See kernels/layout.py.
"""

from weakref import WeakKeyDictionary

import numpy as np

from ...algebra import rotation_matrix, translation
from ...kernels import layout
from ...model import Body, Joint, JointType, SubsystemGraph
from .arguments import Array, Topology
from .joint_terms import joint_terms, terms_of

__all__ = [
    "Arrays",
    "alignment",
    "alignments_of",
    "body_to_aligned",
    "constants_of",
    "perpendicular_axes",
    "rows_of",
    "topology_of",
    "work_for",
    "work_of",
]

#: Topology and constants.
Arrays = tuple[Topology, Array]
_KINDS = {
    JointType.REVOLUTE: layout.REVOLUTE,
    JointType.CONTINUOUS: layout.REVOLUTE,
    JointType.PRISMATIC: layout.PRISMATIC,
    JointType.FLOATING: layout.FLOATING,
    JointType.SPHERICAL: layout.SPHERICAL,
}
# a changed graph shares most joints and bodies with the one that it comes from: theirs are not made again
_alignments: WeakKeyDictionary[Joint, Array] = WeakKeyDictionary()
#: By body: its joint, the joint that carries it (None: the ground), and `_row` of them.
_rows: WeakKeyDictionary[Body, tuple[Joint, Joint | None, Array]] = WeakKeyDictionary()


def alignment(joint: Joint) -> Array:
    """Rotation body <- aligned frame: its z axis is the joint's axis. Identity where it has none."""
    if joint.type in (JointType.FLOATING, JointType.SPHERICAL):
        return np.eye(3)
    return np.column_stack([*perpendicular_axes(joint.axis), joint.axis])


def perpendicular_axes(axis: Array) -> tuple[Array, Array]:
    """Two unit vectors that form a right-handed frame with an axis: first x second = axis."""
    # the coordinate axis least along it gives the best-conditioned one; along x, y, z results are exact
    first = np.eye(3)[int(np.argmin(np.abs(axis)))]
    first = first - axis * (axis @ first)
    first /= np.linalg.norm(first)
    (a, b, c), (x, y, z) = axis.tolist(), first.tolist()  # np.cross takes ten times as long
    return first, np.array([b * z - c * y, c * x - a * z, a * y - b * x])


def alignments_of(graph: SubsystemGraph) -> Array:
    """``alignment`` of all joints (n, 3, 3)."""
    return np.array([_alignment(joint) for joint in graph.joints]).reshape(-1, 3, 3)


def _alignment(joint: Joint) -> Array:
    if joint not in _alignments:
        _alignments[joint] = alignment(joint)
    return _alignments[joint]


def constants_of(graph: SubsystemGraph) -> Array:
    """The constants array (n + 1, 35)."""
    rotations = alignments_of(graph)
    constants = np.zeros((len(graph.joints) + 1, layout.CONSTANT_COLUMNS))
    constants[-1, layout.GRAVITY : layout.GRAVITY + 3] = graph.gravity
    constants[:-1, layout.ARMATURE : layout.FRICTION + 1] = joint_terms(graph)
    for k, (joint, body, parent) in enumerate(zip(graph.joints, graph.bodies, graph.parents, strict=True)):
        carrier = None if parent is None else graph.joints[parent]
        made = _rows.get(body)
        if made is None or made[0] is not joint or made[1] is not carrier:
            turned = np.eye(3) if parent is None else rotations[parent]
            made = _rows[body] = joint, carrier, _row(joint, body, turned, rotations[k])
        constants[k, : layout.OFFSET + 1] = made[2]
    return constants


def _row(joint: Joint, body: Body, turned: Array, own: Array) -> Array:
    """The columns that a joint and its body determine; ``turned``, ``own``: alignments of parent and body."""
    row = np.zeros(layout.OFFSET + 1)
    placed = rotation_matrix(joint.x_parent_joint.primary)
    row[layout.ROTATION : layout.ROTATION + 9] = (turned.T @ placed @ own).ravel()
    row[layout.POSITION : layout.POSITION + 3] = turned.T @ translation(joint.x_parent_joint)
    row[layout.MASS : layout.INERTIA + 6] = _inertia(body, own)
    row[layout.MULTIPLIER] = 1.0 if joint.mimic is None else joint.mimic.multiplier
    row[layout.OFFSET] = 0.0 if joint.mimic is None else joint.mimic.offset
    return row


def _inertia(body: Body, own: Array) -> list[float]:
    """Mass, m c and the pseudo-inertia J = tr(I)/2 - I about the origin, all in the aligned frame."""
    c = own.T @ body.com
    at_origin = own.T @ body.inertia @ own + body.mass * (c @ c * np.eye(3) - np.outer(c, c))
    J = 0.5 * np.trace(at_origin) * np.eye(3) - at_origin
    return [body.mass, *(body.mass * c), J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]


def topology_of(
    graph: SubsystemGraph, black_boxes: frozenset[str], friction: str = "none", springs: bool = True
) -> Topology:
    """The topology array (n + 1, 6), with the named subsystems treated as black boxes.

    Args:
        friction: "none", or "urdf": damping and friction of the joints count. springs: whether theirs count.

    Raises:
        StateError: friction is something else.
    """
    topology = np.zeros((len(graph.joints) + 1, layout.TOPOLOGY_COLUMNS), np.int64)
    topology[-1, layout.Q], topology[-1, layout.V] = graph.nq, graph.nv
    topology[-1, layout.TERMS] = terms_of(graph, friction, springs)
    ground = len(graph.joints)
    for subsystem in graph.subsystems:
        predecessor, indices = graph.predecessor(subsystem), subsystem.indices
        on_box = predecessor is not None and predecessor.name in black_boxes
        is_box = subsystem.name in black_boxes
        for k in indices:
            joint, parent = graph.joints[k], graph.parents[k]
            q, v = graph.slices(graph.driver(joint))
            row = topology[k]
            row[layout.PARENT] = ground if parent is None else parent
            row[layout.KIND] = _KINDS[joint.type]
            row[layout.VELOCITIES] = joint.type.nv if joint.mimic is None else 0
            row[layout.Q], row[layout.V] = q.start, v.start
            if is_box:
                row[layout.MODE] = layout.UNKNOWN
            elif on_box and parent not in indices:
                row[layout.MODE] = layout.CUT
    return topology


def work_of(graph: SubsystemGraph, columns: int = layout.WORK_COLUMNS) -> Array:
    """A work array for one state of all joints: see :func:`work_for`."""
    return work_for(len(graph.joints), columns)


def work_for(rows: int, columns: int) -> Array:
    """A work array for one state: rows + 1 rows of ``columns``, joint states behind them."""
    return np.zeros((rows + 1) * columns + layout.STATE_BLOCKS * layout.padded(rows))


def rows_of(work: Array, joints: int) -> Array:
    """The rows of a work array of inverse dynamics as a view (n + 1, 15)."""
    return work[: (joints + 1) * layout.WORK_COLUMNS].reshape(joints + 1, layout.WORK_COLUMNS)


def body_to_aligned(own: Array, wrench: Array) -> Array:
    """[force, moment] about the body's origin, from the body's axes to the aligned frame's: `alignment`."""
    return np.concatenate([own.T @ wrench[:3], own.T @ wrench[3:]])
