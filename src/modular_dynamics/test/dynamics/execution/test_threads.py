"""Rows shared between threads: all of them, once; the first bad one; nothing left running."""

import _thread
import os
import threading
import time

import pytest

from modular_dynamics.dynamics.execution import threads
from modular_dynamics.dynamics.execution.threads import run_on_threads
from modular_dynamics.kernels.row_queue import begin, end, stop, take

MEETING = 20.0  # seconds that threads wait for each other at most


def caller():
    return threading.current_thread() is threading.main_thread()


def worker(rows, each):
    """As the batch kernels do it, a row at a time; ``each`` says whether a row is bad."""

    def work(turns):
        begin(turns)
        try:
            while (row := take(turns, 1)) < rows:
                if each(row):
                    stop(turns, row, rows)
        finally:
            end(turns)

    return work


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("rows", [0, 1, 2, 500])
def test_every_row_once(threads, rows):
    done = []
    assert run_on_threads(worker(rows, done.append), rows, threads) is None
    assert sorted(done) == list(range(rows))


def test_work_is_shared():
    together = threading.Barrier(2, timeout=MEETING)
    names = set()

    def each(row):
        if row < 2:
            together.wait()  # nobody passes alone
        names.add(threading.current_thread().name)

    run_on_threads(worker(20, each), 20, 2)
    assert len(names) == 2


@pytest.mark.parametrize("threads", [1, 2])
def test_of_several_bad_rows_the_first(threads):
    together = threading.Barrier(threads, timeout=MEETING)

    def each(row):
        if row in (5, 6)[:threads]:
            together.wait()
        return row >= 5

    done = []
    assert run_on_threads(worker(40, lambda row: (done.append(row), each(row))[1]), 40, threads) == 5
    assert len(done) == 5 + threads


def test_the_callers_interrupt_ends_all_work():
    helping, done = threading.Event(), []

    def each(row):
        if caller():
            helping.wait(MEETING)
            raise KeyboardInterrupt
        done.append(row)
        helping.set()

    rows = 10**9
    with pytest.raises(KeyboardInterrupt):
        run_on_threads(worker(rows, each), rows, 2)
    after = len(done)
    time.sleep(0.01)  # a helper that went on would be seen
    assert 0 < len(done) == after


def test_of_several_callers_at_once_one_starts_the_helpers(monkeypatch):
    monkeypatch.setattr(threads, "_queues", {})
    names = []

    class Slow(threading.Thread):
        def start(self):
            names.append(self.name)
            time.sleep(0.01)  # the others come

    monkeypatch.setattr(threads, "Thread", Slow)
    callers = [threading.Thread(target=threads._jobs) for _ in range(4)]
    for each in callers:
        each.start()
    for each in callers:
        each.join()
    assert len(names) == os.cpu_count()


def test_an_interrupt_while_waiting_for_the_last_rows():
    together, done = threading.Barrier(2, timeout=MEETING), []

    def each(row):
        together.wait()  # a row for each
        if not caller():
            time.sleep(0.05)  # the caller waits by then, ...
            _thread.interrupt_main()
            time.sleep(0.05)  # ... and would return before this row is done
            done.append(row)

    with pytest.raises(KeyboardInterrupt):
        run_on_threads(worker(2, each), 2, 2)
    assert len(done) == 1


def test_what_a_helper_cannot_do_the_caller_does():
    failed, done = threading.Event(), []

    def work(turns):
        if not caller():
            failed.set()
            raise MemoryError
        failed.wait(MEETING)
        worker(50, done.append)(turns)

    for _ in range(3):  # and the helper lives
        failed.clear()
        done.clear()
        assert run_on_threads(work, 50, 2) is None
        assert failed.is_set()
        assert done == list(range(50))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_works_in_a_forked_child():
    run_on_threads(worker(10, lambda row: None), 10, 2)
    child = os.fork()
    if child == 0:
        done = []
        run_on_threads(worker(10, done.append), 10, 2)
        os._exit(0 if sorted(done) == list(range(10)) else 1)
    deadline = time.monotonic() + MEETING
    while time.monotonic() < deadline:
        finished, status = os.waitpid(child, os.WNOHANG)
        if finished:
            assert os.waitstatus_to_exitcode(status) == 0
            return
        time.sleep(0.01)  # until the next look
    os.kill(child, 9)
    os.waitpid(child, 0)
    pytest.fail("the child hangs")
