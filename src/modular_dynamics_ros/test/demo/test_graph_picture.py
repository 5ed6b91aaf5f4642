import modular_dynamics as md
from modular_dynamics_ros.demo.graph_picture import draw_graph, layout


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


def test_the_picture_is_written(four_link, tmp_path):
    path = draw_graph(md.load_urdf(four_link), tmp_path / "graph.png")
    assert path.read_bytes().startswith(b"\x89PNG")
