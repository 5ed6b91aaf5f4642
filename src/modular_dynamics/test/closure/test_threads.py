"""Rows shared between threads: all of them, once; the first bad one; nothing left running."""

import _thread
import os
import select
import signal
import threading
import time
from types import SimpleNamespace

import pytest

from modular_dynamics.closure import threads
from modular_dynamics.closure.threads import run_on_threads
from modular_dynamics.kernels.row_queue import begin, end, stop, take

MEETING = 20.0  # seconds that threads wait for each other at most


def caller():
    return threading.current_thread() is threading.main_thread()


def worker(rows, each, ended=None):
    """As the batch kernels do it, a row at a time; ``each`` says whether a row is bad.

    ``ended``: names of the threads that take no more rows.
    """

    def work(turns):
        begin(turns)
        try:
            while (row := take(turns, 1)) < rows:
                if each(row):
                    stop(turns, row, rows)
        finally:
            if ended is not None:
                ended.append(threading.current_thread().name)
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
    helping, ended = threading.Event(), []

    def each(row):
        if caller():
            helping.wait(MEETING)
            raise KeyboardInterrupt
        helping.set()

    rows = 10**9
    with pytest.raises(KeyboardInterrupt):
        run_on_threads(worker(rows, each, ended), rows, 2)
    assert len(ended) == 2  # the helper, too, and no later than the call


def test_of_several_callers_at_once_one_starts_the_helpers(monkeypatch):
    monkeypatch.setattr(threads, "_queues", {})
    names, returned, others_returned = [], [], threading.Event()

    class Late(threading.Thread):
        def start(self):
            """While the first one starts helpers, the others come and go."""
            names.append(self.name)
            if not others_returned.wait(MEETING):
                others_returned.set()

    def call():
        threads._jobs()
        returned.append(True)
        if len(returned) >= 3:
            others_returned.set()

    callers = [threading.Thread(target=call) for _ in range(4)]
    monkeypatch.setattr(threads, "Thread", Late)
    for each in callers:
        each.start()
    for each in callers:
        each.join()
    assert len(names) == os.cpu_count()


def test_an_interrupt_while_waiting_for_the_last_rows(monkeypatch):
    together, done, looks = threading.Barrier(2, timeout=MEETING), [], threading.Semaphore(0)

    def sleep(seconds):  # of the caller, between two looks at what helpers do
        looks.release()
        time.sleep(seconds)

    monkeypatch.setattr(threads, "time", SimpleNamespace(sleep=sleep))

    def each(row):
        together.wait()  # a row for each
        if not caller():
            looks.acquire(timeout=MEETING)  # the caller waits
            _thread.interrupt_main()
            while looks.acquire(blocking=False):
                pass
            for _ in range(2):  # it is interrupted before the second look from here, and goes on waiting
                looks.acquire(timeout=MEETING)
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
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        done = []
        run_on_threads(worker(10, done.append), 10, 2)
        os._exit(0 if sorted(done) == list(range(10)) else 1)
    os.close(writing)
    has_ended, _, _ = select.select([reading], [], [], MEETING)  # the child's end of the pipe closes with it
    os.close(reading)
    if not has_ended:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0, "the child hangs" if not has_ended else "rows are missing"
