"""Steps and differences of positions against Pinocchio, limits, random configurations, bad input."""

from dataclasses import replace

import numpy as np
import pinocchio
import pytest
from hypothesis import given

import modular_dynamics as md
from helpers.random_examples.examples import examples
from helpers.random_examples.trees import random_trees
from helpers.robots.urdf_text import inertial, joint, robot
from modular_dynamics.model import JointType, Limits, joint_limits, usual_range


@examples(60)
@given(tree=random_trees(largest=20))
def test_steps_and_differences_agree_with_pinocchio(tree):
    graph = md.load_urdf(tree.urdf)
    pin = md.crosscheck.PinocchioModel(graph)
    q0, v, _ = tree.state(graph)
    q1 = graph.integrate(q0, v, 0.4)
    theirs = pinocchio.integrate(pin.model, pin.q(q0), 0.4 * pin.v(v))
    order = md.joint_order.from_pinocchio(graph, pin.model)
    step = pinocchio.difference(pin.model, pin.q(q0), pin.q(q1))
    assert graph.difference(order.from_q(theirs), q1, shortest=True) == pytest.approx(0.0, abs=1e-12)
    assert order.from_v(step) == pytest.approx(graph.difference(q0, q1, shortest=True), abs=1e-11)


@examples(60)
@given(tree=random_trees(largest=20))
def test_integrating_a_difference_leads_there(tree):
    graph = md.load_urdf(tree.urdf)
    q0, q1 = np.random.default_rng(tree.seed).normal(size=(2, 7, graph.nq)) * 3.0
    step = graph.difference(q0, q1)
    there = graph.integrate(q0, step)
    assert graph.difference(there, q1) == pytest.approx(0.0, abs=1e-11)
    for row in range(7):
        assert np.array_equal(graph.difference(q0[row], q1[row]), step[row])
        assert np.array_equal(graph.integrate(q0[row], step[row]), there[row])
    assert graph.integrate(q0[0], step[0], np.array([0.0, 0.5, 1.0])).shape == (3, graph.nq)


def test_spherical_joints_turn_about_axes_of_the_child():
    graph = ball_graph()
    q = np.array([1.0, 0, 0, 0])
    half = graph.integrate(q, [0, 0, np.pi / 2])
    assert half == pytest.approx([np.sqrt(0.5), 0, 0, np.sqrt(0.5)])
    then = graph.integrate(half, [np.pi / 2, 0, 0])  # about the child's x axis, now along y
    assert then == pytest.approx([0.5, 0.5, 0.5, 0.5])
    assert graph.difference(half, then) == pytest.approx([np.pi / 2, 0, 0])
    assert graph.difference(q, -q) == pytest.approx([0, 0, 0])


def one_joint(kind):
    link = f'<link name="b">{inertial(2.0, [0.1, 0, 0], np.eye(3))}</link>'
    return robot("one", ['<link name="a"/>', link, joint("j", kind, "a", "b", [0, 0, 1], axis=[0, 0, 1])])


def ball_graph():
    """A body on a ball joint."""
    graph = md.load_urdf(one_joint("revolute"))
    ball = replace(graph.joints[0], type=JointType.SPHERICAL)
    return replace(graph, joints=(ball,))


def test_continuous_joints_count_turns_unless_the_shortest_way_is_asked_for():
    graph = md.load_urdf(one_joint("continuous"))
    assert graph.difference([0.0], [7.0]) == pytest.approx([7.0])
    assert graph.difference([0.0], [7.0], shortest=True) == pytest.approx([7.0 - 2 * np.pi])


