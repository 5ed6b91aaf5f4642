"""The robots that are measured and their states: files, an arm of seven joints, random trees, four-bars."""

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
    """The text of a URDF file."""
    return path.read_text(encoding="utf-8")


def seven_joint_arm() -> str:
    """urdf/vendor_arm.urdf with its gripper's fingers held: seven revolute joints are left."""
    robot = etree.fromstring((ROOT / "urdf/vendor_arm.urdf").read_bytes())
    robot.set("name", "seven_joint_arm")
    for joint in robot.findall("joint"):
        if "finger" in joint.get("name"):
            joint.set("type", "fixed")
            for mimic in joint.findall("mimic"):
                joint.remove(mimic)
    return etree.tostring(robot, encoding="unicode")


def random_tree(joints: int) -> str:
    """Revolute joints about oblique axes, each on one of the ten links before it; the same at each call."""
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


def rod(name: str, parent: str, at: float, length: float = 1.0, mass: float = 1.0) -> str:
    """A rod along the x axis of its link, jointed at ``at`` [m] on that of its parent.

    On the ground the joint's axis lies across the plane of x and z; all others are parallel to it.
    """
    across, about = (np.pi / 2 if parent == "ground" else 0.0), mass * length**2 / 12
    return (
        f'<link name="{name}"><inertial><origin xyz="{length / 2} 0 0"/><mass value="{mass}"/>'
        f'<inertia ixx="1e-3" iyy="{about}" izz="{about}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        f'<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{name}"/>'
        f'<origin xyz="{at} 0 0" rpy="{across} 0 0"/><axis xyz="0 0 1"/>'
        '<limit effort="9" velocity="9"/></joint>'
    )


def windows(count: int) -> md.SubsystemGraph:
    """A row of square four-bar windows: rods of 1 m and 1 kg, a benchmark of multibody dynamics.

    Uprights on the ground 1 m apart, each rod above from the end of one to that of the next. The mechanism's
    plane is x and z. The first upright is independent. q is zero with all rods on the x axis.
    """
    parts, tags = [rod("upright_0", "ground", 0)], []
    for k in range(1, count + 1):
        parts += [rod(f"upright_{k}", "ground", k), rod(f"beam_{k}", f"upright_{k - 1}", 1)]
        tags.append(
            f'<loop_joint name="window_{k}" type="revolute"><predecessor link="upright_{k}" xyz="1 0 0"/>'
            f'<successor link="beam_{k}" xyz="1 0 0"/><axis xyz="0 0 1"/></loop_joint>'
            f'<passive joint="upright_{k}"/><passive joint="beam_{k}"/>'
        )
    return md.load_urdf(
        f'<robot name="windows"><link name="ground"/>{"".join(parts)}'
        f'<modular_dynamics version="1">{"".join(tags)}</modular_dynamics></robot>'
    )


def standing(graph: md.SubsystemGraph, angle: float) -> list[float]:
    """Coordinates of all joints of windows: uprights at an angle to the ground, beams level."""
    return [angle if name.startswith("upright") else -angle for name in graph.joint_names]


def _text(values: np.ndarray) -> str:
    return " ".join(f"{value:.17g}" for value in values)


def _origin(rng: Generator) -> str:
    return f'<origin xyz="{_text(rng.uniform(-0.3, 0.3, 3))}" rpy="{_text(rng.uniform(-2, 2, 3))}"/>'


def random_inertial(rng: Generator) -> str:
    """The moments of a cloud of mass obey the triangle inequality."""
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
        """As many rows, repeated in their order."""
        rows = np.arange(count) % len(self.q)
        return States(*(np.ascontiguousarray(x[rows]) for x in (self.q, self.v, self.a)))

    @property
    def first(self) -> tuple[Array, Array, Array]:
        """q, v, a of the first state, each an array of its own."""
        return self.q[0].copy(), self.v[0].copy(), self.a[0].copy()


def random_states(graph: md.SubsystemGraph, count: int = DISTINCT) -> States:
    """Standard normal, in the graph's order; each library normalizes a floating joint's quaternion."""
    rng = default_rng(0)
    return States(rng.normal(size=(count, graph.nq)), *rng.normal(size=(2, count, graph.nv)))
