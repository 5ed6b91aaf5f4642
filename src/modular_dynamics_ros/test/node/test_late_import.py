"""Nodes are known to DDS before they import the library, and load kernels without the compiler."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.ros

LATE = """
import sys
import modular_dynamics_ros.{0}
print([name for name in ("modular_dynamics", "numba", "scipy", "pinocchio") if name in sys.modules])
"""
LOADED = """
import sys
from modular_dynamics_ros.computation.robot import load_robot
load_robot(sys.argv[1], with_check=False)
unneeded = ("numba.np.arraymath", "numba.np.arrayobj", "scipy.linalg")
print([name for name in unneeded if name in sys.modules])
"""
TWO = """
import sys, threading
from modular_dynamics_ros.node.late_import import import_late
sys.path.insert(0, sys.argv[1])
threads = [threading.Thread(target=import_late, args=[name]) for name in ("slow", "slower", "slow")]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(sys.modules["slow"].done, sys.modules["slower"].done)
"""
COLLECTOR = """
import gc, sys
from modular_dynamics_ros.node.late_import import import_late
import_late("decimal")
frozen = gc.get_freeze_count()
class Ring: pass
ring = Ring(); ring.itself = ring
import_late("decimal")  # a node that is configured again
print(frozen > 0, gc.get_freeze_count() <= frozen)
try:
    import_late("no_such_module")
except ImportError as error:
    print(error)
print(gc.isenabled(), "coverage" in sys.modules)
"""
BROKEN = """
import sys
sys.modules["numba"] = None
from modular_dynamics_ros import torso_reaction_node
sys.argv += ["--ros-args", "-p", "autostart:=true", "-p", f"robot_description_file:={sys.argv.pop()}"]
import threading, rclpy
threading.Timer(3.0, rclpy.try_shutdown).start()
sys.exit(torso_reaction_node.main())
"""


def run(program, *arguments):
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize("name", ["dynamics_node", "torso_reaction_node", "joint_state_player"])
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


def test_garbage_is_collected_after_a_late_import():
    assert run(COLLECTOR) == "True True\nNo module named 'no_such_module'\nTrue False\n"


def test_two_threads_may_import_at_once(tmp_path):
    for name, seconds in (("slow", 0.2), ("slower", 0.4)):
        (tmp_path / f"{name}.py").write_text(f"import time\ntime.sleep({seconds})\ndone = True\n")
    assert run(TWO, tmp_path) == "True True\n"
