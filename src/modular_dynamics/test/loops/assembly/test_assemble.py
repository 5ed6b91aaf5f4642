"""Loops are closed by moving all joints within limits; or the error gives the right reason."""

import re

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import modular_dynamics as md
from helpers.oracles.rigid_bodies import RigidBodies
from helpers.paths import ROBOTS
from helpers.robots.parallel_mechanisms import Builder, ankle, bricard, delta
from helpers.robots.planar_robots import four_bar, with_limits
from helpers.robots.urdf_text import inertial, joint, loop_joint, robot
from modular_dynamics.exceptions import ClosureError, StateError

MECHANISMS = {
    "ankle": ankle(),
    "two ankles": ankle(ankle(), "_2", (0.0, 0.5, 0.1)),
    "delta": delta(),
    "bricard": bricard(),
}


def gaps(graph, q):
    """Distance and angle that each loop joint forbids, from the URDF text alone."""
    bodies = RigidBodies(graph)
    for loop in graph.loop_joints:
        X = bodies.gap(loop.name, q)
        angle = Rotation.from_matrix(X[:3, :3]).magnitude() if loop.type == "fixed" else 0.0
        if loop.type == "revolute":
            angle = np.linalg.norm(X[:3, :3] @ loop.axis - loop.axis)
        yield np.linalg.norm(X[:3, 3]), angle


def limits(graph):
    return np.array([[graph.joint(k).limits.lower, graph.joint(k).limits.upper] for k in graph.joint_names]).T


@pytest.mark.parametrize("name", MECHANISMS)
def test_mechanisms_that_are_open_at_zero_are_closed_within_limits(name):
    graph = md.load_urdf(MECHANISMS[name].urdf())
    assert max(max(gap) for gap in gaps(graph, graph.neutral())) > 0.01
    found = md.assemble(graph)
    for distance, angle in gaps(graph, found.coordinates):
        assert distance < 1e-10
        assert angle < 1e-7  # the trace of a rotation loses half of the digits
    assert max(found.residual.values()) < 1e-10
    low, high = limits(graph)
    assert ((low <= found.coordinates) & (found.coordinates <= high)).all()
    assert found.at_limits == ()
    index = [graph.joint_names.index(name) for name in graph.independent_joint_names]
    assert np.array_equal(found.independent, found.coordinates[index])


def test_a_closed_guess_stays():
    graph = md.load_urdf(MECHANISMS["ankle"].urdf())
    found = md.assemble(graph)
    again = md.assemble(graph, found.coordinates)
    assert again.coordinates == pytest.approx(found.coordinates, abs=1e-9)


def test_loops_that_share_no_joint_are_closed_one_by_one():
    """What one leg needs does not move the other, which is closed already."""
    graph = md.load_urdf(MECHANISMS["two ankles"].urdf())
    closed = md.assemble(graph).coordinates
    first = np.array([not name.endswith("_2") and "_2_" not in name for name in graph.joint_names])
    start = closed + np.where(first, 0.3, 0.0)
    moved = md.assemble(graph, start).coordinates
    assert moved[~first] == pytest.approx(closed[~first], abs=1e-9)
    assert max(max(gap) for gap in gaps(graph, moved)) < 1e-7


def test_joints_that_no_loop_has_keep_their_guess():
    builder = bricard()
    builder.turn("arm", "base", "arm", (0, 0, 1), (1, 0, 0), motor=True)
    graph = md.load_urdf(builder.urdf())
    guess = np.full(graph.nq, 0.1)
    for angle in (1.234, 1e15):
        guess[graph.q_slice("arm")] = angle
        assert md.assemble(graph, guess).coordinates[graph.q_slice("arm")] == angle


def limited(lower, upper):
    """A four-bar (0.4, 1.5, 1.0, 1.6) whose crank, a motor, has limits."""
    return md.load_urdf(with_limits(four_bar().graph().urdf, "crank", lower, upper))


@pytest.mark.parametrize(("lower", "upper"), [(0.5, 0.9), (-2.0, -1.5)])
def test_motors_stay_within_limits(lower, upper):
    graph = limited(lower, upper)
    found = md.assemble(graph)
    assert lower <= found.coordinates[graph.q_slice("crank")][0] <= upper
    beyond = found.coordinates.copy()
    beyond[graph.q_slice("crank")] = upper + 1.0
    crank = md.assemble(graph, beyond).coordinates[graph.q_slice("crank")][0]
    assert lower - 2e-3 <= crank <= upper + 2e-3


