"""The state of a node is requested again, by a new client, until the node answers."""

from types import SimpleNamespace

import pytest
from rclpy.task import Future

from examples.demo import playing
from examples.demo.playing import ASK_AGAIN, _activity

pytestmark = pytest.mark.ros


class Middleware:
    """A node whose first clients find no service, or get no answer."""

    def __init__(self, monkeypatch, deaf, mute):
        self.deaf, self.mute, self.clients, self.now = deaf, mute, [], 0.0
        monkeypatch.setattr(playing, "time", SimpleNamespace(monotonic=lambda: self.now))

    def create_client(self, kind, name):
        assert name == "arm/get_state"
        number = len(self.clients)
        self.clients.append(self._client(number, kind))
        return self.clients[-1]

    def _client(self, number, kind):
        def call(request):
            answer = Future()
            if number >= self.deaf + self.mute:
                response = kind.Response()
                response.current_state.label = "active"
                answer.set_result(response)
            return answer

        return SimpleNamespace(service_is_ready=lambda: number >= self.deaf, call_async=call)

    def destroy_client(self, client):
        assert client is self.clients[-1]


@pytest.mark.parametrize(("deaf", "mute"), [(0, 0), (1, 0), (0, 1), (2, 3)])
def test_it_asks_by_another_client_where_none_answers(monkeypatch, deaf, mute):
    middleware = Middleware(monkeypatch, deaf, mute)
    active = _activity(middleware, None, "arm")
    for _ in range(1000):
        if active():
            break
        middleware.now += 0.1
    assert active()
    assert len(middleware.clients) == 1 + deaf + mute
    assert middleware.now == pytest.approx((deaf + mute) * ASK_AGAIN, abs=1.0)
