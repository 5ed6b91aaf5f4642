from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

import modular_dynamics as md
from helpers.paths import ROBOTS
from modular_dynamics.pictures.graph_picture import draw_graph, layout


def test_vertices_do_not_overlap_and_successors_stand_to_the_right(root):
    graph = md.load_urdf(root / "urdf/branched_38dof.urdf")
    positions = layout(graph)
    places = list(positions.values())
    assert len(set(places)) == 9
    for index, subsystem in enumerate(graph.subsystems):
        x, y = positions[index]
        if subsystem.predecessor is not None:
            assert x > positions[subsystem.predecessor][0]
        assert sum(abs(x - other_x) < 1e-9 and abs(y - other_y) < 1.3 for other_x, other_y in places) == 1


def test_arrows_begin_and_end_at_boxes(tmp_path, monkeypatch):
    figures = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, *_, **__: figures.append(figure))
    draw_graph(md.load_urdf(ROBOTS / "four_link.urdf"), tmp_path / "graph.png")
    figures[0].draw_without_rendering()
    texts = figures[0].axes[0].texts
    boxes = [text.get_bbox_patch().get_window_extent() for text in texts if "joint" in text.get_text()]
    arrows = [
        arrow.get_transform().transform_path(arrow.get_path()).vertices
        for arrow in figures[0].axes[0].patches
        if isinstance(arrow, FancyArrowPatch)
    ]
    assert (len(boxes), len(arrows)) == (3, 4)
    for x, y in (end for vertices in arrows for end in (vertices[0], vertices[4])):  # start and tip
        assert any(box.padded(4).contains(x, y) and not box.padded(-5).contains(x, y) for box in boxes)
