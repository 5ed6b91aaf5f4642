"""Random mechanisms for hypothesis: random trees, closed in a random configuration by loop joints."""

from dataclasses import dataclass

import numpy as np
import scipy.linalg
from hypothesis import event, reject
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import modular_dynamics as md
from helpers.oracles.rigid_bodies import RigidBodies
from helpers.random_examples.trees import random_trees
from helpers.robots.urdf_text import loop_joint, spring
from modular_dynamics.loops import solver_of
from modular_dynamics.model import body_of_link

#: Rows of each type of loop joint.
ROWS = {"revolute": 5, "spherical": 3, "universal": 4, "fixed": 6, "prismatic": 5, "planar": 2}
#: Condition number of the constraints from which on a drawn configuration counts as singular.
SINGULAR = 1e3


@dataclass(frozen=True)
class RandomMechanism:
    """A graph with loops, a configuration in which they are closed, and random numbers."""

    graph: object
    q: np.ndarray
    rng: np.random.Generator


def _rotation(rng, axis=None):
    x = rng.normal(size=3) if axis is None else axis
    return Rotation.from_rotvec(rng.uniform(0.3, 2.5) * x / np.linalg.norm(x)).as_matrix()


def _anchor(link, pose):
    return link, pose[:3, 3], Rotation.from_matrix(pose[:3, :3]).as_euler("xyz")


def _allowed_motion(kind, axis, rng):
    """A random motion that the loop joint allows: pose of the successor's anchor in the predecessor's."""
    X = np.eye(4)
    if kind in ("prismatic", "planar"):
        X[:3, 3] = rng.uniform(-0.5, 0.5) * axis
    if kind in ("spherical", "planar"):
        X[:3, :3] = _rotation(rng)
    elif kind == "revolute":
        X[:3, :3] = _rotation(rng, axis)
    elif kind == "universal":
        # about the axis, then about the second one, which is the first perpendicular that moves with it
        X[:3, :3] = _rotation(rng, axis) @ _rotation(rng, second_axis(axis))
    return X


def second_axis(axis):
    """Second axis of a universal joint in the successor's anchor, perpendicular to the first."""
    second = np.eye(3)[int(np.argmin(np.abs(axis)))]
    return second - axis * (axis @ second)


@st.composite
def random_mechanisms(draw, largest: int = 14) -> RandomMechanism:
    """Random trees with one to three loop joints; draws without a mobile mechanism are rejected as events."""
    tree = draw(random_trees(largest))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kinds = draw(st.lists(st.sampled_from(list(ROWS)), min_size=1, max_size=3))
    extras = draw(st.sets(st.sampled_from(["gear", "spring", "twice"])))
    bare = md.load_urdf(tree.urdf)
    q = tree.state(bare)[0]
    bodies = RigidBodies(bare)
    poses = bodies.poses(q)
    tags = []
    for k, kind in enumerate(kinds):
        before, after = rng.choice(list(poses), 2, replace=False) if len(poses) > 1 else (None, None)
        if before is None or body_of_link(bare, str(before)) == body_of_link(bare, str(after)):
            continue
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        P, opened = np.eye(4), _allowed_motion(kind, axis, rng)
        P[:3, :3], P[:3, 3] = _rotation(rng), rng.uniform(-0.3, 0.3, 3)
        S = np.linalg.solve(poses[after], poses[before] @ P @ opened)
        ends = _anchor(before, P), _anchor(after, S)
        names = [f"loop_{k}", f"loop_{k}_again"][: 2 if "twice" in extras and k == 0 else 1]
        tags += [loop_joint(name, kind, *ends, axis) for name in names]
    single = [name for name in bare.joint_names if bare.joint(name).type.nv == 1]
    if "gear" in extras and len(single) > 1:
        driven, driver = (str(name) for name in rng.choice(single, 2, replace=False))
        ratio = rng.uniform(-2, 2)
        offset = (q[bare.q_slice(driven)] - ratio * q[bare.q_slice(driver)]).item()
        tags.append(f'<gear joint="{driven}" driver="{driver}" ratio="{ratio!r}" offset="{offset!r}"/>')
    if "spring" in extras and len(poses) > 1:
        ends = rng.choice(list(poses), 2, replace=False)
        anchors = [(link, rng.uniform(-0.3, 0.3, 3)) for link in ends]
        tags.append(spring("spring", anchors, 40, 0.2, 3, damping=2))
    if not any("loop_joint" in tag for tag in tags):
        _give_up("both ends of every loop joint fell on one body")
    return _split(tree, tags, q, rng)


def _split(tree, tags, q, rng):
    """Choose as many dependent joints as the rank of the constraints."""
    added = f'<modular_dynamics version="1">{"".join(tags)}</modular_dynamics></robot>'
    graph = md.load_urdf(tree.urdf.replace("</robot>", added))
    J = solver_of(graph).system.evaluate(q).J.copy()
    sizes = np.linalg.svd(J)[1]
    rank = int((sizes > 1e-9 * max(1.0, sizes[0])).sum())
    if rank and sizes[0] > SINGULAR * sizes[rank - 1]:
        _give_up("the constraints are nearly singular in the drawn configuration")
    floating = [name for name in graph.joint_names if graph.joint(name).type.nv == 6]
    columns = [name for name in graph.joint_names if name not in floating]
    single = J[:, [graph.v_slice(name).start for name in columns]]
    if np.linalg.matrix_rank(single, 1e-9) < rank:
        _give_up("the floating base would have to be dependent")
    if rank == graph.nv:
        _give_up("nothing moves")
    R, order = scipy.linalg.qr(single, mode="r", pivoting=True)
    dependent = {columns[k] for k in order[:rank]}
    if rank and np.linalg.cond(R[:rank, :rank]) > SINGULAR:
        _give_up("the dependent joints are nearly singular in the drawn configuration")
    return RandomMechanism(
        graph.with_independent_joints(*(name for name in graph.joint_names if name not in dependent)), q, rng
    )


def _give_up(reason):
    event(f"given up: {reason}")
    reject()
