"""An executor that goes on after a callback has raised, and says so once."""

import pytest
import rclpy
from rcl_interfaces.srv import ListParameters

from helpers.nodes.listening_node import ListeningNode
from modular_dynamics_ros.lifecycle import executor as source
from modular_dynamics_ros.lifecycle.direct_executor import DirectExecutor
from modular_dynamics_ros.lifecycle.executor import PersistentExecutor

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


@pytest.fixture(params=[PersistentExecutor, DirectExecutor])
def stage(request):
    made = FragileNode(request.param)
    yield made
    made.close()


@pytest.fixture
def rclpys_stage():
    made = FragileNode(PersistentExecutor)
    yield made
    made.close()


def test_callbacks_that_raise_are_logged_once_per_text_and_the_others_go_on(stage):
    stage.say("bad", "bad", "bad", "good")
    assert stage.heard == ["bad", "bad", "bad", "good"]
    (line,) = stage.logger.lines
    assert line.startswith("/said: skipped, unexpectedly: RuntimeError: cannot use 'bad' (test_executor.py:")


def test_texts_that_always_differ_do_not_fill_the_log(stage):
    for number in range(40):
        stage.say(f"bad {number}")
    assert len(stage.logger.lines) == 8


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
    stage.executor.attempt("rehearsal", {}.popitem)
    places = [line.partition(": skipped, unexpectedly: ")[::2] for line in stage.logger.lines]
    assert [(place, text.split(":")[0]) for place, text in places] == [
        ("/asked", "KeyError"), ("a timer", "ZeroDivisionError"), ("a task", "IndexError"),
        ("rehearsal", "KeyError"),
    ]  # fmt: skip
    stage.say("good")


def test_a_message_that_cannot_be_taken_does_not_make_the_node_deaf(rclpys_stage, monkeypatch):
    stage = rclpys_stage
    failing, take = [True, True], stage.executor._take_subscription

    def take_or_raise(subscription):
        if failing:
            failing.pop()
            stage.heard.append("")
            raise RuntimeError("no UTF-8")
        return take(subscription)

    monkeypatch.setattr(stage.executor, "_take_subscription", take_or_raise)
    stage.say("one", "two", "three")
    stage.spin_until(lambda: stage.heard[-1] == "three")
    assert len(stage.logger.lines) == 1


def test_where_rclpy_cannot_be_made_to_listen_again_the_process_ends(rclpys_stage, monkeypatch):
    """Of another version: a node that is deaf for good must not look alive."""
    stage = rclpys_stage

    def raising(subscription):
        raise RuntimeError("no UTF-8")

    monkeypatch.setattr(stage.executor, "_take_subscription", raising)
    monkeypatch.setattr(source, "_release", lambda entity: False)
    with pytest.raises(RuntimeError, match="no UTF-8"):
        stage.say("one")


def test_what_is_raised_while_the_process_ends_is_not_logged(stage):
    stage.ending = True
    stage.say("bad")
    assert stage.logger.lines == []
    assert rclpy.ok()
