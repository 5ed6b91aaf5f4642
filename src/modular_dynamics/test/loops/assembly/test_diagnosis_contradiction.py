"""Loops that close in no configuration are recognised, and no others."""

import pytest

import modular_dynamics as md
from helpers.robots.parallel_mechanisms import ankle, bricard, delta
from modular_dynamics.loops import solver_of
from modular_dynamics.loops.assembly.diagnosis import contradiction


@pytest.mark.parametrize("quantity", ["origin z", "origin roll", "origin pitch"])
def test_a_hinge_beside_its_plane_or_not_parallel(load_robot, quantity):
    graph = load_robot("four_bar")
    name = f"joint J3 {quantity}"
    other = graph.with_parameters({name: graph.parameters[name].value + 1e-3})
    error = contradiction(solver_of(other).system, solver_of(graph).reference())
    assert "do not close in any configuration: open are J2" in str(error)
    with pytest.raises(md.ClosureError):
        md.assemble(other)


@pytest.mark.parametrize("make", [ankle, bricard, delta])
def test_loops_that_close(make):
    solver = solver_of(md.load_urdf(make().urdf()))
    assert contradiction(solver.system, solver.reference()) is None


@pytest.mark.parametrize("name", ["four_bar", "exoskeleton", "charmie_torso", "crane", "slider_crank"])
def test_planar_loops_that_close_or_are_out_of_reach(load_robot, name):
    solver = solver_of(load_robot(name))
    assert contradiction(solver.system, solver.reference()) is None


def test_out_of_reach_is_no_contradiction(load_robot):
    graph = load_robot("four_bar")
    other = graph.with_parameters({"joint J3 origin x": 1e3})
    assert contradiction(solver_of(other).system, solver_of(graph).reference()) is None
