"""Where a description comes from: text, bytes and paths."""

import io
import os

import pytest

import modular_dynamics as md
from helpers.paths import ROBOTS
from modular_dynamics.text.sizes import MAX_BYTES

FILE = ROBOTS / "four_link.urdf"


class PathLike(os.PathLike):
    def __fspath__(self):
        return str(FILE)


def sources():
    text = FILE.read_text(encoding="utf-8")
    yield "text", text
    yield "bytes", text.encode()
    yield "bytes with a mark", b"\xef\xbb\xbf" + text.encode()
    yield "UTF-16, as PowerShell writes it", text.encode("utf-16")
    yield "bytearray", bytearray(text.encode())
    yield "path as text", str(FILE)
    yield "Path", FILE
    yield "path-like", PathLike()


@pytest.mark.parametrize("source", [pytest.param(one, id=name) for name, one in sources()])
def test_every_source_gives_the_same_robot(source):
    graph = md.load_urdf(source)
    assert graph.joint_names == md.load_urdf(FILE).joint_names
    assert md.crosscheck.rnea_residual(graph, *[[0.1] * graph.nv] * 3).max() < 1e-12


def test_the_encoding_of_bytes_is_the_declared_one(tmp_path):
    text = '<?xml version="1.0" encoding="ISO-8859-1"?><robot name="M\u00fcller"><link name="a"/></robot>'
    path = tmp_path / "latin.urdf"
    path.write_bytes(text.encode("latin-1"))
    for source in (text.encode("latin-1"), path):
        assert md.load_urdf(source).name == "M\u00fcller"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (b"/a/robot.urdf", "not XML .*: '/a/robot.urdf'"),
        (b"<robot name='\xff'/>", "the description is not text in encoding utf-8"),
        (b"<" + b" " * MAX_BYTES, "at most 20000000 are accepted"),
        (None, "an object of type NoneType is no source of URDF; its text, its bytes or the path"),
        (io.StringIO("<robot/>"), "an object of type StringIO is no source of URDF; its text"),
        ("text " * 100, r"no URDF file at 'text text .*\.\.\.'"),
        ("<robot name='\ud800'/>", "the description is not text: .*surrogates"),
    ],
)
def test_refused(source, message):
    with pytest.raises(md.UrdfError, match=message):
        md.load_urdf(source)


def test_errors_and_warnings_name_the_file(tmp_path):
    path = tmp_path / "r.urdf"
    path.write_text("<robot name='r'>\n<link name='a'/><link name='a'/></robot>")
    with pytest.raises(md.UrdfError, match=r"^'.*r\.urdf': line 2: two links are named 'a'") as caught:
        md.load_urdf(path)
    assert caught.value.line == 2
    path.write_text("<robot name='r'>\n<link></robot>")
    with pytest.raises(md.UrdfError, match=r"^'.*r\.urdf': line 2: malformed XML: Opening and ending tag"):
        md.load_urdf(path)
    path.write_text("# Robots")
    with pytest.raises(md.UrdfError, match=r"^'.*r\.urdf': not XML"):
        md.load_urdf(path)
    inertial = "<inertial><mass value='1'/></inertial>"
    path.write_text(f"<robot name='r'>\n<link name='a'>{inertial}</link></robot>")
    with pytest.warns(md.ModelWarning, match=r"^'.*r\.urdf': line 2: <inertial> of link 'a' lacks"):
        md.load_urdf(path)
    with pytest.raises(md.UrdfError, match=r"^'.*r\.urdf': strict: line 2: <inertial> of link 'a' lacks"):
        md.load_urdf(path, strict=True)
    with pytest.raises(md.PartitionError, match=r"^no partition file at"):
        md.load_urdf(path, tmp_path / "no.yaml")
    with pytest.raises(md.PartitionError, match="an object of type list is no partition; the path"):
        md.load_urdf(path, [1])
    with pytest.raises(md.UrdfError, match=r"no URDF file at '.*', which is a folder"):
        md.load_urdf(tmp_path)


def test_a_graph_is_no_source(load_robot):
    with pytest.raises(md.UrdfError, match="an object of type SubsystemGraph is no source of URDF"):
        md.load_urdf(load_robot("four_link"))


@pytest.mark.parametrize(
    "encoding", ["punycode", "idna", "undefined", "utf-7", "unicode_escape", "hex", "none"]
)
def test_encodings_that_xml_does_not_have_are_refused(encoding):
    text = f'<?xml version="1.0" encoding="{encoding}"?><robot name="r"><link name="a"/></robot>'
    with pytest.raises(md.UrdfError, match=f"the description is not text in encoding {encoding}"):
        md.load_urdf(text.encode())
