"""Requests to the services that rclpy gives every node: each is processed, and the node goes on."""

import math
from contextlib import closing
from unittest.mock import MagicMock

import pytest
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState, GetState
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import GetParameters, SetParameters, SetParametersAtomically
from rclpy.node import Node

from helpers.nodes.dynamics_harness import Harness
from helpers.nodes.waiting import SpunNodes
from modular_dynamics_ros.lifecycle import requests
from modular_dynamics_ros.lifecycle.requests import answer_all_requests

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]


class Asked(Harness):
    """dynamics_node, and a client for its services."""

    def ask(self, kind, name, **request):
        client = self.client(kind, f"dynamics_node/{name}")
        future = client.call_async(kind.Request(**request))
        self.spin_until(future.done)
        self.probe.destroy_client(client)
        return future.result()

    def change(self, **transition):
        return self.ask(ChangeState, "change_state", transition=Transition(**transition)).success

    def state(self):
        return self.ask(GetState, "get_state").current_state.label

    def set(self, *parameters):
        results = self.ask(SetParameters, "set_parameters", parameters=parameters).results
        return [(result.successful, result.reason) for result in results]

    def cutoff(self):
        (value,) = self.ask(GetParameters, "get_parameters", names=["filter_cutoff"]).values
        return value.double_value


@pytest.fixture
def asked(four_link):
    made = Asked(robot_description_file=four_link)
    yield made
    made.close()


def cutoff(**value):
    return Parameter(name="filter_cutoff", value=ParameterValue(**value))


def hertz(value):
    return cutoff(type=ParameterType.PARAMETER_DOUBLE, double_value=value)


@pytest.mark.parametrize(
    ("transition", "words"),
    [
        ({"id": 1}, "transition '' (id 1)"),
        ({"id": 5}, "transition '' (id 5)"),  # shutdown of an unconfigured node
        ({}, "transition '' (id 0)"),
        ({"label": "dance"}, "transition 'dance' (id 0)"),
        ({"label": "x" * 100_000}, f"transition '{'x' * 60}' (id 0)"),
    ],
)
def test_a_transition_that_is_not_possible_is_refused_and_the_node_goes_on(asked, capfd, transition, words):
    asked.activate()
    assert not asked.change(**transition)
    possible = "is not possible now; possible: deactivate (4), shutdown (7)"
    assert f"change_state refused: {words} {possible}" in capfd.readouterr().err
    assert asked.state() == "active"
    assert len(asked.answer().effort) == 4


def test_transitions_by_id_by_label_and_by_both(asked):
    assert asked.change(id=1)
    assert asked.change(label="activate")
    assert asked.change(id=4, label="deactivate")
    assert asked.change(id=2)
    assert asked.change(label="shutdown")
    assert asked.state() == "finalized"
    assert not asked.change(label="shutdown")


def test_a_transition_that_raises_is_processed_and_logged(asked, monkeypatch, capfd):
    change = MagicMock(side_effect=TypeError("broken"))
    monkeypatch.setattr(asked.node, "_LifecycleNodeMixin__change_state", change)
    assert not asked.change(id=1)
    assert "change_state failed, unexpectedly: TypeError" in capfd.readouterr().err
    assert asked.state()


def test_a_refusal_that_repeats_is_logged_once(asked, capfd, monkeypatch):
    monkeypatch.setattr(requests, "QUIET", 600.0)  # [s] however long the calls take here
    assert [asked.change(id=3) for _ in range(5)] == [False] * 5
    assert capfd.readouterr().err.count("change_state refused") == 1
    assert not asked.change(id=4)
    assert capfd.readouterr().err.count("change_state refused") == 1


def test_a_request_during_a_transition_is_processed_after_it(asked):
    """Configuring takes long; a second client must neither get silence nor configure twice."""
    client = asked.client(ChangeState, "dynamics_node/change_state")
    ids = 1, 1, 3, 3
    futures = [client.call_async(ChangeState.Request(transition=Transition(id=k))) for k in ids]
    asked.spin_until(lambda: all(future.done() for future in futures))
    assert [future.result().success for future in futures] == [True, False, True, False]
    assert asked.state() == "active"


@pytest.mark.parametrize(
    ("parameter", "words"),
    [
        (cutoff(type=77), "77"),
        (cutoff(type=ParameterType.PARAMETER_NOT_SET), "filter_cutoff must be a number"),
        (cutoff(type=ParameterType.PARAMETER_STRING, string_value="x"), "filter_cutoff must be a number"),
        (hertz(math.nan), "filter_cutoff"),
        (Parameter(name="speed"), "no parameter 'speed'"),
        (Parameter(name="", value=ParameterValue(type=3)), "no parameter ''"),
    ],
)
def test_a_parameter_that_cannot_be_set_is_refused_by_name_and_the_others_are_set(asked, parameter, words):
    asked.start()
    (refused, why), (taken, _) = asked.set(parameter, hertz(50.0))
    assert (refused, taken) == (False, True)
    assert words in why
    both = [hertz(60.0), parameter]
    result = asked.ask(SetParametersAtomically, "set_parameters_atomically", parameters=both).result
    assert not result.successful
    assert words in result.reason
    assert asked.cutoff() == asked.node.parameters.filter_cutoff == 50.0


def test_a_node_without_a_lifecycle_answers_as_well():
    """joint_state_player and what else calls `answer_all_requests`."""
    node, responses = Node("plain"), []
    with closing(SpunNodes(node)) as stage:
        node.declare_parameter("filter_cutoff", 1.0)
        answer_all_requests(node)
        client = node.create_client(SetParameters, "plain/set_parameters")
        stage.spin_until(client.service_is_ready)
        future = client.call_async(SetParameters.Request(parameters=[cutoff(type=77), hertz(2.0)]))
        future.add_done_callback(lambda done: responses.extend(done.result().results))
        stage.spin_until(lambda: responses)
    assert [response.successful for response in responses] == [False, True]