def test_limits_in_the_way_are_named():
    """A triangle of bars 1, 1 and 2.5 m apart: the slide must be beyond 0.5 m."""
    builder = Builder()
    builder.turn("left", "base", "left_bar", (0, 0, 0), (0, 1, 0), motor=True)
    builder.slide("slide", "base", "carriage", (2.5, 0, 0), (-1, 0, 0), limits=(-0.3, 0.3))
    builder.turn("right", "carriage", "right_bar", (0, 0, 0), (0, 1, 0))
    builder.cut("pin", "spherical", ("left_bar", (1, 0, 0)), ("right_bar", (-1, 0, 0)))
    message = (
        r"'mechanism' do not close within the limits of all joints: open are pin.*'slide' at .*\(limits -0.3"
    )
    with pytest.raises(ClosureError, match=message) as error:
        md.assemble(md.load_urdf(builder.urdf()))
    # the gap of 0.2 m that is left where all is stretched
    assert error.value.residual["pin"] == pytest.approx(0.2, abs=1e-3)


def test_what_cannot_close_is_at_a_minimum_of_the_residual():
    graph = four_bar(0.5, 0.2, 0.3, 2.0).graph()
    with pytest.raises(
        ClosureError, match=r"with all joints free.*minimum of the residual.*contradict"
    ) as error:
        md.assemble(graph)
    # bars of 0.5, 0.2 and 0.3 m stretched over 2 m
    [(distance, _)] = gaps(graph, error.value.coordinates)
    assert distance == pytest.approx(1.0, abs=1e-6)


def test_a_floating_base_moves_too():
    """A body in the air, welded to a post that is turned: its pose is that of the post."""
    body = inertial(1.0, (0, 0, 0), np.eye(3))
    links = "".join(f'<link name="{name}">{body}</link>' for name in ("ground", "post", "box"))
    post = joint("swing", "revolute", "ground", "post", (0.3, 0, 0.2), axis=(0, 0, 1))
    free = joint("free", "floating", "ground", "box", (0, 0, 0))
    ends = ("post", (0.1, 0.2, 0.3), (0.4, 0.5, 3.0)), ("box", (0, 0, 0.1))
    graph = md.load_urdf(robot("air", [links, post, free], [loop_joint("weld", "fixed", *ends, (0, 0, 1))]))
    rng = np.random.default_rng(0)
    for _ in range(20):
        guess = rng.normal(size=graph.nq)
        found = md.assemble(graph, guess)
        assert max(max(gap) for gap in gaps(graph, found.coordinates)) < 1e-7
        quaternion = found.coordinates[graph.q_slice("free")][3:]
        assert np.linalg.norm(quaternion) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("close", [md.assemble, lambda graph, guess: md.close_loops(graph, [0.3], guess)])
def test_a_guess_beyond_all_digits_of_an_angle_is_named(close):
    graph = four_bar().graph()
    for size in (-1e300, 1e13):
        guess = np.zeros(graph.nq)
        guess[1] = size
        message = rf"^guess, of all joints: {abs(size):.3g} of joint '{graph.joint_names[1]}' is too large"
        with pytest.raises(StateError, match=message.replace("+", r"\+")):
            close(graph, guess)


@pytest.mark.parametrize(
    "function",
    [
        md.assemble,
        lambda graph, q: md.inverse_dynamics(graph, q[:8], np.zeros(7), np.zeros(7)),
        lambda graph, q: md.constrained_dynamics(graph, q, np.zeros(9), np.zeros(7)),
    ],
)
def test_a_quaternion_whose_square_overflows_is_refused(load_robot, function):
    graph = load_robot("four_bar", floating_base=True)
    q = graph.neutral()
    q[4] = 1e200
    with pytest.raises(StateError, match=r"of 'four_bar' are .*so large"):
        function(graph, q)


@pytest.mark.parametrize("name", ["crane", "four_bar", "slider_crank", "exoskeleton"])
@pytest.mark.parametrize("size", ["1e16", "1.7976931348623157e308"])
def test_limits_that_mean_unlimited_close_the_loops(name, size):
    """The middle between 0.8 and the largest float was a start; scipy's error for it came out."""
    text = re.sub(r'upper="[^"]*"', f'upper="{size}"', (ROBOTS / f"{name}.urdf").read_text("utf-8"))
    graph = md.load_urdf(text)
    zeros = np.zeros(len(graph.independent_joint_names))
    result = md.InverseDynamics(graph).solve(zeros, zeros, zeros)
    assert np.isfinite(result.tau).all()
    assert np.abs(result.coordinates).max() < 10.0
    assert max(map(np.max, result.residual.values())) < 1e-9
    assert max(md.assemble(graph).residual.values()) < 1e-9


def test_reversed_frames_of_a_planar_loop_are_named():
    """In a plane the axis of the last pin cannot turn round: no configuration closes."""
    builder = Builder()
    builder.turn("crank", "base", "crank", (0, 0, 0), (0, 0, 1), motor=True)
    builder.turn("coupler", "crank", "coupler", (0.4, 0, 0), (0, 0, 1))
    builder.turn("rocker", "base", "rocker", (1.6, 0, 0), (0, 0, 1))
    builder.cut("pin", "revolute", ("coupler", (1.5, 0, 0)), ("rocker", (1, 0, 0), (np.pi, 0, 0)), (0, 0, 1))
    with pytest.raises(ClosureError, match="The frames of 'pin' are reversed there"):
        md.assemble(md.load_urdf(builder.urdf()))
