"""xacro: expanded by the xacro package, or refused; never skipped."""

import subprocess
import sys

import numpy as np
import pytest

import modular_dynamics as md
from modular_dynamics.urdf import plain_urdf

LINKS = """<robot name="parts" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:macro name="arm" params="name parent length">
    <link name="${name}"><inertial><origin xyz="0 0 ${length / 2}"/><mass value="${density * length}"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
    <joint name="${name}_joint" type="continuous"><parent link="${parent}"/><child link="${name}"/>
      <axis xyz="0 1 0"/></joint>
  </xacro:macro>
</robot>"""
ROBOT = """<?xml version="1.0"?>
<robot name="arms" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:include filename="parts.xacro"/>
  <xacro:arg name="density" default="3"/>
  <xacro:property name="density" value="$(arg density)"/>
  <link name="base"/>
  <xacro:arm name="left" parent="base" length="0.5"/>
  <xacro:arm name="right" parent="base" length="0.8"/>
</robot>
"""
PLAIN = '<robot name="r"><link name="a"/><link name="b"/>{}</robot>'
JOINT = '<joint name="j" type="fixed"><parent link="a"/><child link="b"/>{}</joint>'


@pytest.fixture
def unexpanded(tmp_path):
    (tmp_path / "parts.xacro").write_text(LINKS)
    path = tmp_path / "arms.urdf.xacro"
    path.write_text(ROBOT)
    return path


@pytest.fixture
def path(unexpanded):
    pytest.importorskip("xacro")
    return unexpanded


def masses(graph):
    return [body.mass for body in graph.bodies]


def test_a_file_is_expanded(path):
    graph = md.load_urdf(path, strict=True)
    assert graph.joint_names == ("left_joint", "right_joint")
    np.testing.assert_allclose(masses(graph), [1.5, 2.4], rtol=1e-15)
    assert "xacro:" not in graph.urdf.replace("xmlns:xacro", "")
    assert md.crosscheck.rnea_residual(graph, *np.ones((3, 2))).max() < 1e-14


def test_as_the_xacro_program_expands_it(path, tmp_path):
    command = [sys.executable, "-c", "import xacro; xacro.main()", str(path), "density:=7"]
    expanded = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path).stdout
    theirs, ours = md.load_urdf(expanded), md.load_urdf(path, mappings={"density": 7})
    assert masses(ours) == masses(theirs) == [3.5, 5.6000000000000005]
    assert ours.joint_names == theirs.joint_names


def test_mappings(path):
    np.testing.assert_allclose(masses(md.load_urdf(path, mappings={"density": 10})), [5.0, 8.0])
    np.testing.assert_allclose(masses(md.load_urdf(str(path), mappings={"density": "2"})), [1.0, 1.6])
    assert 'value="5.0"' in plain_urdf(path, {"density": 10})


def test_an_argument_that_nothing_asks_for_is_warned_of_with_the_one_that_is_meant(path, recwarn):
    """Arguments of an included file, and ones that are only used, are asked for."""
    used = '<xacro:arg name="included" default="1"/><xacro:if value="$(arg only_used)"/></robot>'
    path.with_name("parts.xacro").write_text(LINKS.replace("</robot>", used))
    md.load_urdf(path, mappings={"included": 7, "only_used": 1})
    assert not recwarn.list
    given = {"include": 7, "density": 2, "only_used": 1}
    message = "does not ask for the argument 'include'; it is ignored; similar ones: included$"
    with pytest.warns(md.ModelWarning, match=message):
        graph = md.load_urdf(path, mappings=given)
    assert [finding.kind for finding in graph.warnings] == ["unused argument"]
    assert masses(graph) == [1.0, 1.6]
    with pytest.raises(md.UrdfError, match="strict: the xacro file does not ask for"):
        md.load_urdf(path, mappings=given, strict=True)


