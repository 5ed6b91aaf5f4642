"""Findings on elements of other tools that change torques and are not read, with what to write instead.

They are found by their names, and by names of two links or joints of the robot in them together with a word
or a number of a loop, a coupling or a spring. Elements of simulations are not reported: contact, friction of
surfaces, sensors, colours, gains, and gravity that is turned off for a link. What <gazebo> adds to the robot,
or couples by a plugin, is a note: robots have it in addition to a complete URDF.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain

import numpy as np
from lxml import etree

from ...model import Finding
from ..description import RobotDescription
from ..header import EARTH
from ..schema import HINTS, INERTIAS, ROBOT, SPRINGS, is_zero, kind_of, snake_case
from ..source import line_of, numbers_in, word
from ..values import Entry, attributes
from .loops import added_by_gazebo
from .words import Collected, children, content, unread

_WRITE = {
    "loop": "write <loop_joint> in <modular_dynamics>, and <passive> for the joints that no motor drives",
    "coupling": 'write <mimic> in the joint, or <gear joint="" driver="" ratio=""/> in <modular_dynamics>',
    "spring": "write <spring>, or <joint_dynamics> with a stiffness, in <modular_dynamics>",
    "inertia": HINTS["inertia"],
    "mass": "write masses and moments of inertia as they are into the <inertial> of the links",
    "gravity": 'give gravity to load_urdf, or write <modular_dynamics version="1" gravity="">',
}
#: Kinds of elements below <robot> that their names do not tell.
_ELEMENTS = {
    "drake:tendon_constraint": "coupling",
    "drake:linear_bushing_rpy": "spring",
    **dict.fromkeys(("cable", "cable_length"), "coupling"),
}
#: Kinds that are searched in joints, where names of loops and couplings mean something else.
_IN_JOINTS = ("spring", "inertia")
_MASSES = re.compile(
    r"(.*_)?((added|additional|lumped|point|extra|counter|motor|tool)_?mass(es)?|mass_?offset"
    r"|counter_?weights?|ballast)",
    re.IGNORECASE,
)
_PAYLOAD = re.compile(r"(.*_)?payloads?", re.IGNORECASE)
#: Elements whose stiffness is not a spring of the robot, and (_STIFF) whose inertia is not a joint's.
_SIMULATED = re.compile(
    r"(.*_)?(ground|contacts?|controllers?|control|gains?|pid|tires?|surface|impedance|collisions?|soil)"
    r"(_.*)?",
    re.IGNORECASE,
)
_STIFF = re.compile(r"(.*[_:])?(drives?|sensors?)(_.*)?", re.IGNORECASE)
#: Elements that name several links or joints for other reasons: groups of planners, sensors, frames.
_GROUPS = re.compile(
    r"(.*[_:])?((dis|en)able.*|.*collisions?(_.*)?|groups?(_.*)?|(?<!closed_)chains?|end_?effectors?"
    r"|virtual_?joints?|passive_?joints?|sensors?|cameras?|plugins?|visual|safety_?controllers?|calibration"
    r"|.*controllers?|member|ignored.*|touch.*|self_?collide.*|planning.*|kinematics?|ik.*|poses?|state.*"
    r"|.*extrinsics?|.*limits?|.*monitors?|keep_?outs?|(.*_)?zones?|(.*_)?tasks?|workspace.*"
    r"|include.*|frames?|markers?|imus?|tools?|tcp|tf|transforms?|attach.*|mount.*|contacts?(_.*)?)",
    re.IGNORECASE,
)
#: Kinds of elements that name several links or joints: by words of their name, or names of numbers in them.
_SAY = {
    "coupling": (
        re.compile(
            r"belt|pulley|gears?|gearing|coupl(e|ed|ing)|mimic|tendon|cable|rope|linkage|differential|synergy|mirror|follows?"
            r"|follower|depend(s|ent)|slave|synchron(ized|ous)"
        ),
        re.compile(r"(.*_)?(ratio|multiplier|factor|coef(ficient)?|gearing|weight)"),
    ),
    "spring": (
        re.compile(r"springs?|strut|bungee|band|elastic|damper|cord|shock"),
        re.compile(r"k|(.*_)?stiffness|spring_.*"),
    ),
    "loop": (
        re.compile(
            r"loops?|joint|hinge|pin|mate|weld|ball|connect(ion)?|constraint|equality|clos(ure|ing|ed)|cut|bearing"
            r"|universal|revolute|spherical|(push|tie)?rods?|parallelogram|(four)?bars?"
        ),
        re.compile(r"loop(_.*)?"),
    ),
}
_SEVERAL = (2, 3)
#: Number of ancestors from which on an element is deeper than a child of a link or a joint.
_DEEP = 3
_CLOSING_FRAME = re.compile(r"(closing_.+)_1")
_PLUGINS = {
    "couple joints": re.compile(r"mimic|closed_?loop|loop_?clos|detachable", re.IGNORECASE),
    "add springs or forces": re.compile(r"spring|torsion|buoyan|hydrodynamic|lift_?drag", re.IGNORECASE),
}


def collect_unread(
    root: etree._Element, robot: RobotDescription, collected: Collected, held: set[str]
) -> None:
    """Collect findings of what changes torques and was not read before; ``held``: links with loop joints."""
    done = {*collected.read, *collected.named}
    collected.findings += chain(
        _below_robot(root, done),
        _in_joints(root, done),
        _springs_elsewhere(root, done),
        _closing_frames(root, robot, held),
        _in_ros2_control(root, robot, done),
        _closures(root, robot, done),
        _masses(root, robot, done),
        _of_mujoco(root, robot),
    )
    collected.notes += _notes(root, robot)


def _seems(kind: str, element: etree._Element, name: str, what: str) -> Finding:
    """Return the finding on an element that is probably of this kind; ``what``: its name in the message."""
    article = "an" if kind == "inertia" else "a"
    return unread(kind, element, name, f"{what} seems to be {article} {kind} and is not read", _WRITE[kind])


def _below_robot(root: etree._Element, done: set[etree._Element]) -> Iterator[Finding]:
    """Yield findings on unknown elements below <robot>, and on springs and inertias in them."""
    for element in _unknown_children(root, done):
        tag, name = word(element), element.get("name", "")
        if not len(element) and not element.attrib:
            continue
        if (kind := _ELEMENTS.get(tag) or kind_of(tag, "loop", "coupling", *_IN_JOINTS)) is not None:
            done.add(element)
            yield _seems(kind, element, name or tag, f"<{tag}> '{name}'" if name else f"<{tag}>")
        elif ":" not in tag:  # <force_element>, <actuator> and others hold springs or not
            yield from _inside(element, name or tag, "below <robot>", done)


def _unknown_children(owner: etree._Element, done: set[etree._Element]) -> Iterator[etree._Element]:
    """Yield the children of <robot>, a link or a joint that are neither URDF's nor of a tool that is read."""
    rule = ROBOT.children.get(word(owner), ROBOT)
    for element in children(owner):
        if word(element) not in (*rule.children, *rule.of_others) and element not in done:
            yield element


