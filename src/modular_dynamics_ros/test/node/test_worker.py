"""Work in a thread, in order; requests to services, one at a time."""

import threading
from unittest.mock import MagicMock

import pytest

from helpers.nodes.lone_node import hand_over, lone_node
from modular_dynamics_ros.exceptions import NodeError
from modular_dynamics_ros.node import worker as module
from modular_dynamics_ros.node.worker import Calls, Worker

pytestmark = pytest.mark.ros
ENDED = NodeError("ended")


@pytest.fixture
def worker():
    made = Worker(lone_node())
    yield made
    made.destroy(ENDED)


def test_one_piece_of_work_is_done_after_the_other_and_handed_over_in_order(worker):
    got, active = [], []

    def work(k):
        active.append(k)
        assert len(active) == 1
        active.remove(k)
        if k == 3:
            raise ValueError(k)
        return 10 * k

    for k in range(6):
        worker.submit(lambda k=k: work(k), lambda result, error: got.append((result, type(error))))
    assert got == []  # nothing is handed over but in the executor's thread
    hand_over(worker)
    nothing = type(None)
    expected = [(10 * k, nothing) if k != 3 else (None, ValueError) for k in range(6)]
    assert got == expected


def test_what_one_taker_raises_concerns_no_other(worker):
    got = []
    worker.submit(lambda: 1, MagicMock(side_effect=RuntimeError("taker")))
    worker.submit(lambda: 2, lambda result, error: got.append(result))
    with pytest.raises(RuntimeError, match="taker"):
        hand_over(worker)
    hand_over(worker)
    assert got == [2]


def test_a_coroutine_awaits_a_result_or_its_error(worker):
    def bad():
        raise KeyError("no")

    for work, outcome in ((lambda: 7, 7), (bad, KeyError)):
        coroutine = worker.run(work)
        coroutine.send(None)  # it waits
        hand_over(worker)
        with pytest.raises((StopIteration, KeyError)) as caught:
            coroutine.send(None)
        assert getattr(caught.value, "value", type(caught.value)) == outcome


def test_at_the_end_work_that_goes_on_is_awaited_and_the_rest_is_told(worker):
    got, go_on = [], threading.Event()
    take = lambda result, error: got.append((result, error))  # noqa: E731  # the same twice
    worker.submit(lambda: go_on.wait(30.0) and "done", take)
    worker.submit(lambda: "never", take)
    threading.Timer(0.05, go_on.set).start()
    worker.destroy(ENDED)
    assert got == [("done", None), (None, ENDED)]
    worker.destroy(ENDED)  # again
    worker.submit(lambda: "too late", take)
    assert got[2:] == [(None, ENDED)]


def test_a_result_that_comes_after_the_end_is_taken_by_nobody(worker, monkeypatch):
    monkeypatch.setattr(module, "PATIENCE", 0.01)
    got, go_on = [], threading.Event()
    worker.submit(lambda: go_on.wait(30.0), lambda result, error: got.append(error))
    worker.destroy(ENDED)
    go_on.set()
    worker._thread.join(30.0)
    assert got == [ENDED]


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
