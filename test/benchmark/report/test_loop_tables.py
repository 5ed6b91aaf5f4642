"""Tables of closed loops: all that the targets are about stands in them, within 100 columns."""

import io

import pytest
from rich.console import Console

from benchmark.measurements.growth import LoopFigures, SpatialLoopFigures
from benchmark.measurements.loop_robots import LoopRobotFigures
from benchmark.report.loop_tables import (
    added_loop_costs,
    print_loop_robots,
    print_loops,
    print_spatial_loops,
)
from benchmark.setting.timing import Spread


def _printed(show, figures):
    text = io.StringIO()
    show(Console(file=text, width=100), figures)
    assert "…" not in text.getvalue()
    return text.getvalue()


def _chain(loops, torques):
    joints, rows = 2 * loops + 1, 5 * loops
    return LoopFigures(loops, joints, rows, 2286.3, "2286.3 (2221.2-2401.0)", torques, 1.0, 6.0, 0.0)


def test_cost_of_one_more_loop_is_without_that_of_the_call():
    figures = [_chain(1, 1.5), _chain(2, 2.0), _chain(11, 6.5)]
    assert added_loop_costs(figures) == pytest.approx({2: 0.5, 11: 0.5})
    assert "largest over smallest: 1.00, target < 2 yes" in _printed(print_loops, figures)


def test_quadratic_growth_misses_the_target():
    assert "target < 2 no" in _printed(print_loops, [_chain(n, 0.1 * n * n) for n in (1, 2, 5, 50)])


def test_spatial_chains_have_the_same_target():
    spatial = [SpatialLoopFigures(n, 4 * n, 3 * n, 10.0 + 18.0 * n, 0.5) for n in (1, 2, 5, 50)]
    assert "largest over smallest: 1.00, target < 2 yes" in _printed(print_spatial_loops, spatial)


def test_torques_beside_the_tree_have_a_target_for_one_state_and_for_a_batch():
    one = LoopRobotFigures(
        *("charmie_torso", 4, 27, 1.08, 3.35, Spread(3.1, 3.0, 3.2)),
        *(0.1, 0.48, Spread(4.8, 4.7, 4.9), 106.4, 4e-15),
    )
    lines = _printed(print_loop_robots, [one]).splitlines()
    single, batch = (next(line for line in lines if f" {call} " in line) for call in ("single", "batch"))
    assert "3.10 (3.00-3.20)" in single
    assert "<= 5 yes" in single
    assert "4.80 (4.70-4.90)" in batch
    assert "<= 3 no" in batch
    assert any("difference of torques 4e-15 (charmie_torso)" in line for line in lines)
    assert all(len(line) <= 98 for line in lines if line.startswith("  "))
