import modular_dynamics as md
from modular_dynamics.pictures.graph_picture import layout


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
