"""Frame poses and jacobians: batches, what may be given, what is refused, and no allocation."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import modular_dynamics as md
from helpers.random_examples.examples import examples
from helpers.random_examples.trees import random_trees
from modular_dynamics.dynamics.execution import workspaces


def assert_same(ours, theirs):
    assert np.abs(ours - theirs).max(initial=0.0) <= 1e-10 * max(np.abs(theirs).max(initial=0.0), 1.0)


@pytest.mark.slow
@examples(20)
@given(data=st.data(), tree=random_trees(largest=20))
def test_batches_equal_single_calls(data, tree):
    graph = md.load_urdf(tree.urdf)
    q = np.random.default_rng(tree.seed).normal(size=(11, graph.nq))
    poses = np.array([md.frame_poses(graph, row) for row in q])
    scale = np.abs(poses).max()
    assert np.abs(md.frame_poses_batch(graph, q) - poses).max() <= 1e-12 * scale
    link = data.draw(st.sampled_from(graph.links))
    for axes in ("root", "link"):
        each = np.array([md.jacobian(graph, row, link, axes) for row in q])
        assert np.abs(md.jacobian_batch(graph, q, link, axes, 1) - each).max(initial=0.0) <= 1e-12 * scale


def test_batch_options(load_robot):
    graph = load_robot("four_link")
    q, link = np.random.default_rng(9).normal(size=(3000, graph.nq)), graph.links[-1]
    seen = []
    poses = np.empty((3000, 1, 4, 4))
    found = md.frame_poses_batch(graph, q, [link], 2, out=poses, progress=lambda *at: seen.append(at))
    assert found is poses
    assert seen[-1] == (3000, 3000)
    assert_same(poses[2999, 0], md.frame_poses(graph, q[2999], [link])[0])
    out = np.empty((3000, 6, graph.nv))
    assert md.jacobian_batch(graph, q, link, out=out) is out
    assert md.jacobian_batch(graph, q[:0], link).shape == (0, 6, graph.nv)


def test_out_and_what_can_be_converted(load_robot):
    graph = load_robot("charmie")
    q, link = np.ones(graph.nq), graph.links[-1]
    poses, J = np.full((len(graph.links), 4, 4), np.nan), np.full((6, graph.nv), np.nan)
    assert md.frame_poses(graph, q, out=poses) is poses
    assert md.jacobian(graph, q, link, out=J) is J
    assert np.array_equal(poses, md.frame_poses(graph, q.tolist()))
    assert np.array_equal(J, md.jacobian(graph, np.ones(2 * graph.nq)[::2], link))
    assert np.array_equal(J, md.jacobian(graph, q.astype(np.float32), link))


@pytest.mark.parametrize(
    ("compute", "message"),
    [
        (lambda g, q: md.frame_poses(g, q, ["lid"]), "no link 'lid' in 'charmie'; its links: .*body_12a"),
        (lambda g, q: md.frame_pose(g, q, "lid"), "no link 'lid' in 'charmie'; its links: "),
        (lambda g, q: md.jacobian(g, q, "lid"), "no link 'lid' in 'charmie'; its links: "),
        (lambda g, q: md.frame_poses(g, q, "body_12a"), "links is 'body_12a'; a sequence"),
        (lambda g, q: md.frame_poses(g, q, 3), "links is 3; a sequence"),
        (lambda g, q: md.frame_poses(g, q, [["body_12a"]]), "a sequence of link names"),
        (lambda g, q: md.jacobian(g, q, ["body_12a"]), "two names are needed"),
        (lambda g, q: md.jacobian(g, q, "body_12a", "world"), "axes is 'world'; 'root' or 'link' is needed"),
        (lambda g, q: md.frame_poses(g, q[1:]), r"q has shape \(18,\); 'charmie' needs \(19,\)"),
        (lambda g, q: md.jacobian(g, q * np.nan, "body_12a"), r"q\[0\] of joint 'base_x' is nan"),
        (lambda g, q: md.frame_poses(g, ["a"] * 19), "not an array of numbers"),
        (lambda g, q: md.frame_poses(g, q, out=np.empty((3, 4, 4))), r"out is float64 \(3, 4, 4\); a write"),
        (lambda g, q: md.jacobian(g, q, "body_12a", out=np.empty((19, 6)).T), r"out is float64 \(6, 19\)"),
        (lambda g, q: md.jacobian(g, q, "body_12a", out=np.empty((6, 19), "f4")), "out is float32"),
        (lambda g, q: md.jacobian(g, q, "body_12a", out=[]), "out is list"),
        (lambda g, q: md.jacobian_batch(g, q, "body_12a"), r"q has shape \(19,\); 'charmie' needs \(n, 19\)"),
        (lambda g, q: md.frame_poses_batch(g, [q], threads=0), "threads is 0"),
        (lambda g, q: md.frame_poses_batch(g, [q, q * np.inf]), "row 1: .*joint 'base_x' is inf"),
    ],
)
def test_bad_input_is_named(load_robot, compute, message):
    graph = load_robot("charmie")
    with pytest.raises(md.StateError, match=message):
        compute(graph, np.ones(graph.nq))


def test_a_zero_quaternion_is_refused_whichever_link_is_asked_for(load_robot):
    graph = load_robot("four_link", floating_base=True)
    for link in ("universe", graph.links[-1]):
        with pytest.raises(md.StateError, match="zero quaternion"):
            md.jacobian(graph, np.zeros(graph.nq), link)


def test_solvers_are_kept_within_bounds(load_robot, monkeypatch):
    monkeypatch.setattr(workspaces, "MOST_WORKSPACES", 3)
    graph = load_robot("charmie")
    q = np.ones(graph.nq)
    for link in graph.links:
        md.frame_poses(graph, q, [link])
        md.jacobian(graph, q, link)
    kept = list(workspaces._data[id(graph)].threads.by_key)
    assert len(kept) == 3
    assert kept[-1] == (md.Jacobian, (graph.links[-1], "root"))


@pytest.mark.parametrize("what", ["poses", "root", "link"])
def test_nothing_is_allocated(load_robot, what):
    graph = load_robot("branched_38dof")
    q = np.ones(graph.nq)
    solver = md.FramePoses(graph) if what == "poses" else md.Jacobian(graph, graph.links[-1], what)
    out = np.empty(solver.shape)
    solver(q, out)
    tracemalloc.start()
    try:
        solver(q, out)
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        for _ in range(1000):
            solver(q, out)
        now, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # J alone has 1800 bytes, the poses more; a call's frames and dictionary stay below
    assert now - before < 300
    assert peak - before < 1500
