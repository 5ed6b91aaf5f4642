"""An executor that goes on after a callback has raised, and says so once."""

import pytest
import rclpy
from rcl_interfaces.srv import ListParameters

from helpers.nodes.listening_node import ListeningNode
from modular_dynamics_ros.node.spinning import PersistentExecutor

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]


class FragileNode(ListeningNode):
    """Its callbacks raise; it has a service 'asked', too."""

    def __init__(self, kind):
        super().__init__(kind)
        self.node.create_service(ListParameters, "asked", self.on_asked)

    def on_said(self, message):
        super().on_said(message)
        if message.data.startswith("bad"):
            raise RuntimeError(f"cannot use\n'{message.data}'")

    def on_asked(self, request, response):
        raise KeyError("nothing")


@pytest.fixture
def stage():
    made = FragileNode(PersistentExecutor)
    yield made
    made.close()


def test_callbacks_that_raise_are_logged_once_per_text_and_the_others_go_on(stage):
    stage.say("bad", "bad", "bad", "good")
    assert stage.heard == ["bad", "bad", "bad", "good"]
    (line,) = stage.logger.lines
    assert line.startswith("/said: skipped, unexpectedly: RuntimeError: cannot use 'bad' (test_executor.py:")


def test_a_service_and_a_timer_that_raise_are_named(stage):
    client = stage.node.create_client(ListParameters, "asked")
    stage.spin_until(client.service_is_ready)
    client.call_async(ListParameters.Request())
    stage.spin_until(lambda: stage.logger.lines)
    timer = stage.node.create_timer(0.01, lambda: 1 / 0)
    stage.spin_until(lambda: len(stage.logger.lines) > 1)
    stage.node.destroy_timer(timer)
    stage.executor.create_task([].pop)
    stage.spin_until(lambda: len(stage.logger.lines) > 2)
    places = [line.partition(": skipped, unexpectedly: ")[::2] for line in stage.logger.lines]
    assert [(place, text.split(":")[0]) for place, text in places] == [
        ("/asked", "KeyError"), ("a timer", "ZeroDivisionError"), ("a task", "IndexError"),
    ]  # fmt: skip
    stage.say("good")


class Unreadable:
    """Stands for the type of a service while its next request is damaged."""

    def __init__(self, service):
        self.service, self.kind = service, service.srv_type

    @property
    def Request(self):  # as in services
        self.service.srv_type = self.kind
        raise RuntimeError("damaged")


def test_a_request_that_cannot_be_read_makes_neither_node_nor_service_deaf(stage):
    answered = []
    service = stage.node.create_service(ListParameters, "told", lambda request, response: response)
    client = stage.node.create_client(ListParameters, "told")

    def answers():
        answered.append(client.call_async(ListParameters.Request()))
        stage.executor.spin_once(timeout_sec=0.05)
        return any(one.done() for one in answered)

    stage.spin_until(answers)
    service.srv_type = Unreadable(service)
    client.call_async(ListParameters.Request())
    stage.spin_until(lambda: stage.logger.lines)
    (line,) = stage.logger.lines
    assert line.startswith("/told: skipped, unexpectedly: RuntimeError: damaged")
    answered.clear()
    stage.spin_until(answers)
    stage.say("good")
    assert sum(one.srv_name == "told" for one in stage.node.services) == 1


def test_a_node_that_would_be_deaf_for_good_must_not_look_alive(stage):
    stage.subscription.msg_type = None  # so that rclpy cannot read a message
    with pytest.raises(AttributeError):
        stage.say("one")


def test_what_is_raised_while_the_process_ends_is_not_logged(stage):
    stage.ending = True
    stage.say("bad")
    assert stage.logger.lines == []
    assert rclpy.ok()