def _inside(element: etree._Element, name: str, where: str, done: set[etree._Element]) -> Iterator[Finding]:
    """Yield findings on springs and inertias in an unknown element, each kind once per element in it."""
    for own in element.iter(etree.Element):
        path = [own, *own.iterancestors()]
        within = path[: path.index(element) + 1]
        if own in done or any(_SIMULATED.fullmatch(word(one)) for one in within):
            continue
        said = {}
        if not is_zero(content(own)):
            said = dict.fromkeys((word(own), f"{word(_above(own))}_{word(own)}"), f"<{word(own)}>")
        for key, value in attributes(own).items():
            if not is_zero(str(value)):
                said |= dict.fromkeys((key, f"{word(own)}_{key}"), f"'{key}' of <{word(own)}>")
        kinds = dict[str, str]()
        read = _IN_JOINTS[1:] if any(_STIFF.fullmatch(word(one)) for one in within) else _IN_JOINTS
        for key, what in said.items():
            if (kind := kind_of(key, *read)) is not None:
                kinds.setdefault(kind, what)
                done.add(own)
        for kind, what in kinds.items():
            yield _seems(kind, own, name, f"{what} {where}")


def _in_joints(root: etree._Element, done: set[etree._Element]) -> Iterator[Finding]:
    """Yield findings on springs and inertias in unknown elements of joints and transmissions."""
    for owner in children(root, "joint", "transmission"):
        name = owner.get("name", "")
        for element in _unknown_children(owner, done):
            if word(element) not in INERTIAS:
                yield from _inside(element, name, f"in {word(owner)} '{name}'", done)


