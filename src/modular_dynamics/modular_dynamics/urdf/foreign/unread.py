"""Words of other tools that change torques and are not read: each is named, with what to write instead.

What resembles them by its name is named too. What concerns a simulation only is not: contact, friction of
surfaces, sensors, colours, and gravity that a simulator turns off for a link. What <gazebo> adds to the
robot, or couples by a plugin, is a note: robots have it beside a complete URDF.
"""

import re
from collections.abc import Iterator
from itertools import chain

import numpy as np
from lxml import etree

from ...model import Finding
from ..checks.values import Entry
from ..conditions import EARTH
from ..description import RobotDescription
from ..schema import ROBOT, TAGS, elements_with, letters
from ..source import line_of
from .drives import INERTIAS
from .loops import added_by_gazebo
from .words import Collected, children, content, unread, word

__all__ = ["collect_unread"]

_WRITE = {
    "loop": "write <loop_joint> in <modular_dynamics>, and <passive> for the joints that no motor drives",
    "coupling": 'write <mimic> in the joint, or <gear joint="" driver="" ratio=""/> in <modular_dynamics>',
    "spring": "write <spring>, or <joint_dynamics> with a stiffness, in <modular_dynamics>",
    "inertia": 'write <joint_dynamics joint="" armature=""/> in <modular_dynamics>',
    "mass": "write masses and moments of inertia as they are into the <inertial> of the links",
}
#: Elements below <robot>: what they are.
_ELEMENTS = {
    "drake:distance_constraint": "loop",
    "drake:tendon_constraint": "coupling",
    "drake:linear_bushing_rpy": "spring",
    "cable": "coupling",
    "constraints": "loop",
}
#: What other elements and attributes are by their names, in small letters.
_NAMES = {
    "loop": re.compile(
        r"(.*[_:])?(loops?|loop_?joints?|loop_?closures?|closed_?loops?|constraints?|equality)"
    ),
    "coupling": re.compile(r"(.*[_:])?(couplings?|tendons?|differentials?|gear_?box)"),
    "spring": re.compile(
        r"(.*[_:])?(springs?|spring_?(stiffness|constant|damper)|stiffness|elasticity|compliance|bushing"
        r"|torsion|counter_?balance)"
    ),
    "inertia": re.compile(r"(.*[_:])?(armature|(rotor|motor|actuator|reflected|drive|gear)_?inertia)"),
}
#: What closes a loop where it names two links of the robot: these names are used for other things, too.
_CLOSES = re.compile(r"(.*[_:])?(closures?|cut_?joints?|connect(ions?)?|welds?|pins?)")
_GRAVITY = 'give gravity to load_urdf, or write <modular_dynamics version="1" gravity="">'
#: Where names of links stand that close no loop.
_WITHOUT = ("modular_dynamics", "plugin", "sensor", "visual", "collision", "safety_controller")
_OF_DRIVES = ("ros2_control", "transmission")
_OUR_TAGS = {letters(tag) for tag in TAGS.children}
#: In joints, where a loop or a coupling means something else.
_IN_JOINTS = ("spring", "inertia")
_PLUGINS = re.compile(r"mimic|closed_?loop|loop_?clos", re.IGNORECASE)


def collect_unread(root: etree._Element, robot: RobotDescription, collected: Collected) -> None:
    """Findings of what changes torques and was not read before."""
    done = {*collected.read, *collected.named}
    collected.findings += chain(
        _below_robot(root, done),
        _in_joints(root, done),
        _in_ros2_control(root),
        _in_containers(root, robot, done),
        _masses(root, done),
        _of_mujoco(root, robot),
    )
    collected.notes += _notes_on_gazebo(root, robot)


def _below_robot(root: etree._Element, done: set[etree._Element]) -> Iterator[Finding]:
    for element in children(root):
        tag, name = word(element), element.get("name", "")
        if tag in ROBOT.children or letters(tag) in _OUR_TAGS or element in done:
            continue  # of our tags checks/places.py speaks
        if not len(element) and not element.attrib:
            continue
        kind = _ELEMENTS.get(tag) or _kind_of(tag, *_NAMES)
        if kind is None and ":" not in tag:  # <force_element>, <actuator> and others hold springs or not
            said = (
                key
                for own in element.iter(etree.Element)
                for key in (word(own), f"{word(_above(own))}_{word(own)}", *map(str, own.attrib))
            )
            kind = next((one for key in said if (one := _kind_of(key, *_IN_JOINTS))), None)
        if kind is not None:
            what = f"<{tag}> '{name}'" if name else f"<{tag}>"
            yield unread(
                kind,
                element,
                name or tag,
                f"{what} seems to be {_article(kind)} {kind} and is not read",
                _WRITE[kind],
            )


