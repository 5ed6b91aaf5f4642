"""What rcl does with the same files was seen with a running node: `ros2 param get` gave these values."""

import pytest

from modular_dynamics_ros.exceptions import ParameterError
from modular_dynamics_ros.parameters.table import parameters_in_file


def found(tmp_path, content, node="/dynamics_node"):
    path = tmp_path / "params.yaml"
    path.write_text(content)
    return parameters_in_file(str(path), node)


@pytest.mark.parametrize(
    ("keys", "node", "about"),
    [
        (["/**"], "/dynamics_node", True),
        (["/**"], "/a/b/dynamics_node", True),
        (["dynamics_node"], "/dynamics_node", True),
        (["dynamics_node"], "/left/dynamics_node", False),
        (["/**", "dynamics_node"], "/a/b/dynamics_node", True),
        (["/**", "joint_state_player"], "/dynamics_node", False),
        (["/*/dynamics_node"], "/left/dynamics_node", True),
        (["/*/dynamics_node"], "/a/b/dynamics_node", False),
        (["left", "dynamics_node"], "/left/dynamics_node", True),
        (["dynamics.node"], "/dynamics_node", False),
    ],
)
def test_sections_of_a_node(tmp_path, keys, node, about):
    content = "".join(f"{'  ' * k}{key}:\n" for k, key in enumerate([*keys, "ros__parameters"]))
    content += f"{'  ' * (len(keys) + 1)}rate: 5\n"
    if about:
        assert found(tmp_path, content, node) == {"rate": 5}
    else:
        with pytest.raises(ParameterError, match=f"no parameters of the node '{node}', but of '/"):
            found(tmp_path, content, node)


def test_later_sections_take_precedence(tmp_path):
    first, second = "dynamics_node:\n  ros__parameters: {a: 1}\n", "/**:\n  ros__parameters: {a: 2}\n"
    assert found(tmp_path, first + second) == {"a": 2}
    assert found(tmp_path, second + first) == {"a": 1}


@pytest.mark.parametrize("content", ["", "text", "- 1", "ros__parameters: {a: 1}", "dynamics_node: {a: 1}"])
def test_a_file_without_sections(tmp_path, content):
    with pytest.raises(ParameterError, match="has no parameters: sections NODE, then ros__parameters"):
        found(tmp_path, content)


BOMB = "a: &a {b: {c: {}}}\n" + "".join(
    f"{name}: &{name} {{" + ", ".join(f"k{k}: *{before}" for k in range(9)) + "}\n"
    for before, name in zip("abcdefghi", "bcdefghij", strict=True)
)


@pytest.mark.parametrize(
    "content", ["dynamics_node: &a\n  ros__parameters: *a\n", "dynamics_node: &a {x: *a}\n", BOMB]
)
def test_aliases_are_refused_as_ros_refuses_them(tmp_path, content):
    """Some stand in what they stand for, or for more than any memory holds."""
    with pytest.raises(
        ParameterError, match=r"an alias \(\*\), which ROS does not read: write the values out"
    ):
        found(tmp_path, content)


def test_numbers_with_an_exponent_are_numbers_as_in_ros(tmp_path):
    """A node read the same file: 5e-05, 1000.0, 0.001, 1000.0, 5.0, 100.0, [0.0, -9.81] and the text."""
    content = "dynamics_node:\n  ros__parameters: {a: 5e-05, b: 1e3, c: +1e-3, d: 1E3, e: .5e1, f: 1.e2, "
    values = found(tmp_path, content + "g: [0.0, -9.81e0], h: '1e3', i: 3}\n")
    assert values == {
        "a": 5e-05,
        "b": 1000.0,
        "c": 0.001,
        "d": 1000.0,
        "e": 5.0,
        "f": 100.0,
        "g": [0.0, -9.81],
        "h": "1e3",
        "i": 3,
    }
    assert isinstance(values["i"], int)
