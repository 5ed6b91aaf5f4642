"""The robots that are measured: files, an arm of seven joints, random trees of any size."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from lxml import etree
from numpy.random import Generator, default_rng

__all__ = ["ROOT", "ROBOTS", "random_tree", "read", "seven_joint_arm"]

ROOT = Path(__file__).resolve().parents[2]
ROBOTS = [ROOT / f"urdf/{name}.urdf" for name in ("branched_38dof", "charmie")]


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
            f'<link name="link_{k}">{_inertial(rng)}</link><joint name="joint_{k}" type="revolute">'
            f'<parent link="link_{parent}"/><child link="link_{k}"/>{_origin(rng)}'
            f'<axis xyz="{_text(axis / np.linalg.norm(axis))}"/>'
            '<limit lower="-9" upper="9" effort="9" velocity="9"/></joint>'
        )
    return f'<robot name="tree_of_{joints}">{"".join(parts)}</robot>'


def _text(values: np.ndarray) -> str:
    return " ".join(f"{value:.17g}" for value in values)


def _origin(rng: Generator) -> str:
    return f'<origin xyz="{_text(rng.uniform(-0.3, 0.3, 3))}" rpy="{_text(rng.uniform(-2, 2, 3))}"/>'


def _inertial(rng: Generator) -> str:
    # moments of a cloud of mass obey the triangle inequality by construction
    mass = rng.uniform(0.1, 5.0)
    second = mass * np.cov(rng.uniform(-0.2, 0.2, (3, 5)))
    inertia = np.trace(second) * np.eye(3) - second
    keys = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    entries = " ".join(f'{k}="{x:.17g}"' for k, x in zip(keys, inertia[np.triu_indices(3)], strict=True))
    return f'<inertial>{_origin(rng)}<mass value="{mass:.17g}"/><inertia {entries}/></inertial>'
