"""What the tests of the nodes share: paths and descriptions of robots."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import modular_dynamics as md
from helpers.robots.urdf_text import inertial, joint, robot

GRIPPER_MOMENTS = np.array([[2e-3, 1e-4, 0.0], [1e-4, 1.8e-3, 2e-4], [0.0, 2e-4, 1e-3]])
JAW = np.diag([1e-4, 1.1e-4, 5e-5])


@pytest.fixture(scope="session")
def four_link(root: Path) -> str:
    """Path of a robot of four joints."""
    return str(root / "urdf/four_link.urdf")


@pytest.fixture
def boxed_branch(tmp_path: Path) -> str:
    """Path of a partition of four_link whose right branch is a black box."""
    path = tmp_path / "partition.yaml"
    path.write_text(
        "version: 1\nsubsystems:\n  - {name: stem, joints: [turn, bend]}\n"
        "  - {name: left_branch, joints: [left]}\n"
        "  - {name: right_branch, root_link: right_branch, black_box: true}\n"
    )
    return str(path)


@pytest.fixture(scope="session")
def chain() -> Callable[..., str]:
    """URDF of joints j1, j2 (inside the black box 'box') and j3, which starts at `parent`, with `mimic`."""
    body = inertial(1.0, (0.1, 0.2, -0.1), 0.1 * np.eye(3))

    def urdf(parent: str, mimic: str = "") -> str:
        parts = [f"<link name='{name}'>{body}</link>" for name in ("base", "a", "b", "c")]
        at, y = (0.1, 0.0, 0.3), (0, 1, 0)
        parts.append(joint("j1", "revolute", "base", "a", (0, 0, 0), axis=y))
        parts.append(joint("j2", "revolute", "a", "b", at, axis=y))
        parts.append(joint("j3", "revolute", parent, "c", at, axis=y, more=mimic))
        tags = [
            f"<subsystem name='{name}'{box}><joint name='{joint}'/></subsystem>"
            for name, joint, box in (("s1", "j1", ""), ("box", "j2", " black_box='true'"), ("tip", "j3", ""))
        ]
        return robot("chain", parts, tags)

    return urdf


@pytest.fixture(scope="session")
def quadruped() -> str:
    """URDF of a trunk, a sensor that is turned on it, and four legs of three joints, all numbers unlike."""
    numbers = np.random.default_rng(7)

    def link(name: str, mass: float) -> str:
        spread = numbers.uniform(0.5, 1.0, 3)
        moments = 0.01 * mass * np.diag(spread.sum() - spread)  # a body's: each less than the others' sum
        return f"<link name='{name}'>{inertial(mass, numbers.uniform(-0.1, 0.1, 3), moments)}</link>"

    parts = [link("trunk", 9.0), link("imu_link", 0.1)]
    parts.append(joint("imu", "fixed", "trunk", "imu_link", (0.1, -0.2, 0.05), (0.3, -0.7, 1.9)))
    for leg, x, y in (("fl", 0.3, 0.15), ("fr", 0.3, -0.15), ("rl", -0.3, 0.15), ("rr", -0.3, -0.15)):
        names = ["trunk", *(f"{leg}_{part}" for part in ("hip", "thigh", "calf", "foot"))]
        parts += [link(name, mass) for name, mass in zip(names[1:], (0.7, 1.1, 0.4, 0.1), strict=True)]
        places = (x, y, -0.02), (0.0, 0.08, 0.0), (0.0, 0.0, -0.25)
        for k, (place, axis) in enumerate(zip(places, ((1, 0, 0), (0, 1, 0), (0, 1, 0)), strict=True)):
            parts.append(joint(f"{names[k + 1]}_joint", "revolute", names[k], names[k + 1], place, axis=axis))
        parts.append(joint(f"{leg}_tip", "fixed", names[3], names[4], (0.0, 0.0, -0.25)))
    return robot("quadruped", parts)


@pytest.fixture(scope="session")
def gripper_urdf() -> str:
    """URDF of a palm and a jaw that slides on it."""
    palm, jaw = inertial(0.7, (0.0, 0.01, 0.04), GRIPPER_MOMENTS), inertial(0.09, (0.01, 0.02, 0.03), JAW)
    parts = [f"<link name='palm'>{palm}</link>", f"<link name='jaw'>{jaw}</link>"]
    parts.append(joint("finger", "prismatic", "palm", "jaw", (0.03, 0.0, 0.1), axis=(1, 0, 0)))
    return robot("gripper", parts)


@pytest.fixture(scope="session")
def described(four_link: str) -> md.SubsystemGraph:
    """The graph of four_link."""
    return md.load_urdf(four_link)
