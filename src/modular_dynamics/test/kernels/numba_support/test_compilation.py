"""What a process that only loads kernels from the disk cache does without; what it still can."""

import pytest
from numba import config

from helpers.paths import ROBOTS
from helpers.processes import run_python

PROGRAM = """
import sys
from modular_dynamics.kernels.row_queue import new_queue, none_at_work
print(int(none_at_work(new_queue(), 1)))
print([name for name in ("numba.np.arraymath", "scipy.linalg") if name in sys.modules])
library = next(iter(none_at_work.overloads.values())).library
print(library._module is None)  # its bitcode is not read ...
from numba import njit
print(njit(lambda queue, tries: none_at_work(queue, tries) + 1)(new_queue(), 1))  # compiled and linked
print(library._module is None)  # ... before it is needed
print(sum(none_at_work.stats.cache_hits.values()))
"""


THREADS = """
from concurrent.futures import ThreadPoolExecutor
import modular_dynamics as md
graph, zero = md.load_urdf("{0}"), [0.0]
work = [lambda: md.closed_loop_mass_matrix(graph, zero)] * 8
work += [lambda: md.closed_loop_inverse_dynamics(graph, zero, zero, zero)] * 8
work += [lambda: md.close_loops(graph, zero)] * 8
with ThreadPoolExecutor(8) as pool:
    print(len(list(pool.map(lambda function: function(), work))))
"""
ROBOT = ROBOTS / "four_bar.urdf"

pytestmark = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled")


def lines_printed_by(program):
    done = run_python("-c", program)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_threads_that_need_a_kernel_at_once_wait_for_it():
    assert lines_printed_by(THREADS.format(ROBOT)) == ["24"]


def test_kernels_on_the_disk_are_loaded_without_the_compiler(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    done, imported, _, other, _, hits = lines_printed_by(PROGRAM)
    assert (done, other, hits) == ("1", "2", "0")
    assert "numba.np.arraymath" in imported
    assert lines_printed_by(PROGRAM) == ["1", "[]", "True", "2", "False", "1"]


def test_a_damaged_file_is_written_anew(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert lines_printed_by(PROGRAM)[-1] == "0"
    (file,) = tmp_path.rglob("*none_at_work*")
    file.write_bytes(file.read_bytes()[:50])
    assert [lines_printed_by(PROGRAM)[-1] for _ in range(2)] == ["0", "1"]
