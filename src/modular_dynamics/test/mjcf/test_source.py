"""What can be loaded, and messages about what cannot."""

import sys
from pathlib import Path

import mujoco
import pytest

import modular_dynamics as md
from helpers.robots.mjcf_text import two_arms
from modular_dynamics.mjcf import source as codes

TEXT = two_arms()


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "two arms.xml"
    path.write_text(TEXT)
    return path


def test_every_kind_of_source_gives_the_same_graph(file):
    binary = file.with_suffix(".MJB")
    mujoco.mj_saveModel(mujoco.MjModel.from_xml_string(TEXT), str(binary), None)
    spec = mujoco.MjSpec.from_string(TEXT)
    sources = (TEXT, f"\ufeff\n{TEXT}", TEXT.encode(), file, str(file), binary, spec, spec.compile())
    before = spec.to_xml()
    graphs = [md.load_mjcf(source) for source in sources]
    assert spec.to_xml() == before
    for graph in graphs:
        assert graph.joint_names == ("a", "c", "b")
        assert graph.name == "two arms"
        assert [body.mass for body in graph.bodies] == [body.mass for body in graphs[0].bodies]


def test_files_beside_the_file_are_found(file):
    outer = file.with_name("outer.xml")
    outer.write_text(f'<mujoco><include file="{file.name}"/></mujoco>')
    assert md.load_mjcf(outer).joint_names == ("a", "c", "b")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("", "neither MJCF text .* nor the path of a file: ''"),
        ("text " * 100, r"no MJCF file at 'text text .*\.\.\.'"),
        (Path("missing.xml"), "no MJCF file at 'missing.xml'"),
        ('<?xml version="1.0"?><!-- a robot --><robot name="r"/>', "is <robot>, not <mujoco> .*load_urdf"),
        ("<sdf/>", "the root element of the text is <sdf>, not <mujoco>"),
        (b"\xff", "not text in encoding utf-8"),
        (3, "an object of type int is no source of MJCF; its text"),
        ("<mujoco><worldbody><body/></worldbody", "MuJoCo: XML parse error"),
        ("<mujoco><worldbody><bodi/></worldbody></mujoco>", "MuJoCo: XML Error: Schema violation.* line 1"),
        ("<mujoco><worldbody><body><joint/></body></worldbody></mujoco>", "MuJoCo: Error: mass and inertia"),
        ("<mujoco>" + " " * 20_000_001 + "</mujoco>", "at most 20000000 are accepted"),
    ],
)
def test_what_is_no_mjcf_is_refused(source, message):
    with pytest.raises(md.MjcfError, match=message):
        md.load_mjcf(source)


def test_a_urdf_in_a_file_is_refused(tmp_path):
    for name in ("robot.xml", "robot.urdf"):  # MuJoCo would read it, otherwise than load_urdf
        path = tmp_path / name
        path.write_text('<robot name="r"/>')
        with pytest.raises(md.MjcfError, match=rf"of '.*{name}' is <robot>, .*load_urdf"):
            md.load_mjcf(path)


def test_messages_name_the_file(file):
    file.write_text(TEXT.replace("<worldbody>", '<option density="1"/><worldbody>'))
    with pytest.warns(md.ModelWarning, match=r"^'.*two arms\.xml': the medium has density"):
        md.load_mjcf(file)
    with pytest.raises(md.MjcfError, match=r"^'.*two arms\.xml': strict: the medium has density"):
        md.load_mjcf(file, strict=True)
    file.write_text(TEXT.replace("<worldbody>", "<worldbodi>"))
    with pytest.raises(md.MjcfError, match=r"^'.*two arms\.xml': MuJoCo: XML"):
        md.load_mjcf(file)


def test_warnings_of_the_compiler_are_ours(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    received = []
    mujoco.set_mju_user_warning(received.append)
    try:
        text = TEXT.replace("<worldbody>", '<compiler settotalmass="2"/><worldbody>')
        with pytest.warns(md.ModelWarning, match="MuJoCo: .*settotalmass"):
            graph = md.load_mjcf(text)
        assert mujoco.get_mju_user_warning() == received.append
    finally:
        mujoco.set_mju_user_warning(None)
    assert len(graph.warnings) == 1
    assert received == []
    assert not list(tmp_path.iterdir())  # no file of MuJoCo


def test_an_old_mujoco_is_named(monkeypatch):
    monkeypatch.setattr(mujoco, "__version__", "3.3.0")
    with pytest.raises(
        md.MissingDependencyError, match=r"MuJoCo 3\.17 or newer, .* installed in version 3\.3\.0: pip"
    ):
        md.load_mjcf(TEXT)


def test_without_mujoco_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(md.MissingDependencyError, match=r'is not installed: pip install "mujoco>=3\.17"'):
        md.load_mjcf(TEXT)


# The numbers are MuJoCo's.

ENUMERATIONS = {
    "Joint": (mujoco.mjtJoint, "mjJNT_"),
    "Equality": (mujoco.mjtEq, "mjEQ_"),
    "Transmission": (mujoco.mjtTrn, "mjTRN_"),
    "Wrap": (mujoco.mjtWrap, "mjWRAP_"),
    "Object": (mujoco.mjtObj, "mjOBJ_"),
    "SameFrame": (mujoco.mjtSameFrame, "mjSAMEFRAME_"),
    "Disable": (mujoco.mjtDisableBit, "mjDSBL_"),
}


@pytest.mark.parametrize("code", ENUMERATIONS)
def test_numbers_are_those_of_mujoco(code):
    theirs, prefix = ENUMERATIONS[code]
    ours = dict(vars(getattr(codes, code)))
    assert ours
    assert ours == {name: int(getattr(theirs, prefix + name)) for name in ours}


def test_names_of_equalities_are_those_of_mujoco():
    for number, name in enumerate(codes.EQUALITIES):
        assert int(getattr(mujoco.mjtEq, f"mjEQ_{name.upper()}")) == number
