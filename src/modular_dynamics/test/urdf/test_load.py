"""URDF -> graph: robots as Pinocchio reads them, the order of coordinates, what is refused."""

import re
from dataclasses import asdict, replace
from xml.etree import ElementTree

import numpy as np
import pinocchio
import pytest
import yaml
from lxml import etree

import modular_dynamics as md
from helpers.paths import ROBOTS
from modular_dynamics.text import files
from modular_dynamics.urdf.source import parse_xml
from modular_dynamics.urdf.tags import checked_annotations, read_tags


def test_charmie(load_robot):
    graph = load_robot("charmie")
    assert [s.name for s in graph.subsystems] == ["base", "torso", "left_arm", "right_arm", "head"]
    assert [len(s.joints) for s in graph.subsystems] == [3, 2, 6, 6, 2]
    bodies = {link for body in graph.bodies for link in body.links if link.startswith("body_")}
    assert len(bodies) == 24
    assert graph.nv == 19
    assert sum(body.mass for body in graph.bodies) == pytest.approx(55.6, abs=1e-12)


def test_every_robot_is_free_of_warnings(recwarn):
    for path in ROBOTS.glob("*.urdf"):
        md.load_urdf(path, strict=True)
    assert not recwarn.list


def test_a_loop_joint_may_have_the_name_of_a_fixed_joint():
    fixed = '<joint name="J2" type="fixed"><parent link="crank"/><child link="a"/></joint><link name="a"/>'
    text = (ROBOTS / "four_bar.urdf").read_text().replace("<modular_dynamics", f"{fixed}<modular_dynamics", 1)
    assert [loop.name for loop in md.load_urdf(text).loop_joints] == ["J2"]


def test_masses_and_inertias_are_pinocchios(load_robot):
    for name in ("charmie", "vendor_arm", "branched_38dof"):
        graph = load_robot(name)
        model = pinocchio.buildModelFromXML(graph.urdf)
        for body, joint in zip(graph.bodies, graph.joints, strict=True):
            theirs = model.inertias[model.getJointId(joint.name)]
            assert body.mass == pytest.approx(theirs.mass, rel=1e-14)
            assert body.com == pytest.approx(theirs.lever, abs=1e-14)
            assert body.inertia == pytest.approx(theirs.inertia, abs=1e-14)


def test_the_examples_in_the_document_agree():
    text = (ROBOTS.parent / "docs" / "urdf_tags.md").read_text(encoding="utf-8")
    (xml,), (partition,) = (re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL) for kind in ("xml", "yaml"))
    tags = checked_annotations(read_tags(parse_xml(f"<robot>{xml}</robot>").root))
    file = checked_annotations(yaml.safe_load(partition))
    assert [replace(spec, line=None) for spec in tags.subsystems] == list(file.subsystems)
    assert (tags.passive, tags.gears) == (file.passive, file.gears)
    for section in ("loop_joints", "springs"):
        (ours,), (theirs,) = getattr(tags, section), getattr(file, section)
        for key, value in asdict(ours).items():
            np.testing.assert_equal(asdict(theirs)[key], value)


def test_friction_and_limits_are_kept(load_robot):
    joint = load_robot("vendor_arm").joints[0]
    assert joint.damping > 0.0
    assert joint.friction > 0.0
    assert joint.limits.effort is not None
    assert joint.limits.lower < joint.limits.upper


def test_order_of_coordinates_is_document_order_within_subsystems():
    text = """<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
      <joint name="second" type="continuous"><parent link="b"/><child link="c"/></joint>
      <joint name="first" type="continuous"><parent link="a"/><child link="b"/></joint></robot>"""
    partition = {"version": 1, "subsystems": [{"name": "all", "joints": ["first", "second"]}]}
    with pytest.warns(md.ModelWarning, match="link 'c' moves, has no mass"):
        graph = md.load_urdf(text, partition)
    assert graph.joint_names == ("second", "first")  # the document's
    assert [joint.name for joint in graph.joints] == ["first", "second"]  # the tree's


def test_a_floating_base_twice_is_refused(load_robot):
    graph = load_robot("four_link", floating_base=True)
    assert graph.joint_names[0] == "root_joint"
    assert (graph.nq, graph.nv) == (11, 10)
    text = graph.urdf.replace("</robot>", "").replace('type="continuous"', 'type="floating"')
    with pytest.raises(md.UrdfError, match="is floating already"):
        md.load_urdf(text + "</robot>", floating_base=True)


