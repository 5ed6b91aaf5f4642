"""How nodes tell Fast DDS to find others at once; how soon they do, benchmark/restart.py measures."""

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from modular_dynamics_ros.node.discovery import hurry_discovery

pytestmark = pytest.mark.ros

PROFILES = "FASTRTPS_DEFAULT_PROFILES_FILE"
NODE = """
import os, sys, rclpy
from modular_dynamics_ros.node.discovery import hurry_discovery
hurry_discovery()
rclpy.init()
node = rclpy.create_node("quick")
print(os.path.basename(os.environ["FASTRTPS_DEFAULT_PROFILES_FILE"]))
node.destroy_node()
rclpy.shutdown()
"""


@pytest.fixture(autouse=True)
def clean(monkeypatch, tmp_path):
    """Nobody has chosen anything."""
    monkeypatch.chdir(tmp_path)
    for name in (PROFILES, "ROS_DISCOVERY_SERVER"):
        monkeypatch.setenv(name, "")  # so that what is set below is taken back
        monkeypatch.delenv(name)


def test_the_profile_is_a_file_beside_the_code_and_fast_dds_takes_it():
    done = subprocess.run([sys.executable, "-c", NODE], capture_output=True, text=True, check=True)
    assert done.stdout == "fast_dds.xml\n"
    assert done.stderr == ""  # it prints what it does not understand, and goes on without


def test_messages_come_by_udp_and_announcements_from_a_thread_of_their_own():
    hurry_discovery()
    tree = ElementTree.parse(os.environ[PROFILES])
    spaces = {"d": "http://www.eprosima.com"}
    profile = tree.find("d:profiles/d:participant", spaces)
    assert profile is not None
    assert profile.get("is_default_profile") == "true"
    assert profile.find("d:rtps/d:defaultUnicastLocatorList/d:locator/d:udpv4", spaces) is not None
    assert profile.find("d:rtps/d:throughputController", spaces) is not None


@pytest.mark.parametrize(
    ("name", "value"), [(PROFILES, "mine.xml"), ("ROS_DISCOVERY_SERVER", "127.0.0.1:11811")]
)
def test_what_the_user_has_chosen_stays(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    hurry_discovery()
    assert os.environ.get(PROFILES) == (value if name == PROFILES else None)


def test_a_profile_in_this_folder_stays():
    Path("DEFAULT_FASTRTPS_PROFILES.xml").write_text("<dds/>")
    hurry_discovery()
    assert PROFILES not in os.environ
