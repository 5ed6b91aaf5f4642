"""Operations of generated code, exactly: generation is deterministic, an upper bound would hide growth."""

import os

import pytest

import modular_dynamics as md
from helpers.paths import ROBOTS
from modular_dynamics.codegen import cache

pytestmark = pytest.mark.skipif(
    bool(os.environ.get("NUMBA_DISABLE_JIT")), reason="generated code is called by compiled kernels only"
)

#: Additions and products, by robot and algorithm.
OPERATIONS = {
    "four_link": {
        "inverse_dynamics": 197,
        "mass_matrix": 60,
        "forward_dynamics": 266,
        "inverse_dynamics_derivatives": 977,
    },
    "charmie": {
        "inverse_dynamics": 1687,
        "mass_matrix": 1706,
        "forward_dynamics": 3230,
        "inverse_dynamics_derivatives": 12469,
    },
}


@pytest.mark.slow
@pytest.mark.parametrize("robot", OPERATIONS)
def test_counts_are_exactly_these(robot, tmp_path, monkeypatch):
    monkeypatch.setenv(cache.FOLDER_VARIABLE, str(tmp_path))
    assert md.load_urdf(ROBOTS / f"{robot}.urdf").compile().operations == OPERATIONS[robot]
