"""YAML: limits that are named, and errors of the library only."""

from time import process_time

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
    "bomb in a section": (BOMB + "subsystems: *x8\n", "with its aliases"),
    "merges": (MERGES, "with its aliases"),
    "itself": ("subsystems: &a [*a]\n", r"line 1: an alias \(\*\) stands in what it stands for"),
    "deep": ("[" * 100_000, f"nested too deeply; at most {MAX_DEPTH}"),
    "deep mappings": ("{a: " * 100_000, f"nested too deeply; at most {MAX_DEPTH}"),
    "many": ("passive: [" + "a, " * MAX_YAML_VALUES + "]", f"at most {MAX_YAML_VALUES} are accepted"),
    "large": ("#" * (MAX_YAML_BYTES + 1), f"at most {MAX_YAML_BYTES} "),
    "date": ("version: !!timestamp 2001-13-45", "not YAML"),
    "no date": ("version: !!timestamp x", "not YAML"),
    "character": ('version: "\\U00110000"', "not YAML"),
    "number": ("version: !!float x", "not YAML"),
    "digits": ("version: " + "1" * 5000, "not YAML"),
    "half a character": ('version: 1\nsubsystems: [{name: "\\ud800", root_link: link_1}]', "not YAML|half"),
    "tag of Python": ("version: !!python/object/apply:os.getcwd []", "not YAML"),
    "twice": ("version: 1\nversion: 1\n", "line 2: the key 'version' stands twice, first in line 1"),
    "two": ("version: 1\n---\nversion: 1\n", "does not hold a mapping"),
    "merge": ("version: 1\n<<: {subsystems: []}\n", "unknown key '<<'"),
    "old number": (
        GEAR + "1_0}]",
        "not a number",
    ),
    "sexagesimal": (GEAR + "1:30}]", "not a number"),
    "too long": (
        GEAR + "1" + "0" * 400 + "}]",
        "not finite",
    ),
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
