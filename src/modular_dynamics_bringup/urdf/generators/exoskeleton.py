"""Write exoskeleton.urdf: the exoskeleton of Schappler, Lilge and Haddadin (IFToMM 2019).

Its kinematics are the paper's table of modified Denavit-Hartenberg parameters with the lengths of its public
code (MIT licence, SchapplM/robsynth-paper_iftommwc2019_dynamics_hybridrobots, variant KAS5m7): rows 1 to 15
are bodies, 16 to 21 the frames of the three cut joints. Constant parts of a row's angle go into the joint's
origin, so that a joint's coordinate is the row's variable. Masses and inertias come from a table of their
own, exoskeleton_inertias.yaml or another. Units: m, kg, rad, N, N m.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import asin, atan, atan2, cos, hypot, pi, radians, sin
from pathlib import Path
from typing import Any

from .generated_file import run

INERTIAS = Path(__file__).with_name("exoskeleton_inertias.yaml")


@dataclass(frozen=True)
class Parameters:
    """The paper's constants [m, rad]; 2 L5 and 2 L6 are the distances between the elbow's axes."""

    L1: float = 0.101
    L2: float = 0.148
    L3: float = 0.048
    L4: float = 0.258
    L5: float = 0.01925
    L6: float = 0.01925
    L7: float = 0.2658
    L8: float = 0.025
    L9: float = 0.132
    L10: float = 0.0567
    L11: float = 0.0782
    L12: float = 0.0312
    L13: float = hypot(0.054, 0.071)  # from O6 to A on the forearm
    L14: float = 0.1574
    L15: float = 0.1853
    eta_1: float = 0.0
    eta_6: float = radians(110.0)
    eta_8: float = 0.0
    eta_12: float = pi - atan(20 / 24) - atan(43 / 37)
    eta_13: float = atan2(0.054, 0.071)


@dataclass(frozen=True)
class Row:
    """A row of the table: Rz(gamma) Rx(alpha) Tx(d) Rz(theta + its joint) Tz(r + its slide) on `parent`."""

    parent: str
    gamma: float = 0.0
    alpha: float = 0.0
    d: float = 0.0
    theta: float = 0.0
    r: float = 0.0


@dataclass(frozen=True)
class Joint:
    """The joint of a body with its limits; without effort it is passive, and the limits select the branch."""

    name: str
    lower: float
    upper: float
    velocity: float
    effort: float | None = None
    kind: str = "revolute"


def bodies(p: Parameters) -> dict[int, Row]:
    """Return rows 1 to 15 of the table, the bodies."""
    return {
        1: Row("base", theta=-pi / 2, r=p.L1),
        2: Row("body_1", alpha=-pi / 2, theta=pi / 2, r=p.L2),
        3: Row("body_2", alpha=pi / 2, r=p.L3),
        4: Row("body_3", d=p.L4),
        5: Row("body_4", d=2 * p.L5),
        6: Row("body_5", d=2 * p.L6, theta=pi / 2),
        7: Row("body_6", alpha=pi / 2, r=p.L7),
        8: Row("body_2", alpha=pi / 2, theta=p.eta_1 + pi / 2, r=p.L3),
        9: Row("body_8", d=-p.L8),
        10: Row("body_3", d=p.L9),
        11: Row("body_10", d=p.L10, theta=pi),
        12: Row("body_4", d=2 * p.L5, theta=-pi / 2),
        13: Row("body_12", theta=p.eta_6 - pi / 2),
        14: Row("body_13", d=p.L11, theta=3 * pi / 2),
        15: Row("body_14", alpha=pi / 2),
    }


def cuts(p: Parameters) -> dict[str, tuple[Row, Row]]:
    """Return rows 16 to 21: of each cut joint, by its name, 16-19, 17-20, 18-21."""
    return {
        "E": (Row("body_10", gamma=p.eta_12, d=p.L12), Row("body_9", d=p.L14)),
        "B": (Row("body_13", d=p.L11), Row("body_11", d=p.L15)),
        "A": (Row("body_6", gamma=-pi / 2 - p.eta_13, d=p.L13), Row("body_15", alpha=-pi / 2)),
    }


JOINTS = {
    1: Joint("rho_1", -pi / 2, pi / 4, 3, 40),
    2: Joint("rho_2", -3 * pi / 4, pi / 6, 3, 40),
    3: Joint("rho_3", -0.4, 0.4, 5),
    4: Joint("rho_4", 0.0, pi / 2, 3, 60),
    5: Joint("rho_5", 0.0, pi / 2, 3, 30),
    6: Joint("rho_6", -2, 2, 6),
    7: Joint("rho_7", -pi, pi, 6, 5),
    9: Joint("theta_9", -1.8, -0.8, 5),
    10: Joint("theta_10", -2.5, -0.2, 5),
    11: Joint("theta_11", 3.6, 5.9, 5),
    12: Joint("theta_12", -0.4, 1.7, 3),
    14: Joint("theta_14", -6, 0.6, 12),
    15: Joint("L_s", 0.03, 0.21, 1, kind="prismatic"),
}
GEARS = {"theta_12": {"rho_4": 1}, "rho_6": {"rho_5": 1, "rho_4": -1}}
SPRING = {"stiffness": 1000, "free_length": 0.03}
SUBSYSTEMS = {
    "shoulder": (1, 2),
    "upper_arm": (3, 4),
    "forearm": (5, 6, 7),
    "central_gear": (12, 14, 15),
    "elbow_rod": (10, 11),
    "shoulder_rod": (9,),
}

TAGS = ("predecessor", "successor")
ENTRIES = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def numbers(values: Any) -> str:
    """Write numbers so that reading them gives the same ones."""
    return " ".join(f"{float(value):.17g}" if abs(value) > 1e-15 else "0" for value in values)


def roll_pitch_yaw(row: Row) -> tuple[float, float, float]:
    """R = Rz(yaw) Ry(pitch) Rx(roll) = Rz(gamma) Rx(alpha) Rz(theta); at pitch +-90 degrees, yaw is gamma."""
    if row.alpha == 0.0:
        return 0.0, 0.0, row.gamma + row.theta
    if row.theta == 0.0:
        return row.alpha, 0.0, row.gamma
    c, s = cos(row.theta), sin(row.theta)
    ca, sa = cos(row.alpha), sin(row.alpha)
    if abs(sa * s) > 1.0 - 1e-12:  # Rx(alpha) Rz(theta) = Ry(pitch) Rx(roll)
        return atan2(sa, ca * c), asin(-sa * s), row.gamma
    return atan2(sa * c, ca), asin(-sa * s), row.gamma + atan2(ca * s, c)


def pose(row: Row, tag: str = "origin") -> str:
    """Write a row's constant part: xyz = Rz(gamma) Rx(alpha) (d, 0, r), along the axes of the parent."""
    x, y, z = row.d, -row.r * sin(row.alpha), row.r * cos(row.alpha)
    xyz = x * cos(row.gamma) - y * sin(row.gamma), x * sin(row.gamma) + y * cos(row.gamma), z
    return f'{tag} xyz="{numbers(xyz)}" rpy="{numbers(roll_pitch_yaw(row))}"'


