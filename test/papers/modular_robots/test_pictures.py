"""The directed graph of Fig. 4(b): what its edges say."""

from papers.modular_robots.organism import organism
from papers.modular_robots.organism_picture import digraph_of


def test_edges_lead_away_from_the_base_and_name_dock_and_faces():
    graph = digraph_of(organism())
    assert list(graph.edges) == [
        *(("v0", "v1"), ("v0", "v3"), ("v0", "v6"), ("v1", "v2")),
        *(("v3", "v4"), ("v4", "v5"), ("v6", "v7"), ("v7", "v8")),
    ]
    assert graph.edges["v0", "v1"] == {"name": "e1", "faces": ("3", "2"), "type": "DO"}
    assert graph.edges["v7", "v8"] == {"name": "e8", "faces": ("4", "5"), "type": "DO"}
    assert sorted(data["name"] for *_, data in graph.edges(data=True)) == [f"e{k}" for k in range(1, 9)]
