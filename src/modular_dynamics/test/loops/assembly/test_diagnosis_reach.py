"""What is said to be out of reach, to contradict itself, or to be chosen too often, is so."""

import re

import numpy as np
import pytest

import modular_dynamics as md
from helpers.oracles.rigid_bodies import RigidBodies
from helpers.robots.parallel_mechanisms import Builder
from helpers.robots.planar_robots import four_bar
from helpers.robots.spatial_mechanisms import Z, ball, link, loaded, passive
from helpers.robots.urdf_text import joint, loop_joint
from modular_dynamics.exceptions import ClosureError, SingularityError, StateError
from modular_dynamics.loops.assembly.assemble import Assembler
from modular_dynamics.loops.assembly.diagnosis import cannot_close


def test_a_parallelogram_that_is_in_line_again_is_not_out_of_reach():
    """Its crank turned by pi from the line: passive joints change the gap by second order only."""
    graph = four_bar(1.0, 2.0, 1.0, 2.0).graph()
    with pytest.raises(SingularityError, match="closes there, but the start is a dead point") as error:
        md.close_loops(graph, [np.pi])
    gap = RigidBodies(graph).gap(graph.loop_joints[0].name, error.value.coordinates)
    assert np.linalg.norm(gap[:3, 3]) < 1e-6


def ring(seed):
    """Seven hinges about any axes and a weld, closed at zero."""
    builder, rng, at, before = Builder(), np.random.default_rng(seed), np.zeros(3), "base"
    for k in range(7):
        step = 0.4 * rng.normal(size=3)
        builder.turn(f"j{k}", before, f"l{k}", step, rng.normal(size=3), motor=k == 0, limits=(-9, 9))
        at, before = at + step, f"l{k}"
    builder.cut("weld", "fixed", (before, (0.1, 0.2, 0.3)), ("base", (at[0] + 0.1, at[1] + 0.2, at[2] + 0.3)))
    return md.load_urdf(builder.urdf())


def test_motors_of_a_welded_ring_are_not_out_of_reach_where_it_closes():
    """Angles at which it closes, from other assembly modes: a local minimum is not taken for the reason."""
    graph, rng = ring(3), np.random.default_rng(0)
    for _ in range(12):
        (angle,) = md.assemble(graph, rng.uniform(-3, 3, graph.nq)).independent
        try:
            md.close_loops(graph, [angle])
        except SingularityError as error:
            assert "closes there" in str(error)  # noqa: PT017  # at other angles it does close


def test_a_search_that_ended_on_its_way_does_not_call_loops_contradictory():
    """Angles so large that a number has no digits for parts of a turn."""
    graph = four_bar().graph()
    assert max(md.assemble(graph).residual.values()) < 1e-10
    far, assembler = np.full(graph.nq, 1e20), Assembler(graph)
    found, beyond = assembler.search(far), assembler.search(far, limited=False)
    message = str(cannot_close(assembler.system, found, beyond, "all joints"))
    assert re.search(r"before a minimum of the residual .* a closer guess is needed", message)
    with pytest.raises(StateError, match=r"guess, of all joints: 1e\+20 of joint '.*' is too large"):
        md.assemble(graph, far)  # these are refused before


def test_free_coordinates_are_not_counted_as_chosen():
    """Two rods that spin between balls, and a bar that has two motors, one too many."""
    elements, tags = [link("base")], []
    elements += [link("bar", 1.0), joint("motor", "continuous", "base", "bar", (0, 0, 0), axis=Z)]
    elements += [link("rail", 1.0), joint("second", "prismatic", "base", "rail", (1, 0.3, 0), axis=(0, 1, 0))]
    elements += [link("rod", 0.6, (0.2, 0.03, 0.02))]
    balls, names = ball("ball", "bar", "rod", (0.2, 0, 0.1))
    tags += passive(names)
    tags += [loop_joint("end", "spherical", ("rod", (0.8, 0.3, 0)), ("rail", (0, 0, 0.1)), Z)]
    graph = loaded("spinning", [*elements, *balls], tags)
    message = "2 degrees of freedom here and 2 independent coordinates, besides 1 that no motor moves"
    with pytest.raises(ClosureError, match=message):
        md.InverseDynamics(graph).solve([0.0, 0.0], [0.0, 0.0], [0.0, 0.0])
