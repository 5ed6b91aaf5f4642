"""config/fast_dds_quick_discovery.xml: Fast DDS understands it, and it is used only on request."""

import os
from xml.etree import ElementTree

import pytest

from helpers.processes import run_python

NODE = """
import rclpy
rclpy.init()
node = rclpy.create_node("quick")
node.destroy_node()
rclpy.shutdown()
"""


@pytest.fixture
def profile(root):
    return root / "config/fast_dds_quick_discovery.xml"


def test_fast_dds_takes_the_profile(profile, tmp_path):
    environment = os.environ | {"FASTRTPS_DEFAULT_PROFILES_FILE": str(profile)}
    done = run_python("-c", NODE, env=environment, cwd=tmp_path)
    # it prints what it does not understand, and goes on without
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_messages_arrive_by_udp_and_a_thread_of_its_own_announces(profile):
    spaces = {"d": "http://www.eprosima.com"}
    participant = ElementTree.parse(profile).find("d:profiles/d:participant", spaces)
    assert participant is not None
    assert participant.get("is_default_profile") == "true"
    assert participant.find("d:rtps/d:defaultUnicastLocatorList/d:locator/d:udpv4", spaces) is not None
    assert participant.find("d:rtps/d:throughputController", spaces) is not None


def test_no_node_chooses_a_profile_by_itself(monkeypatch, tmp_path):
    for name in ("FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_BUILTIN_TRANSPORTS"):
        monkeypatch.delenv(name, raising=False)
    program = (
        "import os, rclpy; from modular_dynamics_ros.lifecycle.direct_executor import DirectExecutor; "
        "from modular_dynamics_ros.dynamics.node import main; "
        "DirectExecutor.spin_once = lambda *of, **options: rclpy.shutdown(); main(); "
        "print([name for name in os.environ if 'FASTRTPS' in name or 'FASTDDS' in name])"
    )
    done = run_python("-c", program, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "[]\n")