def _in_ros2_control(
    root: etree._Element, robot: RobotDescription, done: set[etree._Element]
) -> Iterator[Finding]:
    """Yield findings on couplings, springs and inertias in <ros2_control>, also in parameters of drivers."""
    for block in children(root, "ros2_control"):
        for joint in children(block, "joint"):
            name = joint.get("name", "")
            for element in children(joint):
                if word(element) != "param":
                    yield from _inside(element, name, f"of joint '{name}' in <ros2_control>", done)
            couplings = [own for own in children(joint, "param") if own.get("name") == "mimic"]
            couplings += [joint] if joint.get("mimic") == "true" else children(joint, "mimic")
            yield from _couplings(name, couplings, "<ros2_control>", robot)
        for parameter in block.iter("param"):
            name = parameter.get("name", "")
            kind = kind_of(name, *(_IN_JOINTS if "spring" in name.lower() else _IN_JOINTS[1:]))
            if kind is not None and not is_zero(content(parameter)):
                yield _seems(kind, parameter, name, f"parameter '{name}' in <ros2_control>")
    for block in children(root, "gazebo"):
        mimics = (one for one in block.iter("mimic") if "plugin" not in map(word, one.iterancestors()))
        yield from _couplings(block.get("reference", ""), mimics, "<gazebo>", robot)


def _couplings(
    name: str, elements: Iterable[etree._Element], where: str, robot: RobotDescription
) -> Iterator[Finding]:
    """Yield findings of elements that couple a joint, unless the URDF couples it."""
    for own in elements if name in robot.joints and robot.joints[name].mimic is None else ():
        what = f"<{word(own)}>" if word(own) != "joint" else 'mimic="true"'
        yield _seems("coupling", own, name, f"{what} of joint '{name}' in {where}")


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
            yield _seems("loop", link, first, what)


def _springs_elsewhere(root: etree._Element, done: set[etree._Element]) -> Iterator[Finding]:
    """Yield findings on Gazebo's stiffnesses where it reads none: in a link, or in <gazebo> of no joint."""
    for element in root.iter(*(tag for tag, key in SPRINGS.items() if key == "stiffness")):
        above = [word(one) for one in element.iterancestors()]
        is_new = element not in done and not is_zero(content(element))
        if is_new and "gazebo" in above and "plugin" not in above:
            done.add(element)
            yield _seems("spring", element, word(element), f"<{word(element)}> in <{above[0]}>")


def _closures(root: etree._Element, robot: RobotDescription, done: set[etree._Element]) -> Iterator[Finding]:
    """Yield findings on elements anywhere that close a loop or couple joints and are not read."""
    for element in root.iterdescendants(etree.Element):
        above = [*element.iterancestors()]
        if element in done or done.intersection(above) or any(_is_group(one) for one in (element, *above)):
            continue
        kind = _kind_of_closure(element, above, robot)
        if kind is None:
            continue
        done.add(element)
        where = f"in <{word(above[0])}>" if above[0] is not root else "below <robot>"
        yield _seems(kind, element, element.get("name") or word(element), f"<{word(element)}> {where}")


def _is_group(element: etree._Element) -> bool:
    """Return whether an element names links or joints for other reasons (:data:`_GROUPS`)."""
    tag = word(element)
    return tag == "modular_dynamics" or (tag != "joint" and _GROUPS.fullmatch(tag) is not None)


def _kind_of_closure(
    element: etree._Element, above: list[etree._Element], robot: RobotDescription
) -> str | None:
    """Return "loop" or "coupling" for an element that closes a loop of the robot or couples its joints."""
    tag, owner = word(element), word(above[0])
    if tag == "joint" and len(above) > 1:  # of a simulator's model; perhaps one of the URDF once more
        ends = {content(next(children(element, end), None), "link") for end in ("parent", "child")}
        known = any(ends == {joint.parent, joint.child} for joint in robot.joints.values())
        return "loop" if len(ends & robot.links.keys()) > 1 and not known else None
    if tag.endswith(":mimic") and owner == "joint":
        return "coupling"
    rule = ROBOT.children.get(owner, ROBOT)
    if len(above) < _DEEP and tag in (*rule.children, *rule.of_others):
        return None
    said = _possible_names(element)
    links, joints = said & robot.links.keys(), said & robot.joints.keys() - robot.links.keys()
    kind = kind_of(tag, "loop", "coupling")
    if kind is not None and len(above) > 1 and (links or len(joints) > 1):
        return kind
    in_others = any(word(one) in ROBOT.children and word(one) not in ("link", "joint") for one in above[:-1])
    of_joint = owner == "joint" and bool(joints - {above[0].get("name", "")})
    couples, closes = of_joint or len(joints) in _SEVERAL, len(links) in _SEVERAL
    if in_others or not (couples or closes):
        return None
    is_joint = any(links == {joint.parent, joint.child} for joint in robot.joints.values())
    has_place = any(len(numbers_in(value)) >= len("xyz") for value in _values(element))
    return _kind_of_pair(element, couples, closes) or (
        "loop" if closes and not is_joint and has_place else None
    )