def _in_joints(root: etree._Element, done: set[etree._Element]) -> Iterator[Finding]:
    """What stands in joints and transmissions beside URDF's own elements and words."""
    known = (*ROBOT.children["joint"].children, *TAGS.children, *INERTIAS)
    for owner in children(root, "joint", "transmission"):
        name = owner.get("name", "")
        for element in children(owner):
            if word(element) in known or any(True for _ in elements_with(word(element))):
                continue  # checks/places.py speaks of it
            for own in [own for own in element.iter(etree.Element) if own not in done]:
                for key in (word(own), *map(str, own.attrib)):
                    if (kind := _kind_of(key, *_IN_JOINTS)) is not None:
                        what = f"'{key}' in {word(owner)} '{name}' seems to be {_article(kind)} {kind}"
                        text = f"{what} and is not read"
                        yield unread(kind, own, name, text, _WRITE[kind])


def _in_ros2_control(root: etree._Element) -> Iterator[Finding]:
    """Parameters of hardware, which ROS 2 passes to a driver as they are."""
    for block in children(root, "ros2_control"):
        for parameter in block.iter("param"):
            if (kind := _kind_of(parameter.get("name", ""), *_IN_JOINTS)) is not None:
                name = parameter.get("name", "")
                what = f"parameter '{name}' in <ros2_control> seems to be {_article(kind)} {kind}"
                text = f"{what} and is not read"
                yield unread(kind, parameter, name, text, _WRITE[kind])


def _in_containers(
    root: etree._Element, robot: RobotDescription, done: set[etree._Element]
) -> Iterator[Finding]:
    """What closes a loop or couples joints in an element that is not read, or in a joint or link."""
    for element in root.iterdescendants(etree.Element):
        kind = _kind_of_closure(element, robot)
        if kind is None or element in done:
            continue
        above = {*element.iterancestors()}
        if above & done or any(word(own) in _WITHOUT for own in above):
            continue
        if letters(word(element)) in _OUR_TAGS and not any(word(own) in _OF_DRIVES for own in above):
            continue  # checks/places.py speaks of it
        text = f"<{word(element)}> in <{word(_above(element))}> seems to be a {kind} and is not read"
        yield unread(kind, element, element.get("name") or word(element), text, _WRITE[kind])


def _kind_of_closure(element: etree._Element, robot: RobotDescription) -> str | None:
    """Return "loop" or "coupling" for an element that closes a loop of the robot or couples its joints."""
    name, below_robot = word(element).lower(), _above(element).getparent() is None
    if name == "joint" and not below_robot:  # of a simulator's model; perhaps one of the URDF once more
        ends = {content(next(children(element, end), None), "link") for end in ("parent", "child")}
        known = any(ends == {joint.parent, joint.child} for joint in robot.joints.values())
        return "loop" if len(ends & robot.links.keys()) > 1 and not known else None
    if name.endswith(":mimic") and word(_above(element)) == "joint":
        return "coupling"
    if (kind := _kind_of(name, "loop", "coupling")) is not None and not below_robot:
        said = _said(element)
        return kind if said & robot.links.keys() or len(said & robot.joints.keys()) > 1 else None
    if _CLOSES.fullmatch(name):
        return "loop" if len(_said(element) & robot.links.keys()) > 1 else None
    return None


def _above(element: etree._Element) -> etree._Element:
    """The element in which another one stands."""
    parent = element.getparent()
    return element if parent is None else parent


def _said(element: etree._Element) -> set[str]:
    """All values and texts of an element."""
    values = set[str]()
    for own in element.iter(etree.Element):
        values |= {str(value).strip() for value in own.attrib.values()} | {(own.text or "").strip()}
    return values


