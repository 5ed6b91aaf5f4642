"""Four-bar, slider-crank and crane against closed forms: positions, and torques by Lagrange's equation."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.oracles.lagrange import Lagrangian
from modular_dynamics.loops import close_loops

STEP = 1e-20j  # of complex-step derivatives: exact to the last digit


def corner(a, b, opposite):
    """Law of cosines: the angle between sides a and b; complex lengths allowed."""
    return np.arccos((a * a + b * b - opposite * opposite) / (2 * a * b))


def length(x, y):
    """hypot that is analytic."""
    return np.sqrt(x * x + y * y)


def four_bar(q):
    (crank,) = q
    x, y = 0.05 * np.cos(crank) - 0.15, 0.05 * np.sin(crank)  # the crank's tip, seen from the output's axis
    diagonal = length(x, y)
    output = np.pi + np.arctan(y / x) - corner(diagonal, 0.13, 0.10)
    return {"J1": crank, "J4": output, "J3": np.pi - corner(0.13, 0.10, diagonal)}


def slider_crank(q):
    (crank,) = q
    rod = np.arcsin((0.01 - 0.05 * np.sin(crank)) / 0.15)
    slide = 0.05 * np.cos(crank) + 0.15 * np.cos(rod)
    return {"crank_turn": crank, "rod_swing": rod - crank, "piston_slide": slide}


def crane(q):
    slew, lift, fold = q
    # triangle of the boom's hinge, the lower pin 0.25 m before and 0.9 m below it, and the pin on the boom
    rise = corner(length(0.25, 0.9), length(0.8, 0.1), 0.97 + lift)
    boom = rise + np.arctan2(-0.9, 0.25) - np.arctan2(-0.1, 0.8)
    x, y = 0.8 * np.cos(boom) + 0.1 * np.sin(boom) - 0.25, 0.8 * np.sin(boom) - 0.1 * np.cos(boom) + 0.9
    # and on the boom: the jib's hinge, the rear pin 1.2 m behind and 0.25 m above it, and the pin on the jib
    bend = corner(length(1.2, 0.25), length(0.24, 0.255), 0.96 + fold)
    jib = np.arctan2(0.25, -1.2) - bend - np.arctan2(0.255, -0.24)
    u = -0.24 * np.cos(jib) - 0.255 * np.sin(jib) + 1.2
    w = -0.24 * np.sin(jib) + 0.255 * np.cos(jib) - 0.25
    return {
        "slew": slew,
        "boom_hinge": boom,
        "lift_tube_hinge": np.arctan(y / x),
        "lift_cylinder": lift,
        "jib_hinge": jib,
        "jib_tube_hinge": np.arctan(w / u),
        "jib_cylinder": fold,
    }


CLOSED_FORMS = {"four_bar": four_bar, "slider_crank": slider_crank, "crane": crane}


def places(name, count):
    """Independent coordinates all over the range: turns of a crank, strokes of the cylinders."""
    rng = np.random.default_rng(0)
    if name == "crane":
        return rng.uniform((-3.5, 0.0, 0.0), (3.5, 0.62, 0.53), (count, 3))
    return np.linspace(0.0, 4.0 * np.pi, count)[:, None]


class Reduced(Lagrangian):
    """Lagrange's equation in the independent coordinates, the others by closed form."""

    def __init__(self, graph, closed):
        self.whole, self.closed = Lagrangian(graph), closed
        self.names, self.nv = graph.joint_names, len(graph.independent_joint_names)

    def coordinates(self, q):
        coordinates = self.closed(q)
        return np.array([coordinates[name] for name in self.names])

    def mass_and_potential(self, q):
        W = np.transpose([self.coordinates(q + STEP * unit).imag / STEP.imag for unit in np.eye(self.nv)])
        M, V = self.whole.mass_and_potential(self.coordinates(q))
        return W.T @ M @ W, V


