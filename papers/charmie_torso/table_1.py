"""Section 2 and Table 1 of Goncalves et al. beside the URDF: bodies, joints, masses, springs, actuators."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from lxml import etree

import modular_dynamics as md
from papers.charmie_torso.mujoco_loops import MujocoLoops
from papers.charmie_torso.reactions import motion_at
from papers.report import Report

#: Table 1: bodies; origin [mm] at the zero pose, mass [kg]; Ixx, Iyy, Izz, Ixy, Ixz, Iyz [kg mm^2].
#: Of a pair the first one is at the upper sign of x.
TABLE_1 = """\
1         | 0 0 0           0   | 0 0 0 0 0 0
2         | 0 0 0           0   | 0 0 0 0 0 0
3         | 0 0 0           37.1| 1187000 1304000 1610000 11450 3586 -51860
4sr = 4sl | ±245 0 341      0   | 0 0 0 0 0 0
4         | 0 0 290         7.5 | 118300 167400 94970 19.62 1.907 -7536
5         | 0 0 434         4.6 | 77230 80350 32960 2316 -229.9 4803
6b = 6a   | ±200 3 460      0.3 | 32.39 32.39 19.93 0 0 0
7a = 7b   | 0 0 30          0.3 | 102.5 102.5 19.61 0 0 0
8a = 8b   | 0 0 61.5        0.4 | 710.8 710.8 26.54 0 0 0
9a = 9b   | 0 0 145         0.4 | 710.8 710.8 26.54 0 0 0
10a = 10b | 0 0 145         0.4 | 663.9 663.9 26.56 0 0 0
11a = 11b | 0 0 140         0.4 | 663.9 663.9 26.56 0 0 0
12a = 12b | 0 0 140         0.3 | 498.6 498.6 19.94 0 0 0
6c        | 0 0 495         0.3 | 145.8 132.1 246.5 0 0 4.732
7c        | 0 0 46.3        0.4 | 296 268.2 522 2.606 -0.822 6.866
8c        | 14.8 -5.3 18.3  0.7 | 8548 7189 4981 31.79 143.1 -222"""
INERTIA = "ixx", "iyy", "izz", "ixy", "ixz", "iyz"
#: Springs: how many, free length [mm], rate [N/m], initial force [N]; actuators' lengths at zero [mm].
SPRINGS = {"s4": "2 105.5 1380 27.1", "s5": "1 77 1029 15.1"}
LENGTHS = {"act4": 480.0, "act5": 400.0}
#: Accelerations of all 19 joints but these: 2 pi / 9 rad/s^2.
ACCELERATIONS = {"base_x": 0.032, "base_y": 0.032, "act4": 0.0032, "act5": 0.0032}
ROUNDING = 1e-9  # [mm]


def add_inventory(report: Report, graph: md.SubsystemGraph) -> None:
    """Count bodies, joints and degrees of freedom."""
    table = "Section 2: inventory, counted in the URDF"
    report.add(table, "bodies", sum(link.startswith("body_") for link in graph.links), 24, 0)
    driven = [graph.joint(name).type for name in graph.independent_joint_names]
    linear = driven.count(md.JointType.PRISMATIC)
    report.add(table, "degrees of freedom", len(driven), 19, 0)
    report.add(table, "linear actuators: base_x, base_y, act4, act5", linear, 4, 0)
    report.add(table, "revolute motors", len(driven) - linear, 15, 0)
    slides = sum(joint.type is md.JointType.PRISMATIC for joint in graph.joints)
    slots = sum(name.endswith("_slide") for name in graph.joint_names)
    cuts, eyes = len(graph.loop_joints), 2 * len(graph.springs)
    joints = len(graph.joints) + cuts
    report.add(table, f"joints of the mechanism: {len(graph.joints)} in the tree, {cuts} cut", joints)
    report.add(table, f"joints, with the {eyes} eyes of the springs, and a pin in a slot as one",
               joints + eyes - slots, 35, 0)  # fmt: skip
    report.add(table, "of these prismatic (j4 among them)", slides - slots, 4)
    report.add(table, "of these revolute", joints + eyes - slides, 31)
    report.add(
        table, "degrees of freedom by Grübler: joints less 3 for each plane loop", joints - 3 * cuts, 19, 0
    )
    report.notes.append(
        "The paper does not list its 35 joints. Its four prismatic ones are the linear actuators; j4, which\n"
        "it calls prismatic as well, is the fifth, so one joint is counted differently. The fixed mounts of\n"
        "arms and head (6a, 6b, 6c) are in neither count."
    )


def add_table_1(report: Report, urdf: str) -> None:
    """Compare origins, masses and inertias with Table 1, digit for digit."""
    robot = etree.fromstring(urdf.encode())
    table = "Table 1: origin [mm] and mass [kg]; Ixx Iyy Izz Ixy Ixz Iyz [kg mm^2]"
    for row in TABLE_1.splitlines():
        bodies, first, inertia = (part.strip() for part in row.split("|"))
        paper = f"{' '.join(first.split())}; {inertia}"
        ours = {
            _properties(robot, f"body_{name}", sign)
            for name, sign in zip(bodies.split(" = "), (1, -1), strict=False)
        }
        report.add(table, f"body {bodies}", " / ".join(sorted(ours)), paper.replace("±", ""))


def _properties(robot: etree._Element, link: str, sign: int) -> str:
    """Return a body's origin, mass and inertia as in Table 1; x times ``sign``."""
    origin = robot.find(f"joint/child[@link='{link}']/../origin")
    at = [1e3 * float(x) for x in origin.get("xyz").split()]
    at[0] *= sign
    inertial = robot.find(f"link[@name='{link}']/inertial")
    mass, moments = 0.0, [0.0] * 6
    if inertial is not None:
        mass = float(inertial.find("mass").get("value"))
        moments = [1e6 * float(inertial.find("inertia").get(key)) for key in INERTIA]
    first, second = (" ".join(f"{x + 0.0:.10g}" for x in row) for row in ([*at, mass], moments))
    return f"{first}; {second}"


