"""YAML: limits that are named, and errors of the library only."""

from time import process_time

import numpy as np
import pytest

import modular_dynamics as md
from helpers.paths import ROBOTS
from modular_dynamics.exceptions import DescriptionError, PartitionError
from modular_dynamics.text.sizes import MAX_DEPTH, MAX_YAML_BYTES, MAX_YAML_VALUES
from modular_dynamics.text.yaml_text import documents

BOMB = "x0: &x0 [a, a, a, a, a, a, a, a, a, a]\n" + "".join(
    f"x{k}: &x{k} [{', '.join([f'*x{k - 1}'] * 10)}]\n" for k in range(1, 9)
)
MERGES = "x0: &x0 {a: 1}\n" + "".join(
    f"x{k}: &x{k} {{!!merge <<: [{', '.join([f'*x{k - 1}'] * 10)}]}}\n" for k in range(1, 9)
)
GEAR = "version: 1\ngears: [{joint: joint_1, driver: joint_2, ratio: "
REFUSED = {
    "bomb": (BOMB, r"with its aliases \(\*\), this YAML has \d+ values; at most 100000"),
    "merges": (MERGES, "with its aliases"),
    "itself": ("subsystems: &a [*a]\n", r"line 1: an alias \(\*\) stands in what it stands for"),
    "deep": ("[" * 100_000, f"nested too deeply; at most {MAX_DEPTH}"),
    "many": ("passive: [" + "a, " * MAX_YAML_VALUES + "]", f"at most {MAX_YAML_VALUES} are accepted"),
    "large": ("#" * (MAX_YAML_BYTES + 1), f"at most {MAX_YAML_BYTES} "),
    "character": ('version: "\\U00110000"', "not YAML"),
    "digits": ("version: " + "1" * 5000, "not YAML"),
    "half a character": ('version: 1\nsubsystems: [{name: "\\ud800", root_link: link_1}]', "not YAML|half"),
    "tag of Python": ("version: !!python/object/apply:os.getcwd []", "not YAML"),
    "twice": ("version: 1\nversion: 1\n", "line 2: the key 'version' stands twice, first in line 1"),
    "two": ("version: 1\n---\nversion: 1\n", "does not hold a mapping"),
    "merge": ("version: 1\n<<: {subsystems: []}\n", "unknown key '<<'"),
    "sexagesimal": (GEAR + "1:30}]", "not a number"),
    "too long": (GEAR + "1" + "0" * 400 + "}]", "not finite"),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED)
def test_a_partition_file_that_is_refused(tmp_path, text, message):
    file, before = tmp_path / "own.yaml", process_time()
    file.write_text(text, "utf-8")
    with pytest.raises(PartitionError, match=message):
        md.load_urdf(ROBOTS / "four_link.urdf", file)
    assert process_time() - before < 2.0  # an alias bomb took 52 s


def test_aliases_stand_for_what_they_name():
    (content,) = documents("a: &a [1, 2]\nb: [*a, *a]\n", "x")
    assert content == {"a": [1, 2], "b": [[1, 2], [1, 2]]}
    assert (content.line, content.lines) == (1, {"a": 1, "b": 2})


def test_the_error_is_of_the_given_kind_and_names_the_line():
    with pytest.raises(DescriptionError, match="own, line 2: this is not YAML"):
        documents("a: 1\nb: ]\n", "own")


# Numbers such as 5e-05, 1e3 and +1e-3, for YAML 1.1 texts, are numbers in every file that is read.


@pytest.mark.parametrize("text", ["5e-05", "1e3", "+1e-3", "-1E+3", ".5e1", "1.e2", "5.0e-05", "+3"])
def test_it_is_a_number(text):
    (content,) = documents(f"a: {text}\nb: [{text}]\nc: '{text}'\n", "")
    assert content == {"a": float(text), "b": [float(text)], "c": text}


def test_a_partition_file(tmp_path):
    """A spring of 1000 N/m and 0.05 m between the ground and the bar: as given in the tags."""
    anchors = "anchors: [{link: base}, {link: bar, xyz: [0, 0, %s]}]"
    spring = "springs: [{name: s, stiffness: %s, free_length: %s, " + anchors + "}]"
    robot = (
        "<robot name='r'><link name='base'/><link name='bar'><inertial><origin xyz='0 0 0.2'/>"
        "<mass value='1'/><inertia ixx='0.01' ixy='0' ixz='0' iyy='0.01' iyz='0' izz='0.01'/></inertial>"
        "</link><joint name='j' type='continuous'><parent link='base'/><child link='bar'/>"
        "<origin xyz='0.1 0 0'/><axis xyz='0 1 0'/></joint></robot>"
    )
    torques = []
    for numbers in (("1000", "0.05", "0.1"), ("1e3", "5e-2", "+1e-1")):
        path = tmp_path / "partition.yaml"
        path.write_text("version: 1\n" + spring % numbers, "utf-8")
        graph = md.load_urdf(robot, path)
        torques.append(md.inverse_dynamics(graph, [0.3], [0.0], [0.0]))
    np.testing.assert_array_equal(*torques)
    # closed form: the spring's pull at (0.1 + 0.1 sin q, 0.1 cos q) about (0.1, 0), and the weight
    x, z = 0.1 + 0.1 * np.sin(0.3), 0.1 * np.cos(0.3)
    pull = 1000.0 * (1.0 - 0.05 / np.hypot(x, z))
    moment = (z * -pull * x) - ((x - 0.1) * -pull * z)  # about +y
    np.testing.assert_allclose(torques[0], -moment - 9.81 * 0.2 * np.sin(0.3), rtol=1e-12)
