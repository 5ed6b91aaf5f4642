"""Planar mechanisms whose loops close in closed form."""

import numpy as np

from helpers.robots.planar_robots import Planar, four_bar
from modular_dynamics.loops import solver_of

A, B, C, D = 0.5, 1.8, 1.2, 2.0  # crank, coupler, rocker, ground: the crank can turn fully


def four_bar_by_cosines(theta, side):
    """(crank, coupler, rocker) by the law of cosines; the rocker's joint turns the other way."""
    crank = A * np.exp(1j * theta)
    diagonal = crank - D
    f = abs(diagonal)
    end = D + C * diagonal / f * np.exp(1j * side * np.arccos((f**2 + C**2 - B**2) / (2 * f * C)))
    return np.array([theta, np.angle((end - crank) / crank), -np.angle(end - D)])


def slider_crank(swapped=False):
    """Crank 0.4, rod 1, and a slider along the x axis, shifted by 0.1; cut at the rod's end."""
    robot = Planar(1)
    robot.turn("crank", "world", "crank", (0, 0))
    robot.turn("rod", "crank", "rod", (0.4, 0))
    robot.slide("slider", "world", "slider", (1, 0))
    ends = ("rod", (1.4, 0)), ("slider", (0, 0.1))
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


def branch_of(graph, coordinates):
    """The sense of each planar loop, in the order in which they are solved.

    Of the sine between the directions in which its two unknown joints move its cut: it changes at singular
    configurations alone.
    """
    system, signs = solver_of(graph).system, []
    J, kinds, names = system.evaluate(coordinates).J, system.kinds, np.array(system.names)
    planar = [unknowns for kind, unknowns in system.loops.clusters if kind != "gear"]
    for k, (first, second) in enumerate(planar):
        later = [column for unknowns in planar[k + 1 :] for column in unknowns]
        for loop in graph.loop_joints:
            rows = J[(names == loop.name) & (kinds == "along")]
            moved, other = rows[:, first], rows[:, second]
            sines = np.outer(moved, other) - np.outer(other, moved)
            if np.any(sines) and not rows[:, np.array(later, int)].any():
                signs.append(np.sign(sines.ravel()[np.argmax(np.abs(sines))]))
                break
    assert len(signs) == len(planar)
    return np.array(signs)


def modes_of(graph, coordinates):
    """All assembly modes at the independent coordinates of a configuration, by the core."""
    system, modes = solver_of(graph).system, np.empty((64, graph.nq))
    count = system.loops.modes(coordinates[system.independent_q], coordinates, modes)
    assert count >= 0
    return list(modes[:count])


def same_angle(one, other):
    return np.abs(np.exp(1j * np.asarray(one)) - np.exp(1j * np.asarray(other))).max() < CLOSE
