"""Small messages are read at once, large ones in a thread; all are handed over in order."""

import threading
import time

import pytest

from helpers.nodes.lone_node import lone_node
from modular_dynamics_ros.node.threads import message_reader
from modular_dynamics_ros.node.threads.message_reader import AT_ONCE, MessageReader

pytestmark = pytest.mark.ros
LARGE = bytes(AT_ONCE + 1)
LIMIT = 30.0  # [s] of what should take milliseconds


class Stage:
    """A reader whose large messages are read when the test lets them."""

    def __init__(self):
        self.node, self.taken, self.dropped, self.read_in = lone_node(), [], [], {}
        self.go_on = threading.Event()
        self.reader = MessageReader(self.node, self.read, self.take, lambda: self.dropped.append(1))

    def read(self, data, arrival):
        self.read_in[arrival] = threading.current_thread().name
        if len(data) > AT_ONCE:
            assert self.go_on.wait(LIMIT)
        if data.endswith(b"bad"):
            raise ValueError(arrival)
        return len(data)

    def take(self, get, arrival):
        try:
            self.taken.append((arrival, get()))
        except ValueError as error:
            self.taken.append((arrival, repr(error)))

    def spin(self, done):
        """Hand over as an executor does, until a condition holds."""
        end = time.monotonic() + LIMIT
        while not done():
            assert time.monotonic() < end
            guard = self.node.create_guard_condition
            if guard.return_value.trigger.called:
                guard.return_value.trigger.reset_mock()
                guard.call_args.args[0]()
            time.sleep(0.001)


@pytest.fixture
def stage():
    made = Stage()
    yield made
    made.go_on.set()
    made.reader.destroy()
    message_reader._join()


def test_a_small_message_is_read_at_once(stage):
    stage.reader.add(bytes(AT_ONCE), 1)
    stage.reader.add(b"bad", 2)
    assert stage.taken == [(1, AT_ONCE), (2, "ValueError(2)")]
    assert set(stage.read_in.values()) == {threading.current_thread().name}
    stage.node.create_guard_condition.assert_not_called()


def test_a_large_one_is_read_in_a_thread_and_those_behind_it_wait(stage):
    stage.reader.add(LARGE, 1)
    stage.reader.add(b"small", 2)
    stage.reader.add(LARGE + b"bad", 3)
    stage.reader.add(b"bad", 4)
    assert stage.taken == []
    stage.go_on.set()
    stage.spin(lambda: len(stage.taken) == 4)
    assert stage.taken == [(1, len(LARGE)), (2, 5), (3, "ValueError(3)"), (4, "ValueError(4)")]
    assert set(stage.read_in.values()) == {"messages"}
    stage.reader.add(b"small", 5)  # none is before it any more
    assert stage.taken[-1] == (5, 5)
    assert stage.read_in[5] == threading.current_thread().name


def test_what_is_forgotten_is_not_handed_over_and_what_follows_is(stage):
    stage.reader.add(LARGE, 1)
    stage.reader.add(b"small", 2)
    stage.reader.forget()
    stage.reader.add(b"small", 3)
    stage.reader.add(LARGE, 4)
    stage.go_on.set()
    stage.spin(lambda: len(stage.taken) == 2)
    assert stage.taken == [(3, 5), (4, len(LARGE))]


def test_after_the_end_nothing_is_handed_over_and_the_thread_ends(stage):
    stage.reader.add(LARGE, 1)
    stage.reader.add(LARGE, 2)
    stage.reader.destroy()
    guard = stage.node.create_guard_condition
    stage.node.destroy_guard_condition.assert_called_once_with(guard.return_value)
    stage.go_on.set()
    message_reader._join()
    assert not message_reader._threads
    assert 2 not in stage.read_in
    guard.return_value.trigger.assert_not_called()
    guard.call_args.args[0]()  # triggered before the end
    assert stage.taken == []


def test_another_reader_goes_on(stage):
    """Of a robot that was changed meanwhile."""
    stage.reader.add(LARGE, 1)
    stage.reader.add(b"small", 2)
    other = Stage()
    other.reader.continue_from(stage.reader)
    stage.reader.destroy()
    other.reader.add(b"later", 3)
    stage.go_on.set()
    other.go_on.set()
    other.spin(lambda: len(other.taken) == 3)
    assert (other.taken, stage.taken) == ([(1, len(LARGE)), (2, 5), (3, 5)], [])
    other.reader.destroy()


def test_the_oldest_are_left_out_where_too_many_bytes_wait(stage, monkeypatch):
    monkeypatch.setattr(message_reader, "MOST_BYTES", 2 * len(LARGE))
    for k in range(5):
        stage.reader.add(LARGE, k)
        stage.spin(lambda: 0 in stage.read_in)  # the first one is being read and waits no more
    assert len(stage.dropped) == 2
    stage.go_on.set()
    stage.spin(lambda: len(stage.taken) == 3)
    assert [arrival for arrival, _ in stage.taken] == [0, 3, 4]


def test_the_end_of_the_process_waits_for_a_bounded_time(stage, monkeypatch):
    monkeypatch.setattr(message_reader, "PATIENCE", 0.05)
    stage.reader.add(LARGE, 1)
    begin = time.monotonic()
    message_reader._join()
    assert 0.05 <= time.monotonic() - begin < LIMIT
    assert len(message_reader._threads) == 1
