"""Nodes as processes: DDS knows them before they import the library."""

import pytest

from helpers.processes import run_python

pytestmark = pytest.mark.ros

LATE = """
import sys
import modular_dynamics_ros.{0}.node
print([name for name in ("modular_dynamics", "scipy", "pinocchio") if name in sys.modules])
"""
LOADED = """
import sys
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.values import ComputationSettings
Computation(load_robot(sys.argv[1]), ComputationSettings())
print([name for name in ("scipy", "pinocchio") if name in sys.modules])
"""
BROKEN = """
import sys
sys.modules["modular_dynamics._core"] = None
from modular_dynamics_ros.reactions import node
sys.argv += ["--ros-args", "-p", "autostart:=true", "-p", f"robot_description_file:={sys.argv.pop()}"]
import rclpy
from modular_dynamics_ros.lifecycle.executor import PersistentExecutor
PersistentExecutor.spin_once = lambda *of, **options: rclpy.shutdown()  # once the node is configured
sys.exit(node.main())
"""


def run(program, *arguments):
    done = run_python("-c", program, *arguments)
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize("name", ["dynamics", "reactions", "player"])
def test_the_library_is_not_imported_with_a_node(name):
    assert run(LATE.format(name)) == "[]\n"


def test_a_robot_with_loops_is_loaded_without_scipy(root):
    assert run(LOADED, root / "urdf/charmie_torso.urdf") == "[]\n"


def test_a_library_that_cannot_be_imported_is_not_blamed_on_the_robot(root):
    said = run(BROKEN, root / "urdf/charmie_torso.urdf")
    assert "the library cannot be imported: import of modular_dynamics._core halted" in said
    assert "refused" not in said
