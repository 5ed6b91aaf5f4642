"""Loop joints of all types, closed from guesses of any orientation: never with reversed frames."""

from functools import cache

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import modular_dynamics as md
from helpers.oracles.rigid_bodies import RigidBodies
from helpers.random_examples.mechanisms import second_axis
from helpers.robots.urdf_text import inertial, joint, loop_joint, robot
from modular_dynamics.exceptions import ClosureError
from modular_dynamics.loops import solver_of

TYPES = ("revolute", "prismatic", "spherical", "universal", "fixed", "planar")
AXIS = np.array([0.48, -0.6, 0.64])
SLIDES, TURNS = ("slide_x", "slide_y", "slide_z"), ("turn_x", "turn_y", "turn_z")


@cache
def table(kind):
    """A body that can be anywhere, on three slides and three hinges, and a loop joint to a driven link."""
    names = ("driven", *SLIDES, *TURNS)
    body = inertial(1.0, (0, 0, 0), np.eye(3))
    links = "".join(f'<link name="{name}_link">{body}</link>' for name in ("base", *names))
    joints = joint("driven", "revolute", "base_link", "driven_link", (0, 0, 0), axis=(0, 0, 1))
    for before, name in zip(("base", *SLIDES, *TURNS), (*SLIDES, *TURNS), strict=False):
        axis = np.eye(3)["xyz".index(name[-1])]
        type_ = "prismatic" if name in SLIDES else "revolute"
        joints += joint(name, type_, f"{before}_link", f"{name}_link", (0, 0, 0), axis=axis)
    ends = (
        ("driven_link", (0.3, 0.1, -0.2), (0.5, -0.3, 0.9)),
        ("turn_z_link", (0.1, 0.2, 0.05), (0.2, 0.1, -0.4)),
    )
    tags = [loop_joint("pin", kind, *ends, AXIS), *(f'<passive joint="{name}"/>' for name in names[1:])]
    return md.load_urdf(robot("table", [links, joints], tags))


def guesses(graph, count):
    """Coordinates with every orientation of the free body; the first ones turned by exactly 180 degrees."""
    rng, bodies, q = np.random.default_rng(0), RigidBodies(graph), np.zeros(graph.nq)
    at = {name: graph.q_slice(name) for name in graph.joint_names}
    q[at["driven"]] = 0.4
    opened = bodies.gap("pin", q)[:3, :3]  # successor in predecessor, the free body at zero
    before = bodies.poses(q)["driven_link"][:3, :3] @ Rotation.from_euler("xyz", (0.5, -0.3, 0.9)).as_matrix()
    axes = [*np.eye(3), AXIS, second_axis(AXIS), np.cross(AXIS, second_axis(AXIS))]
    for k, relative in enumerate(Rotation.random(count, rng)):
        wanted = relative
        if k < 4 * len(axes):
            wanted = Rotation.from_rotvec(np.pi * axes[k % len(axes)] / np.linalg.norm(axes[k % len(axes)]))
        # the body's rotation B with before^T B before opened = wanted
        body = before @ wanted.as_matrix() @ opened.T @ before.T
        guess = q.copy()
        for name, angle in zip(TURNS, Rotation.from_matrix(body).as_euler("XYZ"), strict=True):
            guess[at[name]] = angle
        for name in SLIDES:
            guess[at[name]] = rng.normal()
        yield guess


def violations(graph, kind, q):
    """What the loop joint forbids: distance [m] and angle [rad], from the URDF text alone."""
    X = RigidBodies(graph).gap("pin", q)
    along = AXIS @ X[:3, 3]
    distance = np.linalg.norm(X[:3, 3] - (along * AXIS if kind in ("prismatic", "planar") else 0.0))
    turned = X[:3, :3] @ AXIS
    if kind in ("fixed", "prismatic"):
        return distance, np.linalg.norm(X[:3, :3] - np.eye(3))
    if kind == "revolute":
        return distance, np.linalg.norm(turned - AXIS)
    if kind == "universal":
        return distance, abs(float(AXIS @ X[:3, :3] @ second_axis(AXIS)))
    return distance, 0.0


@pytest.mark.parametrize("kind", TYPES)
def test_no_guess_ends_with_reversed_frames(kind):
    graph = table(kind)
    solver = solver_of(graph)
    for guess in guesses(graph, 220):
        closed = solver.close([0.4], guess)
        assert violations(graph, kind, closed) == pytest.approx((0.0, 0.0), abs=1e-9)


@pytest.mark.parametrize("kind", TYPES)
def test_assembly_does_not_end_with_reversed_frames(kind):
    graph, count = table(kind), 0
    for guess in guesses(graph, 60):
        try:
            closed = md.assemble(graph, guess)
        except ClosureError:  # hinges have limits
            continue
        count += 1
        assert violations(graph, kind, closed.coordinates) == pytest.approx((0.0, 0.0), abs=1e-9)
    assert count > 30, count


@pytest.mark.parametrize("kind", ["revolute", "fixed", "prismatic"])
def test_newton_converges_as_fast_as_ever(kind):
    """Quadratically: from 0.1 rad and m away it takes five steps to rounding."""
    graph = table(kind)
    system = solver_of(graph).system
    closed = solver_of(graph).close([0.4], next(guesses(graph, 1)))
    rng = np.random.default_rng(1)
    for _ in range(50):
        q = closed.copy()
        q[1:] += rng.uniform(-0.1, 0.1, 6)
        sizes = []
        for _ in range(5):
            values = system.evaluate(q)
            sizes.append(np.abs(values.phi).max())
            q[1:] -= np.linalg.lstsq(values.J[:, 1:], values.phi.copy(), 1e-12)[0]
        assert sizes[-1] < 1e-12
