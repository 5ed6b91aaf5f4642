"""What a node imports."""

import pytest

from helpers.processes import run_python

pytestmark = pytest.mark.ros

LOADED = """
import sys
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.values import ComputationSettings
Computation(load_robot(sys.argv[1]), ComputationSettings())
print([name for name in ("scipy", "pinocchio") if name in sys.modules])
"""


def run(program, *arguments):
    done = run_python("-c", program, *arguments)
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


def test_a_robot_with_loops_is_loaded_without_scipy(root):
    assert run(LOADED, root / "urdf/charmie_torso.urdf") == "[]\n"
