"""Fixtures of the library's tests."""

from functools import cache

import pytest

import modular_dynamics as md
from helpers.paths import ROBOTS
from helpers.tree_dynamics import BOXED_TOOL, ROBOT_NAMES

PARTITIONED = {"vendor_arm": ROBOTS / "vendor_arm_partition.yaml"}


@pytest.fixture(scope="session")
def load_robot():
    """Loads a robot of urdf/ by name, once, with its partition file where it has one: graphs never change."""

    @cache
    def load(name: str, **options):
        return md.load_urdf(ROBOTS / f"{name}.urdf", PARTITIONED.get(name), **options)

    return load


@pytest.fixture
def boxed_arm():
    """The vendor's arm with its gripper as a black box."""
    return md.load_urdf(ROBOTS / "vendor_arm.urdf", BOXED_TOOL)


@pytest.fixture(params=[(name, floating) for name in ROBOT_NAMES for floating in (False, True)])
def tree_robot(request, load_robot):
    """Each robot without loops, on the ground and floating."""
    name, floating = request.param
    return load_robot(name, floating_base=floating)
