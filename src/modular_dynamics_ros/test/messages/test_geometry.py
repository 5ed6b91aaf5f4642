"""Rotations of messages: by tf_transformations, where it is installed, and by transforms3d."""

import re
import sys
from importlib import reload
from importlib.util import find_spec

import numpy as np
import pytest
import transforms3d
from builtin_interfaces.msg import Time
from geometry_msgs.msg import WrenchStamped

import modular_dynamics as md
from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.messages import geometry
from modular_dynamics_ros.messages.geometry import WrenchWriter, wrench_from_message

LIBRARIES = [
    pytest.param(
        "tf_transformations",
        marks=pytest.mark.skipif(
            find_spec("tf_transformations") is None, reason="tf_transformations comes with a distribution"
        ),
    ),
    "transforms3d",
]


@pytest.fixture(params=LIBRARIES)
def messages(request, monkeypatch):
    """The module with one of the two libraries."""
    if request.param == "transforms3d":
        monkeypatch.setitem(sys.modules, "tf_transformations", None)  # its import fails
    yield reload(geometry)
    monkeypatch.undo()
    reload(geometry)


def test_the_library_is_the_one_that_is_installed(messages, request):
    assert (messages.tf_transformations is None) == (
        request.node.callspec.params["messages"] == "transforms3d"
    )


def test_poses_are_those_of_the_graph(messages):
    rng = np.random.default_rng(0)
    for _ in range(20):
        xyz, rpy = rng.normal(size=3), rng.uniform(-3, 3, size=3)
        message = messages.pose_message(md.algebra.from_xyz_rpy(xyz, rpy))
        w, x, y, z = transforms3d.euler.euler2quat(*rpy, axes="sxyz")
        r = message.orientation
        ours, theirs = np.array([r.x, r.y, r.z, r.w]), np.array([x, y, z, w])
        # q and -q are one rotation; 1e-14: a few roundings of numbers up to 1
        assert min(np.abs(ours - theirs).max(), np.abs(ours + theirs).max()) < 1e-14
        assert [message.position.x, message.position.y, message.position.z] == pytest.approx(xyz, abs=1e-14)


def test_a_quarter_turn_about_z(messages):
    message = messages.quaternion_message(np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]))
    half = np.sqrt(0.5)
    assert [message.x, message.y, message.z, message.w] == pytest.approx([0.0, 0.0, half, half], abs=1e-15)


@pytest.mark.parametrize("scale", [1.0, 0.995, 1.005])
def test_a_quaternion_that_was_rounded_is_normalised(scale):
    four = scale * np.array([0.1, -0.5, 0.3, 0.8]) / np.linalg.norm([0.1, -0.5, 0.3, 0.8])
    x, y, z, w = four.tolist()
    read = geometry.unit_quaternion(geometry.Quaternion(x=x, y=y, z=z, w=w))
    assert [read.x, read.y, read.z, read.w] == pytest.approx(four / scale, abs=1e-15)


@pytest.mark.parametrize("four", [(0, 0, 0, 0), (1, 1, 0, 0), (0, 0, 0, np.nan), (np.inf, 0, 0, 0)])
def test_what_is_no_rotation_is_refused(four):
    x, y, z, w = map(float, four)
    with pytest.raises(BadMessage, match=r"its quaternion x y z w = .* has the norm .* instead of 1"):
        geometry.unit_quaternion(geometry.Quaternion(x=x, y=y, z=z, w=w))


pytestmark = pytest.mark.ros


def test_wrenches_survive_the_round_trip():
    wrench = np.arange(1.0, 7.0)
    message = WrenchWriter().write(Time(sec=1), "tool", wrench)
    assert message.header.frame_id == "tool"
    assert message.wrench.torque.x == 4.0  # force first, moment second
    assert wrench_from_message(message).tolist() == wrench.tolist()


def test_a_wrench_with_nan_is_refused_by_name():
    message = WrenchStamped()
    message.header.frame_id = "tool"
    message.wrench.torque.y = float("nan")
    with pytest.raises(BadMessage, match="'tool'"):
        wrench_from_message(message)


@pytest.mark.parametrize("huge", [1.1e9, -1e300, 1.7e308])
def test_a_huge_wrench_is_refused_by_name_and_the_largest_is_not(huge):
    message = WrenchStamped()
    message.header.frame_id = "tool"
    message.wrench.force.z = -1e9
    assert wrench_from_message(message)[2] == -1e9
    message.wrench.torque.y = huge
    words = f"'tool' holds {abs(huge):.3g}; sizes of at most 1e+09 are taken"
    with pytest.raises(BadMessage, match=re.escape(words)) as caught:
        wrench_from_message(message)
    assert caught.value.cause == "too large"
