"""What changes torques in other tools and is not read: loops, couplings, springs, inertias and masses.

The names of elements and attributes tell most of them. What concerns simulations alone is none of these:
contact, friction of surfaces, sensors and gains. Elements whose names say nothing are in a note of all that
is not understood (places.py).
"""

import re
from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from lxml import etree

from ...model import Finding
from ..description import RobotDescription
from ..header import EARTH
from ..schema import is_zero, snake_case
from ..source import children, content, line_of, numbers_in, text_in, word

WRITE = {
    "loop": "write <loop_joint> in <modular_dynamics>, and <passive> for the joints that no motor drives",
    "coupling": 'write <mimic> in the joint, or <gear joint="" driver="" ratio=""/> in <modular_dynamics>',
    "spring": "write <spring>, or <joint_dynamics> with a stiffness, in <modular_dynamics>",
    "inertia": 'write <joint_dynamics joint="" armature=""/> in <modular_dynamics>',
    "mass": "write masses and moments of inertia as they are into the <inertial> of the links",
}
#: Patterns of whole names, in small letters.
_PATTERNS = {
    "inertia": re.compile(
        r"(.*[_:])?(armature|jm|(rotor|motor|actuator|reflected|drive|servo|reducer|fly_?wheel|gear_?(box)?)"
        r"_?(inertia|jm?))"
    ),
    "spring": re.compile(
        r"(.*[_:])?(springs?|spring_?(constant|damper|rate)|linear_bushing_rpy"
        r"|(spring|joint|torsion(al)?)?_?stiffness|elastic(ity)?|compliance|bushing|torsion|counter_?balance|balancer"
        r"|bungee|strut|rubber_?band|gravity_?compensat(ion|or)|pre_?load|pre_?tension)"
    ),
    "coupling": re.compile(
        r"(.*[_:])?(couplings?|tendons?|differentials?|gear_?box)|cables?(_length)?|.*:(tendon_constraint|mimic)"
    ),
    "loop": re.compile(
        r"(?!(safety|servo|feedback|joint)_?(loops?|constraints?))"
        r"(.*[_:])?(loops?|loop_?joints?|loop_?closures?|closed_?loops?|closed_?chains?|constraints?|equality)"
    ),
    "mass": re.compile(
        r"(.*_)?((added|additional|lumped|point|extra|counter|motor|tool)_?mass(es)?|mass_?offset"
        r"|counter_?weights?|ballast)"
    ),
}
#: Names of masses in a link or joint; below <robot> they are a total or a rating.
_LOAD = re.compile(r"mass|(.*_)?pay_?loads?")
#: Words of elements in which nothing is a part of the robot, and in which stiffnesses are gains.
_SILENT = re.compile(
    r"ground|contacts?|control(lers?)?|gains?|pid|tires?|surface|impedance|collisions?|soil|implicit|sensors?"
    r"|camera|visual|plugin|calibration"
)
_STIFF = frozenset(("drive", "drives", "param"))


@lru_cache(4096)  # a file has many elements of few names
def kind_of(name: str, *kinds: str) -> str | None:
    """Return the first of these kinds whose pattern an element's or attribute's name matches, or None."""
    return next((kind for kind in kinds if _PATTERNS[kind].fullmatch(snake_case(name))), None)


@lru_cache(4096)
def _words_of(name: str) -> frozenset[str]:
    """Return the words in a name: closing_joint and closingJoint have two."""
    return frozenset(re.findall(r"[a-z]+", snake_case(name)))


@lru_cache(4096)
def is_silent(name: str) -> bool:
    """Return whether nothing in an element of this name is a part of the robot."""
    return name != "ros2_control" and any(map(_SILENT.fullmatch, _words_of(name)))


def seems(kind: str, element: etree._Element, name: str, what: str) -> Finding:
    """Return the finding on an element that is probably of this kind; ``what``: its name in the message."""
    article = "an" if kind == "inertia" else "a"
    return unread(kind, element, name, f"{what} seems to be {article} {kind} and is not read")


def unread(kind: str, element: etree._Element, name: str, text: str) -> Finding:
    """Return the finding on an element that changes torques and is not read."""
    assumed, hint = "; torques are those without it", f"; {WRITE[kind]}"
    return Finding(f"{kind} of another tool", "element", name, text, line_of(element), assumed, hint)