@pytest.mark.parametrize("name", CLOSED_FORMS)
def test_coordinates_are_those_of_the_closed_form(load_robot, name):
    graph = load_robot(name, strict=True)
    oracle = Reduced(graph, CLOSED_FORMS[name])
    guess = None
    for q in places(name, 361):
        expected = oracle.coordinates(q)
        # the loops are closed to 1e-10; the condition number stays below 10
        assert close_loops(graph, q) == pytest.approx(expected, abs=1e-9)
        guess = close_loops(graph, q, guess)
        assert guess == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("gravity", [(0.0, 0.0, -9.81), (0.0, 0.0, 0.0)])
@pytest.mark.parametrize("name", CLOSED_FORMS)
def test_torques_are_those_of_virtual_power(load_robot, name, gravity):
    graph = load_robot(name, gravity=gravity)
    oracle = Reduced(graph, CLOSED_FORMS[name])
    rng = np.random.default_rng(1)
    for q in places(name, 25):
        v, a = rng.normal(size=(2, len(q)))
        result = md.InverseDynamics(graph).solve(q, v, a)
        expected = oracle.torques(q, v, a)
        scale = 1.0 + np.abs(expected).max()
        assert result.tau == pytest.approx(expected, abs=1e-9 * scale)  # the oracle's finite differences
        assert max(result.residual.values()) < 1e-10


def test_a_heavier_coupler_needs_a_larger_torque(load_robot):
    text, peaks = load_robot("four_bar").urdf, []
    bar = '<mass value="{}"/>\n      <inertia ixx="3.75e-05" iyy="{}" izz="{}"'
    coupler = bar.format(3, 0.0025, 0.0025)
    assert coupler in text
    for mass in (3.0, 4.5, 6.0):
        graph = md.load_urdf(text.replace(coupler, bar.format(mass, mass / 1200, mass / 1200)))
        oracle, speed = Reduced(graph, four_bar), np.array([1.5 * np.pi])  # 45 rpm
        turn = np.linspace(0.0, 2.0 * np.pi, 61)[:, None]
        taus = [md.inverse_dynamics(graph, q, speed, [0.0]) for q in turn]
        expected = [oracle.torques(q, speed, np.zeros(1)) for q in turn]
        assert np.array(taus) == pytest.approx(np.array(expected), abs=1e-8)
        peaks.append(np.abs(taus).max())
    assert 0.01 < peaks[0] < peaks[1] < peaks[2]


def test_four_bar_has_the_public_parameters(load_robot):
    graph = load_robot("four_bar")
    assert graph.independent_joint_names == ("J1",)
    members = [[joint.name for joint in subsystem.joints] for subsystem in graph.subsystems]
    assert members == [["J1"], ["J4", "J3"]]  # I: crank; II: output and coupler
    bodies = {body.name: body for body in graph.bodies}
    for name, mass, bar in (("crank", 1.5, 0.05), ("coupler", 3.0, 0.10), ("output", 5.0, 0.13)):
        body = bodies[name]
        assert body.mass == mass
        assert body.com == pytest.approx([bar / 2, 0.0, 0.0], abs=1e-16)
        assert body.inertia[2, 2] == pytest.approx(mass * bar**2 / 12, rel=1e-15)


def test_four_bar_closes_at_the_published_angle(load_robot):
    graph = load_robot("four_bar")
    angle = np.degrees(close_loops(graph, [0.0])[graph.q_slice("J4")])
    assert angle == pytest.approx(130.5416, abs=5e-5)  # its four digits


def test_crane_strokes_reach_from_level_to_folded(load_robot):
    graph = load_robot("crane")
    poses = [close_loops(graph, q) for q in ([0, 0, 0], [0, 0.62, 0.53])]
    hinges = [graph.q_slice(name).start for name in ("boom_hinge", "jib_hinge")]
    angles = [np.degrees(pose[hinge]) for hinge in hinges for pose in poses]
    assert angles == pytest.approx([0, 64.5, 0, -98.9], abs=0.1)  # as urdf/README.md says
