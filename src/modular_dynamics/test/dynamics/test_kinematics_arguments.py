"""Frame poses and jacobians: what is refused, and which solvers are kept."""

import numpy as np
import pytest

import modular_dynamics as md
from modular_dynamics.dynamics.execution import workspaces


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