@pytest.mark.parametrize("name", ["root_joint", "universe"])
def test_a_link_with_a_name_of_the_floating_base(name):
    """The added ground link gets another name; the robot is the same as without the clash."""
    text = (ROBOTS / "four_link.urdf").read_text()
    root = md.load_urdf(text).links[0]
    assert md.load_urdf(text.replace(f'"{root}"', f'"{name}"')).warnings == ()
    with pytest.warns(md.ModelWarning, match=f"link '{name}' has the name of .* floating_base adds"):
        graph = md.load_urdf(text.replace(f'"{root}"', f'"{name}"'), floating_base=True)
    q, v, a = np.ones(graph.nq), np.ones(graph.nv), np.ones(graph.nv)
    tau = md.inverse_dynamics(graph, q, v, a)
    np.testing.assert_array_equal(tau, md.inverse_dynamics(md.load_urdf(text, floating_base=True), q, v, a))
    assert md.crosscheck.rnea_residual(graph, q, v, a).max() < 1e-12 * np.abs(tau).max()
    with pytest.raises(md.UrdfError, match=r"strict: .*has the name of"):
        md.load_urdf(text.replace(f'"{root}"', f'"{name}"'), floating_base=True, strict=True)


def test_a_joint_with_the_name_of_the_floating_base(load_robot):
    """The added joint gets another name; the robot is the same as without the clash."""
    without = load_robot("four_link", floating_base=True)
    first = without.joint_names[1]
    text = without.urdf.replace(f'"{first}"', '"root_joint"')
    message = r"line \d+: joint 'root_joint' has the name of .*; that one is now 'root_joint_'"
    with pytest.warns(md.ModelWarning, match=message):
        graph = md.load_urdf(text, floating_base=True)
    assert graph.joint_names[:2] == ("root_joint_", "root_joint")
    q, v, a = np.ones(graph.nq), np.ones(graph.nv), np.ones(graph.nv)
    np.testing.assert_array_equal(md.inverse_dynamics(graph, q, v, a), md.inverse_dynamics(without, q, v, a))
    assert md.crosscheck.rnea_residual(graph, q, v, a).max() < 1e-12
    with pytest.raises(md.UrdfError, match=r"strict: line \d+: joint 'root_joint'"):
        md.load_urdf(text, floating_base=True, strict=True)


@pytest.mark.parametrize("gravity", ["down", [1, 2], [[1], [2, 3], [4]], [0, 0, float("nan")]])
def test_bad_gravity(gravity):
    with pytest.raises(md.StateError, match="three finite numbers"):
        md.load_urdf(ROBOTS / "four_link.urdf", gravity=gravity)


def test_the_text_is_parsed_once(monkeypatch):
    parsed = []

    def counted(module, name):
        original = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *args, **kw: parsed.append(name) or original(*args, **kw))

    for name in ("fromstring", "parse", "XML"):
        counted(etree, name)
        counted(ElementTree, name)
    counted(files.os, "open")
    graph = md.load_urdf(ROBOTS / "charmie_torso.urdf")
    assert parsed == ["open", "fromstring"]  # the file, its text
    assert graph.nv == 27


def test_a_robot_without_moving_joints():
    graph = md.load_urdf('<robot name="stone"><link name="stone"/></robot>')
    assert (graph.nq, graph.nv, graph.subsystems) == (0, 0, ())
    assert md.inverse_dynamics(graph, [], [], []).shape == (0,)
    assert md.inverse_dynamics(graph, *np.zeros((3, 0))).shape == (0,)


def test_encodings_and_declarations(tmp_path):
    text = (ROBOTS / "four_link.urdf").read_text()
    element = text[text.index("<robot") :]
    latin = tmp_path / "latin.urdf"
    declared = '<?xml version="1.0" encoding="ISO-8859-1"?>\n<!-- Müller -->' + element
    latin.write_bytes(declared.encode("latin-1"))
    with_bom = tmp_path / "bom.urdf"
    with_bom.write_bytes(b"\xef\xbb\xbf" + element.encode())
    for source in (latin, with_bom, str(latin), '<?xml version="1.0" encoding="utf-8"?>' + element):
        graph = md.load_urdf(source)
        assert md.crosscheck.rnea_residual(graph, *np.ones((3, graph.nv))).max() < 1e-12


def test_long_chains_of_fixed_links():
    """Vendors' calibration frames and the like: deeper than Python's recursion limit."""
    links = "".join(f'<link name="l{k}"/>' for k in range(1501))
    joints = "".join(
        f'<joint name="j{k}" type="{"continuous" if k == 0 else "fixed"}"><parent link="l{k}"/>'
        f'<child link="l{k + 1}"/></joint>'
        for k in range(1500)
    )
    with pytest.warns(md.ModelWarning, match="ends a chain"):
        graph = md.load_urdf(f'<robot name="r">{links}{joints}</robot>')
    assert len(graph.bodies[0].links) == 1500
