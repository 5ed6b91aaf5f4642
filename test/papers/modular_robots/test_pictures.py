"""The directed graph of Fig. 4(b): what its edges say."""

from matplotlib.figure import Figure

from modular_dynamics import modular
from papers.modular_robots.organism import organism
from papers.modular_robots.pictures import digraph_of, draw_organism, draw_table


def test_edges_lead_away_from_the_base_and_name_dock_and_faces():
    graph = digraph_of(organism())
    assert list(graph.edges) == [
        *(("v0", "v1"), ("v0", "v3"), ("v0", "v6"), ("v1", "v2")),
        *(("v3", "v4"), ("v4", "v5"), ("v6", "v7"), ("v7", "v8")),
    ]
    assert graph.edges["v0", "v1"] == {"name": "e1", "faces": ("3", "2"), "type": "DO"}
    assert graph.edges["v7", "v8"] == {"name": "e8", "faces": ("4", "5"), "type": "DO"}
    assert sorted(data["name"] for *_, data in graph.edges(data=True)) == [f"e{k}" for k in range(1, 9)]


def test_robots_with_rings_turns_and_other_modules_are_drawn(tmp_path):
    """The ring's column stands between others, so that edges after it keep their names."""
    robot = modular.Assembly(base=("v0", "backbone"))
    for k in range(1, 4):
        robot = robot.dock(f"v{k - 1}", 3, f"v{k}", 2, kind="backbone")
    robot = robot.dock("v3", 3, "v0", 2).dock("v2", 4, "arm", 4, kind="block", turn=1)
    graph = digraph_of(robot)
    assert graph.edges["v2", "arm"] == {"name": "e5", "faces": ("4", "4"), "type": "-"}
    assert graph.number_of_edges() == 4
    for path in (
        draw_organism(robot, tmp_path / "robot.png"),
        draw_table(robot.incidence_matrix(), {}, tmp_path / "table.png"),
    ):
        assert path.read_bytes()[:4] == b"\x89PNG"


def test_names_fit_into_the_cells_of_a_small_matrix(tmp_path, monkeypatch):
    """And its title into the picture."""
    robot = modular.Assembly(base=("a_long_name_of_a_module", "backbone"))
    robot = robot.dock("a_long_name_of_a_module", 3, "b", 2, kind="block")
    drawn = []
    monkeypatch.setattr(Figure, "savefig", lambda self, *_, **how: drawn.append(self))
    draw_table(robot.incidence_matrix(), {}, tmp_path / "table.png")
    (figure,) = drawn
    figure.draw_without_rendering()
    (axis,) = figure.axes
    cells = [patch.get_window_extent() for patch in axis.patches]
    for cell, text in zip(cells, axis.texts, strict=True):  # each cell is drawn before its text
        assert text.get_window_extent().width < cell.width, text.get_text()
    assert axis.title.get_window_extent().width < figure.bbox.width