def add_springs(report: Report, graph: md.SubsystemGraph, peer: MujocoLoops) -> None:
    """Compare springs and actuators' lengths with section 2; ``peer``: at the zero pose."""
    table = "Section 2: springs and actuators"
    for name, paper in SPRINGS.items():
        same = [one for one in graph.springs if one.name[-1] == name[-1]]
        laws = {f"{1e3 * s.free_length:.10g} {s.stiffness:g} {s.initial_force:g}" for s in same}
        what = f"{name}: number, L0 [mm], k [N/m], Fi [N]"
        report.add(table, what, f"{len(same)} {' / '.join(laws)}", paper)
    for name, length in LENGTHS.items():
        found = np.linalg.norm(peer.point(f"{name}_pin") - peer.point(f"{name}_pivot"))
        report.add(table, f"length of {name} at the zero pose [mm]", 1e3 * found, length, ROUNDING)


def add_motion(report: Report, motion: Mapping[str, Any], graph: md.SubsystemGraph) -> None:
    """Compare the motion's accelerations with section 2; show how far it leads."""
    table = "Section 2: motion"
    unit = np.array([ACCELERATIONS.get(name, 2.0 * np.pi / 9.0) for name in graph.independent_joint_names])
    for time, sign in ((1.0, -1.0), (4.0, 1.0)):
        difference = np.abs(motion_at(motion, graph, time)[2] - sign * unit).max()
        what = (
            f"19 accelerations at {time:g} s, {sign:+g} times those of the paper: difference [m/s^2, rad/s^2]"
        )
        report.add(table, what, difference, within=0.0)
    half, end = (motion_at(motion, graph, time) for time in (2.5, 5.0))
    report.add(table, "largest speed at 5 s, where it stops [m/s, rad/s]", np.abs(end[1]).max(), within=1e-12)
    for name, speed, way in zip(graph.independent_joint_names, half[1], end[0], strict=True):
        if name in ("base_x", "base_yaw", "act4"):
            what = f"{name}: speed at 2.5 s; way until 5 s [m/s, m; rad/s, rad]"
            report.add(table, what, f"{speed:.4f}; {way:.4f}")
