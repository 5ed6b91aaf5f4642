"""Arrays of closed loops that kernels work on."""

import pytest
from numba import typeof

from modular_dynamics.closure import solver_of

CHOSEN = {"four_bar": ("J1", "J4"), "four_bar with one passive joint": ("J1", "J4", "J3")}


@pytest.fixture(params=["crane", "exoskeleton", "slider_crank", *CHOSEN])
def system(request, load_robot):
    graph = load_robot(request.param.split()[0])
    return solver_of(
        graph.with_independent_joints(*CHOSEN.get(request.param, graph.independent_joint_names))
    ).system


def test_kernels_are_compiled_once_for_all_mechanisms(load_robot, system):
    """Also where a matrix has one row or column: NumPy calls it contiguous either way."""
    usual = solver_of(load_robot("four_bar")).system
    assert typeof(system.workspace) == typeof(usual.workspace)
    assert typeof(system.arrays) == typeof(usual.arrays)
