"""Vectors in other orders, by names: mimic joints, joints that one side lacks, rows, bad input."""

import numpy as np
import pinocchio
import pytest
from hypothesis import given

import modular_dynamics as md
from helpers.paths import ROBOTS
from helpers.random_examples.examples import examples
from helpers.random_examples.trees import random_trees
from helpers.robots.urdf_text import joint, robot
from helpers.tree_dynamics import assert_close


@pytest.fixture
def arm(load_robot):
    return load_robot("vendor_arm", floating_base=True)


def test_names_in_any_order_there_and_back(load_robot):
    graph = load_robot("branched_38dof")
    rng = np.random.default_rng(0)
    names = rng.permutation(graph.joint_names).tolist()
    order = md.joint_order.from_names(graph, names)
    q = rng.normal(size=(4, graph.nq))
    theirs = order.to_q(q)
    for k, name in enumerate(names):
        assert np.array_equal(theirs[:, k], q[:, graph.q_slice(name).start])
    assert np.array_equal(order.from_q(theirs), q)
    assert np.array_equal(order.from_v(order.to_v(q)), q)
    assert np.array_equal(order.from_tau(order.to_tau(q)), q)
    assert (order.extra, order.missing, order.names) == ((), (), tuple(names))


def test_mimic_joints_follow_and_their_torque_counts(arm):
    names = [joint.name for joint in arm.joints if joint.type.nq == 1]
    order = md.joint_order.from_names(arm, names)
    assert order.missing == ("root_joint",)
    mimic = next(joint for joint in arm.joints if joint.mimic)
    rng = np.random.default_rng(1)
    q, v, tau = rng.normal(size=arm.nq), *rng.normal(size=(2, arm.nv))
    at = names.index(mimic.name)
    assert order.to_q(q)[at] == arm.joint_position(mimic, q)
    assert order.to_v(v)[at] == arm.joint_rate(mimic, v)
    theirs = rng.normal(size=len(names))
    # the same power: theirs of every joint is ours of the coordinates
    power = order.from_tau(theirs, others=np.zeros(arm.nv))[6:] @ v[6:]
    assert power == pytest.approx(theirs @ order.to_v(v))
    assert order.to_tau(tau) @ order.to_v(v) == pytest.approx(tau[6:] @ v[6:])


def test_joints_that_one_side_lacks_need_values(arm):
    order = md.joint_order.from_names(arm, ["wheel", *arm.joint_names[1:]])
    assert (order.extra, order.missing) == (("wheel",), ("root_joint",))
    q, theirs = np.random.default_rng(2).normal(size=arm.nq), np.arange(9.0)
    with pytest.raises(md.StateError, match="no values are known of wheel; others"):
        order.to_q(q)
    with pytest.raises(md.StateError, match="no values are known of root_joint; others"):
        order.from_q(theirs)
    assert np.array_equal(order.to_q(q, others=theirs), [0.0, *q[7:]])
    assert np.array_equal(order.from_q(theirs, others=q), [*q[:7], *theirs[1:]])
    theirs[0] = np.nan  # not read
    assert np.isfinite(order.from_q(theirs, others=q)).all()


@pytest.mark.parametrize(
    ("compute", "message"),
    [
        (lambda g, o: o.to_q(g.neutral()[1:]), "q has shape"),
        (lambda g, o: o.from_q(np.ones(3)), r"positions have shape \(3,\); \(8,\) or rows"),
        (
            lambda g, o: o.from_v(np.full(8, np.nan)),
            "velocities: those of joint 'tv7_joint_1' are not finite",
        ),
        (lambda g, o: o.from_q(["a"] * 8), "positions are not an array"),
        (lambda g, o: o.from_q(np.ones(8), others=[1.0]), r"others has shape \(1,\)"),
        (lambda g, o: md.joint_order.from_names(g, ["tv7_joint_1"] * 2), "'tv7_joint_1' is named twice"),
        (
            lambda g, o: md.joint_order.from_names(g, "tv7_joint_1"),
            "names is 'tv7_joint_1'; a sequence of joint",
        ),
        (lambda g, o: md.joint_order.from_names(g, 3), "names is 3; a sequence of joint names"),
        (lambda g, o: md.joint_order.from_pinocchio(g, 3), "the model is int; a pinocchio.Model is needed"),
        (lambda g, o: md.joint_order.from_mujoco(g, "m"), "the model is str; a mujoco.MjModel is needed"),
        (
            lambda g, o: md.joint_order.from_names(g, ["root_joint"]),
            "'root_joint' has 1 velocities in the other",
        ),
    ],
)
def test_bad_input_is_named(arm, compute, message):
    order = md.joint_order.from_names(arm, arm.joint_names[1:])
    with pytest.raises(md.StateError, match=message):
        compute(arm, order)


