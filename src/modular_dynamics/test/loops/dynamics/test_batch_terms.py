"""M1, h1, g1 and forward dynamics of many states: as of single states; tau = M1 vdot + h1."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.robots.parallel_mechanisms import delta
from modular_dynamics.loops import solver_of

ROBOTS = "four_bar", "exoskeleton", "charmie_torso", "crane", "delta"


@pytest.fixture(params=ROBOTS)
def graph(request, load_robot):
    """With a spring, friction and an armature at the first joint."""
    graph = md.load_urdf(delta().urdf()) if request.param == "delta" else load_robot(request.param)
    joint = graph.independent_joint_names[0]
    values = {"stiffness": 20.0, "damping": 0.3, "armature": 0.1}
    return graph.with_parameters({f"joint {joint} {name}": value for name, value in values.items()})


def states(graph, count, seed=0):
    rng, solver = np.random.default_rng(seed), solver_of(graph)
    start = solver.reference()[solver.independent_q]
    q = start + 0.02 * rng.uniform(-1.0, 1.0, (count, len(start)))
    return q, *rng.normal(size=(2, *q.shape))


def close(one, other):
    return one == pytest.approx(other, rel=1e-9, abs=1e-9 * max(1.0, np.abs(other).max()))


def test_terms_are_those_of_single_states(graph):
    q, v, _ = states(graph, 6)
    M = md.closed_loop_mass_matrix_batch(graph, q)
    h = md.closed_loop_bias_batch(graph, q, v, friction="urdf")
    g = md.closed_loop_gravity_torque_batch(graph, q)
    for k in range(6):
        assert close(M.values[k], md.closed_loop_mass_matrix(graph, q[k], M.coordinates[k]))
        assert close(h.values[k], md.closed_loop_bias(graph, q[k], v[k], h.coordinates[k], friction="urdf"))
        assert close(g.values[k], md.closed_loop_gravity_torque(graph, q[k], g.coordinates[k]))


def test_forward_dynamics_inverts_inverse_dynamics(graph):
    q, v, vdot = states(graph, 6, 1)
    tau = md.closed_loop_inverse_dynamics_batch(graph, q, v, vdot, friction="urdf").tau
    result = md.closed_loop_forward_dynamics_batch(graph, q, v, tau, friction="urdf")
    assert result.values == pytest.approx(vdot, abs=1e-7)


def test_forward_dynamics_agrees_with_the_saddle_point_system(load_robot):
    """Another algorithm: that of `closed_loop_forward_dynamics`, which knows no independent accelerations."""
    graph = load_robot("exoskeleton")
    q, v, tau = states(graph, 10, 2)
    result = md.closed_loop_forward_dynamics_batch(graph, q, v, tau)
    for k in range(10):
        W = md.constraint_projection(graph, q[k], result.coordinates[k])
        single = md.closed_loop_forward_dynamics(graph, result.coordinates[k], W @ v[k], tau[k])
        own = single.accelerations[solver_of(graph).independent_v]
        assert result.values[k] == pytest.approx(own, rel=1e-8, abs=1e-8)


def test_bad_states_are_marked(load_robot):
    graph = load_robot("four_bar").with_independent_joints("J3")
    q, v, tau = states(graph, 8)
    good = md.closed_loop_forward_dynamics_batch(graph, q, v, tau).values.copy()
    q[1], v[2], tau[3] = 3.0, np.nan, np.inf
    result = md.closed_loop_forward_dynamics_batch(graph, q, v, tau)
    assert np.flatnonzero(result.statuses).tolist() == [1, 2, 3]
    assert result.reasons.keys() == {1, 2, 3}
    assert "tau[2] of joint 'J3' is inf" in result.reasons[3]
    assert np.isnan(result.values[1:4]).all()
    left = [0, *range(4, 8)]
    assert result.values[left] == pytest.approx(good[left], rel=1e-9)
    assert np.flatnonzero(md.closed_loop_mass_matrix_batch(graph, q).statuses).tolist() == [1]
    assert md.closed_loop_mass_matrix_batch(graph, q[:0]).values.shape == (0, 1, 1)
    with pytest.raises(md.ClosureError, match="row 1: "):
        md.closed_loop_gravity_torque_batch(graph, q, errors="raise")
    with pytest.raises(md.StateError, match=r"row 0: tau\[2\] of joint 'J3' is inf"):
        md.closed_loop_forward_dynamics_batch(graph, q[3:4], v[3:4], tau[3:4], errors="raise")
    with pytest.raises(md.StateError, match=r"tau has shape \(8, 2\)"):
        md.closed_loop_forward_dynamics_batch(graph, q, v, np.zeros((8, 2)))


def test_a_motion_that_moves_no_inertia_spoils_no_other_state(load_robot):
    """As of a single state: no acceleration without torque, and no answer with one."""
    graph = load_robot("four_bar")
    links = [name for name in graph.parameters if name.startswith("link ")]
    weights = [name for name in links if name.endswith(" mass") or " inertia " in name]
    light = graph.with_parameters(dict.fromkeys(weights, 0.0))
    q, v, tau = states(graph, 4)
    tau[:] = 0.0
    tau[2] = 1.0
    result = md.closed_loop_forward_dynamics_batch(light, q, v, tau)
    assert result.statuses.tolist() == [0, 0, md.RowStatus.NO_STATE, 0]
    assert result.values[[0, 1, 3]].tolist() == [[0.0]] * 3
    assert np.isnan(result.values[2]).all()
    assert "moves no inertia" in result.reasons[2]
    with pytest.raises(md.StateError, match=r"row 2: .* moves no inertia"):
        md.closed_loop_forward_dynamics_batch(light, q, v, tau, errors="raise")


def test_rows_of_different_lengths_are_named(load_robot):
    graph = load_robot("four_bar")
    with pytest.raises(md.StateError, match="v is not an array of numbers"):
        md.closed_loop_bias_batch(graph, [[0.6], [0.7]], [[0.0], [0.0, 1.0]])
