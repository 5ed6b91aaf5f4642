"""dynamics_node with a robot of four joints, ended after the test."""

import pytest

from helpers.nodes.dynamics_harness import Harness


@pytest.fixture
def make(four_link):
    made = []

    def harness(**parameters):
        parameters = {"robot_description_file": four_link} | parameters
        made.append(Harness(**parameters))
        return made[-1]

    yield harness
    for one in made:
        one.close()


@pytest.fixture
def active(make):
    return make().activate()
