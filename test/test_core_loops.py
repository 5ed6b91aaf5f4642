"""Closed loops in the compiled core: closed forms, Pinocchio by virtual power, and the library's closure.

Torques are compared with W^T rnea(q, v, a) of Pinocchio's tree and the work of the springs' forces: W is what
the core makes of unit velocities, q, v, a are what it makes of those of the independent joints. That these
close the loops is asserted by the library's constraint rows, which are tested beside rigid bodies.
"""

from functools import cache

import numpy as np
import pinocchio
import pytest
from hypothesis import event, given

import modular_dynamics as md
from helpers.general_loops import GeneralSolver
from helpers.paths import ROBOTS
from helpers.random_examples.examples import examples
from helpers.random_examples.mechanisms import random_mechanisms
from helpers.robots.closed_robots import OUT_OF_REACH, STATES, change_point
from helpers.robots.parallel_mechanisms import ankle, bricard, delta, sarrus
from helpers.robots.planar_mechanisms import MECHANISMS, four_bar, four_bar_by_cosines
from helpers.robots.spatial_mechanisms import link, loaded, passive, platform
from helpers.robots.urdf_text import joint, loop_joint
from helpers.tree_dynamics import assert_close
from modular_dynamics import _core
from modular_dynamics.loops import solver_of
from modular_dynamics.loops.core_loops import core_loops

ROWS = 19  # more than lanes, and no multiple of them
GOOD, NOT_FINITE, OVERFLOW, ELSEWHERE = _core.GOOD, _core.NOT_FINITE, _core.OVERFLOW, _core.ELSEWHERE
PLANAR = [*STATES, "charmie_torso"]


def spatial_linkages(count):
    """Crank, rod and rocker, of which no two axes are parallel, each on the rocker of the one before.

    The rod hangs on the crank by two hinges that cross, and on the rocker by a ball: three conditions. With
    all joints at zero all loops are closed.
    """
    elements, tags, before = [link("ground")], [], "ground"
    for k in range(count):
        names = [f"{name}_{k}" for name in ("crank", "cross", "rod", "rocker")]
        crank, cross, rod, rocker = names
        elements += [link(name, mass) for name, mass in zip(names, (0.2, None, 0.3, 0.5), strict=True)]
        for name, parent, child, place, axis in (
            ("motor", before, crank, (0, 0, 0.1), (0, 1, 0)),
            ("cross_z", crank, cross, (0.1, 0, 0), (0.1, 0.2, 1)),
            ("cross_y", cross, rod, (0, 0, 0), (0, 1, 0.1)),
            ("pivot", before, rocker, (0.5, 0.1, 0), (0, 0.9, 0.3)),
        ):
            elements.append(joint(f"{name}_{k}", "continuous", parent, child, place, axis=axis))
        ends = (rod, (0.4, 0.1, 0.2)), (rocker, (0, 0, 0.3))
        tags.append(loop_joint(f"ball_{k}", "spherical", *ends, (0, 0, 1)))
        tags += passive(f"{name}_{k}" for name in ("cross_z", "cross_y", "pivot"))
        before = rocker
    return loaded("spatial_linkages", elements, tags)


SPATIAL = {
    "linkages": lambda: spatial_linkages(3),
    "ankle": lambda: md.load_urdf(ankle().urdf()),
    "sarrus": lambda: md.load_urdf(sarrus().urdf()),
    "bricard": lambda: md.load_urdf(bricard().urdf()),
    "Stewart platform": platform,
    "Stewart platform, floating": lambda: platform(floating=True),
}


@cache
def robot(name):
    """A robot with loops, of urdf/ or made here, and a closed configuration."""
    if name in PLANAR:
        graph = md.load_urdf(ROBOTS / f"{name}.urdf")
    else:
        made = SPATIAL[name]() if name in SPATIAL else MECHANISMS[name]()
        graph = made.graph() if hasattr(made, "graph") else made
    near = md.close_loops(graph, STATES[name]) if name in STATES else md.assemble(graph).coordinates
    return graph, near


