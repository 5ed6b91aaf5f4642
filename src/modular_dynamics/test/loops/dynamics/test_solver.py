"""The prepared solver of a closed-loop robot: results are values, loops are closed once."""

import copy
import dataclasses

import numpy as np
import pytest

import modular_dynamics as md
from helpers.robots.spatial_mechanisms import passive, spinning_rod, spinning_rod_on_a_ball
from helpers.robots.urdf_text import inertial, joint, loop_joint, robot
from modular_dynamics.loops import ClosedLoopSolver


def state(solver):
    """Closed coordinates near the reference, and rates of the independent joints."""
    q = solver.reference()[solver.independent_q] + 0.01
    v = np.linspace(0.3, 0.5, len(solver.independent_v))
    return solver.close(q, solver.reference()), v, v - 0.7


@pytest.mark.parametrize("name", ["four_bar", "exoskeleton", "charmie_torso"])
def test_at_closed_coordinates_it_is_the_public_functions(load_robot, name):
    graph = load_robot(name)
    solver = ClosedLoopSolver(graph)
    q, v, a = state(solver)
    load = {graph.links[-1]: [1.0, -2.0, 3.0, 0.1, 0.2, -0.3]}
    result = solver.inverse_dynamics(q, v, a, load)
    expected = md.InverseDynamics(graph).solve(q[solver.independent_q], v, a, guess=q, external_wrenches=load)
    # the functions close their guess again: by Newton's last step, 1e-10, or not at all
    assert result.tau == pytest.approx(expected.tau, rel=1e-8, abs=1e-8)
    expected = md.explicit_constraint_jacobian(graph, q[solver.independent_q], q)
    assert result.projection == pytest.approx(expected, rel=1e-8, abs=1e-8)
    assert np.array_equal(result.projection, solver.projection(q))
    assert result.projection @ v == pytest.approx(result.velocities, rel=1e-9, abs=1e-9)
    assert result.coordinates == pytest.approx(q, abs=1e-12)
    assert max(result.residual.values()) < 1e-9


def test_later_calls_leave_a_result_as_it_is(load_robot):
    solver = ClosedLoopSolver(load_robot("charmie_torso"))
    q, v, a = state(solver)
    first = solver.inverse_dynamics(q, v, a)
    kept = copy.deepcopy(first)
    solver.inverse_dynamics(solver.reference(), -v, a, {solver.graph.links[-1]: np.ones(6)})
    q += 1.0
    assert np.array_equal(first.tree.joint_wrenches, kept.tree.joint_wrenches)
    names = {field.name for field in dataclasses.fields(first)} - {"open_tree", "_system"}
    for name in names | {"multipliers"}:
        np.testing.assert_equal(getattr(first, name), getattr(kept, name))


def test_what_is_refused_for_free_joints_works_as_advised():
    """One coordinate can be independent; a ball joint cannot, for only one of its three is free."""
    graph, derivatives = spinning_rod(), md.inverse_dynamics_derivatives
    with pytest.raises(md.UnsupportedModelError, match=r"joints \w+; make these independent$") as error:
        derivatives(graph, [0.2], [0.1], [0.3])
    free = str(error.value).split("passive joints ")[1].split(";")[0]
    more = graph.with_independent_joints("motor0", free)
    rates = np.zeros((3, 2))
    rates[:, more.independent_joint_names.index("motor0")] = 0.2, 0.1, 0.3
    assert np.isfinite(derivatives(more, *rates).dq).all()
    ball = spinning_rod_on_a_ball()
    with pytest.raises(md.UnsupportedModelError, match="independent, with revolute joints in place of ball"):
        derivatives(ball, [0.2], [0.1], [0.3])


# Motions that loops allow and that move no inertia, and very light bodies on heavy robots with loops.


pytestmark = pytest.mark.filterwarnings("ignore::modular_dynamics.ModelWarning")


def body(mass, centre, moment):
    """A link's inertial element; moment: of inertia about each axis through the centre."""
    return inertial(mass, (centre, 0, 0), moment * np.eye(3))


def hinge(name, parent, child, along=0.0, axis=(0, 0, 1)):
    return joint(name, "continuous", parent, child, (along, 0, 0), axis=axis)


