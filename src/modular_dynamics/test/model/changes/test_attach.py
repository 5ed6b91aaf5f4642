"""Attached robots: as one URDF of both, as Pinocchio appends models, with loops, gears and springs."""

from dataclasses import replace

import numpy as np
import pinocchio
import pytest
from hypothesis import given
from hypothesis import strategies as st

import modular_dynamics as md
from helpers.changed_robots import add_robot, assert_same_connections, edited
from helpers.random_examples.black_boxes import boxed_trees
from helpers.random_examples.examples import examples
from helpers.read_back import assert_same, read_back
from helpers.robots.closed_robots import STATES
from modular_dynamics.algebra import DualQuaternion, from_xyz_rpy, to_rotation_translation

XYZ, RPY = (0.3, -0.2, 0.5), (0.4, 1.1, -2.0)
POSE = from_xyz_rpy(XYZ, RPY)


@examples(40)
@given(tree=boxed_trees(), other=boxed_trees(), data=st.data())
def test_with_black_boxes_is_one_urdf_of_both(tree, other, data):
    """Subsystems that begin on several links of their root are among them: their point is the body's."""
    graph, arm = tree.load(), other.load()
    link = data.draw(st.sampled_from(graph.links))
    if tree.boxed(link):
        with pytest.raises(md.UnsupportedModelError, match="belongs to the black box"):
            graph.attach(arm, link, POSE, prefix="other_")
        return
    both = edited(tree.urdf, lambda root: add_robot(root, other.urdf, link, XYZ, RPY, "other_"))
    subsystems = tree.subsystems(both) + other.subsystems(both, "other_")
    joined = graph.attach(arm, link, POSE, prefix="other_")
    assert_same_connections(joined)
    assert_same(joined, md.load_urdf(both, {"version": 1, "subsystems": subsystems}))
    assert_same(read_back(joined), joined)


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("name", ["charmie", "branched_38dof", "four_link"])
def test_is_pinocchios_appended_model(load_robot, name, floating):
    graph, arm = load_robot(name, floating_base=floating), load_robot("vendor_arm")
    link = graph.bodies[-1].name
    joined = graph.attach(arm, link, POSE, prefix="arm_")
    root = [pinocchio.JointModelFreeFlyer()] if floating else []
    whole = pinocchio.buildModelFromXML(graph.urdf, *root)
    tool = pinocchio.buildModelFromXML(arm.urdf)
    for k in range(1, tool.njoints):
        tool.names[k] = "arm_" + tool.names[k]
    for frame in tool.frames:
        frame.name = "arm_" + frame.name
    frame = whole.getFrameId(link, pinocchio.BODY)
    theirs = pinocchio.appendModel(whole, tool, frame, pinocchio.SE3(*to_rotation_translation(POSE)))
    theirs = theirs[0] if isinstance(theirs, tuple) else theirs
    ours = md.crosscheck.PinocchioModel(joined)
    theirs.gravity = ours.model.gravity
    assert {*ours.model.names} == {*theirs.names}
    rng, order = np.random.default_rng(1), md.joint_order.from_pinocchio(joined, theirs)
    q, v, a = rng.normal(size=joined.nq), *rng.normal(size=(2, joined.nv))
    state = order.to_q(q), order.to_v(v), order.to_v(a)
    expected = order.from_tau(pinocchio.rnea(theirs, theirs.createData(), *state))
    assert np.abs(md.inverse_dynamics(joined, q, v, a) - expected).max() <= 1e-12 * np.abs(expected).max()
    assert_same_connections(joined)


def test_a_mechanism_keeps_its_loops_gears_and_springs(load_robot):
    """On a base that stands still its torques are its own; the base feels its weight."""
    arm, exo = load_robot("four_link"), load_robot("exoskeleton")
    joined = arm.attach(exo, arm.ground.name, prefix="exo_")
    assert [loop.name for loop in joined.loop_joints] == ["exo_" + loop.name for loop in exo.loop_joints]
    assert len(joined.gears) == len(exo.gears)
    q = STATES["exoskeleton"]
    rest = np.zeros(arm.nv)
    v, a = np.random.default_rng(0).normal(size=(2, len(q)))
    state = np.r_[rest, q], np.r_[rest, v], np.r_[rest, a]
    tau = md.inverse_dynamics(joined, *state)
    assert tau[arm.nv :] == pytest.approx(md.inverse_dynamics(exo, q, v, a), rel=1e-9)
    assert tau[: arm.nv] == pytest.approx(md.inverse_dynamics(arm, rest, rest, rest), rel=1e-9, abs=1e-9)