def motion(graph, near, rows=ROWS, amplitude=0.04):
    """q, v, a of the independent joints, along a smooth way from a closed configuration."""
    solver, rng = solver_of(graph), np.random.default_rng(1)
    start = near[solver.independent_q]
    phases = np.arange(len(start)) + np.linspace(0, 2, rows)[:, None]
    return start + amplitude * (np.sin(phases) - np.sin(phases[0])), *rng.normal(
        size=(2, rows, len(solver.independent_v))
    )


class Solved:
    """What the core makes of one state: status, tau, motion of all joints, tensions, wrenches at cuts."""

    def __init__(self, graph, loops, q, v, a, guess, friction=False):
        self.tau, self.coordinates, details = np.empty(len(v)), np.empty(graph.nq), np.empty(loops.details)
        self.status = loops.inverse_dynamics(q, v, a, guess, self.tau, self.coordinates, details, friction)
        nv, springs, cuts = graph.nv, len(graph.springs), len(graph.loop_joints)
        ends = np.cumsum([nv, nv, springs, 6 * cuts])
        self.velocities, self.accelerations, self.tensions, cut_wrenches, _ = np.split(details, ends)
        self.wrenches = cut_wrenches.reshape(cuts, 6)


def by_virtual_power(graph, loops, state, solved):
    """Torques of the independent joints by Pinocchio's tree and the springs; J, gamma and phi as a check."""
    q, _, _, guess = state
    system, count = solver_of(graph).system, len(solved.tau)
    rows = system.evaluate(solved.coordinates, solved.velocities)
    assert_close(rows.phi, np.zeros(len(rows.phi)), 1e-9, 1.0)
    size = 1.0 + np.abs(solved.velocities).max() ** 2 + np.abs(solved.accelerations).max()
    assert_close(rows.J @ solved.velocities, 0.0, 1e-10, size)
    assert_close(rows.J @ solved.accelerations, -rows.gamma, 1e-10, size)
    pin = md.crosscheck.PinocchioModel(graph.tree)
    motion_of_tree = pin.q(solved.coordinates), pin.v(solved.velocities), pin.v(solved.accelerations)
    load = pinocchio.rnea(pin.model, pin.data, *motion_of_tree)
    springs = system.spring_forces(solved.coordinates, solved.velocities)
    torques = np.empty(count)
    for k, unit in enumerate(np.eye(count)):
        along = Solved(graph, loops, q, unit, np.zeros(count), guess).velocities
        torques[k] = pin.v(along) @ load + (springs.J @ along) @ springs.tensions
    return torques


def all_kernels(graph):
    return [core_loops(graph, name) for name in _core.kernels]


@pytest.mark.parametrize("name", [*PLANAR, *MECHANISMS, *SPATIAL])
def test_torques_by_virtual_power_and_by_the_general_method_one_state_and_many(name):
    graph, near = robot(name)
    q, v, a = motion(graph, near)
    for loops in all_kernels(graph):
        assert not loops.undetermined
        singles, guess = [], near
        for state in zip(q, v, a, strict=True):
            singles.append(Solved(graph, loops, *state, guess))
            guess = singles[-1].coordinates
            assert singles[-1].status == GOOD
        coordinates = np.array([one.coordinates for one in singles])
        for guesses in (near, np.array([near, *coordinates[:-1]])):
            tau, full, statuses = np.empty(v.shape), np.empty(coordinates.shape), np.full(ROWS, -1)
            loops.inverse_dynamics_rows(q, v, a, guesses, tau, full, None, statuses, False, 2)
            assert not statuses.any()
            assert_close(tau, np.array([one.tau for one in singles]), 1e-10)
            assert_close(full, coordinates, 1e-11, 1.0)
        for k in (0, ROWS - 1):
            state, solved = (q[k], v[k], a[k], near), singles[k]
            assert_close(solved.tau, by_virtual_power(graph, loops, state, solved), 1e-10)
            theirs = GeneralSolver(graph).general(*state)
            assert_close(solved.tau, theirs.tau, 1e-11)
            assert_close(solved.coordinates, theirs.coordinates, 1e-11, 1.0)
            assert_close(solved.tensions, list(theirs.tensions.values()), 1e-11)
            assert_close(solved.wrenches, np.array(list(theirs.wrenches.values())), 1e-9)


