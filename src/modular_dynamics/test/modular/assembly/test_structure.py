"""Dockings and releases at random: what is left is what would be built anew."""

import numpy as np
import pytest

from helpers.random_examples.assemblies import docked_at_random, meeting_ports, random_assembly
from helpers.random_examples.examples import some
from helpers.rebuilt import assert_same_to_the_bit, rebuilt


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