# Orders of Pinocchio's and MuJoCo's models: their torques of the same state are ours.


@examples(60)
@given(tree=random_trees(largest=30))
def test_pinocchios_torques_are_ours(tree):
    graph = md.load_urdf(tree.urdf)
    model = pinocchio.buildModelFromXML(graph.urdf)
    data, order = model.createData(), md.joint_order.from_pinocchio(graph, model)
    q, v, a = tree.state(graph)
    tau = pinocchio.rnea(model, data, order.to_q(q), order.to_v(v), order.to_a(a))
    assert_close(order.from_tau(tau), md.inverse_dynamics(graph, q, v, a))
    back = order.from_q(order.to_q(q))
    assert order.to_q(back) == pytest.approx(order.to_q(q), abs=1e-14)
    assert order.from_v(order.to_v(v)) == pytest.approx(v)
    assert order.from_a(order.to_a(a)) == pytest.approx(a)
    ours = md.forward_dynamics(graph, q, v, order.from_tau(tau))
    assert ours == pytest.approx(a, rel=1e-6, abs=1e-6)


def test_a_free_flyer_of_another_name_is_matched(load_robot):
    graph = load_robot("vendor_arm", floating_base=True)
    model = pinocchio.buildModelFromXML(graph.urdf, pinocchio.JointModelFreeFlyer(), "free_flyer")
    order = md.joint_order.from_pinocchio(graph, model)
    assert (order.missing, order.extra, order.names[0]) == ((), (), "free_flyer")
    planar = pinocchio.buildModelFromXML(graph.urdf, pinocchio.JointModelPlanar())
    with pytest.raises(md.UnsupportedModelError, match="is a JointModelPlanar; graphs have"):
        md.joint_order.from_pinocchio(graph, planar)


def mujoco_model(text, free):
    """The robot in MuJoCo, with its root body free or its fixed links and meshes left as they are."""
    mujoco = pytest.importorskip("mujoco")
    spec = mujoco.MjSpec.from_string(text)
    spec.compiler.fusestatic = 0
    if free:
        spec.worldbody.first_body().add_freejoint()
    return mujoco, spec.compile()


MUJOCO = '<mujoco><compiler fusestatic="false" balanceinertia="false" discardvisual="true"/></mujoco>'


