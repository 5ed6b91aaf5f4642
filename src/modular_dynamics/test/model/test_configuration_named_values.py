"""Vectors from values by joint name, and back."""

import numpy as np
import pytest

import modular_dynamics as md


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
            "value of joint 'root_joint' is 1.0; 7 finite",
        ),
        (lambda g: g.pack({g.joint_names[1]: np.nan}, others=g.neutral()), "1 finite number, or rows"),
        (lambda g: g.pack({g.joint_names[1]: "a"}, others=g.neutral()), "1 finite number, or rows"),
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
        (lambda g: g.unpack("a"), "not an array of numbers"),
    ],
)
def test_bad_input_is_named(load_robot, compute, message):
    with pytest.raises(md.StateError, match=message):
        compute(load_robot("four_link", floating_base=True))
