"""Vectors in other orders, by names: mimic joints, joints that one side lacks, rows, bad input."""

import numpy as np
import pytest

import modular_dynamics as md


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
