"""Graphs as URDF text: what is read back is the same robot, also after every kind of change."""

import itertools
from dataclasses import replace

import numpy as np
import pinocchio
import pytest
from hypothesis import given
from hypothesis import strategies as st

import modular_dynamics as md
from helpers.paths import ROBOTS
from helpers.random_examples.dual_quaternions import poses
from helpers.random_examples.examples import examples, some
from helpers.random_examples.joint_trees import joint_trees
from helpers.random_examples.mechanisms import random_mechanisms
from helpers.random_examples.trees import partitions, random_trees
from helpers.read_back import assert_close, assert_same, read_back, torques_by_pinocchio
from helpers.robots.closed_robots import STATES
from helpers.robots.mjcf_text import four_bar, random_tree
from helpers.robots.urdf_text import joint, robot
from modular_dynamics.algebra import from_xyz_rpy
from modular_dynamics.mjcf import load_mjcf
from modular_dynamics.model import Inertial, Limits, Link
from modular_dynamics.text.numbers import decimals
from modular_dynamics.urdf.writing import axis, difference, number, origin

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


def assert_same_order(graph, seed=0):
    """What is read back is the same robot, with links and joints in the same order."""
    read = read_back(graph)
    assert_same(read, graph, seed)
    assert read.links == graph.links
    assert [joint.name for joint in read.joints] == [joint.name for joint in graph.joints]


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_every_robot_is_read_back(load_robot, name, floating):
    assert_same_order(load_robot(name, floating_base=floating))


@examples(40)
@given(tree=random_trees(largest=25), data=st.data())
def test_random_trees_in_any_partition(tree, data):
    assert_same_order(md.load_urdf(tree.urdf, data.draw(partitions(tree))), tree.seed)


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


@pytest.mark.parametrize("seed", some(range(12)))
def test_robots_of_mjcf(seed):
    for text in (random_tree(seed, "hsb", terms=True, free=seed % 2 == 1), four_bar()):
        graph = load_mjcf(text)
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
    assert '<mass value="0.3"' in graph.to_urdf()
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


def test_limits_that_are_not_there_stay_so(load_robot):
    graph = load_robot("four_link")
    limits = [Limits(), Limits(lower=-1.0), Limits(upper=2.0, effort=3.0), Limits(-1.0, 1.0, None, 4.0)]
    joints = tuple(replace(joint, limits=own) for joint, own in zip(graph.joints, limits, strict=True))
    graph = replace(graph, joints=joints)
    assert [joint.limits for joint in read_back(graph).joints] == limits


def first(items, **fields):
    """The items, the first one with other fields."""
    return (replace(items[0], **fields), *items[1:])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda g: replace(g, joints=first(g.joints, armature=1e13)), "armature='1[0.e+]*' is too large"),
        (lambda g: replace(g, joints=first(g.joints, damping=-1.0)), "joint 'turn' would be read back"),
        (lambda g: replace(g, name=""), "<robot> lacks 'name'"),
        (lambda g: replace(g, name="a\0b"), "<robot> with name='a.x00b' cannot be written as XML"),
        (
            lambda g: g.with_parameters({"gravity x": 1e10}),
            "tags: <modular_dynamics>: gravity='1[0.e+]* .*' is too large",
        ),
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


def test_a_robot_without_joints_and_names_with_any_characters():
    text = '<robot name="&quot;R&quot; &amp; &lt;D&gt;"><link name="a&lt;&amp;&#10;\u00fc  b"/></robot>'
    graph = md.load_urdf(text)
    assert md.load_urdf(graph.to_urdf()).links == ("a<&\n\u00fc  b",)
    assert md.load_urdf(graph.to_urdf()).name == '"R" & <D>'


# Closed robots as URDF text: the same loops, gears and springs, and the same torques.


@pytest.mark.parametrize("name", STATES)
def test_closed_loops_give_the_same_torques(load_robot, name):
    graph, q = load_robot(name), STATES[name]
    rng = np.random.default_rng(1)
    changed = graph.with_payload(graph.bodies[-1].name, mass=1.5, com=[0.01, 0.02, 0.03])
    for one in (graph, changed):
        read, (v, a) = read_back(one), rng.normal(size=(2, len(q)))
        ours = md.InverseDynamics(one).solve(q, v, a)
        theirs = md.InverseDynamics(read).solve(q, v, a)
        assert_close(theirs.tau, ours.tau, 1e-11)  # positions are solved for to 1e-12
        assert_close(theirs.coordinates, ours.coordinates, 1e-11)
        for kept in ("gears", "passive_joints"):
            assert getattr(read, kept) == getattr(one, kept)


@examples(15)
@given(mechanism=random_mechanisms(largest=8))
def test_random_mechanisms_with_chosen_independent_joints(mechanism):
    graph = mechanism.graph
    read = read_back(graph)
    assert_same(read, graph)
    assert read.independent == graph.independent
    for loop, its in zip(graph.loop_joints, read.loop_joints, strict=True):
        assert_close(its.axis, loop.axis, 1e-15)
        for end, other in zip(loop.anchors, its.anchors, strict=True):
            assert end.link == other.link
            assert_close(other.x_link_anchor.vec8(), end.x_link_anchor.vec8(), 1e-15)


