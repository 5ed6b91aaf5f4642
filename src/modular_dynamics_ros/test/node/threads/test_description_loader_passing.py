"""Which robots are prepared, in which order, and which are awaited."""

import threading
from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest

from modular_dynamics_ros.exceptions import RobotError
from modular_dynamics_ros.node.threads.description_loader import DescriptionLoader

pytestmark = pytest.mark.ros
LATE = 100  # stamps up to here are of long ago


class Loading:
    """A loader of texts such as "robot", "robot@5", "malformed", "unusable@5"; the first waits for `go`."""

    def __init__(self):
        self.node, self.begun, self.go = MagicMock(), threading.Event(), threading.Event()
        self.prepared, self.results, self.looks = [], [], 0
        outdated = LATE.__ge__
        self.loader = DescriptionLoader(
            self.node, self.header, self.prepare, outdated, self.results.append, self.look
        )

    def header(self, text):
        if text.startswith("malformed"):
            raise {"malformed": RobotError, "malformed oddly": ValueError}[text]("malformed")
        name, _, stamp = text.partition("@")
        return SimpleNamespace(name=name, stamp=int(stamp) if stamp else None)

    def prepare(self, text):
        self.begun.set()
        assert self.go.wait(60.0)
        self.prepared.append(text)
        if text.startswith("unusable"):
            raise RobotError(text)
        return text

    def look(self):
        self.looks += 1

    def load(self, first, *texts):
        """The others come while the first one is prepared."""
        self.loader.load(first)
        assert self.begun.wait(60.0)
        for text in texts:
            self.loader.load(text)

    def end(self):
        thread = self.loader._thread
        self.go.set()
        thread.join(60.0)

    def hand_over(self):
        """As the executor does."""
        self.node.create_guard_condition.call_args.args[0]()

    def run(self, *texts):
        """The last of them that was not refused, after the thread has ended."""
        self.load("first", *texts)
        self.end()
        self.hand_over()
        return [loaded.text for loaded in self.results if loaded.error is None][-1]


@pytest.fixture
def loading():
    return Loading()


@pytest.mark.parametrize("bad", ["malformed", "malformed oddly", "unusable"])
def test_a_bad_description_does_not_take_the_good_one_before_it_along(loading, bad):
    assert loading.run("good", bad) == "good"
    assert sum(loaded.error is not None for loaded in loading.results) == 1


def test_several_bad_ones_do_not_either(loading):
    assert loading.run("older", "good", "unusable 1", "unusable 2", "malformed") == "good"
    assert "older" not in loading.prepared


def test_one_of_long_ago_does_not_take_a_newer_one_along(loading):
    loading.run("new@90", "old@50")
    assert loading.prepared == ["first", "new@90", "old@50"]


def test_what_the_next_one_replaces_is_not_prepared(loading):
    assert loading.run("1", "2", "3") == "3"
    assert loading.prepared == ["first", "3"]


def test_with_stamps_only_robots_of_long_ago_are_passed_over(loading):
    assert loading.run("1@10", "2@20", "3@200", "4@201") == "4@201"
    assert loading.prepared == ["first", "2@20", "3@200", "4@201"]


def test_a_robot_with_a_stamp_is_awaited_from_then_on_until_it_is_handed_over(loading):
    loading.load("first@50", "second@60")
    assert loading.loader.awaits(0, 10)  # the second one's header is not known yet
    loading.end()
    awaited = [loading.loader.awaits(*of) for of in ((0, 49), (0, 50), (50, 59), (50, 60), (60, 99))]
    assert awaited == [False, True, False, True, False]
    loading.hand_over()
    assert not loading.loader.awaits(0, 99)
    assert loading.looks == 1