def kinds_in(element: etree._Element, tool: str) -> dict[str, str]:
    """Return the kinds of an element that nothing reads, each with what says so.

    Args:
        tool: the element of a known tool that it is in; empty if in none.
    """
    tag, value = word(element), str(element.get("value", text_in(element)))
    if not (len(element) or element.attrib or value):
        return {}
    parent = element.getparent()
    above = "robot" if parent is None else word(parent)
    #: by name that may tell a kind: what has it, for messages
    names = {} if is_zero(value) else dict.fromkeys((tag, f"{above}_{tag}"), f"<{tag}>")
    for key, given in element.attrib.items():
        if not is_zero(str(given)):
            names |= dict.fromkeys((str(key), f"{tag}_{key!s}"), f"'{key!s}' of <{tag}>")
    if tag == "param":
        names = {} if is_zero(value) else {element.get("name", ""): f"parameter '{element.get('name', '')}'"}
    kinds = dict[str, str]()
    around = frozenset[str]().union(*(_words_of(word(one)) for one in (element, *element.iterancestors())))
    for name, what in names.items():
        gain = not _STIFF.isdisjoint(around) and "spring" not in name.lower()
        if (kind := kind_of(name, "inertia", *(() if gain else ("spring",)))) is not None:
            kinds.setdefault(kind, what)
    whole = ("coupling", "loop") if tool in ("", "mujoco", "ros2_control") or ":" in tag else ()
    if not kinds and (kind := kind_of(tag, *whole, *(() if tool else ("mass",)))) is not None:
        kinds[kind] = f"<{tag}>"
    is_placed = any(word(one) in ("link", "joint") for one in element.iterancestors())
    if not (kinds or tool) and is_placed and _LOAD.fullmatch(snake_case(tag)):
        kinds["mass"] = f"<{tag}>"
    return kinds


# Elements of simulators and exporters that are known by more than their names.

_CLOSING_FRAME = re.compile(r"(closing_.+)_1")
_PLUGINS = re.compile(
    r"mimic|closed_?loop|loop_?clos|detachable|spring|torsion|buoyan|hydrodynamic|lift_?drag", re.IGNORECASE
)
#: Options of MuJoCo's compiler that change masses or moments of inertia.
_COMPILER = ("inertiafromgeom", "settotalmass", "boundmass", "boundinertia")


def added_by_gazebo(root: etree._Element, tag: str) -> Iterator[etree._Element]:
    """Yield the elements that <gazebo> without a reference, which would be to a link or joint, adds."""
    for block in children(root, "gazebo"):
        if block.get("reference") is None:
            yield from children(block, tag)


def unread_couplings(root: etree._Element, robot: RobotDescription) -> Iterator[Finding]:
    """Yield findings on mimic joints of <ros2_control> and <gazebo> that mimic none in the URDF."""
    couplings = list[tuple[str, etree._Element]]()
    for block in children(root, "ros2_control"):
        for joint in children(block, "joint"):
            parts = [*children(joint, "mimic")] + [joint] * (joint.get("mimic") == "true")
            parts += [one for one in children(joint, "param") if one.get("name") == "mimic"]
            couplings += [(joint.get("name", ""), one) for one in parts]
    for block in children(root, "gazebo"):
        parts = [one for one in block.iter("mimic") if "plugin" not in map(word, one.iterancestors())]
        couplings += [(block.get("reference", ""), one) for one in parts]
    for name, one in couplings:
        if name in robot.joints and robot.joints[name].mimic is None:
            what = f"<{word(one)}> of joint '{name}', which mimics none in the URDF,"
            yield seems("coupling", one, name, what)


def closing_frames(root: etree._Element, robot: RobotDescription, held: set[str]) -> Iterator[Finding]:
    """Yield findings on frames closing_NAME_1 and closing_NAME_2, onshape-to-robot's mates that close loops.

    Args:
        held: links with ends of loop joints.
    """
    for link in children(root, "link"):
        first = link.get("name", "")
        found = _CLOSING_FRAME.fullmatch(first)
        second = f"{found[1]}_2" if found else ""
        if second in robot.links and not {first, second} & held:
            yield seems(
                "loop", link, first, f"the pair of frames '{first}' and '{second}' of onshape-to-robot"
            )


