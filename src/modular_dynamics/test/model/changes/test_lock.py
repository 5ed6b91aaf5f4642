"""Locked joints: as joints fixed in the URDF, as Pinocchio reduces models, and in loops."""

from dataclasses import replace

import numpy as np
import pinocchio
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import modular_dynamics as md
from helpers.changed_robots import (
    assert_same_connections,
    edited,
    fix_joint,
)
from helpers.random_examples.black_boxes import boxed_trees
from helpers.random_examples.examples import examples
from helpers.random_examples.trees import partitions, random_trees
from helpers.read_back import assert_same, read_back
from helpers.robots.closed_robots import STATES
from helpers.tree_dynamics import ROBOT_NAMES
from modular_dynamics.algebra import from_xyz_rpy


@pytest.mark.slow
@examples(60)
@given(tree=random_trees(largest=25), data=st.data())
def test_any_partition_stays_one(tree, data):
    """Torques of the joints that stay are those of the whole robot whose other joints stand still."""
    graph = md.load_urdf(tree.urdf, data.draw(partitions(tree)))
    names = data.draw(st.lists(st.sampled_from(graph.joint_names), unique=True))
    q, v, a = tree.state(graph)
    for name in names:
        v[graph.v_slice(name)] = a[graph.v_slice(name)] = 0.0
    locked = graph.lock({name: q[graph.q_slice(name)] for name in names})
    assert_same_connections(locked, 1e-11)
    assert locked.joint_names == tuple(name for name in graph.joint_names if name not in names)
    into_q = [k for name in locked.joint_names for k in range(graph.nq)[graph.q_slice(name)]]
    into_v = [k for name in locked.joint_names for k in range(graph.nv)[graph.v_slice(name)]]
    expected = md.inverse_dynamics(graph, q, v, a)[into_v]
    state = q[into_q], v[into_v], a[into_v]
    bound = 1e-11 * max(np.abs(expected).max(initial=0.0), 1.0)
    assert np.abs(md.inverse_dynamics(locked, *state) - expected).max(initial=0.0) <= bound
    ours, theirs = md.frame_poses(locked, state[0]), md.frame_poses(graph, q)
    at = [graph.links.index(link) for link in locked.links]
    assert np.abs(ours - theirs[at]).max() <= 1e-11 * max(np.abs(theirs).max(), 1.0)


@pytest.mark.parametrize("name", ROBOT_NAMES)
def test_is_pinocchios_reduced_model(load_robot, name):
    graph = load_robot(name)
    rng = np.random.default_rng(3)
    q = rng.uniform(0.0, 0.05, graph.nq)  # within all limits
    mimics = {joint.name for joint in graph.joints if joint.mimic is not None}
    drivers = {joint.mimic.joint for joint in graph.joints if joint.mimic is not None}
    names = [n for n in graph.joint_names[::3] if n not in drivers]
    locked = graph.lock({name: q[graph.q_slice(name)] for name in names})
    whole = pinocchio.buildModelFromXML(graph.urdf)
    theirs = md.joint_order.from_pinocchio(graph, whole).to_q(q)
    reduced = pinocchio.buildReducedModel(whole, [whole.getJointId(n) for n in names], theirs)
    assert {*reduced.names} - {"universe"} == {joint.name for joint in locked.joints}
    for joint, body in zip(locked.joints, locked.bodies, strict=True):
        i = reduced.getJointId(joint.name)
        assert body.mass == pytest.approx(reduced.inertias[i].mass, rel=1e-12)
        assert body.com == pytest.approx(reduced.inertias[i].lever, abs=1e-12)
        assert body.inertia == pytest.approx(reduced.inertias[i].inertia, abs=1e-11)
    assert mimics <= {joint.name for joint in locked.joints}


