"""The robots that are measured and their states: files, an arm of seven joints, random trees."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from lxml import etree
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

import modular_dynamics as md

ROOT = Path(__file__).resolve().parents[2]
ROBOTS = [ROOT / f"urdf/{name}.urdf" for name in ("branched_38dof", "charmie")]
VECTORS = 8192  # states in a batch whose results are vectors, ...
MATRICES = 256  # ... or matrices: as many as fit into the caches, because peers keep one result
DISTINCT = 256  # different states, which batches repeat: converting them to the peers' orders is slow
Array = NDArray[np.float64]


def read(path: Path) -> str:
    """Return the text of a URDF file."""
    return path.read_text(encoding="utf-8")


def seven_joint_arm() -> str:
    """Return urdf/vendor_arm.urdf with its gripper's fingers held: seven revolute joints are left."""
    robot = etree.fromstring((ROOT / "urdf/vendor_arm.urdf").read_bytes())
    robot.set("name", "seven_joint_arm")
    for joint in robot.findall("joint"):
        if "finger" in joint.get("name"):
            joint.set("type", "fixed")
            for mimic in joint.findall("mimic"):
                joint.remove(mimic)
    return etree.tostring(robot, encoding="unicode")


def random_tree(joints: int) -> str:
    """Return a URDF of revolute joints about oblique axes, each on one of the ten links before it."""
    rng = default_rng(joints)
    parts = ['<link name="link_0"/>']
    for k in range(1, joints + 1):
        parent = rng.integers(max(0, k - 10), k)
        axis = rng.normal(size=3)
        parts.append(
            f'<link name="link_{k}">{random_inertial(rng)}</link><joint name="joint_{k}" type="revolute">'
            f'<parent link="link_{parent}"/><child link="link_{k}"/>{_origin(rng)}'
            f'<axis xyz="{_text(axis / np.linalg.norm(axis))}"/>'
            '<limit lower="-9" upper="9" effort="9" velocity="9"/></joint>'
        )
    return f'<robot name="tree_of_{joints}">{"".join(parts)}</robot>'


def _text(values: np.ndarray) -> str:
    return " ".join(f"{value:.17g}" for value in values)


def _origin(rng: Generator) -> str:
    return f'<origin xyz="{_text(rng.uniform(-0.3, 0.3, 3))}" rpy="{_text(rng.uniform(-2, 2, 3))}"/>'


def random_inertial(rng: Generator) -> str:
    """Return an inertial element of a cloud of mass, whose moments obey the triangle inequality."""
    mass = rng.uniform(0.1, 5.0)
    second = mass * np.cov(rng.uniform(-0.2, 0.2, (3, 5)))
    inertia = np.trace(second) * np.eye(3) - second
    keys = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    entries = " ".join(f'{k}="{x:.17g}"' for k, x in zip(keys, inertia[np.triu_indices(3)], strict=True))
    return f'<inertial>{_origin(rng)}<mass value="{mass:.17g}"/><inertia {entries}/></inertial>'


@dataclass(frozen=True)
class States:
    """Rows of q (count, nq), v, a (count, nv), in one library's order."""

    q: Array
    v: Array
    a: Array

    def repeated(self, count: int) -> "States":
        """Return so many rows, repeated in their order."""
        rows = np.arange(count) % len(self.q)
        return States(*(np.ascontiguousarray(x[rows]) for x in (self.q, self.v, self.a)))

    @property
    def first(self) -> tuple[Array, Array, Array]:
        """Return q, v, a of the first state, each an array of its own."""
        return self.q[0].copy(), self.v[0].copy(), self.a[0].copy()


def random_states(graph: md.SubsystemGraph, count: int = DISTINCT) -> States:
    """Return normal numbers in the graph's order; each library normalizes a floating joint's quaternion."""
    rng = default_rng(0)
    return States(rng.normal(size=(count, graph.nq)), *rng.normal(size=(2, count, graph.nv)))
