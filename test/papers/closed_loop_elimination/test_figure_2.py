"""Figure 2's rows, the constraints by their frames, and the dependent coordinates by circles."""

from dataclasses import replace

import numpy as np
import pytest

import modular_dynamics as md
from papers.closed_loop_elimination import mdh
from papers.closed_loop_elimination.__main__ import main
from papers.closed_loop_elimination.circles import sketch
from papers.closed_loop_elimination.exoskeleton import (
    CAD,
    CAD_RHO_4,
    RHO_4,
    generic,
    random_states,
    urdf,
)
from urdf.generators.exoskeleton import Parameters

ROBOTS = [(Parameters(), RHO_4), (generic(), RHO_4), (CAD, CAD_RHO_4)]


@pytest.fixture(scope="module", params=ROBOTS, ids=["published", "generic", "CAD"])
def closed(request):
    """Lengths, graph, and coordinates of all joints at some states."""
    lengths, rho_4 = request.param
    graph = md.load_urdf(urdf(lengths))
    return lengths, graph, random_states(graph, 5, rho_4)[3]


def test_rows_are_the_printed_ones():
    pairs = list(zip(mdh.printed(), mdh.ours(), strict=True))
    assert len(pairs) == 21
    assert [i for i, (theirs, ours) in enumerate(pairs, 1) if theirs != ours] == [*mdh.MISPRINTED]
    assert (mdh.ours()[17].gamma, mdh.ours()[20].alpha) == ("-η13-π/2", "-π/2")


def test_frames_are_those_of_the_urdf(closed):
    lengths, graph, states = closed
    for q in states:
        frames = mdh.frames(lengths, dict(zip(graph.joint_names, q, strict=True)))
        poses = md.frame_poses(graph, q)
        for i in range(1, 16):
            assert poses[[*graph.links].index(f"body_{i}")] == pytest.approx(frames[i], abs=1e-14)


def test_constraints_vanish_where_loops_are_closed_and_only_there(closed):
    lengths, graph, states = closed
    q = dict(zip(graph.joint_names, states[0], strict=True))
    residuals = mdh.constraints(lengths, q)
    assert sum(2 if len(h) == 3 else 1 for h in residuals.values()) == 8  # the third one is out of the plane
    assert np.concatenate([*residuals.values()]) == pytest.approx(np.zeros(11), abs=1e-12)
    opened = {"theta_11": "(12)", "theta_9": "(13)", "L_s": "(14)", "rho_6": "gear of rho_6"}
    for joint, name in opened.items():
        moved = mdh.constraints(lengths, q | {joint: q[joint] + 0.01})
        assert max(np.abs(h).max() for key, h in moved.items() if key.startswith(name)) > 1e-4


def test_circles_give_the_dependent_coordinates(closed):
    lengths, graph, states = closed
    for row in states:
        q = dict(zip(graph.joint_names, row, strict=True))
        found = sketch(lengths, q["rho_4"], q["rho_5"])
        assert len(found.coordinates) == 8
        for name, value in found.coordinates.items():
            assert np.exp(1j * value) == pytest.approx(np.exp(1j * q[name]), abs=1e-12)
        for circle, points in zip(found.circles, ("C C′", "C C′", "F F′", "F F′"), strict=True):
            for point in points.split():
                assert abs(found.points[point] - circle.at) == pytest.approx(circle.radius, abs=1e-14)


def test_circles_that_do_not_meet():
    short = replace(Parameters(), L15=0.1)
    message = r"circles C1 about B and C2 about D do not meet: the radii are 0\.1 and 0\.0567 m"
    with pytest.raises(ValueError, match=message):
        sketch(short, 0.5, 0.5)


def test_a_state_that_does_not_close(monkeypatch, tmp_path):
    words = ["--state", "120", "60", "--out", str(tmp_path)]
    monkeypatch.setattr("sys.argv", ["closed_loop_elimination", *words])
    with pytest.raises(SystemExit, match="at 120 and 60 deg circles C1 about B and C2 about D do not meet"):
        main()
