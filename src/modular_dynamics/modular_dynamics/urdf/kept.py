"""Elements that the library does not read, such as shapes, copied from source texts to written ones."""

from collections.abc import Iterator

import numpy as np
from lxml import etree

from ..model import SubsystemGraph
from .header import in_its_version
from .schema import ROBOT, Version
from .values import Entry
from .xacro_files import read_plain

# Names in a source text: prefixes of attached robots.

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


# Elements of source texts that are added to a <robot> element written from a graph.

#: Children of <joint> that are written from the graph.
_WRITTEN = tuple(tag for tag, rule in ROBOT.children["joint"].children.items() if rule.is_read)
_LIMIT = ROBOT.children["joint"].children["limit"]
_READ = ("link", "joint", "material", "modular_dynamics")
#: Elements in which :func:`rename` can prefix names; others are dropped from robots attached under a prefix.
_RENAMED = ("gazebo", "transmission", "ros2_control")
#: Largest difference of equal poses, relative to the largest coefficient of the dual quaternion.
_ROUNDING = 1e-14


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
    values = {
        key: value
        for limit in source.findall("limit")
        for key in _LIMIT.since
        if (value := limit.get(key)) is not None
    }
    if values:
        limit = joint.find("limit")
        limit = etree.SubElement(joint, "limit") if limit is None else limit
        for key, value in values.items():
            limit.set(key, value)


def _is_same_pose(one: etree._Element, other: etree._Element) -> bool:
    """Return whether two origins are the same pose up to rounding; r and -r are the same rotation."""
    x, y = (Entry.of(origin, "<origin>").pose().vec8() for origin in (one, other))
    y *= np.copysign(1.0, x[:4] @ y[:4])
    return bool(np.abs(x - y).max() <= _ROUNDING * max(1.0, np.abs(x).max()))
