"""Subscriptions and timers without rclpy's tasks, and everything else beside them."""

import threading

import pytest
import rclpy
from rcl_interfaces.srv import ListParameters
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.duration import Duration
from rclpy.event_handler import PublisherEventCallbacks
from rclpy.executors import ExternalShutdownException
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.task import Future
from std_msgs.msg import String

from helpers.nodes.listening_node import Lines, ListeningNode
from modular_dynamics_ros.diagnostics.change_log import ChangeLog
from modular_dynamics_ros.lifecycle import direct_executor as source
from modular_dynamics_ros.lifecycle.direct_executor import DirectExecutor
from modular_dynamics_ros.lifecycle.kept_wait_set import KeptWaitSet

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]


@pytest.fixture
def stage():
    made = ListeningNode(DirectExecutor)
    yield made
    made.close()


def test_messages_are_called_back_without_rclpys_tasks(stage, monkeypatch):
    stage.say("first")  # whatever rclpy's executor had to do at the start is done
    makers = []
    monkeypatch.setattr(stage.executor, "_make_handler", lambda *of: makers.append(of))
    stage.say("one", "two", "three")
    assert stage.heard[1:] == ["one", "two", "three"]
    assert makers == []


def test_a_message_that_cannot_be_taken_does_not_make_the_node_deaf(stage, monkeypatch):
    failing, take = [True, True], source.pending_messages

    def take_or_raise(subscription, most):
        if failing:
            failing.pop()
            next(iter(take(subscription, most)))
            stage.heard.append("")
            raise RuntimeError("no UTF-8")
        return take(subscription, most)

    monkeypatch.setattr(source, "pending_messages", take_or_raise)
    stage.say("one", "two", "three")
    stage.spin_until(lambda: stage.heard[-1] == "three")
    assert len(stage.logger.lines) == 1


def test_everything_else_is_called_beside_messages_that_never_end(stage):
    """A callback that publishes the next message leaves no moment without one."""
    called = []
    stage.subscription.callback = lambda message: (
        stage.heard.append(message.data),
        stage.publisher.publish(message),
    )
    stage.say("again")
    stage.node.create_timer(0.01, lambda: called.append("timer"))
    guard = stage.node.create_guard_condition(lambda: called.append("guard"))
    guard.trigger()
    stage.executor.create_task(lambda: called.append("task"))
    client = stage.node.create_client(ListParameters, "answered")
    stage.node.create_service(
        ListParameters, "answered", lambda request, response: called.append("service") or response
    )
    stage.spin_until(client.service_is_ready)
    future = client.call_async(ListParameters.Request())
    future.add_done_callback(lambda done: called.append("answer"))
    wanted = {"timer", "guard", "task", "service", "answer"}
    stage.spin_until(lambda: wanted <= set(called))
    assert called.count("guard") == called.count("task") == called.count("service") == 1


def test_a_guard_condition_of_another_thread_wakes_the_executor(stage):
    called, ends = [], threading.Event()
    guard = stage.node.create_guard_condition(lambda: called.append("guard"))
    stage.say("good")
    thread = threading.Thread(target=lambda: (ends.wait(), guard.trigger()))
    thread.start()
    ends.set()
    while not called:
        stage.executor.spin_once(timeout_sec=60.0)  # pytest's limit is longer: a lost wake-up fails
    thread.join()
    assert called == ["guard"]


def test_services_of_one_group_while_one_of_them_awaits(stage):
    """Meanwhile a timer comes, messages come, and a second request; each is answered."""
    group, future = MutuallyExclusiveCallbackGroup(), Future(executor=stage.executor)
    called = []

    async def answer(request, response):
        called.append("asked")
        await future
        return response

    for name in ("one", "two"):
        stage.node.create_service(ListParameters, name, answer, callback_group=group)
    clients = [stage.node.create_client(ListParameters, name) for name in ("one", "two")]
    for client in clients:
        stage.spin_until(client.service_is_ready)
    first = clients[0].call_async(ListParameters.Request())
    stage.spin_until(lambda: called)
    second = clients[1].call_async(ListParameters.Request())
    stage.node.create_timer(0.01, lambda: called.append("timer"))
    stage.spin_until(lambda: "timer" in called)
    stage.say("good")
    assert called.count("asked") == 1
    guard = stage.node.create_guard_condition(lambda: future.set_result(None))
    thread = threading.Thread(target=guard.trigger)
    thread.start()
    stage.spin_until(lambda: first.done() and second.done())
    thread.join()
    third = clients[0].call_async(ListParameters.Request())
    stage.spin_until(third.done)


