"""Robots are prepared beside the executor, which takes them in order; those nobody needs are left out."""

import threading
import time
from collections import namedtuple

import pytest
from rclpy.node import Node

from helpers.nodes.waiting import SpunNodes
from modular_dynamics_ros.exceptions import RobotError
from modular_dynamics_ros.node.threads.description_loader import DescriptionLoader

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]
Header = namedtuple("Header", ["name", "stamp"])


class Stage(SpunNodes):
    """Texts are "NAME STAMP" or "NAME"; preparing waits until the test lets it go on."""

    def __init__(self):
        self.node, self.prepared, self.taken, self.threads = Node("loading"), [], [], set()
        super().__init__(self.node)
        self.go_on, self.newest = threading.Event(), 0
        self.loader = self.new_loader()

    def new_loader(self):
        return DescriptionLoader(self.node, self.header, self.prepare, self.outdated, self.take, lambda: None)

    def header(self, text):
        if text == "no XML":
            raise RobotError("no XML")
        name, _, stamp = text.partition(" ")
        return Header(name, int(stamp) if stamp else None)

    def prepare(self, text):
        self.threads.add(threading.current_thread().name)
        self.prepared.append(text)
        assert self.go_on.wait(60.0)
        if text.startswith("bad"):
            raise ValueError(text)
        return f"robot of {text}"

    def outdated(self, next_stamp):
        return next_stamp < self.newest

    def take(self, loaded):
        assert threading.current_thread() is threading.main_thread()
        self.taken.append(loaded)

    def load(self, *texts):
        for text in texts:
            self.loader.load(text)
        return self

    def wait(self, count):
        self.spin_until(lambda: len(self.taken) == count)
        return [(one.text, one.product, type(one.error)) for one in self.taken]


@pytest.fixture
def stage():
    made = Stage()
    yield made
    made.go_on.set()
    made.loader.destroy()
    made.close()


def test_results_come_in_order_and_an_error_stops_none_of_those_that_follow(stage):
    stage.load("a 1", "bad 2", "no XML", "b 4")
    stage.go_on.set()
    nothing = type(None)
    assert stage.wait(4) == [
        ("a 1", "robot of a 1", nothing),
        ("bad 2", None, ValueError),
        ("no XML", None, RobotError),
        ("b 4", "robot of b 4", nothing),
    ]
    assert [(one.name, one.stamp) for one in stage.taken] == [("a", 1), ("bad", 2), ("", None), ("b", 4)]
    assert stage.threads == {"descriptions"}


def test_the_executor_goes_on_while_a_robot_is_prepared(stage):
    ticks = []
    timer = stage.node.create_timer(0.001, lambda: ticks.append(1))
    stage.load("a")
    stage.spin_until(lambda: len(ticks) > 20)
    assert stage.taken == []
    stage.go_on.set()
    stage.wait(1)
    stage.node.destroy_timer(timer)


def test_of_those_that_wait_only_the_needed_ones_are_prepared(stage):
    stage.load("first")
    stage.spin_until(lambda: stage.prepared == ["first"])
    stage.load("second", "third", "fourth")  # without stamps the newest counts
    stage.go_on.set()
    stage.wait(2)
    assert stage.prepared == ["first", "fourth"]
    stage.go_on.clear()
    stage.load("x 1")
    stage.spin_until(lambda: stage.prepared[-1] == "x 1")
    stage.newest = 4
    stage.load("x 2", "x 3", "x 4", "x 5")  # what follows 2 is outdated, too
    stage.go_on.set()
    stage.wait(6)
    assert stage.prepared[2:] == ["x 1", "x 3", "x 4", "x 5"]


def test_after_the_end_nothing_is_handed_over(stage):
    stage.load("a", "b")
    stage.spin_until(lambda: stage.prepared)
    threading.Timer(0.05, stage.go_on.set).start()
    stage.loader.destroy()
    assert not any(thread.name == "descriptions" for thread in threading.enumerate())
    deadline = time.monotonic() + 0.2
    while time.monotonic() < deadline:
        stage.executor.spin_once(timeout_sec=0.02)
    assert stage.taken == []
    stage.loader = stage.new_loader()
    assert stage.load("c").wait(1)[0][0] == "c"
