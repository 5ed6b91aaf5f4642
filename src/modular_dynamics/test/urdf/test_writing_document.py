"""Graphs as URDF text: what is read back is the same robot, also after every kind of change."""

from dataclasses import replace

import numpy as np
import pinocchio
import pytest
from hypothesis import given
from hypothesis import strategies as st

import modular_dynamics as md
from helpers.paths import ROBOTS
from helpers.random_examples.assemblies import random_assembly
from helpers.random_examples.examples import examples
from helpers.random_examples.joint_trees import joint_trees
from helpers.random_examples.trees import partitions, random_trees
from helpers.read_back import assert_close, assert_same, read_back, torques_by_pinocchio
from helpers.robots.mjcf_text import random_tree
from modular_dynamics.algebra import from_xyz_rpy, pose
from modular_dynamics.mjcf import load_mjcf
from modular_dynamics.model import Inertial, Limits, Link

NAMES = sorted(path.stem for path in ROBOTS.glob("*.urdf"))
PLACE = ("x", "z", "roll", "pitch", "yaw")
POSE = from_xyz_rpy([0.3, -0.2, 0.5], [0.4, 1.1, -2.0])
BOX = """<robot name="r"><link name="base"/><link name="arm"><inertial><mass value="1"/>
  <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link><link name="mount"/>
  <link name="sensor"><inertial><mass value="0.3"/></inertial></link><link name="jaw"/><link name="tip"/>
  <joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint>
  <joint name="plate" type="fixed"><parent link="arm"/><child link="mount"/><origin xyz="0 1 2"/></joint>
  <joint name="screws" type="fixed"><parent link="mount"/><child link="sensor"/>
    <origin xyz="0 0.1 0" rpy="0.3 0 1"/></joint>
  <joint name="weld" type="fixed"><parent link="sensor"/><child link="tip"/><origin xyz="1 0 0"/></joint>
  <joint name="open" type="prismatic"><parent link="tip"/><child link="jaw"/>
    <limit lower="0" upper="1" effort="1" velocity="1"/></joint>
  <modular_dynamics version="1"><subsystem name="tool" root_link="mount" black_box="true"/></modular_dynamics>
</robot>"""


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_every_robot_is_read_back(load_robot, name, floating):
    graph = load_robot(name, floating_base=floating)
    read = read_back(graph)
    assert_same(read, graph)
    assert read.links == graph.links
    assert [joint.name for joint in read.joints] == [joint.name for joint in graph.joints]


@examples(40)
@given(tree=random_trees(largest=25), data=st.data())
def test_random_trees_in_any_partition(tree, data):
    graph = md.load_urdf(tree.urdf, data.draw(partitions(tree)))
    read = read_back(graph)
    assert_same(read, graph, tree.seed)
    assert read.links == graph.links
    assert [joint.name for joint in read.joints] == [joint.name for joint in graph.joints]


@examples(40)
@given(tree=joint_trees(largest=25))
def test_joints_of_all_types_with_armature_springs_and_friction(tree):
    graph = tree.graph
    assert_same(read_back(graph), graph, tree.seed)


@examples(25)
@given(tree=random_trees(largest=12), other=random_trees(largest=8), data=st.data())
def test_changes_one_after_the_other(tree, other, data):
    graph = md.load_urdf(tree.urdf)
    rng = np.random.default_rng(tree.seed)
    for change in data.draw(st.lists(st.sampled_from(["payload", "attach", "lock", "numbers"]), max_size=4)):
        link = str(rng.choice(graph.links))
        if change == "payload":
            graph = graph.with_payload(link, mass=2.0, com=[0.1, 0.2, 0.3], inertia=np.diag([0.1, 0.2, 0.25]))
        elif change == "attach":
            prefix = f"p{len(graph.links)}_"
            graph = graph.attach(md.load_urdf(other.urdf), link, POSE, prefix=prefix)
        elif change == "lock" and (single := [n for n in graph.joint_names if graph.joint(n).type.nq == 1]):
            graph = graph.lock({str(rng.choice(single)): 0.3})
        elif change == "numbers" and len(graph.joints):
            name = rng.choice([joint.name for joint in graph.joints])
            new = {f"joint {name} origin {one}": rng.normal() for one in PLACE}
            graph = graph.with_parameters({**new, f"joint {name} armature": 0.7})
    assert_same(read_back(graph), graph, tree.seed)


