"""A graph -> URDF text: its links and joints, our tags, and shapes and more from its source texts."""

from collections.abc import Iterable, Iterator

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from ..algebra import DualQuaternion, to_rotation_translation, to_xyz_rpy
from ..exceptions import DescriptionError, UnsupportedModelError
from ..model import Anchor, Inertial, Joint, JointType, Subsystem, SubsystemGraph, merged, require_graph
from ..model.changes.bodies import body_at
from ..text.numbers import LARGEST_FLOAT
from ..text.sizes import shown
from .description import free_name
from .header import EARTH, in_its_version
from .load import GROUND, ROOT_JOINT, graph_of
from .schema import ROBOT, Version
from .values import Entry
from .xacro_files import read_plain

# Elements of a URDF: links, joints, origins, numbers. Numbers are written so that they are read back exactly.

_MOMENTS = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}


def element(tag: str, parent: etree._Element | None = None, /, **attributes: str) -> etree._Element:
    """Return a new element with these attributes, below ``parent`` if it is given.

    Raises:
        UnsupportedModelError: a text that XML cannot contain.
    """
    try:
        if parent is None:
            return etree.Element(tag, attributes)
        return etree.SubElement(parent, tag, attributes)
    except ValueError as error:
        shown = ", ".join(f"{key}={value!r}" for key, value in attributes.items())
        raise UnsupportedModelError(f"<{tag}> with {shown} cannot be written as XML: {error}") from None


def link(name: str, inertial: Inertial) -> etree._Element:
    """Return a <link>, with <inertial> unless mass, inertia and centre of mass are all zero."""
    own = element("link", name=name)
    if inertial.mass != 0.0 or inertial.inertia.any() or inertial.com.any():
        part = element("inertial", own)
        element("origin", part, xyz=numbers(inertial.com), rpy="0 0 0")
        element("mass", part, value=number(inertial.mass))
        element("inertia", part, **{key: number(inertial.inertia[k]) for key, k in _MOMENTS.items()})
    return own


def fixed_joint(name: str, parent: str, child: str, x_parent_child: DualQuaternion) -> etree._Element:
    """Return a fixed <joint> between two links."""
    joint = element("joint", name=name, type="fixed")
    _ends(joint, parent, child, x_parent_child)
    return joint


def moving_joint(joint: Joint, x_link_joint: DualQuaternion) -> etree._Element:
    """Return a moving <joint> at a pose in its parent link; a revolute one without limits is continuous.

    Spherical joints are written as floating ones; :func:`tags` writes <spherical>, armature and springs.
    """
    limits, kind = joint.limits, joint.type
    if kind is JointType.REVOLUTE and limits.lower is None and limits.upper is None:
        kind = JointType.CONTINUOUS
    several = kind in (JointType.FLOATING, JointType.SPHERICAL)
    own = element("joint", name=joint.name, type="floating" if several else kind.value)
    _ends(own, joint.parent_link, joint.child_link, x_link_joint)
    if not several:
        element("axis", own, xyz=numbers(axis(joint.axis)))
    given = {"effort": limits.effort, "velocity": limits.velocity}
    ranged = kind in (JointType.REVOLUTE, JointType.PRISMATIC)
    if ranged:
        low = -LARGEST_FLOAT if limits.lower is None else limits.lower
        given = {"lower": low, "upper": limits.upper} | given
    if ranged or any(limit is not None for limit in given.values()):
        # URDF needs numbers where a joint has no limits
        values = {key: number(LARGEST_FLOAT if limit is None else limit) for key, limit in given.items()}
        element("limit", own, **values)
    if joint.damping or joint.friction:
        element("dynamics", own, damping=number(joint.damping), friction=number(joint.friction))
    if joint.mimic is not None:
        multiplier, offset = number(joint.mimic.multiplier), number(joint.mimic.offset)
        element("mimic", own, joint=joint.mimic.joint, multiplier=multiplier, offset=offset)
    return own


def _ends(joint: etree._Element, parent: str, child: str, x_parent_joint: DualQuaternion) -> None:
    """Add parent, child and origin to a joint."""
    element("parent", joint, link=parent)
    element("child", joint, link=child)
    joint.append(origin(x_parent_joint))


