"""Pictures with characters that the font lacks: one line says so, in place of Python's warnings."""

import warnings

import pytest

from modular_dynamics.shell.command import drawing


@pytest.fixture(autouse=True)
def _loud():
    """Whatever is warned of is an error, as a user would see it."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.fixture
def robot(four_link, tmp_path):
    path = tmp_path / "robot.urdf"
    text = four_link.read_text("utf-8").replace('name="four_link"', 'name="四"')
    path.write_text(text.replace("left_branch", "左"), "utf-8")
    return path


def test_a_graph_has_boxes_and_one_line_names_the_characters(shell, robot, tmp_path):
    found = shell("graph", robot, "-o", tmp_path / "g.png")
    assert found.code == 0, found.err
    assert found.err == "warning: the picture has boxes in place of 四左, which its font lacks\n"
    assert (tmp_path / "g.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_a_plot_has_boxes_and_one_line_names_the_characters(shell, tmp_path, suffix):
    table = tmp_path / "t.csv"
    table.write_text("tau_左,tau_b\n1,2\n2,3\n", "utf-8")
    found = shell("plot", table, "-o", tmp_path / f"t{suffix}")
    assert found.code == 0, found.err
    assert found.err == "warning: the picture has boxes in place of 左, which its font lacks\n"
    assert (tmp_path / f"t{suffix}").stat().st_size > 1000


def test_where_writing_fails_only_that_is_said(error, robot, tmp_path):
    assert "No such file" in error("graph", robot, "-o", tmp_path / "no/g.png")
    table = tmp_path / "t.csv"
    table.write_text("tau_左\n1\n2\n", "utf-8")
    assert "No such file" in error("plot", table, "-o", tmp_path / "no/t.png")


def test_many_characters_are_counted_and_other_warnings_are_left_out(capsys):
    with drawing():
        for code in range(0x4E00, 0x4E0C):
            warnings.warn(f"Glyph {code} (X) missing from font(s) Y.", UserWarning, stacklevel=1)
        warnings.warn("constrained_layout not applied", UserWarning, stacklevel=1)
    text = capsys.readouterr().err
    assert text.count("\n") == 1
    assert "一丁丂七丄丅丆万丈三 and 2 more, which" in text
