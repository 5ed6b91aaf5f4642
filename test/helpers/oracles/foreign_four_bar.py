"""A four-bar whose loop is closed by elements of other tools, and its gravity torque in closed form."""

import numpy as np

from helpers.robots.urdf_text import inertial, joint

CRANK, ROD, ROCKER, GROUND = 0.2, 0.5, 0.4, 0.5
MASSES, COMS = (1.0, 1.5, 1.2), (0.1, 0.25, 0.2)
NAMES = ("crank", "rod", "rocker")
PASSIVE = '<passive joint="b"/><passive joint="c"/>'
#: A drive of the crank.
DRIVEN = '<transmission name="t"><joint name="a"/><actuator name="m"/></transmission>'
DRAKE = 'xmlns:drake="http://drake.mit.edu"'
ENDS = ('link="rod" xyz="0.5 0 0"', 'link="rocker" xyz="0.4 0 0"')
AXIS = '<axis xyz="0 -1 0"/>'
#: The pin between rod and rocker, in the words of other tools.
LOOPS = {
    "Isaac Sim": f'<loop_joint name="pin" type="spherical"><link1 {ENDS[0]} rpy="0 0 0"/>'
    f"<link2 {ENDS[1]}/></loop_joint>",
    "Drake before 2017": f'<loop_joint name="pin" type="continuous">{AXIS}<link1 {ENDS[0]}/>'
    f"<link2 {ENDS[1]}/></loop_joint>",
    "parent and child": f'<loop_joint name="pin" type="revolute">{AXIS}<parent {ENDS[0]}/>'
    f"<child {ENDS[1]}/></loop_joint>",
    "an origin as in a joint": '<loop_joint name="pin" type="spherical"><origin xyz="0.5 0 0"/>'
    '<parent link="rod"/>'
    '<child link="rocker"><origin xyz="0.4 0 0"/></child></loop_joint>',
    "URDF+": f'<loop name="pin" type="revolute"><predecessor link="rod"><origin xyz="0.5 0 0"/></predecessor>'
    f'<successor link="rocker"><origin xyz="0.4 0 0"/></successor>{AXIS}</loop>',
}


def four_bar(words="", tags="", turns=(0.0, 0.0, 0.0), of_joints=("", "", "")):
    """The URDF. ``turns``: angles of the joints' frames; ``of_joints``: further elements of a, b and c."""
    links, joints = ['<link name="base"/>'], []
    for name, mass, com in zip(NAMES, MASSES, COMS, strict=True):
        links.append(f'<link name="{name}">{inertial(mass, (com, 0, 0), 0.01 * np.eye(3))}</link>')
    ends = ("a", "base", "crank", 0.0), ("b", "crank", "rod", CRANK), ("c", "base", "rocker", GROUND)
    for (name, parent, child, x), turn, more in zip(ends, turns, of_joints, strict=True):
        place, about = ((x, 0, 0), (0, -turn, 0)), (0, -1, 0)
        joints.append(joint(name, "continuous", parent, child, *place, axis=about, more=more))
    own = f'<modular_dynamics version="1">{tags}</modular_dynamics>' if tags else ""
    return "\n".join(['<robot name="four">', *links, *joints, words, own, "</robot>"])


def pose(angle):
    """Angles of rod and rocker to the ground at a crank angle: the rod's other end on the rocker's circle."""
    x, z = CRANK * np.cos(angle) - GROUND, CRANK * np.sin(angle)
    distance = np.hypot(x, z)
    half = np.arccos((distance**2 + ROCKER**2 - ROD**2) / (2.0 * distance * ROCKER))
    rocker = np.arctan2(z, x) - half
    end = GROUND + ROCKER * np.cos(rocker), ROCKER * np.sin(rocker)
    rod = np.arctan2(end[1] - CRANK * np.sin(angle), end[0] - CRANK * np.cos(angle))
    return rod, rocker


def gravity_torque(angle):
    """Of the crank, by the work of the weights: the ratios of the angular velocities close the loop."""
    rod, rocker = pose(angle)
    of_rod = CRANK * np.sin(rocker - angle) / (ROD * np.sin(rod - rocker))
    of_rocker = CRANK * np.sin(rod - angle) / (ROCKER * np.sin(rod - rocker))
    heights = (
        COMS[0] * np.cos(angle),
        CRANK * np.cos(angle) + of_rod * COMS[1] * np.cos(rod),
        of_rocker * COMS[2] * np.cos(rocker),
    )
    return 9.81 * float(np.dot(MASSES, heights))