def _kind_of_pair(element: etree._Element, couples: bool, closes: bool) -> str | None:
    """Return the kind of an element that names joints or links, by its words and numbers; None if unclear."""
    words = re.findall(r"[a-z]+", snake_case(word(element)))
    names = [str(key) for own in (element, *children(element)) for key in own.attrib]
    names = [*map(snake_case, (*names, *map(word, children(element))))]
    for kind, (of_name, of_numbers) in _SAY.items():
        if (couples if kind == "coupling" else closes) and (
            any(map(of_name.fullmatch, words)) or any(map(of_numbers.fullmatch, names))
        ):
            return kind
    return None


def _values(element: etree._Element) -> list[str]:
    """Return attribute values and texts of an element and its children, without the element's own name."""
    values = [str(value) for key, value in element.attrib.items() if key != "name"]
    values += [str(value) for own in children(element) for value in own.attrib.values()]
    return [value.strip() for value in (*values, *(one.text or "" for one in (element, *children(element))))]


def _above(element: etree._Element) -> etree._Element:
    """Return the parent of an element; the root element, which has none, is returned itself."""
    parent = element.getparent()
    return element if parent is None else parent


def _possible_names(element: etree._Element) -> set[str]:
    """Return all possible names in an element: its values, and their parts, as in "arm::link" and "a, b"."""
    values = _values(element)
    return {*values, *(part for value in values for part in re.split(r"[\s,;/:]+", value))}


def _masses(root: etree._Element, robot: RobotDescription, done: set[etree._Element]) -> Iterator[Finding]:
    """Yield findings on masses and gravity in elements of unknown tools.

    Masses below <robot> are reported only if a link is named: others are a total or a payload.
    """
    for owner in (root, *children(root, "link", "joint")):
        for element in _unknown_children(owner, done):
            name, tag = element.get("name") or word(element), word(element)
            mass = element.get("mass", next((one.get("value") for one in children(element, "mass")), None))
            is_placed = owner is not root or bool(_possible_names(element) & robot.links.keys())
            if is_placed and mass is not None and not is_zero(mass):
                yield _seems("mass", element, name, f'<{tag} mass="{mass}">')
            elif _MASSES.fullmatch(tag) or (is_placed and mass is None and _PAYLOAD.fullmatch(tag)):
                yield _seems("mass", element, name, f"<{tag}>")
            if owner is root and tag != "mujoco":
                yield from _gravities(element, name)


def _gravities(element: etree._Element, name: str) -> Iterator[Finding]:
    """Yield findings on gravity in an element, unless it is the earth's."""
    for own in element.iter(etree.Element):
        tag, said = word(own), own.get("gravity")
        value = content(own) if tag == "gravity" else said
        numbers = numbers_in(value or "")
        is_earths = len(numbers) == len(EARTH) and np.allclose(numbers, EARTH, atol=0.05)
        if value is not None and not is_earths:
            what = f"<{tag}>{value}</{tag}>" if said is None else f'<{tag} gravity="{said}">'
            yield _seems("gravity", own, name, what)


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


def _of_mujoco(root: etree._Element, robot: RobotDescription) -> Iterator[Finding]:
    """Yield findings on loops in <mujoco>, and on options that change masses or gravity in MuJoCo."""
    for block in children(root, "mujoco"):
        for equality in children(block, "equality"):
            for own in equality:
                if own.get("site1") is not None and own.get("active") != "false":
                    yield _seems("loop", own, own.get("name", word(own)), f"<{word(own)}> in <equality>")
        for compiler in children(block, "compiler"):
            for key, does in _compiler_effects(compiler, robot):
                text = f'<compiler {key}="{compiler.get(key)}"> of MuJoCo {does} and is not read'
                yield unread("mass", compiler, key, text, _WRITE["mass"])
        for option in children(block, "option"):
            if tuple(Entry.of(option, "<mujoco>, <option>").numbers("gravity", 3, list(EARTH))) != EARTH:
                text = (
                    f'<option gravity="{option.get("gravity")}"> of MuJoCo is another gravity and is not read'
                )
                yield unread("gravity", option, "option", text, _WRITE["gravity"])
            for flag in children(option, "flag"):
                if flag.get("gravity") == "disable":
                    text = '<flag gravity="disable"> of MuJoCo turns gravity off and is not read'
                    yield unread("gravity", flag, "flag", text, _WRITE["gravity"])


def _compiler_effects(compiler: etree._Element, robot: RobotDescription) -> Iterator[tuple[str, str]]:
    """Yield the compiler options that change a mass or an inertia of this robot, and what each does."""
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
