"""What the tests of the nodes share: a ROS domain of this process's own, and paths of the robots."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

# 1 to 100: on Linux all of these domains have free ports. Loopback only: no robot, no other run is disturbed.
os.environ["ROS_DOMAIN_ID"] = str(1 + os.getpid() % 100)
os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
os.environ.pop("ROS_LOCALHOST_ONLY", None)

INERTIA = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return ROOT


@pytest.fixture(scope="session")
def four_link() -> str:
    """Path of a robot of four joints."""
    return str(ROOT / "urdf/four_link.urdf")


@pytest.fixture(scope="session")
def charmie() -> str:
    """Path of the care robot."""
    return str(ROOT / "urdf/charmie.urdf")


@pytest.fixture(scope="session")
def chain() -> Callable[[str, str], str]:
    """URDF of joints j1, j2 (inside the black box 'box') and j3, which starts at `parent`, with `last`."""

    def link(name: str) -> str:
        inertia = " ".join(f"{key}='{0.1 if key in ('ixx', 'iyy', 'izz') else 0}'" for key in INERTIA)
        return (
            f"<link name='{name}'><inertial><origin xyz='.1 .2 -.1'/><mass value='1'/>"
            f"<inertia {inertia}/></inertial></link>"
        )

    def joint(name: str, parent: str, child: str, more: str) -> str:
        return (
            f"<joint name='{name}' type='revolute'><parent link='{parent}'/><child link='{child}'/>{more}"
            "<axis xyz='0 1 0'/><limit lower='-9' upper='9' effort='9' velocity='9'/></joint>"
        )

    def urdf(parent: str, last: str) -> str:
        tags = "".join(
            f"<subsystem name='{name}'{box}><joint name='{joint}'/></subsystem>"
            for name, joint, box in (("s1", "j1", ""), ("box", "j2", " black_box='true'"), ("tip", "j3", ""))
        )
        parts = [link(name) for name in ("base", "a", "b", "c")]
        parts += [joint("j1", "base", "a", ""), joint("j2", "a", "b", "<origin xyz='.1 0 .3'/>")]
        parts += [joint("j3", parent, "c", last)]
        parts += [f"<modular_dynamics version='1'>{tags}</modular_dynamics>"]
        return f"<robot name='chain'>{''.join(parts)}</robot>"

    return urdf


@pytest.fixture(scope="module")
def ros() -> Iterator[None]:
    """ROS 2, for the tests of one file."""
    import rclpy

    rclpy.init()
    yield
    rclpy.shutdown()
