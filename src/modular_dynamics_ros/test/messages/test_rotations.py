"""Rotations of messages by tf_transformations, where it is installed, and by transforms3d."""

import sys
from importlib import import_module, reload
from importlib.util import find_spec

import numpy as np
import pytest
import transforms3d

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
def rotations(request, monkeypatch):
    """The module with one of the two libraries."""
    module = import_module("modular_dynamics_ros.messages.rotations")
    if request.param == "transforms3d":
        monkeypatch.setitem(sys.modules, "tf_transformations", None)  # its import fails
    yield reload(module)
    monkeypatch.undo()
    reload(module)


def test_the_library_is_the_one_that_is_installed(rotations, request):
    assert (rotations.tf_transformations is None) == (
        request.node.callspec.params["rotations"] == "transforms3d"
    )


def test_quaternions_are_x_y_z_w_and_of_unit_length(rotations):
    for rpy in np.random.default_rng(0).uniform(-3, 3, size=(20, 3)):
        message = rotations.quaternion_message(transforms3d.euler.euler2mat(*rpy, axes="sxyz"))
        w, x, y, z = transforms3d.euler.euler2quat(*rpy, axes="sxyz")
        ours, theirs = np.array([message.x, message.y, message.z, message.w]), np.array([x, y, z, w])
        # q and -q are one rotation; 1e-14: a few roundings of numbers up to 1
        assert min(np.abs(ours - theirs).max(), np.abs(ours + theirs).max()) < 1e-14


def test_a_quarter_turn_about_z(rotations):
    message = rotations.quaternion_message(np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]))
    half = np.sqrt(0.5)
    assert [message.x, message.y, message.z, message.w] == pytest.approx([0.0, 0.0, half, half], abs=1e-15)
