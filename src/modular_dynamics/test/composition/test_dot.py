"""The graph as text for Graphviz."""

import modular_dynamics as md


def test_dot_text(load_robot):
    text = md.subsystem_graph_dot(load_robot("charmie"))
    assert text.startswith('digraph "charmie" {')
    assert '1 -> 2 [style=dashed, label="Ξ1,2"];' in text
    assert '2 -> 1 [style=solid, label="Γ2,1"];' in text
    assert text.count("style=dashed") == 9
    assert text.count("style=solid") == 9
