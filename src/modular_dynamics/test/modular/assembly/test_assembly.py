"""Docking, undocking, merging and splitting; the graph that comes of it."""

import numpy as np

import modular_dynamics as md
from modular_dynamics import modular


def snake(n):
    assembly = modular.Assembly(base=("v0", "backbone"))
    for k in range(1, n):
        assembly = assembly.dock(f"v{k - 1}", 3, f"v{k}", 4, kind="backbone")
    return assembly


def organism():
    """The nine Backbones of Meister & Gutenkunst, Fig. 4."""
    assembly = modular.Assembly(base=("v0", "backbone"))
    for row in (
        ("v0", 3, "v1", 2),
        ("v1", 5, "v2", 3),
        ("v0", 5, "v3", 2),
        ("v3", 4, "v4", 3),
        ("v4", 5, "v5", 2),
        ("v0", 2, "v6", 5),
        ("v6", 4, "v7", 2),
        ("v7", 4, "v8", 5),
    ):
        assembly = assembly.dock(*row, kind="backbone")
    return assembly


def test_a_change_gives_a_new_assembly():
    old = snake(2)
    new = old.dock("v1", 3, "v2", 4, kind="scout")
    assert list(old) == ["v0", "v1"]
    assert list(new) == ["v0", "v1", "v2"]
    assert new.undock("v2") == old


def test_torques_are_pinocchios():
    graph = organism().graph()
    rng = np.random.default_rng(0)
    state = rng.normal(size=(3, graph.nv))
    tau = md.inverse_dynamics(graph, *state)
    assert np.abs(md.crosscheck.rnea_residual(graph, *state)).max() < 1e-12
    np.testing.assert_allclose(md.compose(graph, *state).tau, tau, atol=1e-12)


def test_undocking_releases_what_is_beyond():
    rest, cut = organism().split("v3")
    assert list(rest) == ["v0", "v1", "v2", "v6", "v7", "v8"]
    assert list(cut) == ["v3", "v4", "v5"]
    assert cut.base == "v3"
    assert rest.merge(cut, "v0", 5, "v3", 2).kinds == {name: organism().kinds[name] for name in organism()}
