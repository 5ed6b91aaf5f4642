"""robot_state_publisher gets the newest description, whenever it is there."""

from unittest.mock import MagicMock

import pytest

from modular_dynamics_ros.assembly.node import MOST_LOOKS, StatePublisherClient
from modular_dynamics_ros.diagnostics.change_log import ChangeLog

pytestmark = pytest.mark.ros


class Publisher:
    """A client whose node answers when the test says so."""

    def __init__(self):
        self.ready, self.sent, self.futures = True, [], []
        self.log = ChangeLog(MagicMock(), lambda: 0.0)
        client = MagicMock(service_is_ready=lambda: self.ready, call_async=self.call)
        self.client = StatePublisherClient(MagicMock(create_client=lambda *_: client), "rsp", self.log)

    def call(self, request):
        (parameter,) = request.parameters
        assert parameter.name == "robot_description"
        self.sent.append(parameter.value.string_value)
        self.futures.append(MagicMock())
        return self.futures[-1]

    def answer(self, number, successful=True):
        result, future = MagicMock(successful=successful, reason="bad link"), self.futures[number]
        future.result = lambda: MagicMock(results=[result])
        (answered,) = future.add_done_callback.call_args.args
        answered(future)

    @property
    def said(self):
        return self.log.texts("robot_state_publisher")


def test_the_newest_is_sent_until_it_is_set():
    publisher = Publisher()
    for text in ("a", "b"):
        publisher.client.set(text)
    publisher.answer(0)  # of the older one
    publisher.client.send()
    assert publisher.sent == ["a", "b", "b"]
    publisher.answer(2)
    publisher.client.send()
    assert (publisher.sent, publisher.said) == (["a", "b", "b"], [])


def test_one_that_comes_later_gets_it_then():
    publisher = Publisher()
    publisher.ready = False
    publisher.client.set("a")
    for _ in range(MOST_LOOKS):
        assert publisher.said == []  # it may be starting
        publisher.client.send()
    assert publisher.said == ["no service 'rsp/set_parameters': does robot_state_publisher run by this name?"]
    publisher.ready = True
    publisher.client.send()
    assert publisher.sent == ["a"]


def test_a_refusal_is_reported_and_not_repeated():
    publisher = Publisher()
    publisher.client.set("a")
    publisher.answer(0, successful=False)
    publisher.client.send()
    assert publisher.sent == ["a"]
    assert publisher.said == ["'rsp/set_parameters' refused the description: bad link"]


def test_a_node_that_was_cleaned_up_sends_no_more():
    publisher = Publisher()
    publisher.client.set("a")
    publisher.client.destroy()
    publisher.client.send()
    assert publisher.sent == ["a"]
