import pytest

import modular_dynamics as md
from helpers.paths import ROBOTS


def test_the_tree_is_the_graphs_own_text(shell):
    robot = ROBOTS / "exoskeleton.urdf"
    assert shell("graph", robot).out == f"{md.load_urdf(robot)}\n"


def test_dot_is_the_librarys(shell, four_link, tmp_path):
    expected = md.subsystem_graph_dot(md.load_urdf(four_link))
    assert shell("graph", four_link, "--dot").out == expected
    assert shell("graph", four_link, "-o", tmp_path / "graph.dot").out == ""
    assert (tmp_path / "graph.dot").read_text(encoding="utf-8") == expected


@pytest.mark.parametrize(("suffix", "magic"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")])
def test_pictures(shell, four_link, tmp_path, suffix, magic):
    path = tmp_path / f"graph{suffix}"
    assert shell("graph", four_link, "-o", path).code == 0
    assert path.read_bytes().startswith(magic)


def test_what_cannot_be_written(error, four_link, tmp_path):
    assert "the suffix .dot, .gv, .txt, .png, .svg, .pdf is needed" in error(
        "graph", four_link, "-o", "g.jpg"
    )
    assert "contradict each other" in error("graph", four_link, "--dot", "-o", "g.png")
    assert "No such file" in error("graph", four_link, "-o", tmp_path / "no" / "g.dot")
