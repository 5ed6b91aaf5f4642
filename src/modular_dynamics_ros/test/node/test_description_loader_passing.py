"""Which robots are prepared, in which order, and which are awaited."""

import threading
from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest

from modular_dynamics_ros.exceptions import RobotError
from modular_dynamics_ros.node.description_loader import DescriptionLoader

pytestmark = pytest.mark.ros
LATE = 100  # stamps up to here are of long ago


class Loading:
    """A loader of texts such as "robot", "robot@5", "malformed", "unusable@5"; the first waits for `go`."""

    def __init__(self):
        self.node, self.go = MagicMock(), threading.Event()
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
        assert self.go.wait(60.0)
        self.prepared.append(text)
        if text.startswith("unusable"):
            raise RobotError(text)
        return text

    def look(self):
        self.looks += 1

    def run(self, *texts):
        """The last of them that was not refused, after the thread has ended."""
        self.loader.load("first")
        for text in texts:
            self.loader.load(text)
        self.go.set()
        self.loader._thread.join(60.0)
        self.node.create_guard_condition.call_args.args[0]()  # as the executor does
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
    loading.loader.load("first@50")
    loading.loader.load("second@60")  # its header is read after the first one is prepared
    assert loading.loader.awaits(0, 10)
    loading.go.set()
    loading.loader._thread.join(60.0)
    awaited = [loading.loader.awaits(*of) for of in ((0, 49), (0, 50), (50, 59), (50, 60), (60, 99))]
    assert awaited == [False, True, False, True, False]
    loading.node.create_guard_condition.call_args.args[0]()
    assert not loading.loader.awaits(0, 99)
    assert loading.looks == 1
