"""Values of parameters: at the start, in files, and when they may change."""

from dataclasses import dataclass, fields

import pytest
from rclpy.node import Node
from rclpy.parameter import Parameter

from modular_dynamics_ros.exceptions import ParameterError
from modular_dynamics_ros.parameters.table import (
    Change,
    changed,
    checked,
    declare,
    parameter,
    parameters_in_file,
)

pytestmark = pytest.mark.ros


@dataclass(frozen=True)
class Table:
    rate: float = parameter(5.0, "how often", unit="Hz", low=0.0, high=100.0)
    seldom: float = parameter(0.0, "how often", unit="Hz", low=0.01, high=100.0, or_zero=True)
    count: int = parameter(1, "how many", low=0, high=9)
    mode: str = parameter("a", "which", choices=("a", "b"))
    switch: str = parameter("off", "whether", choices=("off", "yes"))
    gravity: tuple[float, ...] = parameter((0.0, 0.0, -9.81), "where down is", length=3)
    names: tuple[str, ...] = parameter((), "whom", change=Change.UNCONFIGURED)
    fixed: bool = parameter(False, "whether", change=Change.NEVER)


ENTRIES = {entry.name: entry for entry in fields(Table)}


@pytest.mark.parametrize(
    ("name", "given", "stored"),
    [
        ("rate", 7, 7.0),
        ("seldom", 0, 0.0),
        ("seldom", 0.01, 0.01),
        ("count", 9, 9),
        ("mode", "b", "b"),
        ("gravity", [0, 0, -10], (0.0, 0.0, -10.0)),
        ("names", ["x", "y"], ("x", "y")),
        ("names", [""], ()),
        ("fixed", True, True),
    ],
)
def test_good_values(name, given, stored):
    value = checked(ENTRIES[name], given)
    assert value == stored
    assert type(value) is type(stored)


def test_an_empty_list_at_the_start_names_nothing(ros):
    """In a file of parameters; what it stands for has no type in ROS."""
    empty = [Parameter("names", Parameter.Type.NOT_SET)]
    node = Node("table", parameter_overrides=empty)
    try:
        assert declare(node, Table).names == ()
    finally:
        node.destroy_node()


@pytest.mark.parametrize(
    ("name", "given", "reason"),
    [
        ("rate", -1.0, "rate must lie between 0 and 100 Hz, not -1"),
        ("rate", float("nan"), "rate must lie between"),
        ("rate", "fast", "rate must be a number, not 'fast'"),
        ("rate", True, "rate must be a number, not True"),
        ("seldom", 1e-9, "seldom must be 0, or lie between 0.01 and 100 Hz, not 1e-09"),
        ("count", 10, "count must lie between 0 and 9, not 10"),
        ("count", 1.5, "count must be a whole number"),
        ("mode", "c", "mode must be one of a, b, not 'c'"),
        # YAML reads off and on so
        ("switch", False, "switch must be one of off, yes, not False; YAML reads on, off, yes and no as"),
        ("switch", True, "quote them, as in -p 'switch:=\"off\"'"),
        ("names", [True], "names must be a list of names, not [True]; YAML reads on, off, yes and no"),
        ("gravity", [0.0, 0.0], "gravity must be 3 finite numbers"),
        ("gravity", [0.0, 0.0, float("nan")], "gravity must be 3 finite numbers"),
        ("names", ["x", "x"], "names names something twice"),
        ("names", [1, 2], "names must be a list of names"),
        ("fixed", 1, "fixed must be true or false"),
    ],
)
def test_bad_values_are_refused_with_a_reason(name, given, reason):
    with pytest.raises(ParameterError) as caught:
        checked(ENTRIES[name], given)
    assert reason in str(caught.value)


def change(name, value):
    return [Parameter(name, value=value)]


def test_changes_are_all_or_nothing():
    table = Table()
    new = changed(table, change("rate", 3) + change("use_sim_time", True), configured=True)
    assert (new.rate, table.rate) == (3.0, 5.0)
    with pytest.raises(ParameterError, match="mode"):
        changed(table, change("rate", 3.0) + change("mode", "z"), configured=True)


def test_when_a_parameter_may_change():
    assert changed(Table(), change("names", ["x"]), configured=False).names == ("x",)
    with pytest.raises(ParameterError, match="names may change while the node is unconfigured"):
        changed(Table(), change("names", ["x"]), configured=True)
    with pytest.raises(ParameterError, match="fixed may change only when the node starts"):
        changed(Table(), change("fixed", True), configured=False)


def test_declared_parameters_describe_themselves(ros):
    node = Node("table", parameter_overrides=change("rate", 7) + change("names", ["x"]))
    try:
        table = declare(node, Table)
        described = node.describe_parameter("rate")
        mode = node.describe_parameter("mode")
        fixed = node.describe_parameter("fixed")
    finally:
        node.destroy_node()
    assert table == Table(rate=7.0, names=("x",))
    assert described.description == "how often; 0 to 100 Hz; may change at run time"
    (span,) = described.floating_point_range
    assert (span.from_value, span.to_value) == (0.0, 100.0)
    assert mode.description == "which; one of a, b; may change at run time"
    assert fixed.read_only


GRAVITY_MEANT = "no parameter 'gravitiy', and its value is ignored; is 'gravity' meant?"
UNKNOWN = "no parameter 'wheel.radius', and its value is ignored"


@pytest.mark.parametrize(
    ("section", "level"), [(None, "WARN"), ("table", "WARN"), ("/**/table", "WARN"), ("/**", "INFO")]
)
def test_parameters_that_the_node_does_not_have_are_named(ros, capfd, monkeypatch, tmp_path, section, level):
    """Those in a section for all nodes may be for another one."""
    words = ["-p", "gravitiy:=[0.0, 0.0, 0.0]", "-p", "table:wheel.radius:=1.0", "-p", "other:rat:=1"]
    if section:
        values = "{gravitiy: [0.0, 0.0, 0.0], wheel: {radius: 1.0}, qos_overrides: {/a: {depth: 1}}}"
        file = tmp_path / "parameters.yaml"
        file.write_text(f"{section}:\n  ros__parameters: {values}\nother:\n  ros__parameters: {{rat: 1}}\n")
        words = ["--params-file", str(file)]
    monkeypatch.setattr("sys.argv", ["node", "-p", "mod:=b", "--ros-args", *words, "--", "-p", "rat:=1.0"])
    node = Node("table")
    try:
        assert declare(node, Table).gravity == (0.0, 0.0, -9.81)
    finally:
        node.destroy_node()
    output = capfd.readouterr()
    lines = [line for line in (output.out + output.err).splitlines() if "no parameter" in line]
    misspelt, unknown = sorted(lines, key=lambda line: "wheel" in line)
    assert GRAVITY_MEANT in misspelt
    assert "[WARN]" in misspelt
    assert unknown.endswith(UNKNOWN)
    assert f"[{level}]" in unknown


@pytest.mark.parametrize("overrides", [change("rate", 1000.0), change("mode", "z"), change("gravity", [1.0])])
def test_a_bad_value_at_the_start_is_refused(ros, overrides):
    node = Node("table", parameter_overrides=overrides)
    try:
        with pytest.raises(ParameterError, match=overrides[0].name):
            declare(node, Table)
    finally:
        node.destroy_node()


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