@pytest.mark.parametrize("name", [*PLANAR, "chained", "linkages", "Stewart platform, floating"])
def test_mass_matrix_and_accelerations_invert_the_torques(name):
    graph, near = robot(name)
    q, v, a = motion(graph, near)
    p = v.shape[1]
    for loops in all_kernels(graph):
        M, accelerations, tau = np.empty((ROWS, p, p)), np.empty(v.shape), np.empty(v.shape)
        statuses, one, matrix = np.full((3, ROWS), -1), np.empty(p), np.empty((p, p))
        more = None, None
        loops.inverse_dynamics_rows(q, v, a, near, tau, *more, statuses[0], False, 1)
        loops.forward_dynamics_rows(q, v, tau, near, accelerations, *more, statuses[1], False, 1)
        loops.mass_matrix_rows(q, near, M, *more, statuses[2], False, 1)
        assert not statuses.any()
        assert_close(accelerations, a, 1e-9)
        assert loops.forward_dynamics(q[0], v[0], tau[0], near, one) == GOOD
        assert_close(one, a[0], 1e-9)
        assert loops.mass_matrix(q[1], near, matrix) == GOOD
        assert_close(M[1], matrix, 1e-11)
        zero = Solved(graph, loops, q[1], v[1], np.zeros(p), near).tau
        columns = [Solved(graph, loops, q[1], v[1], unit, near).tau - zero for unit in np.eye(p)]
        assert_close(matrix, np.array(columns).T, 1e-10)


def test_a_four_bar_by_the_law_of_cosines_over_a_whole_turn():
    graph = four_bar().graph()
    angles = np.linspace(-3.0, 3.0, 200)
    for loops in all_kernels(graph):
        for side in (1, -1):
            exact = np.array([four_bar_by_cosines(angle, side) for angle in angles])
            for order in (slice(None), slice(None, None, -1)):
                q, statuses = np.ascontiguousarray(angles[order, None]), np.full(200, -1)
                tau, full = np.empty((200, 1)), np.empty((200, 3))
                loops.inverse_dynamics_rows(
                    q, 0 * q, 0 * q, exact[order][0], tau, full, None, statuses, False, 1
                )
                assert not statuses.any()
                assert_close(np.exp(1j * full), np.exp(1j * exact[order]), 1e-12)
                assert np.abs(np.diff(full, axis=0)).max() < 0.3  # no jump by whole turns
            # one stride of six radians is walked
            far = Solved(graph, loops, q[0], np.zeros(1), np.zeros(1), full[-1].copy())
            assert far.status == GOOD
            assert_close(far.coordinates, full[0], 1e-11)


@examples(60)
@given(drawn=random_mechanisms())
def test_random_mechanisms(drawn):
    graph, loops = drawn.graph, core_loops(drawn.graph)
    solver = solver_of(graph)
    q = drawn.q[solver.independent_q]
    v, a = drawn.rng.uniform(-1, 1, (2, len(solver.independent_v)))
    full_v, m = drawn.rng.uniform(-1, 1, graph.nv), loops.rows
    phi, J, gamma = np.empty(m), np.empty((m, graph.nv)), np.empty(m)
    loops.constraints(drawn.q, full_v, phi, J, gamma)
    rows = solver.system.evaluate(drawn.q, full_v)
    for ours, theirs in ((phi, rows.phi), (J, rows.J), (gamma, rows.gamma)):
        assert_close(ours, theirs, 1e-12, 1.0)
    solved = Solved(graph, loops, q, v, a, drawn.q)
    if loops.undetermined:
        event("a floating base moves loops: left to another method")
        assert solved.status == ELSEWHERE
        return
    theirs = GeneralSolver(graph).general(q, v, a, drawn.q)
    assert solved.status == GOOD
    assert_close(solved.tau, theirs.tau, 1e-9)
    assert_close(solved.wrenches, np.array(list(theirs.wrenches.values())), 1e-7)
    if all(joint.mimic is None for joint in graph.joints):
        assert_close(solved.tau, by_virtual_power(graph, loops, (q, v, a, drawn.q), solved), 1e-9)


