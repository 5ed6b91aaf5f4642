"""Removed links: as a URDF without them, and what must not be cut."""

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given

import modular_dynamics as md
from helpers.changed_robots import (
    add_fixed_link,
    assert_same_connections,
    edited,
    remove_subtree,
    untagged,
)
from helpers.random_examples.black_boxes import boxed_trees
from helpers.random_examples.examples import examples
from helpers.read_back import assert_same, read_back
from modular_dynamics.algebra import DualQuaternion
from modular_dynamics.model import Anchor, Gear, Spring


def mimics_across(graph, urdf, link):
    """Whether a joint that would stay mimics one that would go."""
    left = joint_names(edited(urdf, lambda root: remove_subtree(root, link)))
    return any(j.mimic is not None and j.name in left and j.mimic.joint not in left for j in graph.joints)


def joint_names(urdf):
    return {joint.get("name") for joint in ElementTree.fromstring(urdf).findall("joint")}


def test_a_tool_that_was_fixed_is_gone_exactly(load_robot):
    """The body is the one that the URDF without the tool gives, bit by bit."""
    graph = load_robot("four_link")
    link = graph.bodies[-1].name
    tool = {"mass": 2.0, "com": (0.1, 0.2, 0.3), "inertia": np.eye(3)}
    text = edited(graph.urdf, lambda root: add_fixed_link(root, link, "tool", (0.1, 0, 0), (1, 2, 3), **tool))
    held = untagged(text)
    assert held.bodies[-1].mass == graph.bodies[-1].mass + 2.0
    body = held.without("tool").bodies[-1]
    assert body.com.tobytes() == graph.bodies[-1].com.tobytes()
    assert body.inertia.tobytes() == graph.bodies[-1].inertia.tobytes()


def test_payloads_go_with_their_links(load_robot):
    graph = load_robot("charmie")
    link = graph.bodies[-1].name
    loaded = graph.with_payload(link, mass=1.0).with_payload(graph.bodies[0].name, mass=2.0)
    assert [*loaded.without(link).payloads] == [graph.bodies[0].name]


def test_a_removed_loop_takes_its_elements_along(load_robot):
    """The exoskeleton on a trolley whose other arm stays."""
    graph, arm = load_robot("exoskeleton"), load_robot("four_link")
    both = arm.attach(graph, arm.links[-1], prefix="exo_")
    left = both.without("exo_" + graph.ground.name)
    assert (left.loop_joints, left.gears, left.springs, left.passive_joints) == ((), (), (), ())
    assert left.joint_names == arm.joint_names
    assert_same(left, arm)


def test_what_connects_is_named(load_robot):
    bar = load_robot("four_bar")
    (loop,) = bar.loop_joints
    with pytest.raises(md.ModelError, match=rf"'{loop.successor.link}' cannot be removed alone: loop joint "):
        bar.without(loop.successor.link)
    geared = replace(load_robot("charmie"), gears=(Gear("head_pan", "left_elbow_flexion", 2.0),))
    with pytest.raises(
        md.ModelError, match=r"joint 'head_pan' is geared to 'left_elbow_flexion'; each of these"
    ):
        geared.without(geared.joint("left_elbow_flexion").child_link)
    assert geared.without(geared.joint("head_pan").child_link).gears == ()
    anchors = tuple(Anchor(link, DualQuaternion.identity) for link in ("world", "body_4"))
    sprung = replace(load_robot("charmie"), springs=(Spring("s", 1.0, 0.0, 0.0, 0.0, anchors),))
    with pytest.raises(md.ModelError, match=r"spring 's' connects 'world' and 'body_4'"):
        sprung.without("body_4")


def test_independent_joints_that_stay_stay(load_robot):
    graph = load_robot("vendor_arm").with_independent_joints(*load_robot("vendor_arm").joint_names[:4])
    left = graph.without(graph.joint(graph.joint_names[2]).child_link)
    assert left.independent_joint_names == graph.joint_names[:2]


@examples(60)
@given(tree=boxed_trees())
def test_with_black_boxes_is_a_urdf_without_them(tree):
    graph = tree.load()
    for link in graph.links[1:]:
        if tree.boxed(link) and link not in tree.roots.values():
            with pytest.raises(
                md.UnsupportedModelError, match=r"whose parts are unknown; .* removes all of it"
            ):
                graph.without(link)
            continue
        if mimics_across(graph, tree.urdf, link):
            continue
        left = graph.without(link)
        assert_same_connections(left)
        assert_same(left, tree.load(edited(tree.urdf, lambda root, link=link: remove_subtree(root, link))))
        assert_same(read_back(left), left)


def test_the_root_link_and_unknown_links_are_refused(load_robot):
    graph = load_robot("charmie")
    with pytest.raises(md.ModelError, match=r"'world' is the root link of 'charmie': nothing would be left"):
        graph.without("world")
    with pytest.raises(md.UnknownNameError, match=r"no link 'nose'"):
        graph.without("nose")


def test_a_floating_base_goes_with_the_root_link(load_robot):
    graph = load_robot("four_link", floating_base=True)
    left = graph.without(graph.joints[0].child_link)
    assert (left.joints, left.floating_base, left.links) == ((), False, ("universe",))
    assert md.inverse_dynamics(left, [], [], []).shape == (0,)