@pytest.mark.parametrize("name", ["charmie", "vendor_arm"])
def test_a_robot_without_some_links(load_robot, name):
    graph = load_robot(name)
    for link in graph.links[2:]:
        if "finger" not in link:  # one mimics the other
            left = graph.without(link)
            assert_same(read_back(left), left)


@pytest.mark.parametrize("seed", range(10))
def test_graphs_of_assemblies(seed):
    graph = random_assembly(seed).graph()
    assert_same(read_back(graph), replace(graph, floating_base=False))


@pytest.mark.parametrize("seed", range(12))
def test_robots_of_mjcf(seed):
    graph = load_mjcf(random_tree(seed, "hsb", terms=True, free=seed % 2 == 1))
    assert_same(read_back(graph), graph)


@pytest.mark.parametrize("name", ["charmie", "branched_38dof", "vendor_arm", "four_link"])
def test_pinocchio_reads_the_same_robot(load_robot, name):
    """Of the text itself, by urdfdom: neither our reader nor the graph's numbers take part."""
    graph = load_robot(name)
    tip = graph.bodies[-1].name
    graph = graph.with_payload(tip, mass=2.0, com=[0.1, 0.2, 0.3]).attach(graph, tip, POSE, prefix="arm_")
    graph = graph.lock({graph.joint_names[1]: 0.3})
    rng = np.random.default_rng(0)
    q, (v, a) = graph.random_configuration(rng), rng.normal(size=(2, graph.nv))
    tau = torques_by_pinocchio(graph.to_urdf(), graph, q, v, a)
    assert_close(tau, md.inverse_dynamics(graph, q, v, a))


@examples(25)
@given(tree=random_trees(largest=20))
def test_pinocchio_reads_random_trees(tree):
    graph = md.load_urdf(tree.urdf).attach(md.load_urdf(tree.urdf), "link_1", POSE, prefix="other_")
    q, v, a = tree.state(graph)
    tau = torques_by_pinocchio(graph.to_urdf(), graph, q, v, a)
    assert_close(tau, md.inverse_dynamics(graph, q, v, a))


def test_the_ground_of_a_floating_base_is_not_written(load_robot):
    """robot_state_publisher and Pinocchio add their own."""
    graph = load_robot("charmie", floating_base=True)
    text = graph.to_urdf()
    assert "universe" not in text
    assert pinocchio.buildModelFromXML(text, pinocchio.JointModelFreeFlyer()).nv == graph.nv
    fixed = md.load_urdf(text, floating_base=False)
    assert fixed.joint_names == graph.joint_names[1:]
    assert (fixed.floating_base, md.load_urdf(text).floating_base) == (False, True)


def test_a_ground_that_carries_more_is_written(load_robot):
    graph = load_robot("four_link", floating_base=True).attach(
        load_robot("four_link"), "universe", POSE, prefix="b_"
    )
    text = graph.to_urdf()
    assert '<link name="universe"' in text
    assert_same(md.load_urdf(text), replace(graph, floating_base=False))


def test_names_of_the_floating_base_that_are_taken():
    text = '<robot name="r"><link name="universe"><inertial><mass value="1"/></inertial></link></robot>'
    with pytest.warns(md.ModelWarning):
        graph = md.load_urdf(text, floating_base=True)
    assert graph.ground.name == "universe_"
    assert "universe_" not in graph.to_urdf()
    assert_same(read_back(graph), graph)


@pytest.mark.parametrize("gravity", [(0.0, 0.0, -1.62), (9.81, 0.0, 0.0)])
def test_gravity_is_written_where_it_is_not_that_of_the_earth(load_robot, gravity):
    graph = load_robot("four_link", gravity=gravity)
    assert_same(read_back(graph), graph)
    assert tuple(read_back(graph, gravity=(1, 2, 3)).gravity) == (1.0, 2.0, 3.0)
    assert "gravity" not in load_robot("four_link").to_urdf()


