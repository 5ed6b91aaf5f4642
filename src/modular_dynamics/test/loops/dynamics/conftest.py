"""Fixtures of the tests of dynamics with loops."""

import pytest

from helpers.robots.closed_robots import PLANAR
from helpers.robots.planar_mechanisms import MECHANISMS


@pytest.fixture(params=[*PLANAR, *MECHANISMS])
def graph(request, load_robot):
    """Where a name stands in both, the mechanism of the tests has its bodies and lengths at random."""
    return load_robot(request.param) if request.param in PLANAR else MECHANISMS[request.param]().graph()