def test_a_mechanism_on_a_moving_link_is_carried(load_robot):
    """At rest, the torques of the carrying joints are the derivative of the energy."""
    arm, crane = load_robot("four_link"), load_robot("crane")
    joined = arm.attach(crane, arm.links[-1], POSE, prefix="crane_")
    q = np.r_[np.full(arm.nv, 0.3), STATES["crane"]]
    torque = md.gravity_torque(joined, q)

    def potential(q):
        return md.energy(joined, md.close_loops(joined, q), np.zeros(joined.nv))

    for k in range(arm.nv):
        step = 1e-5 * np.eye(len(q))[k]
        slope = (potential(q + step) - potential(q - step)) / 2e-5
        assert slope == pytest.approx(torque[k], rel=1e-6, abs=1e-6)


def test_springs_and_chosen_joints_come_along(load_robot):
    arm, torso = load_robot("four_link"), load_robot("charmie_torso")
    joined = arm.attach(torso, arm.links[-1], prefix="t_")
    assert [spring.name for spring in joined.springs] == ["t_" + spring.name for spring in torso.springs]
    assert {a.link for s in joined.springs for a in s.anchors} <= set(joined.links)
    assert joined.independent_joint_names == (
        *arm.joint_names,
        *("t_" + name for name in torso.independent_joint_names),
    )
    chosen = torso.with_independent_joints(torso.joint_names[0])
    assert arm.attach(chosen, arm.links[-1], prefix="t_").independent == (
        *arm.joint_names,
        "t_" + torso.joint_names[0],
    )


def test_the_root_link_of_the_other_adds_its_mass(load_robot):
    graph = load_robot("four_link")
    link = graph.bodies[-1].name
    heavy = graph.with_payload(graph.ground.name, mass=5.0)
    joined = graph.attach(heavy, link, prefix="b_")
    assert joined.bodies[3].mass == pytest.approx(graph.bodies[3].mass + 5.0 + graph.ground.mass)
    assert [*joined.payloads] == ["b_" + graph.ground.name]
    same = joined.with_payload("b_" + graph.ground.name, mass=0.0)
    assert_same(same, graph.attach(graph, link, prefix="b_"))


def test_a_homogeneous_matrix_is_a_pose_too(load_robot):
    graph, arm = load_robot("four_link"), load_robot("vendor_arm")
    R, p = to_rotation_translation(POSE)
    matrix = np.block([[R, p[:, None]], [np.zeros(3), 1.0]])
    ours, theirs = (graph.attach(arm, graph.links[-1], pose) for pose in (matrix, POSE))
    assert_same(ours, theirs)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"pose": np.eye(3)}, md.ModelError, r"pose is .* shape \(4, 4\)"),
        ({"pose": np.diag([1.0, 1, 2, 1])}, md.ModelError, "no homogeneous matrix: not a rotation"),
        ({"pose": np.ones((4, 4))}, md.ModelError, "no homogeneous matrix: the last row"),
        ({"pose": DualQuaternion.zero}, md.ModelError, "a unit dual quaternion is needed"),
        ({"link": ["base"]}, md.UnknownNameError, r"no link '\['base'\]' in 'four_link'"),
        ({"link": "nose"}, md.UnknownNameError, "no link 'nose' in 'four_link'"),
    ],
)
def test_wrong_places_are_refused(load_robot, arguments, error, message):
    graph = load_robot("four_link")
    with pytest.raises(error, match=message):
        graph.attach(load_robot("vendor_arm"), **{"link": graph.links[-1], "prefix": "a_", **arguments})


def test_what_is_no_robot_is_refused(load_robot):
    graph = load_robot("four_link")
    with pytest.raises(md.GraphTypeError, match=r"type str 'arm.urdf' is given where a SubsystemGraph"):
        graph.attach("arm.urdf", graph.links[-1])
    with pytest.raises(md.ModelError, match=r"the prefix is 3; text is needed"):
        graph.attach(graph, graph.links[-1], prefix=3)


def test_names_that_both_have_are_refused(load_robot):
    graph = load_robot("four_link")
    with pytest.raises(md.ModelError, match=r"both have a link 'base'; give the attached robot a prefix"):
        graph.attach(graph, graph.links[-1])
    with pytest.raises(md.ModelError, match=r"both have a subsystem 'left_arm'; give"):
        load_robot("charmie").attach(load_robot("vendor_arm"), "world", prefix="left_")
    joints = [replace(joint, child_link="a_" + joint.child_link) for joint in graph.joints]
    bodies = [replace(body, name="a_" + body.name, links={}, parts=()) for body in graph.bodies]
    ground = replace(graph.ground, name="a", links={}, parts=())
    other = replace(graph, joints=tuple(joints), bodies=tuple(bodies), ground=ground)
    with pytest.raises(md.ModelError, match=r"both have a joint, loop joint or spring 'turn'; give"):
        graph.attach(other, graph.links[-1])


def test_a_floating_base_is_refused(load_robot):
    graph = load_robot("four_link")
    with pytest.raises(md.ModelError, match=r"has a floating base, .* load it without floating_base"):
        graph.attach(load_robot("vendor_arm", floating_base=True), graph.links[-1])