def test_states_that_cannot_be_computed_are_marked_and_spoil_no_other():
    graph, near = robot("exoskeleton")
    q, v, a = motion(graph, near)
    q, v, a = q.copy(), v.copy(), a.copy()
    expected = md.InverseDynamics(graph).solve_many(q, v, a, guess=near).tau
    q[4], v[9, 2], q[12, 0] = OUT_OF_REACH, np.nan, np.inf
    bad = {4: ELSEWHERE, 9: NOT_FINITE, 12: NOT_FINITE}
    for loops in all_kernels(graph):
        tau, statuses = np.full(v.shape, 7.0), np.full(ROWS, -1)
        loops.inverse_dynamics_rows(q, v, a, near, tau, None, None, statuses, False, 1)
        assert {k: s for k, s in enumerate(statuses) if s} == bad
        good = statuses == GOOD
        assert_close(tau[good], expected[good], 1e-11)
        assert (tau[~good] == 7.0).all()
        large = Solved(graph, loops, q[0], np.full(5, 1e200), a[0], near)
        assert large.status == OVERFLOW


def test_singular_configurations_and_other_assembly_modes_are_not_crossed():
    graph = md.load_urdf(change_point())
    near = md.close_loops(graph, [0.4])
    for loops in all_kernels(graph):
        for angle, status in ((0.0, ELSEWHERE), (-0.4, ELSEWHERE), (1.2, GOOD)):
            assert Solved(graph, loops, np.array([angle]), np.ones(1), np.ones(1), near).status == status


def test_loops_that_leave_coordinates_free_are_refused():
    graph = md.load_urdf(delta().urdf())
    loops = core_loops(graph)
    assert loops.undetermined
    assert Solved(graph, loops, *np.zeros((3, 3)), graph.neutral()).status == ELSEWHERE


def test_wrong_arrays_are_refused_by_name():
    graph, near = robot("four_bar")
    loops, one, rows = core_loops(graph), np.zeros(1), np.zeros((4, 1))
    read_only, matrix, details = np.zeros(1), np.zeros((1, 1)), np.zeros(loops.details)
    read_only.flags.writeable = False
    given = rows, rows, rows, near, rows.copy(), None, None
    torques, rows_of_torques = loops.inverse_dynamics, loops.inverse_dynamics_rows
    for call, arguments, error, text in [
        (torques, (one, one, one, near), TypeError, "5 to 9 arguments are needed"),
        (torques, (np.zeros(2), one, one, near, one), ValueError, r"q must have the shape \(1"),
        (torques, (one, one, one, near[:2], one), ValueError, r"guess must have the shape \(3"),
        (torques, (one, one, [0.0], near, one), TypeError, "a must be a NumPy array"),
        (torques, (one, one, one, near, read_only), ValueError, "out is read-only"),
        (torques, (one, one, one, near, one, one), ValueError, "coordinates must have the shape"),
        (rows_of_torques, (*given, np.zeros(3, int), False, 1), ValueError, "statuses must have"),
        (loops.mass_matrix, (one, near, matrix, None, details), TypeError, "details must be None"),
        (_core.Loops, (loops,), TypeError, "with a Robot"),
    ]:
        with pytest.raises(error, match=text):
            call(*arguments)
