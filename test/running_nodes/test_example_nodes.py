"""What the programs of examples/nodes say about words that they do not know; test_pages.py runs them."""

import subprocess
import sys

import pytest
from modular_dynamics_interfaces.srv import SetPayload

from examples.nodes.ros2 import fill
from helpers.paths import ROOT

pytestmark = pytest.mark.ros
ROBOT = "-p", "robot:=urdf/ur5e.urdf"


def simulated_arm(*words):
    command = [sys.executable, "examples/nodes/simulated_arm.py", *words]
    return subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True, timeout=60.0)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "the parameter 'robot', the path of a URDF, is missing"),
        ((*ROBOT, "-p", "payload_cog:=[0.1, 0.0, 0.0]"), "has no parameter 'payload_cog'"),
        ((*ROBOT, "-p", "payload:=2.0", "-p", "payload_link:=tool"), "no link 'tool' in 'ur5e'"),
    ],
)
def test_what_the_simulated_arm_refuses(words, said):
    ended = simulated_arm("--ros-args", *words)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert said in ended.stderr
    assert "--help" in ended.stderr


def test_the_simulated_arm_lists_its_parameters():
    ended = simulated_arm("--help")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "payload_com          [0.0, 0.0, 0.08]       [m] its centre of mass" in ended.stdout


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"mass": 2.0}, "SetPayload_Request has no field 'mass'; its fields: link, inertia"),
        ({"inertia": {"com": [0.0, 0.0, 0.1]}}, "'com' of Inertia is of type geometry_msgs/Vector3"),
        ({"link": {"name": "tool0"}}, "'link' of SetPayload_Request is of type string"),
    ],
)
def test_fields_that_a_request_does_not_have(values, said):
    with pytest.raises(SystemExit, match=said):
        fill(SetPayload.Request(), values)


def test_fields_of_a_request():
    request = fill(SetPayload.Request(), {"link": "tool0", "inertia": {"m": 2, "com": {"z": 0.08}}})
    assert (request.link, request.inertia.m, request.inertia.com.z) == ("tool0", 2.0, 0.08)
