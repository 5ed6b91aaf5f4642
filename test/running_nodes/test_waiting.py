"""A test asks a service that the middleware does not show its node."""

from contextlib import closing
from types import SimpleNamespace

import pytest
from rclpy.node import Node
from std_srvs.srv import Trigger

from helpers.nodes import waiting
from helpers.nodes.waiting import SpunNodes

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]


def answered(request, response):
    response.success = True
    return response


def test_a_service_that_a_node_does_not_see_is_asked_by_another_participant(monkeypatch):
    monkeypatch.setattr(waiting, "MATCHING", 0.1)
    server, probe = Node("server"), Node("probe")
    server.create_service(Trigger, "ask", answered)
    unmatched = SimpleNamespace(service_is_ready=lambda: False)
    monkeypatch.setattr(probe, "create_client", lambda *of, **options: unmatched)
    with closing(SpunNodes(server, probe)) as nodes:
        with pytest.warns(UserWarning, match="'ask' was not seen"):
            client = nodes.client(Trigger, "ask")
        answer = client.call_async(Trigger.Request())
        nodes.spin_until(answer.done)
        assert answer.result().success
