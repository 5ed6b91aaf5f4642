"""What the measurement of docking measures: assemblies of the right size, changes by one module."""

import sys

import numpy as np
import pytest

import modular_dynamics as md
from benchmark.measurements import docking
from benchmark.measurements.docking import DockingFigures, grown, measure_timor


def test_assemblies_are_trees_of_so_many_modules_and_the_same_at_each_call():
    assembly = grown(60)
    assert len(assembly) == 60
    assert assembly.rings == ()
    assert assembly.dockings == grown(60).dockings
    parents = [docking.parent for docking in assembly.dockings]
    assert len(set(parents)) < len(parents)  # it has branches


def test_the_timed_changes_end_with_torques_of_one_joint_more_or_less():
    assembly = grown(12)
    changes = docking._changes(assembly)
    for change, joints in (("dock", 12), ("undock", 10)):
        graph = docking._run(changes[change], "graph")
        tau = docking._run(changes[change], "torques")
        assert (graph.nv, tau.shape) == (joints, (joints,))
        np.testing.assert_allclose(tau, md.gravity_torque(graph, graph.neutral()), atol=1e-12)
    assert len(assembly) == 12


def test_time_per_module_is_that_until_the_first_torques():
    figures = DockingFigures({}, {}, {"dock": {10: 0.4, 100: 2.0}}, {}, {}, "")
    assert figures.per_module("dock") == pytest.approx({10: 40.0, 100: 20.0})


@pytest.mark.parametrize(
    ("python", "why"),
    [(None, "BENCH_TIMOR_PYTHON"), ("/no/such/python", "no file at"), (sys.executable, "timor")],
)
def test_a_missing_peer_is_reported_in_words(python, why):
    """The last one is this Python, which has no timor-python."""
    figures, note = measure_timor(python)
    assert figures == {}
    assert note.startswith("not measured: ")
    assert why in note


def test_a_peer_that_prints_its_lines_is_read(tmp_path):
    python = tmp_path / "python"
    lines = "".join(f'echo \'{{"modules": {n}, "first_torque_ms": {n}.5}}\'\n' for n in docking.TIMOR_MODULES)
    python.write_text(f"#!/bin/sh\necho a message of another library\n{lines}")
    python.chmod(0o755)
    assert measure_timor(str(python)) == ({n: n + 0.5 for n in docking.TIMOR_MODULES}, "")
