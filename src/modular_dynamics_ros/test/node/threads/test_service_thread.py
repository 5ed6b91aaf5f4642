"""Services in a thread of their own: the node's executor is free meanwhile, and every end is clean."""

import gc
import threading
from contextlib import contextmanager

import pytest
from rclpy.node import Node
from std_srvs.srv import Trigger

from helpers.nodes.waiting import SpunNodes
from modular_dynamics_ros.node.threads.service_thread import ServiceThread

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]


@contextmanager
def serving(answer):
    """A node with a service that `answer` answers, and a client; the node's executor is spun by the test."""
    node, probe = Node("server"), Node("probe")
    thread = ServiceThread(node, "test")
    thread.add(Trigger, "~/ask", answer)
    thread.start()
    nodes = SpunNodes(node, probe)
    client = probe.create_client(Trigger, "server/ask")
    try:
        nodes.spin_until(client.service_is_ready)
        yield nodes, client, thread
    finally:
        thread.destroy()
        nodes.close()


def called(nodes, client):
    future = client.call_async(Trigger.Request())
    nodes.spin_until(future.done)
    return future.result()


def test_requests_are_answered_in_the_thread_while_the_executor_goes_on():
    release, threads = threading.Event(), []

    def answer(request, response):
        threads.append(threading.current_thread().name)
        assert release.wait(60)
        response.success = True
        return response

    with serving(answer) as (nodes, client, _):
        ticks = []
        nodes.executor.get_nodes()[0].create_timer(0.001, lambda: ticks.append(1))
        future = client.call_async(Trigger.Request())
        nodes.spin_until(lambda: threads and len(ticks) > 20)
        assert not future.done()
        release.set()
        nodes.spin_until(future.done)
        assert future.result().success
        assert threads == ["test"]


def test_what_a_callback_raises_is_logged_and_the_next_request_is_answered(capfd):
    outcomes = iter((ValueError("first"), None))

    def answer(request, response):
        if (error := next(outcomes)) is not None:
            raise error
        response.success = True
        return response

    with serving(answer) as (nodes, client, _):
        client.call_async(Trigger.Request())
        assert called(nodes, client).success
    assert "ValueError: first" in capfd.readouterr().err


def test_it_ends_at_once_and_answers_no_more():
    with serving(lambda request, response: response) as (nodes, client, thread):
        called(nodes, client)
        thread.destroy()
        assert "test" not in [one.name for one in threading.enumerate()]
        thread.destroy()  # again


def test_the_garbage_collector_waits_for_an_answer_alone():
    states = []

    def answer(request, response):
        states.append(gc.isenabled())
        return response

    with serving(answer) as (nodes, client, _):
        called(nodes, client)
        nodes.spin_until(gc.isenabled)
    assert states == [False]
