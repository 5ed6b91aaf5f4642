"""What the measurement of changes measures: assemblies of the right size that grow by one module."""

from benchmark.measurements.changes import grown


def test_assemblies_are_trees_of_so_many_modules_and_grow_by_the_newest():
    assembly = grown(60)
    assert len(assembly) == 60
    assert assembly.rings == ()
    parents = [docking.parent for docking in assembly.dockings]
    assert len(set(parents)) < len(parents)  # it has branches
    assert assembly.undock(assembly.dockings[-1].module).dockings == grown(59).dockings