def test_events_of_publishers_are_called(stage):
    events = []
    best_effort = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
    callbacks = PublisherEventCallbacks(incompatible_qos=events.append)
    stage.node.create_publisher(String, "offered", best_effort, event_callbacks=callbacks)
    stage.say("good")
    stage.node.create_subscription(String, "offered", stage.on_said, 10)  # reliable
    stage.spin_until(lambda: events)


def test_entities_that_come_and_go_in_a_callback(stage):
    """The first of two subscriptions with a message removes the second and makes a third."""
    late = []

    def change(message):
        stage.node.destroy_subscription(doomed)
        stage.node.create_subscription(String, "later", late.append, 10)

    stage.node.create_subscription(String, "change", change, 10)
    doomed = stage.node.create_subscription(String, "change", stage.on_said, 10)
    changing = stage.node.create_publisher(String, "change", 10)
    later = stage.node.create_publisher(String, "later", 10)
    stage.spin_until(lambda: changing.get_subscription_count() == 2)
    changing.publish(String(data="doomed"))
    changing.wait_for_all_acked(Duration(seconds=10))
    stage.spin_until(later.get_subscription_count)
    later.publish(String(data="late"))
    stage.spin_until(lambda: late)
    assert "doomed" not in stage.heard
    stage.spin_until(lambda: changing.get_subscription_count() == 1)  # the kept wait set held it no longer


def test_a_timer_that_another_callback_cancels_is_not_called(stage):
    called = []
    second = stage.node.create_timer(0.02, lambda: called.append("second"))
    stage.node.create_timer(0.02, lambda: called.append("other"))
    first = stage.node.create_timer(0.001, second.cancel)
    stage.spin_until(second.is_canceled)
    called.clear()
    stage.spin_until(lambda: len(called) >= 5)
    assert set(called) == {"other"}
    stage.node.destroy_timer(first)


def test_coroutines_are_left_to_rclpy(stage):
    async def on_message(message):
        stage.heard.append(message.data)

    stage.node.create_subscription(String, "awaited", on_message, 10)
    publisher = stage.node.create_publisher(String, "awaited", 10)
    stage.spin_until(publisher.get_subscription_count)
    publisher.publish(String(data="awaited"))
    stage.spin_until(lambda: "awaited" in stage.heard)
    stage.say("good")


def test_after_the_end_nothing_is_held(stage):
    stage.say("good")
    other = rclpy.create_node("other")
    publisher = other.create_publisher(String, "said", 10)
    stage.spin_until(publisher.get_subscription_count)
    stage.executor.shutdown()
    stage.node.destroy_subscription(stage.subscription)
    observer = ListeningNode(DirectExecutor)
    observer.spin_until(lambda: publisher.get_subscription_count() == 1)  # its own
    observer.close()
    other.destroy_node()


def spin_on(executor):
    while True:
        executor.spin_once(timeout_sec=60.0)


def test_a_context_that_ends_is_noticed():
    """Before a wait and during one."""
    context = rclpy.Context()
    context.init()
    executor = DirectExecutor(ChangeLog(Lines(), lambda: 0.0), lambda: False, context)
    node = rclpy.create_node("brief", context=context)
    executor.add_node(node)
    executor.spin_once(timeout_sec=0.1)
    thread = threading.Thread(target=context.shutdown)
    thread.start()
    for _ in range(2):
        with pytest.raises(ExternalShutdownException):
            spin_on(executor)
    thread.join()
    executor.shutdown()
    node.destroy_node()


def test_another_rclpy_is_left_to_its_own_executor(monkeypatch):
    monkeypatch.setattr(source, "supported", lambda executor: False)
    waits = []
    monkeypatch.setattr(KeptWaitSet, "wait", lambda *of: waits.append(of))
    stage = ListeningNode(DirectExecutor)
    stage.say("one", "two")
    assert stage.heard == ["one", "two"]
    assert waits == []
    stage.close()