def four_bar(crank, rod, rocker, more=""):
    """Crank 0.2 m, rod 0.5 m, rocker 0.4 m, ground 0.5 m, in a horizontal plane."""
    parts = {"ground": "", "crank": crank, "rod": rod, "rocker": rocker}
    links = [f'<link name="{name}">{inside}</link>' for name, inside in parts.items()]
    hinges = [
        hinge("a", "ground", "crank"),
        hinge("b", "crank", "rod", 0.2),
        hinge("c", "ground", "rocker", 0.5),
    ]
    end = loop_joint("end", "revolute", ("rod", (0.5, 0, 0)), ("rocker", (0.4, 0, 0)), (0, 0, 1))
    return md.load_urdf(robot("bars", [*links, more, *hinges], [end, *passive("bc")]))


ROCKER = body(1.2, 0.2, 0.02)
#: Where crank and rod, 0.7 m together, are in line: the rocker stands still.
IN_LINE = float(np.arccos((0.7**2 + 0.5**2 - 0.4**2) / (2 * 0.7 * 0.5)))


def each_acceleration(graph, q, qi, tau):
    """Of the independent joints, by every function that computes them, at rest."""
    own, rest = list(graph.independent_joint_names), np.zeros(len(qi))
    places = [graph.v_slice(name).start for name in own]
    yield lambda: md.constrained_dynamics(graph, q, 0 * q, tau).a[places]
    yield lambda: md.hybrid_dynamics(graph, qi, rest, rest, tau, [], guess=q).a
    yield lambda: md.forward_dynamics(graph, qi, rest, tau, guess=q)
    yield lambda: md.forward_dynamics(graph, [qi], [rest], [tau], guess=q)[0]


def test_a_crank_and_a_rod_without_mass_move_nothing_where_they_are_in_line():
    graph = four_bar("", "", ROCKER)
    q = md.close_loops(graph, [IN_LINE])
    for function in each_acceleration(graph, q, [IN_LINE], [1.0]):
        with pytest.raises(
            md.StateError, match="a, b of 'bars' have a motion that moves no inertia, on which"
        ):
            function()
    with pytest.raises(md.StateError, match="row 1: a, b of 'bars' have a motion"):
        md.forward_dynamics(graph, [[0.9], [IN_LINE]], [[0.0]] * 2, [[1.0]] * 2, guess=q)


@pytest.mark.parametrize("distance", [1e-6, 1e-4, 1e-2])
def test_close_by_they_accelerate_as_the_rocker_does(distance):
    """By the ratio w of the rocker's rate to the crank's, from the lengths alone: I w^2 a = tau."""
    graph = four_bar("", "", ROCKER)
    angle = IN_LINE - distance
    q = md.close_loops(graph, [angle])
    values = dict(zip(graph.joint_names, q, strict=True))
    rod, rocker = angle + values["b"], values["c"]
    w = 0.2 * np.sin(angle - rod) / (0.4 * np.sin(rocker - rod))
    expected = 1.0 / ((1.2 * 0.2**2 + 0.02) * w**2)
    for function in each_acceleration(graph, q, [angle], [1.0]):
        assert function()[0] == pytest.approx(expected, rel=1e-14 / distance + 1e-12)


def test_a_flap_of_a_millionth_of_a_gram_on_a_heavy_robot_is_exact():
    """About its hinge, which moves with the rocker: I (alpha + phi) + m r (l alpha cos q) = tau, at rest."""
    mass, r, moment, place = 1e-9, 0.005, 1e-14, 0.2
    more = f'<link name="flap">{body(mass, r, moment)}</link>' + hinge("f", "rocker", "flap", place)
    graph = four_bar(body(100.0, 0.1, 1.0), body(150.0, 0.25, 3.0), body(120.0, 0.2, 2.0), more)
    at, torque = {"a": 0.9, "f": 0.3}, {"a": 10.0, "f": 1e-12}
    qi, tau = ([by[name] for name in graph.independent_joint_names] for by in (at, torque))
    q = md.close_loops(graph, qi)
    alpha = md.constrained_dynamics(graph, q, 0 * q, tau).a[graph.v_slice("c").start]
    about = mass * r**2 + moment
    expected = (1e-12 - mass * r * place * alpha * np.cos(at["f"])) / about - alpha
    flap = graph.independent_joint_names.index("f")
    for function in each_acceleration(graph, q, qi, tau):
        assert function()[flap] == pytest.approx(expected, rel=1e-9)
