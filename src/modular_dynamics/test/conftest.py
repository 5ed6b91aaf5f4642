"""Fixtures of the library's tests."""

import pytest

import modular_dynamics as md
from helpers.paths import ROBOTS

PARTITIONED = {"vendor_arm": ROBOTS / "vendor_arm_partition.yaml"}


@pytest.fixture(scope="session")
def load_robot():
    """Loads a robot of urdf/ by name, with its partition file where it has one."""

    def load(name: str, **options):
        return md.load_urdf(ROBOTS / f"{name}.urdf", PARTITIONED.get(name), **options)

    return load
