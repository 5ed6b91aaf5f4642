"""Findings on what changes torques in simulators or controllers alone, and notes on other parts of these.

Other elements that are not read are found by their names: :mod:`..checks.kinds`.
"""

import re
from collections.abc import Iterator
from itertools import chain

import numpy as np
from lxml import etree

from ...model import Finding
from ..checks.kinds import seems, unread
from ..description import RobotDescription
from ..schema import is_zero
from ..source import line_of, word
from ..values import Entry
from .loops import added_by_gazebo
from .words import Collected, children, content

_CLOSING_FRAME = re.compile(r"(closing_.+)_1")
_PLUGINS = {
    "couple joints": re.compile(r"mimic|closed_?loop|loop_?clos|detachable", re.IGNORECASE),
    "add springs or forces": re.compile(r"spring|torsion|buoyan|hydrodynamic|lift_?drag", re.IGNORECASE),
}


def collect_unread(
    root: etree._Element, robot: RobotDescription, collected: Collected, held: set[str]
) -> None:
    """Collect findings of what changes torques and is not read; ``held``: links with loop joints."""
    collected.findings += chain(
        _closing_frames(root, robot, held), _couplings(root, robot), _compilers(root, robot)
    )
    collected.notes += _notes(root, robot)


def _couplings(root: etree._Element, robot: RobotDescription) -> Iterator[Finding]:
    """Yield findings on mimic joints of <ros2_control> and <gazebo> that mimic none in the URDF."""
    couplings = list[tuple[str, etree._Element]]()
    for block in children(root, "ros2_control"):
        for joint in children(block, "joint"):
            own = [
                one for one in children(joint, "param", "mimic") if "mimic" in (word(one), one.get("name"))
            ]
            own += [joint] if joint.get("mimic") == "true" else []
            couplings += [(joint.get("name", ""), one) for one in own]
    for block in children(root, "gazebo"):
        own = [one for one in block.iter("mimic") if "plugin" not in map(word, one.iterancestors())]
        couplings += [(block.get("reference", ""), one) for one in own]
    for name, one in couplings:
        if name in robot.joints and robot.joints[name].mimic is None:
            yield seems(
                "coupling", one, name, f"<{word(one)}> of joint '{name}', which mimics none in the URDF,"
            )


def _closing_frames(root: etree._Element, robot: RobotDescription, held: set[str]) -> Iterator[Finding]:
    """Yield findings on frames closing_NAME_1 and closing_NAME_2, onshape-to-robot's mates that close loops.

    Args:
        held: links with ends of loop joints.
    """
    for link in children(root, "link"):
        first = link.get("name", "")
        found = _CLOSING_FRAME.fullmatch(first)
        second = f"{found[1]}_2" if found else ""
        if second in robot.links and not {first, second} & held:
            what = f"the pair of frames '{first}' and '{second}' of onshape-to-robot"
            yield seems("loop", link, first, what)


def _compilers(root: etree._Element, robot: RobotDescription) -> Iterator[Finding]:
    """Yield findings on options of MuJoCo's compiler that change masses of this robot."""
    for compiler in root.iterfind("mujoco/compiler"):
        for key, does in _compiler_effects(compiler, robot):
            text = f'<compiler {key}="{compiler.get(key)}"> of MuJoCo {does} and is not read'
            yield unread("mass", compiler, key, text)


def _compiler_effects(compiler: etree._Element, robot: RobotDescription) -> Iterator[tuple[str, str]]:
    """Yield the compiler options that change a mass or an inertia of this robot, and what each does."""
    entry = Entry.of(compiler, "<mujoco>, <compiler>")
    moving = [robot.links[joint.child] for joint in robot.joints.values() if joint.moves]
    if compiler.get("inertiafromgeom") == "true":
        yield "inertiafromgeom", "replaces masses by those of the shapes"
    if entry.number("settotalmass", -1.0) > 0.0:
        yield "settotalmass", "scales all masses"
    light = [link.name for link in moving if link.mass < entry.number("boundmass", 0.0)]
    if light:
        yield "boundmass", f"raises the masses of {', '.join(light)}"
    least = entry.number("boundinertia", 0.0)
    thin = [link.name for link in moving if np.linalg.eigvalsh(link.inertia)[0] < least]
    if thin:
        yield "boundinertia", f"raises the moments of inertia of {', '.join(thin)}"


def _notes(root: etree._Element, robot: RobotDescription) -> Iterator[str]:
    """Yield notes on what only simulators have: masses and plugins of Gazebo, fluids, scaled inertias."""
    if links := [link.get("name", "") for link in added_by_gazebo(root, "link")]:
        yield f"not read, because only <gazebo> has them: links {', '.join(links)}, with their masses"
    if masses := [
        block.get("reference", "") for block in children(root, "gazebo") for _ in children(block, "inertial")
    ]:
        yield f"not read, <inertial> in <gazebo> of {', '.join(masses)}: masses are those of the URDF's links"
    for does, pattern in _PLUGINS.items():
        plugins = []
        for plugin in added_by_gazebo(root, "plugin"):
            ends = {content(own) for own in children(plugin)} & robot.joints.keys()
            coupled = does == "couple joints" and any(robot.joints[name].mimic for name in ends)
            if pattern.search(f"{plugin.get('filename')} {plugin.get('name')}") and not coupled:
                plugins.append(f"{plugin.get('name')} (line {line_of(plugin)})")
        if plugins:
            advice = "; if joints are coupled in the robot, too, write <mimic> or <gear>"
            if does != "couple joints":
                advice = "; if the robot has them, too, write <joint_dynamics> or <spring>"
            yield f"not read, plugins of Gazebo that {does}: {', '.join(plugins)}{advice}"
    scaled = [
        link.get("name", "")
        for link in children(root, "link")
        for own in link.iter("inertia_scaling")
        if content(own) not in ("1", "1.0")
    ]
    if scaled:
        count = f"{len(scaled)} link{'s' * (len(scaled) > 1)}"
        yield f"not read, <inertia_scaling> of PyBullet: inertias of {count} are those of <inertial>"
    for option in root.iterfind("mujoco/option"):
        if fluid := [key for key in ("density", "viscosity") if not is_zero(option.get(key, "0"))]:
            line = line_of(option)
            yield f"not read, <option> of MuJoCo: the {' and '.join(fluid)} of a fluid (line {line})"
