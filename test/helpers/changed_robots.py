"""URDF texts with the change that a method of the graph makes, and connection points of changed graphs."""

from xml.etree import ElementTree

import numpy as np
from scipy.spatial.transform import Rotation

import modular_dynamics as md
from helpers.robots.urdf_text import inertial, place
from helpers.robots.urdf_text import joint as joint_text
from modular_dynamics.algebra import from_xyz_rpy, to_rotation_translation


def untagged(urdf, **options):
    """The tree of a URDF text in automatic subsystems, without loops."""
    return md.load_urdf(edited(urdf, lambda root: None), **options)


def edited(urdf, edit):
    """The text without tags of ours, after the function ``edit`` changed its root element."""
    root = ElementTree.fromstring(urdf)
    for tags in root.findall("modular_dynamics"):
        root.remove(tags)
    edit(root)
    return ElementTree.tostring(root, "unicode")


def joint_element(root, name):
    """The <joint> of that name."""
    return next(joint for joint in root.findall("joint") if joint.get("name") == name)


def add_fixed_link(root, parent, name, xyz=(0, 0, 0), rpy=(0, 0, 0), mass=0.0, com=(0, 0, 0), inertia=None):
    """A link with these numbers, fixed to another one."""
    own = "" if inertia is None else inertial(mass, com, inertia)
    root.append(ElementTree.fromstring(f'<link name="{name}">{own}</link>'))
    root.append(ElementTree.fromstring(joint_text(f"{name}_mount", "fixed", parent, name, xyz, rpy)))


def fix_joint(root, graph, name, position):
    """Make a joint fixed at a position; joints that mimic it have to be fixed by the caller."""
    element, motion = joint_element(root, name), graph.joint(name).motion(np.atleast_1d(position))
    origin = element.find("origin")
    xyz, rpy = (
        [float(x) for x in (origin.get(key, "0 0 0") if origin is not None else "0 0 0").split()]
        for key in ("xyz", "rpy")
    )
    R, p = to_rotation_translation(from_xyz_rpy(xyz, rpy) * motion)
    for child in list(element):
        if child.tag not in ("parent", "child"):
            element.remove(child)
    element.set("type", "fixed")
    rpy = Rotation.from_matrix(R).as_euler("xyz")
    element.append(ElementTree.fromstring(f"<origin {place(p, rpy)}/>"))


def remove_subtree(root, link):
    """Take a link away, the joint above it, and everything that it carries."""
    waiting = [link]
    while waiting:
        gone = waiting.pop()
        for joint in root.findall("joint"):
            if joint.find("child").get("link") == gone:
                root.remove(joint)
            elif joint.find("parent").get("link") == gone:
                waiting.append(joint.find("child").get("link"))
        for element in root.findall("link"):
            if element.get("name") == gone:
                root.remove(element)


def add_robot(root, other_urdf, link, xyz, rpy, prefix):
    """Links and joints of another robot with a prefix, its root link fixed to a link."""
    other = ElementTree.fromstring(other_urdf)
    children = {joint.find("child").get("link") for joint in other.findall("joint")}
    (base,) = {element.get("name") for element in other.findall("link")} - children
    for element in [*other.findall("link"), *other.findall("joint")]:
        element.set("name", prefix + element.get("name"))
        for tag, key in (("parent", "link"), ("child", "link"), ("mimic", "joint")):
            for end in element.findall(tag):
                end.set(key, prefix + end.get(key))
        root.append(element)
    mount = joint_text(f"{prefix}mount", "fixed", link, f"{prefix}{base}", xyz, rpy)
    root.append(ElementTree.fromstring(mount))


def assert_same_pose(x, y, tolerance):
    """Both are the same motion; dual quaternions h and -h are."""
    for one, other in zip(to_rotation_translation(x), to_rotation_translation(y), strict=True):
        assert np.abs(one - other).max() <= tolerance


def assert_same_connections(graph, tolerance=1e-12):
    """Subsystems are in order, hold the graph's joints, and their connection points are where they say."""
    first = 0
    for index, subsystem in enumerate(graph.subsystems):
        assert subsystem.first == first
        first += len(subsystem.joints)
        assert subsystem.predecessor is None or subsystem.predecessor < index
        connection = subsystem.connection
        body, x_body_link = graph.link_pose(connection.link)
        assert body == connection.body
        assert_same_pose(x_body_link * connection.x_link_connection, connection.x_body_connection, tolerance)
        owner = next((k for k, s in enumerate(graph.subsystems) if body in s.indices), None)
        before = subsystem.predecessor
        assert before == owner or connection.link in graph.subsystems[before].fixed_links
        entries = [k for k in subsystem.indices if graph.parents[k] not in subsystem.indices]
        assert {graph.parents[k] for k in entries} <= {body}
        if len(entries) == 1 and not subsystem.fixed_links:
            assert_same_pose(graph.joints[entries[0]].x_parent_joint, connection.x_body_connection, tolerance)
            assert subsystem.root_link == graph.joints[entries[0]].child_link
    assert first == len(graph.joints)
