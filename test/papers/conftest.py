"""Fixtures of the papers' tests."""

import pytest

import modular_dynamics as md
from helpers.paths import ROBOTS


@pytest.fixture(scope="session")
def load_robot():
    """Loads a robot of urdf/ by name."""
    return lambda name, **options: md.load_urdf(ROBOTS / f"{name}.urdf", **options)
