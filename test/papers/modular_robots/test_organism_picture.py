"""The directed graph of Fig. 4(b): what its edges say, and where its vertices are."""

from papers.modular_robots.organism import organism
from papers.modular_robots.organism_picture import digraph_of, layout_of


def test_edges_lead_away_from_the_base_and_name_dock_and_faces():
    graph = digraph_of(organism())
    assert list(graph.edges) == [
        *(("v0", "v1"), ("v0", "v3"), ("v0", "v6"), ("v1", "v2")),
        *(("v3", "v4"), ("v4", "v5"), ("v6", "v7"), ("v7", "v8")),
    ]
    assert graph.edges["v0", "v1"] == {"name": "e1", "faces": ("3", "2"), "type": "DO"}
    assert graph.edges["v7", "v8"] == {"name": "e8", "faces": ("4", "5"), "type": "DO"}
    assert sorted(data["name"] for *_, data in graph.edges(data=True)) == [f"e{k}" for k in range(1, 9)]


def test_rows_are_distances_from_the_base_and_no_two_vertices_are_in_one_place():
    positions = layout_of(digraph_of(organism()))
    assert positions["v0"] == (1.0, 0.0)
    assert [positions[module] for module in ("v2", "v5", "v8")] == [(0.0, -2.0), (1.0, -3.0), (2.0, -3.0)]
    assert len(set(positions.values())) == 9
