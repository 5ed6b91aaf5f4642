"""Robots with closed loops, and states near which their loops close."""

import gc
import sys

import numpy as np

from helpers.paths import ROBOTS
from helpers.robots.urdf_text import spring
from modular_dynamics.loops import solver_of

#: Those with loops in a plane.
PLANAR = "four_bar", "exoskeleton", "charmie_torso", "crane", "slider_crank"

STATES = {
    "four_bar": np.array([0.7]),
    "slider_crank": np.array([0.7]),
    "crane": np.array([0.1, 0.31, 0.265]),
    "exoskeleton": np.array([-0.4, -0.9, 0.8, 0.7, 0.3]),
}
OUT_OF_REACH = np.array([-0.4, -0.9, np.deg2rad(100.0), 0.7, 0.3])  # the exoskeleton's elbow at 100 degrees


def path(name: str) -> str:
    """Path of a robot."""
    return str(ROBOTS / f"{name}.urdf")


def text_of(name: str) -> str:
    """URDF text of a robot."""
    return (ROBOTS / f"{name}.urdf").read_text()


def with_spring(text: str) -> str:
    """The four-bar's URDF text with a damped spring between ground and coupler."""
    tag = spring("s", [("ground", [0.1, 0.2, 0]), ("coupler", [0.02, 0, 0])], 30.0, 0.1, 2.0, 0.7)
    return text.replace("</modular_dynamics>", f"{tag}</modular_dynamics>")


def change_point() -> str:
    """The four-bar with a longer coupler: shortest and longest side are as long as the others, s + l = p + q.

    At J1 = 0 all its sides lie on one line, a singular configuration.
    """
    text = text_of("four_bar")
    for old, new in (
        ('<successor link="coupler" xyz="0.1 0 0"/>', '<successor link="coupler" xyz="0.23 0 0"/>'),
        ('type="continuous"', 'type="revolute"'),
        ('<limit effort="20" velocity="20"/>', '<limit lower="0.3" upper="1.5" effort="20" velocity="20"/>'),
        ('<limit lower="1.9" upper="2.9"', '<limit lower="0" upper="2.9"'),
        ('<limit lower="0.9" upper="2.4"', '<limit lower="0.9" upper="3.2"'),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    return text


def states_near(graph, count, spread=0.05, seed=0, size=1.0):
    """Random q, v and accelerations or torques near the reference, which is a guess for all of them."""
    rng, solver = np.random.default_rng(seed), solver_of(graph)
    reference, p = solver.reference(), len(solver.independent_v)
    for _ in range(count):
        q = reference[solver.independent_q] + rng.uniform(-spread, spread, p)
        yield q, rng.normal(size=p), size * rng.normal(size=p), reference


def largest(difference, values):
    """The largest difference, relative to the largest value."""
    return np.abs(difference).max() / np.abs(values).max()


def assert_allocates_nothing(run):
    """Repeated calls of a function allocate no Python objects."""
    gc.collect()  # which empties Python's lists of free objects
    run()
    before = sys.getallocatedblocks()
    run()
    assert sys.getallocatedblocks() - before < 20
