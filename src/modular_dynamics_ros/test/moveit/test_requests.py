"""One request at a time, and none that is waited for in vain for ever."""

import numpy as np
import pytest

from modular_dynamics_ros.moveit import requests
from modular_dynamics_ros.moveit.load import Load
from modular_dynamics_ros.moveit.requests import Request, payload_request

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


def test_one_request_at_a_time(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(requests.time, "monotonic", lambda: now[0])
    client, answers = Client(), []
    request = Request(client)
    assert request.send("a", answers.append)
    assert request.send("b", answers.append)  # it waits for the first
    assert len(client.futures) == 1
    client.futures[0].done(client.futures[0])
    assert answers == ["answer"]
    assert request.send("c", answers.append)
    now[0] += requests.PATIENCE + 0.1
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
    request = Request(client)
    assert not request.ready
    assert not request.send("a", print)
    assert not client.futures


def test_a_load_as_a_request():
    moments = np.array([[3.0, 0.1, 0.2], [0.1, 4.0, 0.3], [0.2, 0.3, 5.0]])
    message = payload_request("hand", Load(2.0, np.array([0.1, 0.2, 0.3]), moments)).inertia
    assert (message.m, message.com.x, message.com.y, message.com.z) == (2.0, 0.1, 0.2, 0.3)
    six = message.ixx, message.ixy, message.ixz, message.iyy, message.iyz, message.izz
    assert six == (3.0, 0.1, 0.2, 4.0, 0.3, 5.0)
    removal = payload_request("hand", None)
    assert (removal.link, removal.inertia.m) == ("hand", 0.0)