def link_xml(name: str, inertia: Mapping[str, Any]) -> str:
    """Write a body; a body given as a box is drawn as a box."""
    mass, com, box = float(inertia["mass"]), numbers(inertia["com"]), inertia.get("box")
    shape = ""
    if box is None:
        moments = inertia["inertia"]
    else:
        x, y, z = (edge * edge * mass / 12 for edge in box)
        moments = (y + z, 0.0, 0.0, x + z, 0.0, x + y)
        shape = f"""
    <visual>
      <origin xyz="{com}"/> <geometry><box size="{numbers(box)}"/></geometry> <material name="aluminium"/>
    </visual>"""
    entries = " ".join(f'{key}="{numbers([value])}"' for key, value in zip(ENTRIES, moments, strict=True))
    return f"""
  <link name="{name}">
    <inertial>
      <origin xyz="{com}"/> <mass value="{mass:.17g}"/>
      <inertia {entries}/>
    </inertial>{shape}
  </link>"""


def joint_xml(number: int, row: Row) -> str:
    """Write the joint of a body; fixed bodies have fixed joints."""
    joint = JOINTS.get(number)
    name, kind = (f"fixed_{number}", "fixed") if joint is None else (joint.name, joint.kind)
    moving = ""
    if joint is not None:
        limits = f'lower="{numbers([joint.lower])}" upper="{numbers([joint.upper])}"'
        # URDF requires an effort; a passive joint has none
        moving = f"""
    <axis xyz="0 0 1"/> <limit {limits} effort="{joint.effort or 1}" velocity="{joint.velocity}"/>"""
    return f"""
  <joint name="{name}" type="{kind}">
    <parent link="{row.parent}"/> <child link="body_{number}"/>
    <{pose(row)}/>{moving}
  </joint>"""


