"""Which exceptions and signals are the end of run_node, after what ramp, and which are faults."""

import os
import signal
import time
from contextlib import closing

import numpy as np
import pytest
import rclpy
from rcl_interfaces.srv import ListParameters
from sensor_msgs.msg import JointState

from helpers.nodes.dynamics_harness import NAMES, Q, V, expected
from helpers.nodes.listening_node import ListeningNode
from helpers.nodes.process_probe import NODE, ProcessProbe
from helpers.processes import run_python
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.node.spinning import PersistentExecutor

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]

SPINNING = """
import os, signal, sys
import rclpy
from rclpy.node import Node
from modular_dynamics_ros.node.spinning import run_node

def tick():
    if {asked}:
        os.kill(os.getpid(), signal.{number})
    raise RuntimeError("Unable to convert call argument")

def make():
    node = Node("failing")
    node.create_timer(0.01, tick)
    return node

sys.exit(run_node(make, ""))
"""


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM"])
def test_exceptions_after_the_end_was_asked_for_are_the_end(number):
    process = run_python("-c", SPINNING.format(asked=True, number=number), timeout=30)
    assert (process.returncode, process.stderr) == (0, "")


def test_exceptions_before_that_are_logged_once_and_do_not_end_the_node():
    """Until its tenth tick, which asks for the end."""
    counted = "ticks = 0\n" + SPINNING.format(asked="count() == 10", number="SIGINT")
    count = "def count():\n    global ticks\n    ticks += 1\n    return ticks\n"
    process = run_python("-c", count + counted, timeout=60)
    assert process.returncode == 0
    (line,) = process.stderr.splitlines()
    assert line.endswith("a timer: skipped, unexpectedly: RuntimeError: Unable to convert call argument")


@pytest.mark.parametrize(
    ("error", "words"),
    [("NodeError('rate is 0')", "error: rate is 0\n"), ("RuntimeError('no')", "RuntimeError: no\n")],
)
def test_a_node_that_cannot_be_made_ends_the_process(error, words):
    program = SPINNING.format(asked=True, number="SIGINT").replace('Node("failing")', "fail()")
    fail = f"def fail():\n    from modular_dynamics_ros.exceptions import NodeError\n    raise {error}\n"
    process = run_python("-c", fail + program, timeout=60)
    assert process.returncode == 1
    assert process.stderr.endswith(words)


def test_a_node_starts_without_a_log_file_where_none_can_be_written():
    environment = os.environ | {"ROS_LOG_DIR": "/dev/null/no_folder"}
    program = SPINNING.format(asked=True, number="SIGINT")
    process = run_python("-c", program, timeout=60, env=environment)
    assert process.returncode == 0
    (line,) = process.stderr.splitlines()
    assert line.startswith("no log file is written (ROS_LOG_DIR chooses another folder): ")


def test_a_command_line_that_ros_cannot_read_ends_with_an_error():
    program = SPINNING.format(asked=True, number="SIGINT")
    process = run_python("-c", program, "--ros-args", "-p", "rate:=[%s{}]", timeout=60)
    assert process.returncode == 1
    assert "error: ROS 2 does not start: " in process.stderr
    assert "rate:=[%s{}]" in process.stderr


def test_arguments_that_no_node_takes_are_named():
    """`-p` before --ros-args would have no effect."""
    program = SPINNING.format(asked=True, number="SIGINT")
    process = run_python("-c", program, "-p", "rate:=5", "--ros-args", "-p", "gravity:=1", timeout=60)
    assert process.returncode == 1
    (line,) = process.stderr.splitlines()
    assert line.startswith("error: unknown arguments: -p rate:=5; parameters are given as --ros-args")


