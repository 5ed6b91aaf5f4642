import os
import signal
import subprocess
import time

import psutil
import pytest

from examples.demo.processes import Processes
from helpers.paths import ROOT

STUBBORN = """
import signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(child.pid, flush=True)
time.sleep(600)
"""
POLITE = """
import time
try:
    print("here", flush=True)
    time.sleep(600)
except KeyboardInterrupt:
    print("bye")
"""


def alive(pid):
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def wait_for(condition):
    deadline = time.monotonic() + 20.0
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_leaving_ends_even_a_stubborn_process_and_its_child(tmp_path, monkeypatch):
    monkeypatch.setattr("examples.demo.processes.PATIENCE", 0.2)
    (tmp_path / "stubborn.py").write_text(STUBBORN)
    with Processes(tmp_path) as processes:
        processes.start_file("stubborn", tmp_path / "stubborn.py")
        wait_for(lambda: processes.log("stubborn"))
        child = int(processes.log("stubborn"))
        assert alive(child)
    wait_for(lambda: not alive(child))


def test_processes_die_with_a_killed_parent(tmp_path):
    (tmp_path / "polite.py").write_text(POLITE)
    (tmp_path / "parent.py").write_text(
        f"import sys, time\nsys.path.insert(0, {str(ROOT)!r})\n"
        "from pathlib import Path\nfrom examples.demo.processes import Processes\n"
        f"p = Processes(Path({str(tmp_path)!r}))\n"
        f"p.start_file('polite', Path({str(tmp_path / 'polite.py')!r}))\n"
        "print(p.pid('polite'), flush=True)\ntime.sleep(600)\n"
    )
    with Processes(tmp_path) as processes:
        processes.start_file("parent", tmp_path / "parent.py")
        wait_for(lambda: processes.log("parent"))
        pid = int(processes.log("parent"))
        os.kill(processes.pid("parent"), 9)
        wait_for(lambda: not alive(pid))


def test_a_signal_while_a_process_starts_takes_effect_when_it_can_be_ended(tmp_path, monkeypatch):
    started, popen, number = [], subprocess.Popen, signal.SIGTERM
    usual = signal.signal(number, signal.default_int_handler)

    def interrupted(*arguments, **options):
        started.append(popen(*arguments, **options))
        signal.raise_signal(number)
        return started[0]

    monkeypatch.setattr(subprocess, "Popen", interrupted)
    (tmp_path / "polite.py").write_text(POLITE)
    try:
        with pytest.raises(KeyboardInterrupt), Processes(tmp_path) as processes:
            processes.start_file("polite", tmp_path / "polite.py")
    finally:
        signal.signal(number, usual)
    assert started[0].poll() is not None
