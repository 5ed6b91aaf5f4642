"""Planar mechanisms whose loops close in closed form."""

import numpy as np

from helpers.robots.planar_robots import Planar, four_bar
from modular_dynamics.closure.assembly.mechanism import Mechanism
from modular_dynamics.kernels.loops.planar import steps as planar_steps

A, B, C, D = 0.5, 1.8, 1.2, 2.0  # crank, coupler, rocker, ground: the crank can turn fully


def four_bar_by_cosines(theta, side):
    """(crank, coupler, rocker) by the law of cosines; the rocker's joint turns the other way."""
    crank = A * np.exp(1j * theta)
    diagonal = crank - D
    f = abs(diagonal)
    end = D + C * diagonal / f * np.exp(1j * side * np.arccos((f**2 + C**2 - B**2) / (2 * f * C)))
    return np.array([theta, np.angle((end - crank) / crank), -np.angle(end - D)])


def slider_crank(robot=None, offset=0.1, swapped=False):
    """Crank 0.4, rod 1, and a slider along the x axis, shifted by ``offset``; cut at the rod's end."""
    robot = robot or Planar(1)
    robot.turn("crank", "world", "crank", (0, 0))
    robot.turn("rod", "crank", "rod", (0.4, 0))
    robot.slide("slider", "world", "slider", (1, 0))
    ends = ("rod", (1.4, 0)), ("slider", (0, offset))
    (before, p), (after, s) = reversed(ends) if swapped else ends
    robot.cut("pin", before, p, after, s)
    robot.passive("rod", "slider")
    return robot


def crane(robot=None):
    """A boom that a cylinder lifts: hinged at (0.5, -0.3), its rod pinned to the boom at (1.2, 0.1)."""
    robot = robot or Planar(2)
    robot.turn("boom", "world", "boom", (0, 0))
    robot.turn("hinge", "world", "tube", (0.5, -0.3))
    robot.slide("rod", "tube", "rod", (1, 0))
    robot.cut("pin", "boom", (1.2, 0.1), "rod", (0.5, -0.3), kind="spherical")
    robot.passive("hinge", "rod")
    return robot


def chained():
    """A four-bar on a carrier; a geared crank drives a second one; between their rockers, two more rods."""
    robot = Planar(3)
    robot.turn("carrier", "world", "carrier", (0.3, -0.2))
    four_bar(robot=robot, carrier="carrier")
    four_bar(0.4, 1.5, 1.0, 1.6, at=(0.0, 3.0), robot=robot, tag="_2", carrier="carrier")
    robot.tags.append('<gear joint="crank_2" driver="crank" ratio="-2" offset="0.3"/>')
    robot.turn("rod", "rocker", "rod", (D + 0.6, 0.2))
    robot.turn("rod_2", "rocker_2", "rod_2", (2.1, 3.1))
    robot.cut("bridge", "rod_2", (2.1, 5.0), "rod", (D + 0.6, 2.4), kind="planar", lift=0.4)
    robot.passive("rod", "rod_2")
    return robot


def mimicked():
    """The rocker's joint mimics a shaft that turns thrice as fast; another joint has two drivers."""
    robot = Planar(4)
    robot.turn("crank", "world", "crank", (0, 0))
    robot.turn("coupler", "crank", "coupler", (A, 0))
    robot.turn("shaft", "world", "shaft", (5, 5))
    mimic = '<mimic joint="shaft" multiplier="0.3333333333333333" offset="0.2"/>'
    robot.turn("rocker", "world", "rocker", (D, 0), extra=mimic)
    robot.cut("loop", "coupler", (A + B, 0), "rocker", (D + C, 0))
    robot.turn("sum", "world", "sum", (1, 1))
    drivers = '<driver joint="crank" ratio="2"/><driver joint="shaft" ratio="0.5"/>'
    robot.tags.append(f'<gear joint="sum" offset="1">{drivers}</gear>')
    robot.passive("coupler", "shaft")
    return robot


def yoke(robot=None):
    """Two slides: a Scotch yoke, its slot oblique, and the crank's pin in it."""
    robot = robot or Planar(5)
    robot.turn("crank", "world", "crank", (0, 0))
    robot.slide("yoke", "world", "yoke", (1, 0))
    robot.slide("block", "yoke", "block", (0.6, 0.8))
    robot.cut("pin", "block", (0, 0), "crank", (0.4, 0))
    robot.passive("yoke", "block")
    return robot


MECHANISMS = {
    "four-bar": four_bar,
    "slider-crank": slider_crank,
    "slider-crank, swapped": lambda: slider_crank(swapped=True),
    "crane": crane,
    "chained": chained,
    "mimicked": mimicked,
    "yoke": yoke,
}

CLOSE = 1e-10  # what Newton's method ends with


def explicit(graph):
    """The solver in closed form; None where there is none."""
    return Mechanism(graph).explicit


def on_branch(solver, q, signs, near=None):
    """Coordinates of all joints at independent ones q, with the sign of each step; None: it cannot close."""
    full = solver.system.graph.neutral() if near is None else near.copy()
    full[solver.system.independent_q] = q
    solved = planar_steps.solve(solver.arrays, np.array(signs, float), full, np.empty(len(signs)))[0]
    return full if solved == len(solver.order) else None


def branch_of(solver, coordinates):
    """The sign of each step: which intersection of circles or lines."""
    signs = np.empty(len(solver.order))
    planar_steps.branch_signs(solver.arrays, coordinates, signs)
    return signs


def by_newton(graph):
    """The same mechanism, which knows no closed form."""
    mechanism = Mechanism(graph)
    mechanism.explicit = None
    return mechanism


def same_angle(one, other):
    return np.abs(np.exp(1j * np.asarray(one)) - np.exp(1j * np.asarray(other))).max() < CLOSE
