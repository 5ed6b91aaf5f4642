"""Fixtures of the papers' tests."""

from functools import cache

import pytest

import modular_dynamics as md
from helpers.paths import ROBOTS


@pytest.fixture(scope="session")
def load_robot():
    """Loads a robot of urdf/ by name, once: graphs never change."""
    return cache(lambda name, **options: md.load_urdf(ROBOTS / f"{name}.urdf", **options))