def test_text_is_expanded_with_mappings_only(path, monkeypatch):
    with pytest.raises(md.UrdfError, match=r"line 3: <xacro:include> is xacro, not URDF\. Give the path"):
        md.load_urdf(ROBOT)
    monkeypatch.chdir(path.parent)
    assert md.load_urdf(ROBOT, mappings={}).nv == 2
    assert md.load_urdf(ROBOT.encode(), mappings={}).nv == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (PLAIN.format("\n" + JOINT.format("") + "<xacro:arm/>"), "line 2: <xacro:arm> is xacro"),
        (
            PLAIN.replace(">", ' xmlns:xacro="http://ros.org/wiki/xacro">', 1).format("<xacro:a/>"),
            "line 1: <xacro:a> is xacro",
        ),
        (PLAIN.format('\n<include filename="x"/>'), "line 2: <include> without the prefix, <xacro:include>,"),
        (PLAIN.format(JOINT.format('\n<origin xyz="0 0 ${h}"/>')), r"line 2: xyz='0 0 \$\{h\}' of <origin>"),
        (PLAIN.replace('name="b"', 'name="$(arg b)"').format(""), r"line 1: name='\$\(arg b\)' of <link>"),
    ],
)
def test_unexpanded_xacro_is_never_skipped(text, message):
    with pytest.raises(md.XacroError, match=message):
        md.load_urdf(text)


def test_expressions_for_other_tools_are_no_xacro():
    other = '<gazebo><plugin file="$(find x)/y">${z}</plugin></gazebo>'
    assert md.load_urdf(PLAIN.format(JOINT.format("") + other)).warnings == ()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "<xacro:arm name",
            "<xacro:leg name",
            r"unknown macro name: xacro:leg .*first xacro: <xacro:include> in line 3",
        ),
        ("$(arg density)", "${1 / 0}", "division by zero"),
        ("base", "$${base}", r"name='\$\{base\}' of <link> is left after xacro has expanded"),
    ],
)
def test_what_xacro_cannot_expand_is_named(path, old, new, message):
    path.write_text(ROBOT.replace(old, new))
    with pytest.raises(md.XacroError, match=message) as caught:
        md.load_urdf(path)
    assert "arms.urdf.xacro" in str(caught.value)


def test_an_error_in_an_included_file_names_it(path):
    (path.parent / "parts.xacro").write_text(LINKS.replace("</robot>", ""))
    with pytest.raises(
        md.UrdfError, match=r"xacro cannot expand .*arms\.urdf\.xacro' \(in '.*parts\.xacro'\)"
    ):
        md.load_urdf(path)


def test_a_file_of_macros_is_no_robot(path):
    with pytest.raises(md.XacroError, match=r"parts\.xacro' has no links: load the xacro file that uses its"):
        md.load_urdf(path.with_name("parts.xacro"))


def test_an_error_says_that_its_line_is_in_the_expanded_text(path):
    path.write_text(ROBOT.replace('length="0.8"', 'length="-0.8"'))
    message = r"in the URDF that xacro made of '.*arms\.urdf\.xacro': line \d+: link 'right' has mass"
    with pytest.raises(md.UrdfError, match=message) as caught:
        md.load_urdf(path)
    assert caught.value.line is None
    number = int(str(caught.value).partition(": line ")[2].partition(":")[0])
    assert '<link name="right">' in plain_urdf(path).splitlines()[number - 1]


def test_mappings_of_a_plain_urdf_are_refused():
    with pytest.raises(md.UrdfError, match=r"xacro arguments are given \(a, b\), but .* has no xacro"):
        md.load_urdf(PLAIN.format(JOINT.format("")), mappings={"a": 1, "b": 2})
    for mappings in (["a:=1"], {1: "a"}):
        with pytest.raises(md.UrdfError, match=r"mappings are .*; a mapping is needed: {'argument': value}"):
            md.load_urdf(PLAIN.format(JOINT.format("")), mappings=mappings)


def test_a_dtd_is_refused_before_xacro_sees_it(path):
    path.write_text('<!DOCTYPE robot [<!ENTITY e "1">]>' + ROBOT.partition("\n")[2])
    with pytest.raises(md.UrdfError, match=r"a DTD .* or entity is not allowed"):
        md.load_urdf(path)


def test_without_the_package_the_error_says_what_to_install(unexpanded, monkeypatch):
    monkeypatch.setitem(sys.modules, "xacro", None)
    with pytest.raises(md.MissingDependencyError, match=r"is not installed: pip install xacro$"):
        md.load_urdf(unexpanded)
    assert md.load_urdf(PLAIN.format(JOINT.format(""))).nv == 0
