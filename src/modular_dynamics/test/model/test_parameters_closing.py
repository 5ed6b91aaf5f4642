"""Parameters of loop joints, springs and gears by name, against the text that says the same."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.robots.closed_robots import STATES, text_of


def edited_text(name, *edits):
    text = text_of(name)
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return md.load_urdf(text)


def torques(graph, name):
    q = STATES[name]
    return md.inverse_dynamics(graph, q, 0.3 + 0.0 * q, 0.2 + 0.0 * q)


def test_a_loop_joints_end(load_robot):
    """The coupler of the four-bar, 0.01 m longer: torques of the text with that number."""
    graph = load_robot("four_bar")
    (loop,) = graph.loop_joints
    x = graph.parameters[f"loop joint {loop.name} successor x"]
    assert x.unit == "m"
    longer = graph.with_parameters({f"loop joint {loop.name} successor x": x.value + 0.01})
    theirs = edited_text(
        "four_bar",
        ('<successor link="coupler" xyz="0.1 0 0"/>', '<successor link="coupler" xyz="0.11 0 0"/>'),
    )
    assert torques(longer, "four_bar") == pytest.approx(torques(theirs, "four_bar"), rel=1e-10)
    assert torques(longer, "four_bar") != pytest.approx(torques(graph, "four_bar"), rel=1e-3)


def test_a_springs_law_and_places(load_robot):
    graph = load_robot("exoskeleton")
    (spring,) = graph.springs
    before = f"spring {spring.name} "
    assert graph.parameters[before + "stiffness"].value == spring.stiffness
    stiffer = graph.with_parameters(
        {before + "stiffness": 2.0 * spring.stiffness, before + "free length": 0.01}
    )
    assert (stiffer.springs[0].stiffness, stiffer.springs[0].free_length) == (2.0 * spring.stiffness, 0.01)
    assert torques(stiffer, "exoskeleton") != pytest.approx(torques(graph, "exoskeleton"), rel=1e-3)
    # linear in the stiffness: half the change of twice the change
    tau = [
        torques(graph.with_parameters({before + "stiffness": k * spring.stiffness}), "exoskeleton")
        for k in (1, 2, 3)
    ]
    assert tau[2] - tau[1] == pytest.approx(tau[1] - tau[0], rel=1e-8, abs=1e-9)
    place = graph.parameters[before + "second anchor x"].value
    moved = graph.with_parameters({before + "second anchor x": place + 0.01})
    assert moved.parameters[before + "second anchor x"].value == pytest.approx(place + 0.01)
    assert moved.parameters[before + "first anchor x"] == graph.parameters[before + "first anchor x"]
    with pytest.raises(md.ModelError, match=r"the stiffness of spring '.*' is -1; it cannot be negative"):
        graph.with_parameters({before + "stiffness": -1.0})


def test_a_gears_ratios(load_robot):
    graph = load_robot("exoskeleton")
    names = [name for name in graph.parameters if name.startswith("gear ")]
    assert names == [
        "gear theta_12 ratio",
        "gear theta_12 offset",
        "gear rho_6 ratio",
        "gear rho_6 ratio 2",
        "gear rho_6 offset",
    ]
    new = {"gear rho_6 ratio": 0.9, "gear rho_6 ratio 2": -0.8, "gear rho_6 offset": 0.05}
    gear = graph.with_parameters(new).gears[1]
    assert (gear.drivers, gear.offset) == ((("rho_5", 0.9), ("rho_4", -0.8)), 0.05)
    assert graph.gears[1].drivers == (("rho_5", 1.0), ("rho_4", -1.0))


def test_gravity_is_followed_by_all_functions(load_robot):
    graph = load_robot("charmie")
    moon = graph.with_parameters({"gravity z": -1.62})
    q = np.full(graph.nq, 0.2)
    assert md.gravity_torque(moon, q) == pytest.approx(md.gravity_torque(graph, q) * 1.62 / 9.81)
    with pytest.raises(ValueError, match="read-only"):
        moon.gravity[0] = 1.0