# Joints in the order in which they are read back as they are, mimic joints and late carriers included.


@examples(60)
@given(seed=st.integers(0, 2**32 - 1))
def test_joints_and_q_keep_their_order_in_one_subsystem(seed):
    """A third of the joints mimic another one, and the document is in any order."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 12))
    joints = []
    for k in range(count):
        more = f'<mimic joint="j{rng.integers(0, k)}"/>' if k and rng.random() < 0.35 else ""
        parent = f"l{rng.integers(0, k + 1)}"
        joints.append(joint(f"j{k}", "revolute", parent, f"l{k + 1}", (1, 0, 0), axis=(0, 0, 1), more=more))
    links = [f'<link name="l{k}"/>' for k in range(count + 1)]
    text = robot("r", [*links, *(joints[k] for k in rng.permutation(count))])
    names = [f"j{k}" for k in range(count)]
    one = {"version": 1, "subsystems": [{"name": "all", "joints": names}]}
    with pytest.warns(md.ModelWarning):  # ends without mass
        graph = md.load_urdf(text, one)
    read = read_back(graph)
    assert read.joint_names == graph.joint_names
    assert [own.name for own in read.joints] == [own.name for own in graph.joints]


# Numbers, axes and poses: exactly those that are read back, also where roll and yaw turn about one axis.

#: A few roundings of numbers of size 1; rotations are products of three.
ROUNDING = 1e-15
finite = st.floats(allow_nan=False, allow_infinity=False)
RIGHT = np.pi / 2


def read(element):
    """The pose that a reader of an <origin> takes."""
    return from_xyz_rpy(decimals(element.get("xyz")), decimals(element.get("rpy")))


def assert_read_back(x, rounding=ROUNDING):
    other = read(origin(x)).vec8()
    other *= np.copysign(1.0, other[:4] @ x.vec8()[:4])  # r and -r are the same rotation
    np.testing.assert_allclose(other, x.vec8(), rtol=0, atol=rounding * max(1.0, np.abs(x.vec8()).max()))


@given(finite)
def test_numbers_are_read_back_to_the_bit(value):
    assert decimals(number(value)) == [value]
    assert decimals(number(np.float64(value))) == [value]
    assert number(-0.0) == "0.0"


@given(poses)
def test_poses(x):
    assert_read_back(x, 4e-15)


@pytest.mark.parametrize("sign", [-1.0, 1.0])
@pytest.mark.parametrize("off", [0.0, 5e-324, 1e-17, 1e-16, 1e-15, 1e-12, 1e-9, 1e-8, 1e-7, 1e-5, 1e-3])
def test_rotations_at_the_gimbal_position_and_near_it(sign, off):
    """Pitch of a right angle: only the sum or difference of roll and yaw is known, but the rotation is."""
    for roll, yaw, side in itertools.product((0.0, 0.3, -2.0, np.pi), (0.0, 1.1, -3.0), (-1.0, 1.0)):
        assert_read_back(from_xyz_rpy([0.1, 0.2, 0.3], [roll, sign * RIGHT + side * off, yaw]))


@pytest.mark.parametrize("given", [(1, 1, 0), (1, 1, 1), (0, 0, -1), (3, 4, 0), (1, -2, 5)])
def test_axes_are_read_back_to_the_bit(given):
    unit = np.array(given, float) / np.linalg.norm(given)
    candidate = axis(unit)
    np.testing.assert_array_equal(candidate / np.linalg.norm(candidate), unit)


# A graph that was read back differently is noticed, whatever differs.

STEP = from_xyz_rpy([1e-6, 0, 0], [0, 0, 0])


def shifted(graph, quantity):
    """The graph with one number of its first moving link larger by 1e-8."""
    name = f"link {graph.bodies[0].name} {quantity}"
    return graph.with_parameters({name: graph.parameters[name].value + 1e-8})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda g: replace(g, name="other"), "the name"),
        (lambda g: replace(g, gravity=np.array([0, 0, -9.8])), "gravity"),
        (lambda g: g.with_independent_joints(g.joint_names[-1]), "the independent joints"),
        (lambda g: replace(g, joints=first(g.joints, limits=Limits(-2.0, 3.0))), "joint '"),
        (
            lambda g: replace(g, joints=first(g.joints, x_parent_joint=STEP * g.joints[0].x_parent_joint)),
            "joint '",
        ),
        (lambda g: replace(g, joints=first(g.joints, axis=-g.joints[0].axis)), "joint '"),
        (lambda g: g.with_payload(g.links[-1], mass=1e-6), "mass or inertia of body"),
        (lambda g: shifted(g, "com x"), "centre of mass"),
        (lambda g: replace(g, loop_joints=g.loop_joints[1:]), "would be lost"),
        (lambda g: replace(g, gears=first(g.gears, ratio=7.0)), "the gear of joint"),
        (lambda g: replace(g, subsystems=first(g.subsystems, name="other")), "would be lost"),
    ],
)
def test_a_difference_is_named(change, words):
    graph = md.load_urdf(ROBOTS / "exoskeleton.urdf")
    other = change(graph)
    assert words in difference(graph, other)
    assert difference(other, graph)
    assert not difference(graph, graph)
    assert not difference(other, other)
