"""Masses of links by name: the torque is linear in them, with the regressor as slope."""

import numpy as np
import pytest

import modular_dynamics as md
from modular_dynamics.model import body_of_link


@pytest.mark.parametrize("name", ["charmie", "branched_38dof", "vendor_arm"])
def test_slope_of_the_torque_in_a_mass_is_the_regressors(load_robot, name):
    """A point mass at the moving link's own centre: dtau/dm with c and I about c kept."""
    graph = load_robot(name)
    state = (
        np.random.default_rng(0).normal(size=graph.nq),
        *np.random.default_rng(1).normal(size=(2, graph.nv)),
    )
    Y = md.regressor(graph, *state)
    for k in (0, len(graph.bodies) // 2, len(graph.bodies) - 1):
        part = graph.bodies[k].parts[0].inertial
        key = f"link {graph.bodies[k].name} mass"
        heavier = graph.with_parameters({key: part.mass + 2.0})
        slope = (md.inverse_dynamics(heavier, *state) - md.inverse_dynamics(graph, *state)) / 2.0
        c = part.com
        at_origin = c @ c * np.eye(3) - np.outer(c, c)
        per_kilogram = np.r_[
            1.0, c, [at_origin[i, j] for i, j in ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2))]
        ]
        assert slope == pytest.approx(Y[:, 10 * k : 10 * k + 10] @ per_kilogram, rel=1e-8, abs=1e-8)


def test_a_fixed_link_has_numbers_of_its_own(load_robot):
    graph = load_robot("vendor_arm")
    body = next(body for body in graph.bodies if len(body.parts) > 1)
    part = body.parts[-1]
    changed = graph.with_parameters({f"link {part.name} mass": part.inertial.mass + 1.0})
    index = body_of_link(graph, part.name)
    assert changed.bodies[index].mass == pytest.approx(body.mass + 1.0)
    assert changed.parameters[f"link {body.name} mass"] == graph.parameters[f"link {body.name} mass"]


def test_a_payload_has_numbers_too_and_none_at_mass_zero(load_robot):
    graph = load_robot("four_link").with_payload("lower_stem", mass=2.0, com=[0.0, 0.0, 0.1])
    changed = graph.with_parameters({"payload lower_stem mass": 3.0, "payload lower_stem com x": 0.2})
    assert changed.payloads["lower_stem"].com.tolist() == [0.2, 0.0, 0.1]
    direct = graph.with_payload("lower_stem", mass=3.0, com=[0.2, 0.0, 0.1])
    assert changed.bodies[0].inertia.tobytes() == direct.bodies[0].inertia.tobytes()
    assert not graph.with_parameters({"payload lower_stem mass": 0.0}).payloads


def test_what_no_body_weighs_is_refused(load_robot):
    graph = load_robot("four_link")
    with pytest.raises(md.ModelError, match=r"mass of link 'lower_stem' is -1 kg"):
        graph.with_parameters({"link lower_stem mass": -1.0})
    with pytest.raises(md.ModelError, match=r"inertia of link 'lower_stem' has the principal moments"):
        graph.with_parameters({"link lower_stem inertia xx": -1.0})
    with pytest.warns(md.ModelWarning, match="triangle inequality") as caught:
        graph.with_parameters({"link lower_stem inertia zz": 100.0})
    assert caught[0].filename == __file__