EARLY = """
import os, signal, sys, time
from rclpy.node import Node
from modular_dynamics_ros.node.spinning import run_node

class Early(Node):
    def destroy_node(self):
        print("destroyed")
        super().destroy_node()

def start(node):
    for _ in range(3):  # they come together: one signal
        os.kill(os.getpid(), signal.{number})
    print("started")

sys.exit(run_node(lambda: Early("early"), "", start=start))
"""


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM"])
def test_a_signal_before_the_node_spins_is_the_end(number):
    """With exit code 0; the node leaves the ROS graph."""
    process = run_python("-c", EARLY.format(number=number), timeout=60)
    assert (process.returncode, process.stdout, process.stderr) == (0, "started\ndestroyed\n", "")


class Probe(ProcessProbe):
    """Sends joint states to a process, and keeps its torques."""

    def start(self, path, ramp_time):
        given = [f"robot_description_file:={path}", f"ramp_time:={ramp_time}", "stale_after:=30.0"]
        self.processes.start(NODE, "autostart:=true", "on_stale:=ramp_to_zero", *given)
        self.spin_until(self._processed, "torques")
        self.efforts.clear()

    def _processed(self):
        assert self.processes.code(NODE) is None, self.processes.log(NODE)
        message = JointState(name=NAMES, position=Q.tolist(), velocity=V.tolist())
        message.header.stamp = stamp_message(time.time_ns())
        self.states.publish(message)
        return len(self.efforts) > 2

    def signal(self, number):
        os.kill(self.processes.pid(NODE), number)


@pytest.fixture
def probe(tmp_path):
    with closing(Probe(tmp_path)) as made:
        yield made


def falls_to_zero(efforts, four_link):
    factors = np.array(efforts)[:, 0] / expected(four_link)[0]
    falling = factors[factors < 1.0]
    assert len(falling) > 5
    assert (np.diff(falling) < 0.0).all()
    assert efforts[-1].tolist() == [0.0] * 4


@pytest.mark.parametrize(("number", "count"), [(signal.SIGTERM, 1), (signal.SIGINT, 3)])
def test_a_signal_ends_the_process_after_the_ramp(probe, four_link, number, count):
    """Several that come together are one: Ctrl-C reaches a node from its terminal and from ros2 launch."""
    probe.start(four_link, 0.5)
    for _ in range(count):
        probe.signal(number)
        before = len(probe.efforts)
        probe.spin_until(lambda before=before: len(probe.efforts) > before, "the ramp")
    probe.spin_until(lambda: probe.processes.code(NODE) is not None)
    assert probe.processes.code(NODE) == 0
    probe.spin_until(lambda: probe.efforts and not any(probe.efforts[-1]))
    falls_to_zero(probe.efforts, four_link)


def test_a_second_signal_ends_it_at_once(probe, four_link):
    probe.start(four_link, 3600.0)
    probe.signal(signal.SIGINT)
    end = time.monotonic() + 0.7
    probe.spin_until(lambda: len(probe.efforts) > 5 and time.monotonic() > end)
    assert probe.processes.code(NODE) is None
    probe.signal(signal.SIGINT)
    probe.spin_until(lambda: probe.processes.code(NODE) is not None)
    assert probe.processes.code(NODE) == 0
    assert probe.processes.log(NODE).count("Traceback") == 0


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
    assert line.startswith("/said: skipped, unexpectedly: RuntimeError: cannot use 'bad' (test_spinning.py:")


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
    processed = []
    service = stage.node.create_service(ListParameters, "told", lambda request, response: response)
    client = stage.node.create_client(ListParameters, "told")

    def answers():
        processed.append(client.call_async(ListParameters.Request()))
        stage.executor.spin_once(timeout_sec=0.05)
        return any(one.done() for one in processed)

    stage.spin_until(answers)
    service.srv_type = Unreadable(service)
    client.call_async(ListParameters.Request())
    stage.spin_until(lambda: stage.logger.lines)
    (line,) = stage.logger.lines
    assert line.startswith("/told: skipped, unexpectedly: RuntimeError: damaged")
    processed.clear()
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
