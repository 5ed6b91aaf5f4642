"""Chunks shared between threads: all of them, once; the first error; nothing left running."""

import os
import threading
import time

import pytest

from modular_dynamics.dynamics.threads import shared


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("count", [0, 1, 2, 50])
def test_every_chunk_once(threads, count):
    done, ticks = [], []
    shared(done.append, range(count), threads, lambda: ticks.append(len(done)))
    assert sorted(done) == list(range(count))
    assert ticks == sorted(ticks)
    assert not count or ticks[-1] == count


def test_work_is_shared():
    names = set()

    def work(chunk):
        names.add(threading.current_thread().name)
        time.sleep(0.01)

    shared(work, range(20), 2, lambda: None)
    assert len(names) == 2


@pytest.mark.parametrize("threads", [1, 3])
def test_of_several_errors_the_first_chunks(threads):
    def work(chunk):
        if chunk >= 5:
            raise ValueError(f"chunk {chunk}")
        time.sleep(0.001)

    with pytest.raises(ValueError, match="chunk 5"):
        shared(work, range(40), threads, lambda: None)


def test_the_callers_interrupt_ends_all_work():
    done = []

    def tick():
        raise KeyboardInterrupt

    def work(chunk):
        done.append(chunk)
        time.sleep(0.005)

    with pytest.raises(KeyboardInterrupt):
        shared(work, range(100), 2, tick)
    after = len(done)
    time.sleep(0.02)
    assert len(done) == after < 100


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_works_in_a_forked_child():
    shared(lambda _: time.sleep(0.001), range(10), 2, lambda: None)
    child = os.fork()
    if child == 0:
        done = []
        shared(done.append, range(10), 2, lambda: None)
        os._exit(0 if sorted(done) == list(range(10)) else 1)
    deadline = time.monotonic() + 20.0
    while time.monotonic() < deadline:
        finished, status = os.waitpid(child, os.WNOHANG)
        if finished:
            assert os.waitstatus_to_exitcode(status) == 0
            return
        time.sleep(0.01)
    os.kill(child, 9)
    os.waitpid(child, 0)
    pytest.fail("the child hangs")