def test_limits_are_those_of_the_file(load_robot):
    graph = load_robot("vendor_arm", floating_base=True)
    lower, upper = graph.position_limits
    for name in graph.joint_names:
        joint = graph.joint(name)
        if joint.type.nq == 1:
            assert lower[graph.q_slice(name)] == joint.limits.lower
            assert upper[graph.q_slice(name)] == joint.limits.upper
            assert graph.effort_limits[graph.v_slice(name)] == joint.limits.effort
            assert graph.velocity_limits[graph.v_slice(name)] == joint.limits.velocity
        else:
            assert np.isinf([*lower[graph.q_slice(name)], *graph.effort_limits[graph.v_slice(name)]]).all()
    with pytest.raises(ValueError, match="read-only"):
        lower[0] = 1.0


def test_limits_without_a_range_are_none():
    (revolute,) = md.load_urdf(one_joint("revolute")).joints
    assert joint_limits(revolute) == (-9, 9)
    for limits in (Limits(0.0, 0.0), Limits(1.0, -1.0), Limits()):
        assert joint_limits(replace(revolute, limits=limits)) == (-np.inf, np.inf)


@pytest.mark.parametrize(
    ("limits", "seen", "drawn"),
    [
        ((-1.0, 2.0), (-1.0, 2.0), (-1.0, 2.0)),
        ((-1e9, 1e9), (-1e9, 1e9), (-1e9, 1e9)),
        ((0.8, 1e16), (0.8, np.inf), (0.8, 0.8 + 2 * np.pi)),
        ((-1.0, 1.7976931348623157e308), (-1.0, np.inf), (-1.0, 2 * np.pi - 1.0)),
        ((-1.7976931348623157e308, -5.0), (-np.inf, -5.0), (-5.0 - 2 * np.pi, -5.0)),
        ((-1e308, 1e308), (-np.inf, np.inf), (-np.pi, np.pi)),
    ],
)
def test_limits_that_files_write_for_unlimited_are_none(limits, seen, drawn):
    (revolute,) = md.load_urdf(one_joint("revolute")).joints
    one = replace(revolute, limits=Limits(*limits))
    assert joint_limits(one) == seen
    assert usual_range(one) == pytest.approx(drawn, rel=1e-15)


def test_random_configurations_are_within_limits_and_turned_any_way(load_robot):
    graph = load_robot("vendor_arm", floating_base=True)
    q = graph.random_configuration(np.random.default_rng(0), 2000)
    lower, upper = graph.position_limits
    assert ((q >= lower) & (q <= upper)).all()
    assert np.linalg.norm(q[:, 3:7], axis=1) == pytest.approx(1.0)
    assert np.abs(q[:, 3:7].mean(axis=0)).max() < 0.05  # five standard deviations: 5 * 0.5 / sqrt(2000)
    single = graph.random_configuration(np.random.default_rng(0))
    assert single.shape == (graph.nq,)
    middle, width = (lower[7:] + upper[7:]) / 2, upper[7:] - lower[7:]
    assert (np.abs(q[:, 7:].mean(axis=0) - middle) < 5 * width / np.sqrt(12 * 2000)).all()
    assert graph.random_configuration(np.random.default_rng(1), 0).shape == (0, graph.nq)


@pytest.mark.parametrize(
    ("compute", "message"),
    [
        (lambda g, q, v: g.integrate(q[1:], v), r"q has shape \(10,\); 'four_link' needs \(11,\)"),
        (
            lambda g, q, v: g.integrate(q, v * np.nan),
            r"v\[0\] of joint 'root_joint' is nan; a finite number is needed",
        ),
        (lambda g, q, v: g.integrate(q, v, np.nan), "dt is nan; finite numbers"),
        (lambda g, q, v: g.integrate(np.tile(q, (2, 1)), np.tile(v, (3, 1))), "do not belong together"),
        (lambda g, q, v: g.integrate(0 * q, v), r"q\[3:7\] of joint 'root_joint' is a zero quaternion"),
        (lambda g, q, v: g.difference(q, np.tile(q, (2, 1))[:, 1:]), "q1 has shape"),
        (lambda g, q, v: g.difference(np.tile(q, (2, 1)), np.tile(q, (3, 1))), "as many rows are needed"),
        (lambda g, q, v: g.integrate(q * 1j, v), "q is not an array of numbers: complex"),
        (lambda g, q, v: g.integrate(q, v * 1e308, 1e10), "q, v and dt .* so large that the result is not"),
        (lambda g, q, v: g.difference(-1e308 * q, 1e308 * q), "q0 and q1 .* so large that the result is not"),
        (lambda g, q, v: g.random_configuration(3), "rng is 3; a numpy.random.Generator"),
        (lambda g, q, v: g.random_configuration(np.random.default_rng(), -1), "count is -1"),
    ],
)
def test_bad_input_is_named(load_robot, compute, message):
    graph = load_robot("four_link", floating_base=True)
    with pytest.raises(md.StateError, match=message):
        compute(graph, np.ones(graph.nq), np.ones(graph.nv))