@pytest.mark.filterwarnings("ignore::modular_dynamics.ModelWarning")
def test_black_boxes_keep_their_links_joints_and_how_they_are_fixed(boxed_arm):
    assert_same(read_back(boxed_arm), boxed_arm)
    graph = md.load_urdf(BOX)
    read = read_back(graph)
    assert_same(read, graph)
    assert read.links == graph.links
    for name in ('name="plate"', 'name="screws"', 'name="weld"', '<mass value="0.3"'):
        assert name in graph.to_urdf()
    for link in graph.links:
        assert_close(read.link_pose(link)[1].vec8(), graph.link_pose(link)[1].vec8())
    without_source = replace(graph, sources=())
    assert_same(read_back(without_source), graph)


def test_payloads_are_part_of_their_links(load_robot):
    graph = load_robot("four_link").with_payload("upper_stem", mass=1.0, com=[0.1, 0, 0])
    graph = graph.with_payload(graph.ground.name, mass=3.0)
    read = read_back(graph)
    assert not read.payloads
    assert_same(read, graph)
    assert read.ground.mass == pytest.approx(graph.ground.mass, rel=1e-15)


def test_a_body_whose_links_masses_are_not_known(load_robot):
    graph = load_robot("four_link")
    body = replace(graph.bodies[1], mass=7.0)
    heavier = replace(graph, bodies=tuple(body if own is graph.bodies[1] else own for own in graph.bodies))
    assert_same(read_back(heavier), heavier)
    bare = replace(graph, bodies=tuple(replace(own, parts=()) for own in graph.bodies))
    assert_same(read_back(bare), bare)


def test_limits_that_are_not_there_stay_so(load_robot):
    graph = load_robot("four_link")
    limits = [Limits(), Limits(lower=-1.0), Limits(upper=2.0, effort=3.0), Limits(-1.0, 1.0, None, 4.0)]
    joints = tuple(replace(joint, limits=own) for joint, own in zip(graph.joints, limits, strict=True))
    graph = replace(graph, joints=joints)
    assert [joint.limits for joint in read_back(graph).joints] == limits


def changed_joint(graph, **fields):
    """The graph with other fields of its first joint."""
    return replace(graph, joints=(replace(graph.joints[0], **fields), *graph.joints[1:]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda g: changed_joint(g, armature=1e13), "armature='1[0.e+]*' is too large"),
        (lambda g: changed_joint(g, damping=-1.0), "joint 'turn' would be read back"),
        (lambda g: changed_joint(g, limits=Limits(effort=-1.0)), "joint 'turn' would be read back"),
        (lambda g: replace(g, name=""), "<robot> lacks 'name'"),
        (lambda g: replace(g, name="a\0b"), "<robot> with name='a.x00b' cannot be written as XML"),
        (
            lambda g: g.with_parameters({"gravity x": 1e10}),
            "tags: <modular_dynamics>: gravity='1[0.e+]* .*' is too large",
        ),
        (lambda g: replace(g, passive_joints=("turn", "turn")), "two passive joints are named"),
        (
            lambda g: replace(
                g, ground=replace(g.ground, parts=(Link("base", Inertial.none), Link("base", Inertial.none)))
            ),
            "two links are named 'base'",
        ),
    ],
)
def test_what_a_urdf_cannot_express_is_an_error_that_names_it(change, message):
    graph = change(md.load_urdf(ROBOTS / "four_link.urdf"))
    with pytest.raises(md.UnsupportedModelError, match=message):
        graph.to_urdf()


def test_a_pose_that_is_a_unit_only_to_nine_digits_is_attached_as_a_rotation(load_robot):
    arm = load_robot("four_link")
    loose = pose(POSE.primary * (1.0 + 4e-10), [0.1, 0.2, 0.3])
    joined = arm.attach(arm, "right_branch", loose, prefix="b_")
    assert_same(read_back(joined), joined)


def test_a_robot_without_joints_and_names_with_any_characters():
    text = '<robot name="&quot;R&quot; &amp; &lt;D&gt;"><link name="a&lt;&amp;&#10;\u00fc  b"/></robot>'
    graph = md.load_urdf(text)
    assert md.load_urdf(graph.to_urdf()).links == ("a<&\n\u00fc  b",)
    assert md.load_urdf(graph.to_urdf()).name == '"R" & <D>'


def test_text_that_was_read_back_gives_the_same_text(load_robot):
    for name in ("charmie", "vendor_arm", "four_link", "branched_38dof"):
        text = load_robot(name).to_urdf()
        assert md.load_urdf(text).to_urdf() == text