def tags_xml(p: Parameters) -> str:
    """Write subsystems, cut joints, passive joints, gears and the spring."""
    parts = []
    for name, members in SUBSYSTEMS.items():
        joints = " ".join(f'<joint name="{JOINTS[number].name}"/>' for number in members)
        parts.append(f'<subsystem name="{name}"> {joints} </subsystem>')
    for name, rows in cuts(p).items():
        ends = ((f'{tag} link="{row.parent}"', row) for tag, row in zip(TAGS, rows, strict=True))
        frames = "".join(f"\n      <{pose(row, tag)}/>" for tag, row in ends)
        parts.append(
            f'<loop_joint name="{name}" type="revolute">{frames} <axis xyz="0 0 1"/>\n    </loop_joint>'
        )
    passive = [joint.name for joint in JOINTS.values() if joint.effort is None and joint.name not in GEARS]
    parts += [f'<passive joint="{name}"/>' for name in passive]
    for joint, drivers in GEARS.items():
        ratios = " ".join(f'<driver joint="{driver}" ratio="{ratio}"/>' for driver, ratio in drivers.items())
        offset = f' offset="{p.eta_8:.17g}"' if joint == "rho_6" and p.eta_8 else ""
        parts.append(f'<gear joint="{joint}"{offset}> {ratios} </gear>')
    law = " ".join(f'{key}="{value}"' for key, value in SPRING.items())
    parts.append(f'<spring name="spring" {law}> <anchor link="body_14"/> <anchor link="body_15"/> </spring>')
    return "".join(f"\n    {part}" for part in parts)


def urdf_text(inertias: Mapping[str, Mapping[str, Any]], parameters: Parameters | None = None) -> str:
    """Write the whole URDF with these masses and inertias: by body name, as in exoskeleton_inertias.yaml."""
    p = parameters or Parameters()
    rows = {f"body_{number}": row for number, row in bodies(p).items()}
    if sorted(inertias) != sorted(rows):
        wrong = sorted(set(inertias) ^ set(rows))
        raise ValueError(f"the table must hold body_1 ... body_{len(rows)}; missing or unknown: {wrong}")
    parts = [
        '<?xml version="1.0"?>\n',
        "<!-- Written by generators/exoskeleton.py: change that, not this file. -->\n",
        '<robot name="exoskeleton">',
        '\n  <material name="aluminium"><color rgba="0.72 0.75 0.80 1"/></material>',
        '\n  <link name="base"/>',
    ]
    for number, (body, row) in enumerate(rows.items(), 1):
        parts += [link_xml(body, inertias[body]), joint_xml(number, row)]
    parts.append(f'\n\n  <modular_dynamics version="1">{tags_xml(p)}\n  </modular_dynamics>\n</robot>\n')
    return "".join(parts)


if __name__ == "__main__":
    raise SystemExit(run("exoskeleton.urdf", urdf_text, INERTIAS, "--inertias", "masses and inertias"))
