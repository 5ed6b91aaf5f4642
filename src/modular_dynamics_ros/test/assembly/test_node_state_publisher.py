"""robot_state_publisher gets the newest description, whenever it is there and ready."""

from unittest.mock import MagicMock

import pytest

from modular_dynamics_ros.assembly.node import PATIENCE, STARTING, StatePublisherClient
from modular_dynamics_ros.diagnostics.change_log import ChangeLog

pytestmark = pytest.mark.ros


class Publisher:
    """A client whose node answers when the test says so."""

    def __init__(self):
        self.time, self.ready, self.sent, self.futures = 0.0, True, [], []
        self.log = ChangeLog(MagicMock(), lambda: 0.0)
        client = MagicMock(service_is_ready=lambda: self.ready, call_async=self.call)
        node = MagicMock(create_client=lambda kind, name: client)
        self.client = StatePublisherClient(node, "rsp", self.log, lambda: self.time)

    def call(self, request):
        (parameter,) = request.parameters
        assert parameter.name == "robot_description"
        self.sent.append(parameter.value.string_value)
        future = MagicMock()
        self.futures.append(future)
        return future

    def answer(self, successful=True):
        result, future = MagicMock(successful=successful, reason="bad link"), self.futures.pop(0)
        future.result = lambda: MagicMock(results=[result])
        (answered,) = future.add_done_callback.call_args.args
        answered(future)


def test_while_it_is_busy_only_the_newest_waits():
    publisher = Publisher()
    for text in ("a", "b", "c"):
        publisher.client.set(text)
    assert publisher.sent == ["a"]
    publisher.answer()
    assert publisher.sent == ["a", "c"]
    publisher.answer()
    publisher.client.try_again()
    assert publisher.sent == ["a", "c"]


def test_one_that_comes_later_gets_it_then():
    publisher = Publisher()
    publisher.ready = False
    publisher.client.set("a")
    publisher.time = STARTING
    publisher.client.try_again()
    assert publisher.log.texts("robot_state_publisher") == []  # it may be starting
    publisher.time += 0.1
    publisher.client.try_again()
    assert publisher.log.texts("robot_state_publisher") == [
        "no service 'rsp/set_parameters': does robot_state_publisher run by this name?"
    ]
    publisher.ready = True
    publisher.client.try_again()
    assert publisher.sent == ["a"]


def test_a_refusal_is_reported():
    publisher = Publisher()
    publisher.client.set("a")
    publisher.answer(successful=False)
    assert publisher.log.texts("robot_state_publisher") == ["'rsp' refused the description: bad link"]


def test_an_answer_after_the_node_was_cleaned_up_leads_to_no_request():
    publisher = Publisher()
    publisher.client.set("a")
    publisher.client.set("b")
    publisher.client.destroy()
    publisher.answer()
    assert publisher.sent == ["a"]


def test_one_that_ends_before_it_answers_gets_the_same_again_when_it_is_back():
    publisher = Publisher()
    publisher.client.set("a")
    publisher.ready = False
    publisher.time = PATIENCE + 0.1
    publisher.client.try_again()
    publisher.ready = True
    publisher.client.try_again()
    assert publisher.sent == ["a", "a"]
    publisher.answer()  # to the first request, late
    publisher.client.set("b")
    assert publisher.sent == ["a", "a"]  # the second is not answered yet
    publisher.answer()
    assert publisher.sent == ["a", "a", "b"]
