"""Dockings and releases at random: what is left is what would be built anew, and memory stays flat."""

import gc
import tracemalloc
from collections import Counter

import numpy as np
import pytest

import modular_dynamics as md
from helpers.random_examples.assemblies import docked_at_random, meeting_ports, random_assembly
from helpers.random_examples.examples import some
from helpers.rebuilt import assert_same_to_the_bit, rebuilt
from modular_dynamics import modular
from modular_dynamics.model import Body, Joint


def changed(assembly, rng, largest=30):
    """After one docking, release, ring or change of the base at random."""
    choice = rng.choice(["dock", "ring", "open", "base", "undock"], p=[0.5, 0.1, 0.05, 0.05, 0.3])
    if choice == "dock" and len(assembly) < largest:
        return docked_at_random(assembly, rng) or assembly
    if choice == "ring" and len(assembly.rings) < 2:
        for ring in meeting_ports(assembly)[:1]:
            return assembly.dock(*ring[:4], turn=ring[4])
    if choice == "base":
        return assembly.with_base(str(rng.choice([*assembly])))
    if choice == "open" and assembly.rings:
        return assembly.undock(*assembly.rings[-1][2:4])
    if choice == "undock" and len(assembly) > 1:
        return assembly.undock(str(rng.choice([*assembly][1:])))
    return assembly


@pytest.mark.parametrize("seed", some(range(20)))
def test_after_any_changes_it_is_the_assembly_built_anew(seed):
    rng, assembly = np.random.default_rng(seed), random_assembly(seed)
    for _ in range(30):
        assembly = changed(assembly, rng)
        assert [*assembly] == [assembly.base, *(docking.module for docking in assembly.dockings)]
    fresh = rebuilt(assembly)
    assert fresh == assembly
    assert str(fresh) == str(assembly)
    assert_same_to_the_bit(assembly.graph(), fresh.graph())


def test_splitting_and_merging_again_gives_the_same_modules_and_dockings():
    for seed in range(10):
        assembly = random_assembly(seed, rings=0)
        for docking in assembly.dockings[:5]:
            rest, cut = assembly.split(docking.module)
            assert {*rest} | {*cut} == {*assembly}
            again = rest.merge(cut, *docking[:4], turn=docking.turn)
            assert {*again.dockings} == {*assembly.dockings}


def living():
    """How many parts of models there are in this process."""
    gc.collect()
    kinds = (md.SubsystemGraph, modular.Assembly, Body, Joint)
    return Counter(type(one).__name__ for one in gc.get_objects() if issubclass(type(one), kinds))


def test_a_thousand_dockings_and_undockings_leave_no_memory():
    rng, assembly = np.random.default_rng(0), random_assembly(3, rings=0)

    def run(count):
        for k in range(count):
            longer = docked_at_random(assembly, rng) or assembly
            graph = longer.graph()
            if k % 10 == 0:
                md.inverse_dynamics(graph, graph.neutral(), *np.zeros((2, graph.nv)))
            if len(longer) > len(assembly):
                assert longer.undock([*longer][-1]) == assembly
        gc.collect()

    run(100)
    before = living()
    tracemalloc.start()
    run(50)
    size = tracemalloc.get_traced_memory()[0]
    run(1000)
    grown = tracemalloc.get_traced_memory()[0] - size
    tracemalloc.stop()
    assert living() == before
    assert grown < 200_000  # bytes: one graph kept each time would be some megabytes
