"""M1, h1, g1 and forward dynamics of many states: as of single states; tau = M1 a + h1."""

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
    guesses = md.close_loops(graph, q)
    M = md.mass_matrix(graph, q)
    h = md.nonlinear_effects(graph, q, v, friction="urdf")
    g = md.gravity_torque(graph, q)
    for k, guess in enumerate(guesses):
        assert close(M[k], md.mass_matrix(graph, q[k], guess=guess))
        assert close(h[k], md.nonlinear_effects(graph, q[k], v[k], guess=guess, friction="urdf"))
        assert close(g[k], md.gravity_torque(graph, q[k], guess=guess))


def test_forward_dynamics_inverts_inverse_dynamics(graph):
    q, v, a = states(graph, 6, 1)
    load = {graph.links[-1]: [1.0, 2.0, -3.0, 0.1, 0.2, 0.3]}
    for wrenches in (None, load):
        options = {"friction": "urdf", "external_wrenches": wrenches}
        tau = md.inverse_dynamics(graph, q, v, a, **options)
        assert md.forward_dynamics(graph, q, v, tau, **options) == pytest.approx(a, abs=1e-7)


def test_forward_dynamics_agrees_with_the_saddle_point_system(load_robot):
    """Another algorithm: that of `constrained_dynamics`, which knows no independent accelerations."""
    graph = load_robot("exoskeleton")
    q, v, tau = states(graph, 10, 2)
    result, closed = md.forward_dynamics(graph, q, v, tau), md.close_loops(graph, q)
    for k in range(10):
        W = md.explicit_constraint_jacobian(graph, q[k], closed[k])
        single = md.constrained_dynamics(graph, closed[k], W @ v[k], tau[k])
        assert result[k] == pytest.approx(single.a[solver_of(graph).independent_v], rel=1e-8, abs=1e-8)


def test_bad_states_are_named(load_robot):
    graph = load_robot("four_bar").with_independent_joints("J3")
    q, v, tau = states(graph, 8)
    q[1], v[2], tau[3] = 3.0, np.nan, np.inf
    assert md.mass_matrix(graph, q[:0]).shape == (0, 1, 1)
    for call in (
        lambda: md.mass_matrix(graph, q),
        lambda: md.gravity_torque(graph, q),
        lambda: md.close_loops(graph, q),
        lambda: md.forward_dynamics(graph, q, v, tau),
    ):
        with pytest.raises(md.ClosureError, match="row 1: "):
            call()
    with pytest.raises(md.StateError, match=r"row 0: v\[2\] of joint 'J3' is nan"):
        md.forward_dynamics(graph, q[2:4], v[2:4], tau[2:4])
    with pytest.raises(md.StateError, match=r"row 0: tau\[2\] of joint 'J3' is inf"):
        md.forward_dynamics(graph, q[3:4], v[3:4], tau[3:4])
    with pytest.raises(md.StateError, match=r"tau has shape \(8, 2\)"):
        md.forward_dynamics(graph, q, v, np.zeros((8, 2)))


def test_a_motion_that_moves_no_inertia_is_named(load_robot):
    """As of a single state: no acceleration without torque, and no answer with one."""
    graph = load_robot("four_bar")
    links = [name for name in graph.parameters if name.startswith("link ")]
    weights = [name for name in links if name.endswith(" mass") or " inertia " in name]
    light = graph.with_parameters(dict.fromkeys(weights, 0.0))
    q, v, tau = states(graph, 4)
    tau[:] = 0.0
    assert md.forward_dynamics(light, q, v, tau).tolist() == [[0.0]] * 4
    tau[2] = 1.0
    with pytest.raises(md.StateError, match=r"row 2: .* moves no inertia"):
        md.forward_dynamics(light, q, v, tau)


def test_rows_of_different_lengths_are_named(load_robot):
    graph = load_robot("four_bar")
    with pytest.raises(md.StateError, match="v is not an array of numbers"):
        md.nonlinear_effects(graph, [[0.6], [0.7]], [[0.0], [0.0, 1.0]])
