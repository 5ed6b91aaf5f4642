"""The graph as a whole."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.robots.mjcf_text import two_arms

NO_GRAVITY = '<option gravity="1 2 3"><flag gravity="disable"/></option><worldbody>'


def test_a_partition_divides_it_and_can_make_black_boxes():
    boxed = {"version": 1, "subsystems": [{"name": "tool", "root_link": "tip", "black_box": True}]}
    graph = md.load_mjcf(two_arms(), boxed)
    assert graph.subsystem("tool").black_box
    assert [joint.name for joint in graph.subsystem("tool").joints] == ["c"]
    with pytest.raises(md.PartitionError, match="unknown link 'hand'"):
        md.load_mjcf(two_arms(), {"version": 1, "subsystems": [{"name": "x", "root_link": "hand"}]})


@pytest.mark.parametrize(
    ("text", "given", "gravity"),
    [
        (two_arms(), None, (0.0, 0.0, -9.81)),
        (two_arms(), (1.0, 0.0, 0.0), (1.0, 0.0, 0.0)),
        (two_arms().replace("<worldbody>", '<option gravity="1 2 3"/><worldbody>'), None, (1.0, 2.0, 3.0)),
        (two_arms().replace("<worldbody>", NO_GRAVITY), None, (0.0, 0.0, 0.0)),
    ],
)
def test_gravity_is_that_of_the_file_or_the_one_given(text, given, gravity):
    np.testing.assert_array_equal(md.load_mjcf(text, gravity=given).gravity, gravity)


def test_a_bad_gravity_is_refused():
    with pytest.raises(md.StateError, match="three finite numbers"):
        md.load_mjcf(two_arms(), gravity=9.81)


def test_composition_and_forward_dynamics_take_the_graph():
    graph = md.load_mjcf(two_arms())
    q, v, a = np.random.default_rng(0).normal(size=(3, 3))
    tau = md.inverse_dynamics(graph, q, v, a)
    np.testing.assert_allclose(md.compose(graph, q, v, a).tau, tau, rtol=1e-12)
    np.testing.assert_allclose(md.forward_dynamics(graph, q, v, tau), a, rtol=1e-9)
