"""Who waits for the compiler reads one line on stderr; who does not wait reads none."""

import gc
import os
from time import monotonic, sleep

import pytest
from numba import config

from helpers.processes import run_python
from modular_dynamics.kernels.numba_support import first_use
from modular_dynamics.kernels.numba_support.notices import QUIET_VARIABLE

pytestmark = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled")

#: Compiles or loads two kernels; whoever compiles waits longer than the patience that it is given.
PROGRAM = """
import sys
from modular_dynamics.kernels.numba_support import first_use
from modular_dynamics.kernels.numba_support.notices import QUIET_VARIABLE
from modular_dynamics.kernels.row_queue import begin, end, new_queue, none_at_work
first_use.PATIENCE = float(sys.argv[1])
none_at_work(new_queue(), 1), begin(new_queue()), end(new_queue())
print(len(first_use.compiled_names()))
"""


def run(folder, patience, quiet="0"):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder), QUIET_VARIABLE: quiet}
    done = run_python("-c", PROGRAM, patience, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), done.stderr.splitlines()


def test_one_line_says_what_is_compiled_and_where_it_is_kept(tmp_path):
    compiled, (line,) = run(tmp_path, 0.01)
    assert compiled == "3"
    assert line.startswith("modular_dynamics: compiling none_at_work before its first use, once: ")
    assert str(tmp_path) in line
    assert "python -m modular_dynamics.prepare" in line
    assert run(tmp_path, 0.0) == ("0", [])  # from the disk


def test_a_short_wait_needs_no_line(tmp_path):
    assert run(tmp_path, 1e5) == ("3", [])


def test_the_line_can_be_kept_back(tmp_path):
    assert run(tmp_path, 0.01, quiet="1") == ("3", [])


def test_what_several_kernels_take_is_added_up(tmp_path, monkeypatch, capsys):
    notice = first_use._Notice()
    monkeypatch.setattr(first_use, "_notice", notice)
    monkeypatch.setenv(QUIET_VARIABLE, "")
    notice.waited = first_use.PATIENCE
    for _ in range(2):
        with first_use.announcing("_second", lambda: (True, str(tmp_path))):
            deadline = monotonic() + 60.0
            while not notice.is_given and monotonic() < deadline:
                sleep(0.01)
    captured = capsys.readouterr()
    assert captured.err.count("compiling second before") == 1
    assert captured.out == ""


def test_without_a_folder_the_line_says_so(monkeypatch, capsys):
    first_use._Notice().give("torques", lambda: (True, None))
    assert "no folder can keep it" in capsys.readouterr().err


def test_on_a_full_disk_the_line_says_that_nothing_is_kept(tmp_path):
    """Files that may not grow: as a full disk, but for the reason."""
    program = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)){PROGRAM}"
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), QUIET_VARIABLE: "0"}
    done = run_python("-c", program, 0.01, env=environment)
    assert done.returncode == 0, done.stderr
    compiling = next(line for line in done.stderr.splitlines() if "compiling" in line)
    assert "since no folder can keep it" in compiling
    assert "machine code is not kept on the disk" in done.stderr
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == []


@pytest.mark.parametrize("enabled", [True, False])
def test_the_collector_is_afterwards_as_it_was_before(enabled):
    (gc.enable if enabled else gc.disable)()
    try:
        with first_use.announcing("kernel", lambda: (False, None)):
            assert not gc.isenabled()
        assert gc.isenabled() == enabled
    finally:
        gc.enable()
