"""dynamics_node with a robot of four joints, ended after the test."""

from contextlib import ExitStack, closing

import pytest

from helpers.nodes.dynamics_harness import Harness


@pytest.fixture
def make(four_link):
    def harness(**parameters):
        return ended.enter_context(closing(Harness(**{"robot_description_file": four_link} | parameters)))

    with ExitStack() as ended:
        yield harness


@pytest.fixture
def active(make):
    return make().activate()