def notes_on_simulators(root: etree._Element) -> Iterator[str]:
    """Yield notes on what only simulators have: parts and plugins of Gazebo, other masses or gravity."""
    if links := [link.get("name", "") for link in added_by_gazebo(root, "link")]:
        yield f"not read, because only <gazebo> has them: links {', '.join(links)}, with their masses"
    if masses := root.findall("gazebo/inertial"):
        names = ", ".join(str(own.getparent().get("reference")) for own in masses)  # type: ignore[union-attr]
        yield f"not read, <inertial> in <gazebo> of {names}: masses are those of the URDF's links"
    if inner := [*_inside_gazebo(root)]:
        yield f"not read, parts of the robot inside elements of <gazebo>: {', '.join(inner)}"
    plugins = [
        f"{one.get('name')} (line {line_of(one)})"
        for one in added_by_gazebo(root, "plugin")
        if _PLUGINS.search(f"{one.get('filename')} {one.get('name')}")
    ]
    if plugins:
        advice = "if the robot has them, too, write <gear>, <spring> or <joint_dynamics>"
        names = ", ".join(plugins)
        yield f"not read, plugins of Gazebo that couple joints, add springs or forces: {names}; {advice}"
    for compiler in root.iterfind("mujoco/compiler"):
        if options := [f'{key}="{compiler.get(key)}"' for key in _COMPILER if compiler.get(key) is not None]:
            line = f"(line {line_of(compiler)})"
            yield f"not read, <compiler> of MuJoCo, by which masses differ: {', '.join(options)} {line}"
    changed = dict[str, list[str]]()
    for element, said in _changed_by_simulators(root):
        changed.setdefault(said, []).append(f"line {line_of(element)}")
    if changed:
        said = ", ".join(
            f"{one} ({', '.join(lines[:3])}{', ...' * (len(lines) > 3)})" for one, lines in changed.items()
        )
        yield f"not read, numbers of simulators by which torques differ there: {said}"


def _inside_gazebo(root: etree._Element) -> Iterator[str]:
    """Yield links with masses and joints with ends that stand deeper in <gazebo> than a part of the robot."""
    added = {*added_by_gazebo(root, "link"), *added_by_gazebo(root, "joint")}
    for one in (one for block in children(root, "gazebo") for one in block.iter("link", "joint")):
        parts = ("inertial",) if word(one) == "link" else ("parent", "child")
        if one not in added and all(one.find(part) is not None for part in parts):
            yield f"<{word(one)}> '{one.get('name', '')}' (line {line_of(one)})"


def _changed_by_simulators(root: etree._Element) -> Iterator[tuple[etree._Element, str]]:
    """Yield elements by which gravity, fluids or inertias differ in a simulator, each with what it says."""
    for one in root.iterfind("mujoco/option"):
        for key in ("density", "viscosity"):
            if not is_zero(one.get(key, "0")):
                yield one, f'<option {key}="{one.get(key)}">'
    for one in root.iterfind("mujoco//*[@gravity]"):
        if (value := str(one.get("gravity"))) == "disable" or _is_other_gravity(value):
            yield one, f'<{word(one)} gravity="{value}">'
    for block in children(root, "gazebo", "mujoco"):
        for one in block.iter("gravity", "turnGravityOff"):
            value = content(one)
            is_off = value in (("true", "1") if word(one) == "turnGravityOff" else ("false", "0"))
            if is_off or _is_other_gravity(value):
                yield one, f"<{word(one)}>{value}</{word(one)}>"
    for one in root.iterfind("link//inertia_scaling"):
        if numbers_in(content(one)) != [1.0]:
            yield one, f"<inertia_scaling> {content(one)}"


def _is_other_gravity(text: str) -> bool:
    """Return whether a text is the three numbers of a gravity other than the earth's."""
    numbers = numbers_in(text)
    return len(numbers) == len(EARTH) and not np.allclose(numbers, EARTH, atol=0.05)