# Vectors from values by joint name, and back.


@pytest.mark.parametrize("kind", ["q", "v"])
@pytest.mark.parametrize("rows", [(), (5,)])
def test_packing_undoes_unpacking(tree_robot, kind, rows):
    size = tree_robot.nq if kind == "q" else tree_robot.nv
    vector = np.random.default_rng(0).normal(size=(*rows, size))
    values = tree_robot.unpack(vector, kind)
    assert tuple(values) == tree_robot.joint_names
    assert np.array_equal(tree_robot.pack(values, kind), vector)
    for name, value in values.items():
        where = tree_robot.q_slice(name) if kind == "q" else tree_robot.v_slice(name)
        assert np.array_equal(np.ravel(value), np.ravel(vector[..., where]))
        value[...] = 0.0  # copies
    assert np.array_equal(tree_robot.pack(tree_robot.unpack(vector, kind), kind), vector)


def test_joints_that_are_not_named_keep_the_values_of_others(load_robot):
    graph = load_robot("four_link", floating_base=True)
    q = graph.pack({graph.joint_names[2]: 0.3}, others=graph.neutral())
    expected = graph.neutral()
    expected[graph.q_slice(graph.joint_names[2])] = 0.3
    assert np.array_equal(q, expected)
    rows = graph.pack({graph.joint_names[2]: [0.1, 0.2]}, others=graph.neutral())
    assert rows.shape == (2, graph.nq)
    assert graph.neutral()[3] == 1.0


@pytest.mark.parametrize(
    ("compute", "message"),
    [
        (lambda g: g.pack({"nose": 1.0}), "no joint 'nose' with a coordinate of its own; its joints: "),
        (lambda g: g.pack({"root_joint": np.zeros(7)}), "values lack .* others=graph.neutral"),
        (
            lambda g: g.pack({"root_joint": 1.0}, others=g.neutral()),
            r"value of joint 'root_joint' is 1.0; finite numbers \(7,\)",
        ),
        (
            lambda g: g.pack({g.joint_names[1]: np.nan}, others=g.neutral()),
            r"finite numbers \(1,\) or rows",
        ),
        (
            lambda g: g.pack({g.joint_names[1]: 1.0}, others=np.full(g.nq, np.nan)),
            "others has numbers that are not finite",
        ),
        (lambda g: g.pack({g.joint_names[1]: 1.0}, others=[0.0]), r"others has shape \(1,\)"),
        (
            lambda g: g.pack({g.joint_names[1]: [1, 2], g.joint_names[2]: [1, 2, 3]}, others=g.neutral()),
            "rows",
        ),
        (lambda g: g.pack([1.0]), r"values is \[1.0\]; a mapping"),
        (lambda g: g.pack({}, "tau"), "kind is 'tau'; 'q', or 'v'"),
        (lambda g: g.unpack([1.0]), r"the vector has shape \(1,\)"),
    ],
)
def test_bad_input_is_named_named_values(load_robot, compute, message):
    with pytest.raises(md.StateError, match=message):
        compute(load_robot("four_link", floating_base=True))
