import io
import json
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import modular_dynamics as md
from helpers.paths import ROBOTS
from modular_dynamics.shell import check as agreement


def test_a_good_robot_has_no_findings_and_agrees_with_pinocchio(shell, four_link):
    found = shell("check", four_link, "--json")
    record = json.loads(found.out)
    assert (found.code, record["findings"], record["fault"]) == (0, 0, None)
    graph = md.load_urdf(four_link)
    assert [joint["name"] for joint in record["joints"]] == list(graph.joint_names)
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


@pytest.mark.parametrize("robot", ["four_bar", "crane", "exoskeleton", "charmie_torso"])
def test_of_closed_loops_the_open_tree_is_compared_and_the_loops_are_closed(shell, robot):
    found = shell("check", ROBOTS / f"{robot}.urdf", "--states", 3)
    assert found.code == 0
    assert "agrees: the open tree" in found.out
    if "loop joints" in found.out:
        assert "loops: a configuration that closes them was found" in found.out


def test_loops_that_cannot_close_are_a_finding(shell, tmp_path):
    text = (ROBOTS / "four_bar.urdf").read_text(encoding="utf-8")
    loop = text[text.index("<loop_joint") :]
    start = loop.index('xyz="') + 5
    far = tmp_path / "far.urdf"
    far.write_text(
        text.replace(loop, f"{loop[:start]}50 0 0{loop[loop.index(chr(34), start) :]}", 1), "utf-8"
    )
    found = shell("check", far, "--states", 0)
    assert found.code == 1
    assert "loops: " in found.out
    assert "closes them was found" not in found.out


def test_a_joint_that_moves_no_inertia_at_zero_alone_is_none(shell, tmp_path):
    """A spherical pendulum, upright at zero."""
    path = tmp_path / "pendulum.urdf"
    no_inertia = "<inertia ixx='0' iyy='0' izz='0' ixy='0' ixz='0' iyz='0'/>"
    path.write_text(
        "<robot name='p'><link name='a'/><link name='b'/><link name='c'><inertial><origin xyz='0 0 1'/>"
        f"<mass value='1'/>{no_inertia}</inertial></link>"
        "<joint name='yaw' type='continuous'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/></joint>"
        "<joint name='tilt' type='continuous'><parent link='b'/><child link='c'/><axis xyz='0 1 0'/></joint>"
        "</robot>",
        "utf-8",
    )
    found = shell("check", path, "--states", 2)
    assert "forward dynamics" not in found.out
    assert found.code == 0, found.out


def test_a_joint_that_moves_no_inertia_is_a_finding(shell, tmp_path):
    """Its mass lies on the axis as a point: torques are right, and forward dynamics fails."""
    path = tmp_path / "rod.urdf"
    path.write_text(
        "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='1'/>"
        "<inertia ixx='0' iyy='0' izz='0' ixy='0' ixz='0' iyz='0'/></inertial></link>"
        "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint></robot>",
        "utf-8",
    )
    found = shell("check", path, "--states", 2)
    assert found.code == 1
    assert "forward dynamics: joint 'j' moves no inertia: link 'b' and what it carries have none" in found.out
    assert "1 finding\n" in found.out
    record = json.loads(shell("check", path, "--json").out)
    assert record["findings"] == 1
    assert record["forward_dynamics"]["reason"].startswith("joint 'j' moves no inertia")


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
    body = "<inertial><mass value='1'/><inertia ixx='9' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
    lines = [
        "<robot name='r'>",
        "<link name='a'/>",
        f"<link name='b'>{body}</link>",
        f"<link name='c'>{body}</link>",
    ]
    for parent, child in (("a", "b"), ("b", "c")):
        lines.append(
            f"<joint name='{child}j' type='revolute'><parent link='{parent}'/><child link='{child}'/>"
            "<axis xyz='0 0 1'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint>"
        )
    path = tmp_path / "flawed.urdf"
    path.write_text("\n".join([*lines, "</robot>"]), "utf-8")
    found = shell("check", path)
    assert found.code == 1
    assert "warnings (2)" in found.out
    assert "line 3: " in found.out
    assert "line 4: " in found.out
    strict = shell("check", path, "--strict")
    assert strict.code == 1
    assert "fault: " in strict.out


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
    assert [joint["name"] for joint in record["joints"]] == ["j"]
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