def test_joints_that_follow_are_locked_too(load_robot):
    graph = load_robot("vendor_arm")
    (mimic,) = (joint for joint in graph.joints if joint.mimic is not None)
    locked = graph.lock({mimic.mimic.joint: 0.01})
    assert mimic.name not in {joint.name for joint in locked.joints}
    q = np.zeros(graph.nq)
    q[graph.q_slice(mimic.mimic.joint)] = 0.01
    ours = md.frame_poses(locked, np.zeros(locked.nq), [mimic.child_link])
    assert ours == pytest.approx(md.frame_poses(graph, q, [mimic.child_link]), abs=1e-12)
    same = graph.lock(
        {mimic.mimic.joint: 0.01, mimic.name: 0.01 * mimic.mimic.multiplier + mimic.mimic.offset}
    )
    assert same.joint_names == locked.joint_names
    with pytest.raises(
        md.ModelError, match=rf"'{mimic.name}' cannot be locked alone: .* {mimic.mimic.joint}"
    ):
        graph.lock({mimic.name: 0.01})
    with pytest.raises(md.ModelError, match=rf"'{mimic.name}' cannot be locked at 0.5: it follows"):
        graph.lock({mimic.mimic.joint: 0.01, mimic.name: 0.5})


def test_geared_joints_follow_their_drivers(load_robot):
    """theta_12 follows rho_4; rho_6 follows rho_5 - rho_4."""
    graph, q = load_robot("exoskeleton"), STATES["exoskeleton"]
    (reduced,) = (gear for gear in graph.lock({"rho_5": 0.1}).gears if gear.joint == "rho_6")
    assert (reduced.drivers, reduced.offset) == ((("rho_4", -1.0),), pytest.approx(0.1))
    locked = graph.lock({"rho_4": 0.3})
    assert set(graph.joint_names) - set(locked.joint_names) == {"rho_4", "theta_12"}
    assert not set(graph.lock({"rho_4": 0.3, "rho_5": 0.1}).joint_names) & {
        "rho_4",
        "rho_5",
        "rho_6",
        "theta_12",
    }
    with pytest.raises(
        md.ModelError, match=r"'rho_6' cannot be locked alone: its position follows from rho_5"
    ):
        graph.lock({"rho_6": 0.0, "rho_4": 0.0})
    # one of the independent joints stands still: the torques of the others are those of the whole mechanism
    names = graph.independent_joint_names
    standing, kept = q[names.index("rho_5")], [k for k, name in enumerate(names) if name != "rho_5"]
    v, a = np.random.default_rng(0).normal(size=(2, len(names))) * (np.array(names) != "rho_5")
    tau = md.inverse_dynamics(graph.lock({"rho_5": standing}), q[kept], v[kept], a[kept])
    expected = md.inverse_dynamics(graph, q, v, a)[kept]
    assert tau == pytest.approx(expected, rel=1e-9)


@pytest.mark.filterwarnings("ignore:.*beyond its limits")
def test_a_loop_that_is_locked_whole_is_closed_or_refused(load_robot):
    graph, q = load_robot("four_bar"), STATES["four_bar"]
    closed = md.close_loops(graph, q)
    positions = {name: closed[graph.q_slice(name)][0] for name in graph.joint_names}
    rigid = graph.lock(positions)
    assert (rigid.joints, rigid.loop_joints, rigid.passive_joints) == ((), (), ())
    assert {*rigid.ground.links} == {*graph.links}
    open_at = dict.fromkeys(graph.joint_names, 0.3)
    with pytest.raises(
        md.ModelError, match=r"loop joint '.*' is open by 0.* m .* would be fixed to each other"
    ):
        graph.lock(open_at)


@pytest.mark.parametrize("kind", ["revolute", "fixed", "universal", "prismatic", "spherical", "planar"])
def test_a_reversed_loop_joint_is_not_closed(load_robot, kind):
    """Half a turn about x: fine for joints that allow it."""
    graph, q = load_robot("four_bar"), STATES["four_bar"]
    closed = md.close_loops(graph, q)
    rigid = {name: closed[graph.q_slice(name)][0] for name in graph.joint_names}
    (loop,) = graph.loop_joints
    held = replace(graph, loop_joints=()).lock(rigid)
    # the successor's frame where the predecessor's is, turned about x, its axis z
    ends = [held.link_pose(anchor.link)[1] for anchor in (loop.predecessor, loop.successor)]
    x = ends[1].conjugate() * ends[0] * loop.predecessor.x_link_anchor
    turned = replace(loop.successor, x_link_anchor=x * from_xyz_rpy([0, 0, 0], [np.pi, 0, 0]))
    with_turn = replace(loop, type=kind, successor=turned, axis=np.array([0.0, 0.0, 1.0]))
    changed = replace(graph, loop_joints=(with_turn,))
    if kind in ("revolute", "fixed", "prismatic"):
        with pytest.raises(md.ModelError, match=r"is open by"):
            changed.lock(rigid)
    else:
        assert not changed.lock(rigid).loop_joints


