"""One request at a time, each with a timeout."""

import pytest

from modular_dynamics_ros.node.worker import Calls

pytestmark = pytest.mark.ros


class Future:
    """What a client returns."""

    def add_done_callback(self, done):
        self.done = done

    def result(self):
        return "answer"


class Client:
    """A client of a service that may be there."""

    def __init__(self):
        self.ready, self.futures, self.removed = True, [], []

    def service_is_ready(self):
        return self.ready

    def call_async(self, request):
        self.futures.append(Future())
        return self.futures[-1]

    def remove_pending_request(self, future):
        self.removed.append(future)


def test_one_request_at_a_time():
    now = [100.0]
    client, answers = Client(), []
    request = Calls(client, 5.0, lambda: now[0])
    assert request.send("a", answers.append)
    assert request.send("b", answers.append)  # it waits for the first
    assert len(client.futures) == 1
    client.futures[0].done(client.futures[0])
    assert answers == ["answer"]
    assert request.send("c", answers.append)
    now[0] += 5.1
    assert not request.send("d", answers.append)  # no answer came
    assert client.removed == client.futures[1:2]
    assert len(client.futures) == 3  # but it was sent
    now[0] += 1.0
    assert not request.send("e", answers.append)  # still no answer
    client.futures[2].done(client.futures[2])
    assert request.send("f", answers.append)


def test_no_service():
    client = Client()
    client.ready = False
    request = Calls(client)
    assert not request.ready
    assert not request.send("a", print)
    assert not client.futures
