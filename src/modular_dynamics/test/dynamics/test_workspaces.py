"""Workspaces stand beside graphs: one for each thread, freed with the graph, never copied with it."""

import copy
import gc
import pickle
import threading
import weakref

import numpy as np
import pytest

import modular_dynamics as md
from modular_dynamics.dynamics import workspaces


def compute_everything(graph):
    """Each public function that keeps a workspace."""
    q, v = np.full(graph.nq, 0.3), np.full(graph.nv, 0.2)
    tau = md.inverse_dynamics(graph, q, v, v)
    md.inverse_dynamics(graph, q, v, v, {graph.links[-1]: np.ones(6)})
    md.bias(graph, q, v)
    md.forward_dynamics(graph, q, v, tau)
    md.mass_matrix(graph, q)
    md.regressor(graph, q, v, v)
    md.inverse_dynamics_derivatives(graph, q, v, v)
    md.frame_poses(graph, q)
    md.jacobian(graph, q, graph.links[-1])
    md.forward_dynamics_batch(graph, [q], [v], [tau])
    md.crosscheck.rnea_residual(graph, q, v, v)


def test_a_dropped_graph_frees_its_workspaces_in_all_threads(load_robot):
    known = {*workspaces._data}, {k: {*calls} for k, calls in workspaces._direct_calls.items()}
    graph = load_robot("four_link")
    ready, finish, solvers = threading.Event(), threading.Event(), []

    def other():
        compute_everything(graph)
        solvers.append(weakref.ref(md.InverseDynamics.of(graph)))
        ready.set()
        finish.wait(600.0)

    thread = threading.Thread(target=other)
    thread.start()
    try:
        assert ready.wait(600.0)  # it may compile
        compute_everything(graph)
        solvers.append(weakref.ref(md.InverseDynamics.of(graph)))
        assert solvers[0]() is not solvers[1]()
        assert solvers[1]() is md.InverseDynamics.of(graph)
        graph = None
        gc.collect()
        assert [solver() for solver in solvers] == [None, None]
    finally:
        finish.set()
        thread.join()
    assert {*workspaces._data} <= known[0]
    for algorithm, calls in workspaces._direct_calls.items():
        assert {*calls} <= known[1].get(algorithm, set())


@pytest.mark.parametrize(
    "another",
    [copy.copy, copy.deepcopy, lambda graph: pickle.loads(pickle.dumps(graph)), lambda graph: graph.tree],
)
def test_other_graphs_start_without(load_robot, another):
    graph = load_robot("four_link")
    compute_everything(graph)
    workspaces.discard_workspaces(graph, {("mass_matrix", "single", np.dtype(float)): 0})
    compute_everything(graph)
    other = another(graph)
    assert id(other) not in workspaces._data
    assert workspaces.generated_code(other) == {}
    assert md.InverseDynamics.of(other) is not md.InverseDynamics.of(graph)


def test_a_workspace_of_the_callers_own_keeps_its_graph(load_robot):
    solver = md.InverseDynamics(load_robot("four_link"))
    gc.collect()
    rest = np.zeros(4)
    assert solver.solve(rest, rest, rest).graph is solver.graph


def test_the_model_knows_no_workspaces(load_robot):
    graph = load_robot("four_link")
    before = {*vars(graph)}
    compute_everything(graph)
    caches = {"nq", "nv", "tree", "_joint_index", "_slices", "_link_owner", "_link_poses"}
    assert {*vars(graph)} - before <= caches  # facts about the model alone


def test_a_call_in_another_thread_does_not_change_the_wrenches_of_a_result(load_robot, monkeypatch):
    """That thread runs between the kernel and the moment when its rows are copied into the result."""
    graph, rng = load_robot("charmie"), np.random.default_rng(0)
    state, other = rng.normal(size=(2, 3, graph.nv))
    solver = md.InverseDynamics.of(graph)
    alone = solver.solve(*state).connection_wrench_in_link(1)
    usual, called = md.InverseDynamics._run, []

    def interrupted(self, *arguments):
        tau = usual(self, *arguments)
        if self is solver:
            thread = threading.Thread(target=lambda: called.append(md.inverse_dynamics(graph, *other)))
            thread.start()
            thread.join()
        return tau

    monkeypatch.setattr(md.InverseDynamics, "_run", interrupted)
    link, wrench = solver.solve(*state).connection_wrench_in_link(1)
    assert len(called) == 1
    assert (link, wrench.tolist()) == (alone[0], alone[1].tolist())