def test_a_floating_base_can_be_locked(load_robot):
    graph = load_robot("charmie", floating_base=True)
    standing = graph.lock({"root_joint": [0.1, 0.2, 0.3, 2.0, 0.0, 0.0, 0.0]})
    assert (standing.floating_base, standing.ground.name) == (False, "universe")
    fixed = load_robot("charmie")
    state = np.random.default_rng(0).normal(size=(3, fixed.nv))
    assert md.inverse_dynamics(standing, *state) == pytest.approx(
        md.inverse_dynamics(fixed, *state), rel=1e-11
    )
    with pytest.raises(md.ModelError, match=r"zero quaternion"):
        graph.lock({"root_joint": np.zeros(7)})


def test_a_ball_joint_can_be_locked(load_robot):
    graph = load_robot("four_link")
    ball = replace(graph.joints[0], type=md.JointType.SPHERICAL)
    graph = replace(graph, joints=(ball, *graph.joints[1:]))
    locked = graph.lock({ball.name: [1.0, 0.0, 1.0, 0.0]})
    x = ball.x_parent_joint * ball.motion(np.array([1.0, 0.0, 1.0, 0.0]))
    assert locked.ground.links[ball.child_link].is_close(x)


def test_payloads_stay_and_can_be_taken_off(load_robot):
    graph = load_robot("charmie")
    link, name = graph.bodies[-1].name, graph.joints[-1].name
    locked = graph.with_payload(link, mass=2.0, com=[0, 0, 0.1]).lock({name: 0.2})
    assert [*locked.payloads] == [link]
    bare, never = locked.with_payload(link, mass=0.0), graph.lock({name: 0.2})
    assert_same(bare, never)


def test_a_position_beyond_the_limits_is_a_warning(load_robot):
    with pytest.warns(md.ModelWarning, match=r"'head_tilt' is locked at 9, beyond its limits") as caught:
        load_robot("charmie").lock({"head_tilt": 9.0})
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("positions", "error", "message"),
    [
        ({"nose": 0.0}, md.UnknownNameError, "no joint 'nose' in 'charmie'; its joints: base_x"),
        ({"head_tilt": "a"}, md.ModelError, "position of joint 'head_tilt' is "),
        ({"head_tilt": [0.0, 1.0]}, md.ModelError, r"shape \(1,\)"),
        ({"head_tilt": np.nan}, md.ModelError, "finite numbers"),
        (["head_tilt"], md.ModelError, r"positions are \['head_tilt'\]; a mapping of names"),
    ],
)
def test_wrong_positions_are_refused(load_robot, positions, error, message):
    with pytest.raises(error, match=message):
        load_robot("charmie").lock(positions)


# Locked joints of robots with black boxes: as joints fixed in the URDF.

AT = 0.3  # [rad or m]


@pytest.mark.filterwarnings("ignore:.*beyond its limits")
@examples(60)
@given(tree=boxed_trees(), data=st.data())
def test_is_a_joint_fixed_in_the_urdf_black_boxes(tree, data):
    graph = tree.load()
    names = [joint.name for joint in graph.joints if joint.type.nv == 1 and joint.mimic is None]
    assume(names)
    positions = dict.fromkeys(data.draw(st.lists(st.sampled_from(names), min_size=1, unique=True)), AT)
    mimics = [joint for joint in graph.joints if joint.mimic is not None and joint.mimic.joint in positions]
    following = {joint.name: joint.mimic.multiplier * AT + joint.mimic.offset for joint in mimics}
    if any(in_or_on_a_box(graph, graph.joint(name)) for name in positions | following):
        with pytest.raises(md.UnsupportedModelError, match="cannot be locked: it is part of the black box"):
            graph.lock(positions)
        return
    locked = graph.lock(positions)

    def fix(root):
        for name, at in (positions | following).items():
            fix_joint(root, graph, name, at)

    assert_same_connections(locked)
    assert_same(locked, tree.load(edited(tree.urdf, fix)))
    assert_same(read_back(locked), locked)


def in_or_on_a_box(graph, joint):
    """Whether a joint is in a black box, or on a link at which one begins."""
    boxes = [box for box in graph.subsystems if box.black_box]
    return any(joint in box.joints or joint.parent_link in box.fixed_links for box in boxes)
