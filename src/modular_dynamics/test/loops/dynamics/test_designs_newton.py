"""Designs of loops that are not planar: each as the robot written to URDF and loaded, and as MuJoCo."""

import re

import numpy as np
import pytest

import modular_dynamics as md
from benchmark.peers.mujoco_loops import MujocoLoops
from helpers.robots.parallel_mechanisms import ankle, bricard
from helpers.robots.planar_robots import four_bar
from modular_dynamics.loops import solver_of
from modular_dynamics.loops.assembly.assemble import Assembler
from modular_dynamics.loops.assembly.least_squares import LeastSquares

DESIGNS, STATES = 20, 6


def states(graph, designs=DESIGNS, count=STATES, size=0.02):
    rng, solver = np.random.default_rng(0), solver_of(graph)
    shape = designs, count, len(solver.independent_v)
    q = solver.reference()[solver.independent_q] + size * rng.uniform(-1.0, 1.0, shape)
    return q, rng.normal(size=shape), rng.normal(size=shape)


def columns(graph, names, designs=DESIGNS, size=2e-3):
    """Parameters that vary to both sides by so much."""
    rng = np.random.default_rng(1)
    return {name: graph.parameters[name].value + size * rng.uniform(-1.0, 1.0, designs) for name in names}


def of_ankle(graph):
    """Points of loops, origins and angles of joints, masses."""
    ends = " predecessor x", " successor y", " origin x", " origin roll", " mass"
    return [name for name in graph.parameters if name.endswith(ends) and graph.parameters[name].value != 0.0]


def assert_as_written(graph, motion, parameters, batch):
    for k in range(len(batch.tau)):
        changed = graph.with_parameters({name: column[k] for name, column in parameters.items()})
        robot, guess = md.load_urdf(changed.to_urdf()), solver_of(graph).reference()
        for i in range(batch.tau.shape[1]):
            single = md.InverseDynamics(robot).solve(*(x[k, i] for x in motion), guess=guess)
            size = np.abs(single.tau).max()
            assert batch.tau[k, i] == pytest.approx(single.tau, rel=1e-10, abs=1e-10 * size)
            assert batch.coordinates[k, i] == pytest.approx(single.coordinates, abs=1e-10)
            guess = single.coordinates


def test_designs_are_robots_written_and_loaded():
    graph = md.load_urdf(ankle().urdf())
    motion, parameters = states(graph), columns(graph, of_ankle(graph))
    batch = md.InverseDynamics(graph).solve_many(*motion, errors="raise", parameters=parameters)
    assert_as_written(graph, motion, parameters, batch)


def test_mujoco_agrees():
    graph = md.load_urdf(bricard().urdf())
    masses = [name for name in graph.parameters if name.endswith(" mass")]
    masses = [name for name in masses if graph.parameters[name].value > 0.1]
    parameters = columns(graph, masses, size=0.05) | columns(graph, ["loop joint pin predecessor x"])
    motion = states(graph)
    batch = md.InverseDynamics(graph).solve_many(*motion, parameters=parameters)
    for k in range(DESIGNS):
        changed = graph.with_parameters({name: column[k] for name, column in parameters.items()})
        text = changed.to_urdf().replace(' rpy="0.0 0.0 0.0"', "")
        peer = MujocoLoops(text, graph.independent_joint_names)
        for i in range(STATES):
            peer(*(x[k, i] for x in motion))
            assert batch.tau[k, i] == pytest.approx(peer.tau, abs=1e-9 * np.abs(peer.tau).max())


def test_motors_do_the_work_that_bodies_gain():
    """Power of the motors is the rate of the energy of all bodies, by central differences."""
    graph, h = md.load_urdf(ankle().urdf()), 1e-5
    motion, parameters = states(graph, size=0.05), columns(graph, of_ankle(graph))
    batch = md.InverseDynamics(graph).solve_many(*motion, parameters=parameters)
    for k in range(0, DESIGNS, 4):
        q, v, a = (x[k, 0] for x in motion)
        robot = graph.with_parameters({name: column[k] for name, column in parameters.items()})
        solver, energies = solver_of(robot), []
        for sign in (-1.0, 1.0):
            full = solver.close(q + sign * h * v + 0.5 * h * h * a, batch.coordinates[k, 0])
            rates = solver.projection(full) @ (v + sign * h * a)
            kinetic = 0.5 * rates @ md.mass_matrix(robot.tree, full) @ rates
            energies.append(kinetic + md.potential_energy(robot.tree, full))
        power = (energies[1] - energies[0]) / (2.0 * h)
        assert batch.tau[k, 0] @ v == pytest.approx(power, rel=1e-6, abs=1e-6)  # of the differences


def test_the_same_bits_on_any_number_of_threads():
    graph = md.load_urdf(ankle().urdf())
    motion, parameters = states(graph), columns(graph, of_ankle(graph))
    one, three = (
        md.InverseDynamics(graph).solve_many(*motion, threads=k, parameters=parameters) for k in (1, 3)
    )
    assert np.array_equal(one.tau, three.tau)
    assert np.array_equal(one.coordinates, three.coordinates)