def _masses(root: etree._Element, done: set[etree._Element]) -> Iterator[Finding]:
    """Elements of no tool that is known, with a mass or with a gravity of their own."""
    for owner in (root, *children(root, "link")):
        for element in children(owner):
            if element in done or word(element) in (
                *ROBOT.children,
                *ROBOT.children["link"].children,
                "mass",
            ):
                continue
            name, tag = element.get("name") or word(element), word(element)
            if element.get("mass", "0") not in ("0", "0.0"):
                text = f'<{tag} mass="{element.get("mass")}"> seems to be a mass and is not read'
                yield unread("mass", element, name, text, _WRITE["mass"])
            elif owner is root and element.get("gravity") is not None:
                text = f'<{tag} gravity="{element.get("gravity")}"> seems to be a gravity and is not read'
                yield unread("gravity", element, name, text, _GRAVITY)


def _article(kind: str) -> str:
    return "an" if kind == "inertia" else "a"


def _kind_of(name: str, *kinds: str) -> str | None:
    return next((kind for kind in kinds if _NAMES[kind].fullmatch(name.lower())), None)


def _notes_on_gazebo(root: etree._Element, robot: RobotDescription) -> Iterator[str]:
    """Masses that only <gazebo> has, and plugins that couple joints which the URDF does not couple."""
    if links := [link.get("name", "") for link in added_by_gazebo(root, "link")]:
        yield f"not read, because only <gazebo> has them: links {', '.join(links)}, with their masses"
    if masses := [
        block.get("reference", "") for block in children(root, "gazebo") for _ in children(block, "inertial")
    ]:
        yield f"not read, <inertial> in <gazebo> of {', '.join(masses)}: masses are those of the URDF's links"
    plugins = []
    for plugin in added_by_gazebo(root, "plugin"):
        ends = {content(own) for own in children(plugin)} & robot.joints.keys()
        coupled = any(robot.joints[name].mimic for name in ends)
        if _PLUGINS.search(f"{plugin.get('filename')} {plugin.get('name')}") and not coupled:
            plugins.append(f"{plugin.get('name')} (line {line_of(plugin)})")
    if plugins:
        advice = "; if joints are coupled in the robot, too, write <mimic> or <gear>"
        yield f"not read, plugins of Gazebo that couple joints: {', '.join(plugins)}{advice}"


def _of_mujoco(root: etree._Element, robot: RobotDescription) -> Iterator[Finding]:
    """Options with which MuJoCo's compiler makes other masses of this robot, and another gravity."""
    for block in children(root, "mujoco"):
        for compiler in children(block, "compiler"):
            for key, does in _compiler_effects(compiler, robot):
                text = f'<compiler {key}="{compiler.get(key)}"> of MuJoCo {does} and is not read'
                yield unread("mass", compiler, key, text, _WRITE["mass"])
        for option in children(block, "option"):
            if tuple(Entry.of(option, "<mujoco>, <option>").numbers("gravity", 3, list(EARTH))) != EARTH:
                text = (
                    f'<option gravity="{option.get("gravity")}"> of MuJoCo is another gravity and is not read'
                )
                yield unread("gravity", option, "option", text, _GRAVITY)


def _compiler_effects(compiler: etree._Element, robot: RobotDescription) -> Iterator[tuple[str, str]]:
    """Options that change a mass or an inertia of this robot, and what they do."""
    entry = Entry.of(compiler, "<mujoco>, <compiler>")
    moving = [robot.links[joint.child] for joint in robot.joints.values() if joint.moves]
    moments = {link.name: np.linalg.eigvalsh(link.inertia) for link in moving}
    if compiler.get("inertiafromgeom") == "true":
        yield "inertiafromgeom", "replaces masses by those of the shapes"
    broken = [name for name, (a, b, c) in moments.items() if a + b < c * (1.0 - 1e-5)]
    if compiler.get("balanceinertia") == "true" and broken:
        yield "balanceinertia", f"replaces the moments of inertia of {', '.join(broken)} by their mean"
    if entry.number("settotalmass", -1.0) > 0.0:
        yield "settotalmass", "scales all masses"
    light = [link.name for link in moving if link.mass < entry.number("boundmass", 0.0)]
    if light:
        yield "boundmass", f"raises the masses of {', '.join(light)}"
    thin = [name for name, own in moments.items() if own[0] < entry.number("boundinertia", 0.0)]
    if thin:
        yield "boundinertia", f"raises the moments of inertia of {', '.join(thin)}"
