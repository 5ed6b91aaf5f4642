"""Bodies of changed graphs: what is known of their links, and bodies that a caller replaced."""

from dataclasses import replace

import numpy as np
import pytest

import modular_dynamics as md
from modular_dynamics.model.changes.bodies import parts_of


def replaced(graph, index, **fields):
    bodies = list(graph.bodies)
    bodies[index] = replace(bodies[index], **fields)
    return replace(graph, bodies=tuple(bodies))


def test_links_have_their_own_masses(load_robot):
    for body in load_robot("charmie").bodies:
        assert parts_of(body) is body.parts
        assert sum(part.inertial.mass for part in body.parts) == pytest.approx(body.mass)
        assert [part.name for part in body.parts if part.parent is None] == [body.name]


@pytest.mark.parametrize(
    "fields", [{"mass": 99.0}, {"com": [0.1, 0.2, 0.3]}, {"inertia": np.eye(3)}, {"parts": ()}]
)
def test_a_replaced_body_stays_as_it_is_in_all_changes(load_robot, fields):
    """Its links no longer add up to it: its own numbers count."""
    graph = replaced(load_robot("vendor_arm"), 6, **fields)
    body, name = graph.bodies[6], graph.joint_names[5]
    state = np.random.default_rng(0).normal(size=(3, graph.nv))
    state[1:, graph.v_slice(name)] = 0.0
    expected = md.inverse_dynamics(graph, *state)
    kept = [k for k, other in enumerate(graph.joint_names) if other != name]
    locked = graph.lock({name: state[0, graph.q_slice(name)]})
    assert md.inverse_dynamics(locked, *state[:, kept]) == pytest.approx(expected[kept], rel=1e-11, abs=1e-11)
    tool = load_robot("four_link")
    held = graph.attach(tool, body.name, prefix="a_").without("a_" + tool.bodies[0].name)
    assert md.inverse_dynamics(held, *state) == pytest.approx(expected, rel=1e-11, abs=1e-11)
    assert graph.parameters[f"link {body.name} mass"].value == pytest.approx(body.mass)
    (fixed, *_) = (link for link in body.links if link != body.name)
    with pytest.raises(md.ModelError, match=r"only the whole mass is known, and not what .* weighs"):
        graph.without(fixed)


def test_a_body_with_payloads_is_not_replaced_by_another_mass(load_robot):
    graph = load_robot("four_link").with_payload("lower_stem", mass=1.0)
    with pytest.raises(md.ModelError, match=r"body 'lower_stem' carries payloads, .* with_payload"):
        replaced(graph, 0, mass=9.0)
    lighter = graph.with_parameters({"link lower_stem mass": 0.5})
    assert lighter.bodies[0].mass == 1.5
    assert lighter.with_payload("lower_stem", mass=0.0).bodies[0].mass == 0.5