def test_planar_loops_that_leave_their_plane_and_still_close():
    """The cut keeps two points together in its own plane only: it may be turned out of that of the rods."""
    text = four_bar().graph().to_urdf()
    graph = md.load_urdf(re.sub(r'(<loop_joint[^>]*type=")revolute', r"\1planar", text))
    assert graph.loop_joints[0].type == "planar"
    name = "loop joint loop predecessor roll"
    parameters = {name: graph.parameters[name].value + np.array([0.0, 0.05, 0.1, -0.1, 0.2])}
    motion = states(graph, 5, 4)
    batch = md.InverseDynamics(graph).solve_many(*motion, errors="raise", parameters=parameters)
    assert np.isnan(batch.sines[1:]).all()
    assert np.isfinite(batch.sines[0]).all()
    assert_as_written(graph, motion, parameters, batch)


def test_designs_that_never_close_take_no_search_for_each_state(load_robot, monkeypatch):
    """And spoil no neighbour: one pin is a millimetre beside the plane of the others."""
    graph, searches = load_robot("four_bar"), []
    monkeypatch.setattr(
        "modular_dynamics.loops.assembly.least_squares.LeastSquares.search",
        lambda *_, **__: searches.append(1),
    )
    values = graph.parameters["joint J3 origin z"].value + np.array([0.0, 1e-3, 0.0, -2e-3])
    motion = states(graph, 4, 50)
    batch = md.InverseDynamics(graph).solve_many(
        *motion, guess=solver_of(graph).reference(), parameters={"joint J3 origin z": values}
    )
    assert (batch.statuses[1::2] == md.StateStatus.CANNOT_CLOSE).all()
    assert np.isnan(batch.tau[1::2]).all()
    assert (batch.statuses[::2] == md.StateStatus.ANSWERED).all()
    assert "J2 by 0.001" in batch.reasons[50]
    assert "no joint changes that" in batch.reasons[99]
    assert not searches
    with pytest.raises(md.ClosureError, match=r"design 1, state 0: .*do not close in any configuration"):
        md.InverseDynamics(graph).solve_many(
            *motion, errors="raise", parameters={"joint J3 origin z": values}
        )


def test_designs_out_of_reach_are_searched_once(monkeypatch):
    """Of the second design one rod ends ten metres away; of the first all states are answered."""
    graph, calls, search = md.load_urdf(ankle().urdf()), [], Assembler.search
    monkeypatch.setattr(Assembler, "search", lambda *args, **kw: calls.append(1) or search(*args, **kw))
    name = next(one for one in of_ankle(graph) if one.startswith("loop joint "))
    parameters = {name: graph.parameters[name].value + np.array([0.0, 10.0])}
    batch = md.InverseDynamics(graph).solve_many(*states(graph, 2, 20), parameters=parameters)
    assert (batch.statuses[0] == md.StateStatus.ANSWERED).all()
    assert (batch.statuses[1] == md.StateStatus.CANNOT_CLOSE).all()
    assert "do not close with all joints free" in batch.reasons[39]
    assert len(calls) == 1


def test_states_that_a_design_cannot_reach_take_no_search(monkeypatch):
    """The first hinge turns too far: a call for such a state alone searches for the reason."""
    graph = md.load_urdf(bricard().urdf())
    motion = states(graph, 2, 10)
    motion[0][:, ::3] -= 2.0
    with pytest.raises(md.ClosureError, match="out of reach"):
        md.InverseDynamics(graph).solve(*(x[0, 0] for x in motion), guess=solver_of(graph).reference())
    monkeypatch.setattr(LeastSquares, "search", lambda *_, **__: pytest.fail("a search"))
    masses = [name for name in graph.parameters if name.endswith(" mass")]
    parameters = {name: np.array([0.5, 1.5]) for name in masses}
    batch = md.InverseDynamics(graph).solve_many(*motion, parameters=parameters)
    expected = np.full((2, 10), md.StateStatus.ANSWERED)
    expected[:, ::3] = md.StateStatus.CANNOT_CLOSE
    assert (batch.statuses == expected).all()
    assert "% of the way from the start" in batch.reasons[13]


def test_designs_that_cannot_be_are_marked_and_spoil_no_other():
    graph = md.load_urdf(ankle().urdf())
    name = next(one for one in of_ankle(graph) if one.endswith(" mass"))
    motion = states(graph, 3, 4)
    parameters = {name: graph.parameters[name].value * np.array([1.0, -1.0, 2.0])}
    batch = md.InverseDynamics(graph).solve_many(*motion, parameters=parameters)
    assert (batch.statuses == [[0], [md.StateStatus.NO_MODEL], [0]]).all()
    assert "negative" in batch.reasons[4]
