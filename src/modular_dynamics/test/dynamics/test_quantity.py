"""What is made of a graph for computing stays with it: made once, freed with it, used by all threads."""

import copy
import gc
import pickle
import threading
import weakref

import numpy as np
import pytest

import modular_dynamics as md
from modular_dynamics.dynamics.core_robot import core_robot


def compute_everything(graph):
    q, v = np.full(graph.nq, 0.3), np.full(graph.nv, 0.2)
    tau = md.inverse_dynamics(graph, q, v, v)
    md.inverse_dynamics(graph, q, v, v, external_wrenches={graph.links[-1]: np.ones(6)})
    md.nonlinear_effects(graph, q, v)
    md.forward_dynamics(graph, q, v, tau)
    md.mass_matrix(graph, q)
    md.regressor(graph, q, v, v)
    md.inverse_dynamics_derivatives(graph, q, v, v)
    md.frame_poses(graph, q)
    md.jacobian(graph, q, graph.links[-1])
    md.forward_dynamics(graph, [q], [v], [tau])
    md.crosscheck.rnea_residual(graph, q, v, v)


def test_all_functions_share_what_is_made_of_a_graph(load_robot):
    graph = load_robot("four_link")
    robot = graph.once(core_robot)
    compute_everything(graph)
    assert graph.once(core_robot) is robot
    for other in (copy.deepcopy(graph), pickle.loads(pickle.dumps(graph)), graph.tree):
        compute_everything(other)
        assert other.once(core_robot) is not robot


def test_a_dropped_graph_is_freed(load_robot):
    graph = load_robot("four_link")
    compute_everything(graph)
    thread = threading.Thread(target=compute_everything, args=(graph,))
    thread.start()
    thread.join()
    there = weakref.ref(graph)
    del graph, thread
    gc.collect()
    assert there() is None


def test_no_more_is_kept_than_for_a_thousand_sets_of_links(load_robot):
    graph = load_robot("four_link")
    links = graph.links
    for k in range(1500):
        names = [links[k // len(links) ** n % len(links)] for n in range(4)]
        assert md.frame_poses(graph, np.zeros(4), names).shape == (4, 4, 4)
    assert len(graph._kept) <= 1024


def test_a_workspace_of_the_callers_own_keeps_its_graph(load_robot):
    solver = md.InverseDynamics(load_robot("four_link"))
    gc.collect()
    rest = np.zeros(4)
    assert solver.solve(rest, rest, rest).graph is solver.graph


@pytest.mark.parametrize("name", ["charmie", "branched_38dof"])
def test_results_do_not_change_with_later_calls(load_robot, name):
    graph, rng = load_robot(name), np.random.default_rng(0)
    state, other = rng.normal(size=(2, 3, graph.nv))
    result = md.InverseDynamics(graph).solve(*state)
    tau, wrenches = result.tau.copy(), result.joint_wrenches.copy()
    md.InverseDynamics(graph).solve(*other)
    md.inverse_dynamics(graph, *other)
    assert (result.tau.tolist(), result.joint_wrenches.tolist()) == (tau.tolist(), wrenches.tolist())