@pytest.mark.parametrize("free", [False, True])
def test_mujocos_torques_are_ours(free):
    """Joints declared in an order that MuJoCo changes, on a root link that has mass."""
    inertial = (
        '<inertial><origin xyz="0.1 0.2 -0.1" rpy="1 0 0"/><mass value="{m}"/>'
        '<inertia ixx="0.03" ixy="0.001" ixz="0.002" iyy="0.04" iyz="0.003" izz="0.05"/></inertial>'
    )
    links = [f'<link name="l{k}">{inertial.format(m=k + 1)}</link>' for k in range(5)]
    joints = [
        joint("wrist", "revolute", "l2", "l3", [0.1, 0.2, 0.3], [0.5, 0.2, 0.1], [0, 1, 1]),
        joint("tail", "prismatic", "l0", "l4", [0, 0.2, 0.3], [0.5, 0.2, 0.1], [1, 0, 0]),
        joint("hip", "continuous", "l0", "l1", [0.1, 0, 0.3], [0.5, 0, 0.1], [1, 0, 0]),
        joint("knee", "revolute", "l1", "l2", [0.1, 0.2, 0], [0, 0.2, 0.1], [0, 0, 1]),
    ]
    text = robot("other_order", [*links, *joints])
    graph = md.load_urdf(text, floating_base=free)
    mujoco, model = mujoco_model(text.replace("</robot>", MUJOCO + "</robot>"), free)
    order, data = md.joint_order.from_mujoco(graph, model), mujoco.MjData(model)
    assert (order.missing, order.extra) == ((), ())
    assert free or order.names != graph.joint_names
    rng = np.random.default_rng(3)
    for _ in range(20):
        q, v, a = rng.normal(size=graph.nq), *rng.normal(size=(2, graph.nv))
        data.qpos[:], data.qvel[:], data.qacc[:] = order.to_q(q), order.to_v(v, q), order.to_a(a, q, v)
        mujoco.mj_inverse(model, data)
        assert_close(order.from_tau(data.qfrc_inverse, q), md.inverse_dynamics(graph, q, v, a))
        assert order.to_tau(order.from_tau(data.qfrc_inverse, q), q) == pytest.approx(data.qfrc_inverse)
        assert order.from_v(data.qvel, q) == pytest.approx(v)
        assert order.from_a(data.qacc, q, v) == pytest.approx(a)
        assert graph.difference(order.from_q(data.qpos), q) == pytest.approx(0.0, abs=1e-14)
    rows = rng.normal(size=(3, graph.nq)), *rng.normal(size=(2, 3, graph.nv))
    for k in range(3):
        q, v, a = (part[k] for part in rows)
        assert np.array_equal(order.to_a(a, q, v), order.to_a(rows[2], rows[0], rows[1])[k])
        assert np.array_equal(order.to_q(q), order.to_q(rows[0])[k])


def test_a_floating_joint_with_an_origin_is_placed_in_the_world():
    inertial = (
        '<inertial><mass value="2"/><inertia ixx="1" ixy="0.1" ixz="0" iyy="2" iyz="0" izz="2.5"/></inertial>'
    )
    float_at = joint("float", "floating", "ground", "body", [0.3, -0.2, 0.5], [0.4, -0.5, 1.1])
    graph = md.load_urdf(
        robot("box", ['<link name="ground"/>', f'<link name="body">{inertial}</link>', float_at])
    )
    alone = robot("box", [f'<link name="body">{inertial}</link>']).replace("</robot>", MUJOCO + "</robot>")
    mujoco, model = mujoco_model(alone, True)
    order, data = md.joint_order.from_mujoco(graph, model), mujoco.MjData(model)
    rng = np.random.default_rng(4)
    q, v, a = rng.normal(size=7), *rng.normal(size=(2, 6))
    data.qpos[:], data.qvel[:], data.qacc[:] = order.to_q(q), order.to_v(v, q), order.to_a(a, q, v)
    mujoco.mj_inverse(model, data)
    pose = md.frame_poses(graph, q, ["body"])[0]
    assert data.body("body").xpos == pytest.approx(pose[:3, 3])
    assert data.body("body").xmat.reshape(3, 3) == pytest.approx(pose[:3, :3])
    assert_close(order.from_tau(data.qfrc_inverse, q), md.inverse_dynamics(graph, q, v, a))
    assert graph.difference(order.from_q(data.qpos), q) == pytest.approx(0.0, abs=1e-14)
    with pytest.raises(md.StateError, match="in the world's axes there: q is needed"):
        order.to_v(v)
    with pytest.raises(md.StateError, match="accelerations of floating joint 'float': v is needed"):
        order.to_a(a, q)


def test_different_joints_of_one_name_are_refused(load_robot):
    graph = load_robot("four_link", floating_base=True)
    text = (ROBOTS / "four_link.urdf").read_text()
    model = pinocchio.buildModelFromXML(text, pinocchio.JointModelSpherical())
    with pytest.raises(
        md.StateError, match="'root_joint' has 3 velocities in the other order and 6 in 'four_link'"
    ):
        md.joint_order.from_pinocchio(graph, model)
