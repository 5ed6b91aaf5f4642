"""The profile in config/: Fast DDS understands it, and nodes use it only on request."""

import os
import sys

import pytest

from helpers.processes import run_python

NODE = """
import rclpy
rclpy.init()
node = rclpy.create_node("quick")
node.destroy_node()
rclpy.shutdown()
"""
# Fast DDS 3 warns of the variable that Fast DDS 2 (Jazzy) reads.
VARIABLE = f"{'FASTRTPS' if os.environ['ROS_DISTRO'] == 'jazzy' else 'FASTDDS'}_DEFAULT_PROFILES_FILE"


def test_fast_dds_takes_the_profile(root, tmp_path):
    environment = os.environ | {VARIABLE: str(root / "config/fast_dds_loopback.xml")}
    done = run_python("-c", NODE, env=environment, cwd=tmp_path)
    # it prints what it does not understand, and goes on without
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_on_loopback_nothing_arrives_by_shared_memory(root, tmp_path):
    look = "import glob; print(*(open(name).read() for name in glob.glob('/proc/self/task/*/comm')))\n"
    program = NODE.replace("node.destroy_node()", f"{look}node.destroy_node()")
    environment = os.environ | {VARIABLE: str(root / "config/fast_dds_loopback.xml")}
    done = run_python("-c", program, env=environment, cwd=tmp_path)
    # threads that listen have the number of their port; the watchdog of shared memory has none
    listening = {name.rpartition(".")[0] for name in done.stdout.split() if name[-1].isdigit()}
    assert "dds.shm" not in listening
    assert "dds.udp" in listening


def test_no_node_chooses_a_profile_by_itself(monkeypatch, tmp_path):
    for name in (VARIABLE, "FASTDDS_BUILTIN_TRANSPORTS"):
        monkeypatch.delenv(name, raising=False)
    program = (
        "import os, rclpy; from modular_dynamics_ros.lifecycle.executor import PersistentExecutor; "
        "from modular_dynamics_ros.dynamics.node import main; "
        "PersistentExecutor.spin_once = lambda *of, **options: rclpy.shutdown(); main(); "
        "print([name for name in os.environ if 'FASTRTPS' in name or 'FASTDDS' in name])"
    )
    done = run_python("-c", program, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "[]\n")
