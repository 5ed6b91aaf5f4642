"""Nodes as processes.

They are known to DDS before they import the library, and load kernels without the compiler; which exceptions
are the end of run_node, and which are faults.
"""

import pytest

from helpers.processes import run_python

pytestmark = pytest.mark.ros

LATE = """
import sys
import modular_dynamics_ros.{0}.node
print([name for name in ("modular_dynamics", "numba", "scipy", "pinocchio") if name in sys.modules])
"""
LOADED = """
import sys
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.values import ComputationSettings
Computation(load_robot(sys.argv[1]), ComputationSettings())
unneeded = ("numba.np.arraymath", "numba.np.arrayobj", "scipy.linalg")
print([name for name in unneeded if name in sys.modules])
"""
BROKEN = """
import sys
sys.modules["numba"] = None
from modular_dynamics_ros.reactions import node
sys.argv += ["--ros-args", "-p", "autostart:=true", "-p", f"robot_description_file:={sys.argv.pop()}"]
import rclpy
from rclpy.executors import SingleThreadedExecutor
SingleThreadedExecutor.spin_once = lambda *of, **options: rclpy.shutdown()  # once the node is configured
sys.exit(node.main())
"""
SPINNING = """
import os, signal, sys
import rclpy
from rclpy.node import Node
from modular_dynamics_ros.node.spinning import run_node

def tick():
    if {asked}:
        os.kill(os.getpid(), signal.{number})
        while rclpy.ok():  # it may take the context away in the middle of any callback
            pass
    raise RuntimeError("Unable to convert call argument")

def make():
    node = Node("failing")
    node.create_timer(0.01, tick)
    return node

sys.exit(run_node(make, ""))
"""


def run(program, *arguments):
    done = run_python("-c", program, *arguments)
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize("name", ["dynamics", "reactions", "player"])
def test_the_library_is_not_imported_with_a_node(name):
    assert run(LATE.format(name)) == "[]\n"


def test_a_robot_is_loaded_without_the_compiler(root):
    robot = root / "urdf/charmie_torso.urdf"
    run(LOADED, robot)  # compiles what is not on the disk
    assert run(LOADED, robot) == "[]\n"


def test_a_library_that_cannot_be_imported_is_not_blamed_on_the_robot(root):
    said = run(BROKEN, root / "urdf/charmie_torso.urdf")
    assert "the library cannot be imported: import of numba halted" in said
    assert "refused" not in said


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM"])
def test_exceptions_after_the_end_was_asked_for_are_the_end(number):
    process = run_python("-c", SPINNING.format(asked=True, number=number), timeout=30)
    assert (process.returncode, process.stderr) == (0, "")


def test_exceptions_before_that_are_faults():
    process = run_python("-c", SPINNING.format(asked=False, number="SIGINT"), timeout=30)
    assert process.returncode == 1
    assert "RuntimeError: Unable to convert call argument" in process.stderr
