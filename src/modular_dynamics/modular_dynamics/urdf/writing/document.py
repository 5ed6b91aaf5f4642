"""The whole text: links and joints of all bodies, tags, and what the sources say beside."""

from lxml import etree

from ...algebra import DualQuaternion
from ...exceptions import DescriptionError, UnsupportedModelError
from ...model import Subsystem, SubsystemGraph, merged, require_graph
from ...model.changes.bodies import body_at, parts_of
from ...model.code_export import register_exporter
from ..load import GROUND, ROOT_JOINT, free_name, graph_of
from ..xacro_files import read_plain
from .agreement import difference
from .kept import add_from_sources
from .order import document_order
from .parts import element, ends_of, fixed_joint, link, moving_joint
from .tags import tags

__all__ = ["graph_urdf", "robot_element", "text_of"]

#: xyz and rpy of a joint at its parent link.
_NOWHERE = ("0.0 0.0 0.0", "0.0 0.0 0.0")


@register_exporter
def graph_urdf(graph: SubsystemGraph) -> str:
    """See :meth:`.SubsystemGraph.to_urdf`. The text is read back and compared with the graph."""
    require_graph(graph)
    robot = robot_element(graph)
    add_from_sources(robot, graph)
    text = text_of(robot)
    try:
        wrong = difference(graph, graph_of(read_plain(text)))
    except DescriptionError as error:
        wrong = str(error).removeprefix(f"line {error.line}: ")  # of a text that nobody sees
    if wrong:
        raise UnsupportedModelError(f"'{graph.name}' cannot be written as a URDF with tags: {wrong}")
    return text


def text_of(robot: etree._Element) -> str:
    """The text of a <robot> element, one line for each element."""
    etree.indent(robot)
    return etree.tostring(robot, encoding="unicode") + "\n"


def robot_element(graph: SubsystemGraph) -> etree._Element:
    """The <robot> element of a graph, without what only its sources say."""
    robot = element("robot", name=graph.name)
    taken = _names_of_joints(graph)
    for index in (None, *range(len(graph.bodies))):
        body = body_at(graph, index)
        for part in parts_of(body):
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
    """Names that a further fixed joint cannot have."""
    fixed = {part.joint for body in (graph.ground, *graph.bodies) for part in body.parts if part.joint}
    closing = {loop.name for loop in graph.loop_joints} | {spring.name for spring in graph.springs}
    return {joint.name for joint in graph.joints} | fixed | closing


def _new_name(child: str, taken: set[str]) -> str:
    name = free_name(f"{child}_fixed", taken)
    taken.add(name)
    return name


def _fixed_part(graph: SubsystemGraph, box: Subsystem, taken: set[str]) -> list[etree._Element]:
    """Links of a black box that are fixed to what carries it, all but the first one to that one.

    How they are fixed to each other is not known.
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
    """Remove the floating joint and the ground that readers add by themselves; the joint's name.

    None where the ground carries something else, or is not as readers would make it: then both stay.
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
    at_origin = all((own.get("xyz"), own.get("rpy")) == _NOWHERE for own in joint.findall("origin"))
    if (
        (ground.get("name"), name) != as_read
        or not at_origin
        or len(joint) > len(("parent", "child", "origin"))
    ):
        return None
    robot.remove(ground)
    robot.remove(joint)
    return name
