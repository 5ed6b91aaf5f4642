import io
import json
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import modular_dynamics as md
from helpers.paths import ROBOTS
from helpers.robots.urdf_text import inertial, joint, robot
from modular_dynamics.shell import check as agreement


def test_a_good_robot_has_no_findings_and_agrees_with_pinocchio(shell, four_link):
    found = shell("check", four_link, "--json")
    record = json.loads(found.out)
    assert (found.code, record["findings"], record["fault"]) == (0, 0, None)
    graph = md.load_urdf(four_link)
    assert [one["name"] for one in record["joints"]] == list(graph.joint_names)
    assert sum(one["mass"] for one in record["subsystems"]) == pytest.approx(record["robot"]["moving_mass"])
    assert record["agreement"]["states"] == 100
    assert 0.0 < record["agreement"]["relative"] < 1e-14
    text = shell("check", four_link)
    assert text.code == 0
    for words in ("stem", "left_branch", "N m or N", "Pinocchio: agrees", "no findings"):
        assert words in text.out


def test_a_disagreement_is_a_finding(shell, four_link, monkeypatch):
    wrong = agreement.inverse_dynamics
    monkeypatch.setattr(
        agreement, "inverse_dynamics", lambda *given, **more: wrong(*given, **more) * (1.0 + 1e-7)
    )
    found = shell("check", four_link, "--states", 5)
    assert found.code == 1
    assert "Pinocchio: DISAGREES" in found.out
    monkeypatch.setattr(agreement, "inverse_dynamics", lambda *given, **more: wrong(*given, **more) * np.nan)
    assert shell("check", four_link, "--states", 5).code == 1
    calls = iter([1.0, 1.0, 1.0, np.nan, 1.0, 1.0])  # the first is of the trial; no later number hides it
    monkeypatch.setattr(
        agreement, "inverse_dynamics", lambda *given, **more: wrong(*given, **more) * next(calls)
    )
    assert shell("check", four_link, "--states", 5).code == 1


@pytest.mark.parametrize("name", ["four_bar", "crane", "exoskeleton", "charmie_torso"])
def test_of_closed_loops_the_open_tree_is_compared_and_the_loops_are_closed(shell, name):
    found = shell("check", ROBOTS / f"{name}.urdf", "--states", 3)
    assert found.code == 0
    assert "agrees: the open tree" in found.out
    if "loop joints" in found.out:
        assert "loops: a configuration that closes them was found" in found.out


@pytest.mark.parametrize(("height", "code"), [(0, 1), (1, 0)])
def test_a_joint_that_moves_no_inertia_is_a_finding_if_it_does_so_everywhere(shell, tmp_path, height, code):
    """A point mass on the axes, and a spherical pendulum, upright at zero: torques are right in both."""
    path = tmp_path / "pendulum.urdf"
    point = inertial(1.0, (0, 0, height), np.zeros((3, 3)))
    parts = ["<link name='a'/>", "<link name='b'/>", f"<link name='c'>{point}</link>"]
    parts.append(joint("turn", "continuous", "a", "b", (0, 0, 0), axis=(0, 0, 1)))
    parts.append(joint("tilt", "continuous", "b", "c", (0, 0, 0), axis=(0, 1, 0)))
    path.write_text(robot("p", parts), "utf-8")
    found = shell("check", path, "--states", 2)
    assert found.code == code
    assert ("moves no inertia" in found.out) == bool(code), found.out
    record = json.loads(shell("check", path, "--json").out)
    assert record["findings"] == code
    assert (record["forward_dynamics"] is not None) == bool(code)


def test_a_fault_is_reported_with_its_line(shell, tmp_path, four_link):
    text = four_link.read_text(encoding="utf-8")
    broken = tmp_path / "broken.urdf"
    broken.write_text(text.replace('<mass value="', '<mass value="-', 1), "utf-8")
    line = text[: text.index('<link name="lower_stem"')].count("\n") + 1  # of the link whose mass it is
    found = shell("check", broken)
    assert found.code == 1
    assert f"fault: '{broken}': line {line}: " in found.out
    record = json.loads(shell("check", broken, "--json").out)
    assert (record["fault"]["line"], record["findings"]) == (line, 1)


def test_flaws_are_listed_one_by_one_with_their_lines(shell, tmp_path):
    parts = ["\n<link name='a'/>"]
    parts += [f"\n<link name='{name}'>{inertial(1, (0, 0, 0), np.diag([9, 1, 1]))}</link>" for name in "bc"]
    parts += [joint(ends[1], "continuous", *ends, (0, 0, 0), axis=(0, 0, 1)) for ends in ("ab", "bc")]
    (path := tmp_path / "flawed.urdf").write_text(robot("r", parts), "utf-8")
    found, strict = shell("check", path), shell("check", path, "--strict")
    assert (found.code, strict.code, "fault: " in strict.out) == (1, 1, True)
    for words in ("warnings (2)", "line 3: ", "line 4: "):
        assert words in found.out


@pytest.mark.parametrize("name", ["missing.urdf", "missing.xml", "missing.mjb", "missing.xacro"])
def test_a_file_that_is_not_there_is_no_finding_about_a_robot(error, name):
    assert f"'{name}'" in error("check", name)


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [("--partition", "missing.yaml", "no partition file"), ("--xacro-arg", "a:=b", "no xacro elements")],
)
def test_so_are_wrong_arguments(error, four_link, option, value, words):
    assert words in error("check", four_link, option, value)


def test_from_standard_input(shell, four_link, monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(four_link.read_bytes())))
    assert shell("check", "-", "--states", 1).code == 0
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"  ")))
    found = shell("check", "-")
    assert (found.code, found.err.count("\n")) == (2, 1)
    assert "standard input is empty" in found.err


def test_mjcf(shell, tmp_path):
    pytest.importorskip("mujoco")
    path = tmp_path / "robot.xml"
    path.write_text(
        "<!-- <robot> in a comment --><mujoco><worldbody><body name='b'><joint name='j' axis='0 1 0'/>"
        "<geom size='0.1' pos='0.3 0 0'/></body></worldbody></mujoco>",
        "utf-8",
    )
    record = json.loads(shell("check", path, "--json").out)
    assert [one["name"] for one in record["joints"]] == ["j"]
    assert record["agreement"]["relative"] < 1e-14
    path.write_text("<mujoco><worldbody><body><joint/></body></worldbody></mujoco>", "utf-8")
    assert shell("check", path).code == 1


@pytest.mark.parametrize(("option", "value"), [("--states", -1), ("--states", 10**9), ("--seed", "1_0")])
def test_impossible_numbers(error, four_link, option, value):
    assert f"{option}: '{value}' is no whole number from 0" in error("check", four_link, option, value)


def test_names_cannot_control_the_terminal(shell, tmp_path, four_link):
    text = four_link.read_text(encoding="utf-8")
    path = tmp_path / "named.urdf"
    path.write_text(text.replace("turn", "turn\u202e\u200b\x85"), "utf-8")
    out = shell("check", path, "--states", 0).out
    assert "turn" in out
    assert "\u202e" not in out
    assert "\x85" not in out
