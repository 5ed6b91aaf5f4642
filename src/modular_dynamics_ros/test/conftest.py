"""What the tests of the nodes share: paths and descriptions of robots."""

from collections.abc import Callable
from pathlib import Path

import pytest

INERTIA = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


@pytest.fixture(scope="session")
def four_link(root: Path) -> str:
    """Path of a robot of four joints."""
    return str(root / "urdf/four_link.urdf")


@pytest.fixture(scope="session")
def charmie(root: Path) -> str:
    """Path of the care robot."""
    return str(root / "urdf/charmie.urdf")


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