def origin(x: DualQuaternion, tag: str = "origin", **attributes: str) -> etree._Element:
    """Return an element with a pose as xyz [m] and rpy [rad]."""
    xyz, rpy = to_xyz_rpy(x)
    return element(tag, **attributes, xyz=numbers(xyz), rpy=numbers(rpy))


def axis(unit: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a direction (3,) that normalizes to exactly this unit vector, as readers normalize it.

    Example: (1, 1, 0) for (0.7071067811865475, 0.7071067811865475, 0), which normalized differs in the last
    bit. If no such direction is known, the vector itself.
    """
    for candidate in (unit, unit / np.abs(unit).max()):
        if np.array_equal(candidate / np.linalg.norm(candidate), unit):
            return candidate
    return unit


def numbers(values: Iterable[float]) -> str:
    """Return numbers as text, separated by spaces."""
    return " ".join(map(number, values))


def number(value: float) -> str:
    """Return the shortest text that is read back as the same number; -0.0 as 0.0."""
    return repr(float(value) + 0.0)


# Parts of a graph that URDF cannot express, as our tags: docs/reference/urdf_tags.md.


def tags(graph: SubsystemGraph, added_root: str | None = None) -> etree._Element:
    """Return the element <modular_dynamics> of a graph.

    Args:
        added_root: the graph's floating joint, left out because readers add it (floating_base="true").
    """
    wrapper = element("modular_dynamics", version="1")
    if added_root is not None:
        wrapper.set("floating_base", "true")
    if tuple(graph.gravity) != EARTH:
        wrapper.set("gravity", numbers(graph.gravity))
    for subsystem in graph.subsystems:
        if [joint.name for joint in subsystem.joints] == [added_root] and subsystem.name == added_root:
            continue  # readers make this subsystem; without it the text can be read with a fixed base, too
        wrapper.append(_subsystem(subsystem))
    _closing_elements(graph, wrapper)
    for joint in graph.joints:
        if joint.type is JointType.SPHERICAL:
            element("spherical", wrapper, joint=joint.name)
    for joint in graph.joints:
        keys = ("armature", "stiffness", "rest_position")
        values = {key: number(getattr(joint, key)) for key in keys if getattr(joint, key)}
        if values:
            element("joint_dynamics", wrapper, joint=joint.name, **values)
    return wrapper


def _subsystem(subsystem: Subsystem) -> etree._Element:
    """Return <subsystem> with its joints; a black box that begins at a fixed link has its root link instead.

    Readers add to such a black box all joints below that no other subsystem names.
    """
    box = {"black_box": "true"} if subsystem.black_box else {}
    if subsystem.fixed_links:
        return element("subsystem", name=subsystem.name, root_link=subsystem.root_link, **box)
    own = element("subsystem", name=subsystem.name, **box)
    for joint in subsystem.joints:
        element("joint", own, name=joint.name)
    return own


def _closing_elements(graph: SubsystemGraph, wrapper: etree._Element) -> None:
    """Add loop joints, passive and independent joints, gears and springs to <modular_dynamics>."""
    for loop in graph.loop_joints:
        own = element("loop_joint", wrapper, name=loop.name, type=loop.type)
        own.append(_anchor("predecessor", loop.predecessor))
        own.append(_anchor("successor", loop.successor))
        element("axis", own, xyz=numbers(axis(loop.axis)))
    for name in graph.passive_joints:
        element("passive", wrapper, joint=name)
    if graph.independent is not None:
        chosen = element("independent", wrapper)
        for name in graph.independent:
            element("joint", chosen, name=name)
    for gear in graph.gears:
        own = element("gear", wrapper, joint=gear.joint, offset=number(gear.offset))
        for name, ratio in gear.drivers:
            element("driver", own, joint=name, ratio=number(ratio))
    for spring in graph.springs:
        law = ("stiffness", "free_length", "initial_force", "damping")
        values = {key: number(getattr(spring, key)) for key in law}
        own = element("spring", wrapper, name=spring.name, **values)
        own.extend([_anchor("anchor", anchor) for anchor in spring.anchors])


def _anchor(tag: str, anchor: Anchor) -> etree._Element:
    """Return an element with link and pose of an anchor."""
    return origin(anchor.x_link_anchor, tag, link=anchor.link)


# The order in which a subsystem's joints are written, so that they are read back in the graph's order.


def document_order(graph: SubsystemGraph, subsystem: Subsystem) -> list[str]:
    """Return the names of a subsystem's joints in the order in which they must be written.

    A reader takes q in document order. The order of the graph's joints is topological: the next one is always
    the first joint of the document whose carrier is there already (:func:`..assembly.assemble`). So joints
    with coordinates are written in the order of q. A mimic joint, which has none, is written as early as
    possible: after the joints that precede it in the graph although its carrier was there before them.
    """
    rows = list(subsystem.indices)
    in_q = {name: k for k, name in enumerate(graph.joint_names)}
    ready = {row: rows.index(parent) + 1 if (parent := graph.parents[row]) in rows else 0 for row in rows}
    keys: list[tuple[int, int]] = []  # index in q of the last joint before it; mimic joints after that
    for place, row in enumerate(rows):
        name = graph.joints[row].name
        if name in in_q:
            keys.append((in_q[name], 0))
        else:
            last = max(keys[ready[row] : place], default=(-1, 0))
            keys.append((last[0], place + 1))
    ordered = sorted(range(len(rows)), key=keys.__getitem__)
    return [graph.joints[rows[k]].name for k in ordered]


# Comparison of a graph that was read back with the one that was written.

#: Largest difference of equal numbers, relative to the numbers, or absolute for numbers below 1.
_ROUNDING = 1e-9
#: Name of facts that are compared relatively even if small: a finger's inertia is 1e-7 kg m^2.
_MASS = "the mass or inertia"

#: A compared part of a graph: its name in messages, a value that must be equal, numbers that must be close.
_Fact = tuple[str, object, list[NDArray[np.float64]]]


def difference(graph: SubsystemGraph, read: SubsystemGraph) -> str:
    """Return the first difference between a graph and the one read back, as a sentence; empty if equal."""
    theirs = {what: (exact, values) for what, exact, values in _facts(read)}
    for what, exact, values in _facts(graph):
        if what not in theirs:
            return f"{what} would be lost"
        other, others = theirs.pop(what)
        if exact != other:
            return f"{what} would be read back as {shown(other)}, not {shown(exact)}"
        for one, its in zip(values, others, strict=True):
            size = np.abs(one).max(initial=0.0)
            if np.abs(one - its).max(initial=0.0) > _ROUNDING * (
                size if what.startswith(_MASS) else max(1.0, size)
            ):
                return f"{what} would be read back with the numbers {its.tolist()}, not {one.tolist()}"
    return f"{next(iter(theirs))} would be read back" if theirs else ""


def _facts(graph: SubsystemGraph) -> Iterator[_Fact]:
    """Yield everything of a graph that must survive writing and reading."""
    yield "the name", graph.name, []
    yield "the order of q", graph.joint_names, []
    yield "gravity", None, [graph.gravity]
    yield "the passive joints", sorted(graph.passive_joints), []
    for link in graph.links:
        body, x = graph.link_pose(link)
        yield f"link '{link}'", None if body is None else graph.bodies[body].name, _pose(x)
    for moved in (graph.ground, *graph.bodies):
        yield f"{_MASS} of body '{moved.name}'", None, [np.array([moved.mass]), moved.inertia]
        yield f"the centre of mass of body '{moved.name}'", None, [moved.com]
    for joint in graph.joints:
        free = joint.type is JointType.REVOLUTE and joint.limits.lower is joint.limits.upper is None
        kind = JointType.CONTINUOUS if free else joint.type
        ends = kind.value, joint.parent_link, joint.child_link, joint.limits, joint.mimic
        terms = joint.damping, joint.friction, joint.armature, joint.stiffness, joint.rest_position
        axis = [joint.axis] if joint.type.nv == 1 else []
        yield f"joint '{joint.name}'", (ends, terms), [*_pose(joint.x_parent_joint), *axis]
    for subsystem in graph.subsystems:
        names = sorted(joint.name for joint in subsystem.joints)
        own = names, subsystem.black_box, sorted(subsystem.fixed_links)
        yield f"subsystem '{subsystem.name}'", own, _pose(subsystem.connection.x_body_connection)
    for loop in graph.loop_joints:
        numbers = [loop.axis, *_pose_of(*loop.anchors)]
        yield f"loop joint '{loop.name}'", (loop.type, *(end.link for end in loop.anchors)), numbers
    for gear in graph.gears:
        yield f"the gear of joint '{gear.joint}'", gear, []
    for spring in graph.springs:
        law = spring.stiffness, spring.free_length, spring.initial_force, spring.damping
        exact = law, *(anchor.link for anchor in spring.anchors)
        yield f"spring '{spring.name}'", exact, _pose_of(*spring.anchors)
    yield "the independent joints", graph.independent_joint_names, []


def _pose(x: DualQuaternion) -> list[NDArray[np.float64]]:
    return [*to_rotation_translation(x)]


def _pose_of(*anchors: Anchor) -> list[NDArray[np.float64]]:
    return [array for anchor in anchors for array in _pose(anchor.x_link_anchor)]


# What the library does not read, such as shapes: copied from source texts, with prefixes of attached robots.

#: Attributes that name links, joints and materials, by path from <robot>.
_NAMES = (
    *(("link", "name"), ("joint", "name"), ("joint/parent", "link"), ("joint/child", "link")),
    *(("joint/mimic", "joint"), ("gazebo", "reference")),
    *(("transmission", "name"), ("transmission/joint", "name"), ("transmission/actuator", "name")),
    *(("ros2_control", "name"), ("ros2_control/joint", "name")),
    (".//material", "name"),
)


def ends_of(joint: etree._Element) -> tuple[str, str]:
    """Return the names of a joint's parent and child link."""
    parent, child = (str(end.get("link")) for tag in ("parent", "child") for end in joint.findall(tag)[:1])
    return parent, child


def rename(root: etree._Element, prefix: str) -> None:
    """Prefix the names of links, joints and materials in a tree, in place."""
    for path, key in _NAMES if prefix else ():
        for element in root.findall(path):
            if name := element.get(key):
                element.set(key, prefix + name)


def new_materials(root: etree._Element, known: set[str]) -> list[etree._Element]:
    """Return the materials below <robot> of a further text with names that are not ``known``; add these.

    A material of a name that another text defines has that one's colour.
    """
    new = [own for own in root.findall("material") if own.get("name") not in known]
    known.update(str(own.get("name")) for own in root.iter("material") if len(own))
    return new


#: Children of <joint> that are written from the graph.
_WRITTEN = tuple(tag for tag, rule in ROBOT.children["joint"].children.items() if rule.is_read)
_LIMIT = ROBOT.children["joint"].children["limit"]
_READ = ("link", "joint", "material", "modular_dynamics")
#: Elements in which :func:`rename` can prefix names; others are dropped from robots attached under a prefix.
_RENAMED = ("gazebo", "transmission", "ros2_control")
#: Largest difference of equal poses, relative to the largest coefficient of the dual quaternion.
_SAME_POSE = 1e-14


def add_from_sources(robot: etree._Element, graph: SubsystemGraph) -> None:
    """Add to a <robot> element what the graph's source texts have for its links and joints, by name.

    Origins that equal those of a source up to rounding get the source's text. The version of <robot> becomes
    the newest one that a source states.
    """
    target = _Target(robot, graph)
    materials, others = set[str](), list[etree._Element]()
    versions = list[Version]()
    for source in graph.sources:
        root = read_plain(source.text).root
        version, _ = in_its_version(root)
        versions += [version] if "version" in root.attrib else []
        rename(root, source.prefix)
        links = {source.prefix + link for link in source.links}
        for unused in [own for own in root.findall("link") if own.get("name") not in links]:
            root.remove(unused)
        for k, definition in enumerate(new_materials(root, materials)):
            robot.insert(k, definition)
        for own in root.findall("link"):
            target.add_to_link(own)
        for own in root.findall("joint"):
            if ends_of(own)[1] in links:
                target.add_to_joint(own)
        others += target.valid(
            [own for own in root.iterchildren(etree.Element) if own.tag not in _READ], source.prefix
        )
    robot.extend(others)
    if versions:
        robot.set("version", str(max(versions)))


class _Target:
    """Tables of the <robot> element that children are added to.

    Attributes:
        links, joints: elements by name. names: of both. above: by link, the joint element whose child it is.
        boxed: fixed links of black boxes, whose masses the graph does not have.
    """

    def __init__(self, robot: etree._Element, graph: SubsystemGraph) -> None:
        self.links = {str(link.get("name")): link for link in robot.findall("link")}
        self.joints = {str(joint.get("name")): joint for joint in robot.findall("joint")}
        self.names = {*self.links, *self.joints}
        self.above = {ends_of(joint)[1]: joint for joint in self.joints.values()}
        self.boxed = {link for box in graph.subsystems for link in box.fixed_links}

    def add_to_link(self, source: etree._Element) -> None:
        """Add the children of a source's link, <inertial> only if the graph does not know the link's mass."""
        name = str(source.get("name"))
        if name in self.links:
            kept = [own for own in source if own.tag != "inertial" or name in self.boxed]
            self.links[name].extend(kept)

    def add_to_joint(self, source: etree._Element) -> None:
        """Add children, origin and additional limits of a source's joint to the joint of the same name."""
        parent, child = ends_of(source)
        above = self.above.get(child)
        if above is None or above.get("name") != source.get("name"):
            return
        if parent == ends_of(above)[0] and _is_same_pose(_origin(source), _origin(above)):
            for old in above.findall("origin"):
                above.replace(old, _origin(source))
        if (above.get("type") == "fixed") == (source.get("type") == "fixed"):
            above.extend([own for own in source.iterchildren(etree.Element) if own.tag not in _WRITTEN])
            _add_limits(source, above)

    def valid(self, elements: list[etree._Element], prefix: str) -> Iterator[etree._Element]:
        """Yield the elements below <robot> that are valid for this robot: all names in them still exist.

        Joints that are gone or fixed are removed from <ros2_control>; a <transmission> of one is dropped.
        """
        moving = {name for name, joint in self.joints.items() if joint.get("type") != "fixed"}
        for own in elements:
            reference = own.get("reference")
            if prefix and (own.tag not in _RENAMED or (own.tag == "gazebo" and not reference)):
                continue
            if own.tag == "gazebo" and reference and reference not in self.names:
                continue
            gone = [joint for joint in own.findall("joint") if joint.get("name") not in moving]
            if own.tag == "transmission" and gone:
                continue
            for joint in gone if own.tag == "ros2_control" else ():
                own.remove(joint)
            yield own


def _origin(joint: etree._Element) -> etree._Element:
    """Return a copy of a joint's <origin>, empty if it has none."""
    copy = etree.Element("origin")
    for origin in joint.findall("origin")[:1]:
        copy.attrib.update(origin.attrib)
    return copy


def _add_limits(source: etree._Element, joint: etree._Element) -> None:
    """Add the limits of acceleration and jerk, which the graph does not have, from a source's joint."""
    given, limit = source.find("limit"), joint.find("limit")
    values = {key: given.attrib[key] for key in _LIMIT.since if given is not None and key in given.attrib}
    if values:
        limit = etree.SubElement(joint, "limit") if limit is None else limit
        for key, value in values.items():
            limit.set(key, value)


def _is_same_pose(one: etree._Element, other: etree._Element) -> bool:
    """Return whether two origins are the same pose up to rounding; r and -r are the same rotation."""
    x, y = (Entry.of(origin, "<origin>").pose().vec8() for origin in (one, other))
    y *= np.copysign(1.0, x[:4] @ y[:4])
    return bool(np.abs(x - y).max() <= _SAME_POSE * max(1.0, np.abs(x).max()))


# The whole text: links and joints of all bodies, tags, and elements from the source texts.

#: xyz and rpy of the identity.
_IDENTITY = ("0.0 0.0 0.0", "0.0 0.0 0.0")


def graph_urdf(graph: SubsystemGraph) -> str:
    """Return a graph as URDF text: see :meth:`.SubsystemGraph.to_urdf`.

    Raises:
        UnsupportedModelError: the text, read back, would not be the same graph; names the first difference.
    """
    require_graph(graph)
    robot = robot_element(graph)
    add_from_sources(robot, graph)
    text = text_of(robot)
    try:
        wrong = difference(graph, graph_of(read_plain(text)))
    except DescriptionError as error:
        wrong = str(error).removeprefix(f"line {error.line}: ")  # the caller does not see this text
    if wrong:
        raise UnsupportedModelError(f"'{graph.name}' cannot be written as a URDF with tags: {wrong}")
    return text


def text_of(robot: etree._Element) -> str:
    """Return the text of a <robot> element, one line for each element."""
    etree.indent(robot)
    return etree.tostring(robot, encoding="unicode") + "\n"


def robot_element(graph: SubsystemGraph) -> etree._Element:
    """Return the <robot> element of a graph, without elements of its source texts."""
    robot = element("robot", name=graph.name)
    taken = _names_of_joints(graph)
    for index in (None, *range(len(graph.bodies))):
        body = body_at(graph, index)
        for part in body.parts:
            inertials = [part.inertial, *(load for at, load in body.payloads.items() if at == part.name)]
            whole = merged([(own, DualQuaternion.identity) for own in inertials])
            robot.append(link(part.name, part.inertial if len(inertials) == 1 else whole))
            if part.parent is not None:
                name = part.joint or _new_name(part.name, taken)
                x = body.links[part.parent].conjugate() * body.links[part.name]
                robot.append(fixed_joint(name, part.parent, part.name, x))
    for box in graph.subsystems:
        robot.extend(_fixed_part(graph, box, taken))
    for subsystem in graph.subsystems:
        for name in document_order(graph, subsystem):
            joint = graph.joint(name)
            _, x_body_link = graph.link_pose(joint.parent_link)
            robot.append(moving_joint(joint, x_body_link.conjugate() * joint.x_parent_joint))
    root = _without_added_root(robot, graph)
    robot.append(tags(graph, root))
    return robot


def _names_of_joints(graph: SubsystemGraph) -> set[str]:
    """Return the names of all joints, loop joints and springs, which a new fixed joint cannot have."""
    fixed = {part.joint for body in (graph.ground, *graph.bodies) for part in body.parts if part.joint}
    closing = {loop.name for loop in graph.loop_joints} | {spring.name for spring in graph.springs}
    return {joint.name for joint in graph.joints} | fixed | closing


def _new_name(child: str, taken: set[str]) -> str:
    """Return a name for the fixed joint above a link, and add it to ``taken``."""
    name = free_name(f"{child}_fixed", taken)
    taken.add(name)
    return name


def _fixed_part(graph: SubsystemGraph, box: Subsystem, taken: set[str]) -> list[etree._Element]:
    """Return links and fixed joints of a black box's part that is fixed to its predecessor.

    The graph does not say how these links are fixed to each other: the box's root link becomes the parent of
    all others.
    """
    made = []
    carrier, (_, x_carrier) = box.connection.link, graph.link_pose(box.connection.link)
    for name, x in box.fixed_links.items():
        parent, x_parent = (carrier, x_carrier)
        if name != box.root_link:
            parent, x_parent = box.root_link, box.fixed_links[box.root_link]
        made.append(element("link", name=name))
        made.append(fixed_joint(_new_name(name, taken), parent, name, x_parent.conjugate() * x))
    return made


def _without_added_root(robot: etree._Element, graph: SubsystemGraph) -> str | None:
    """Remove the floating joint and ground link that readers add for floating_base; return the joint's name.

    Return None and remove nothing if the ground carries something else, or if readers would make another
    joint or link.
    """
    links, joints = robot.findall("link"), robot.findall("joint")
    ground = next(own for own in links if own.get("name") == graph.ground.name)
    carried = [own for own in joints if ends_of(own)[0] == graph.ground.name]
    if not graph.floating_base or len(carried) != 1 or len(ground):
        return None
    (joint,) = carried
    name = str(joint.get("name"))
    as_read = (
        free_name(GROUND, [str(own.get("name")) for own in links if own is not ground]),
        free_name(ROOT_JOINT, [str(own.get("name")) for own in joints if own is not joint]),
    )
    at_origin = all((own.get("xyz"), own.get("rpy")) == _IDENTITY for own in joint.findall("origin"))
    if (
        (ground.get("name"), name) != as_read
        or not at_origin
        or len(joint) > len(("parent", "child", "origin"))
    ):
        return None
    robot.remove(ground)
    robot.remove(joint)
    return name
