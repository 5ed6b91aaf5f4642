"""Versions that were not tested: private parts of other projects are not used, and results are the same."""

import os
import sys
from pathlib import Path
from threading import Event, Thread, current_thread

import numpy as np
import pytest
from numba import config, njit

import modular_dynamics as md
from helpers.paths import ROBOTS
from helpers.processes import run_python
from modular_dynamics.kernels.numba_support import compilation, public_cache, tested_versions
from modular_dynamics.kernels.numba_support.array_objects import entries_are_direct

pytestmark = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled")

Q, V, VDOT = np.random.default_rng(0).uniform(-0.5, 0.5, size=(3, 4))


def results():
    """Kernels of each way to be called: an entry, Numba's wrapper, on threads, with named tuples."""
    four_bar, torso = (md.load_urdf(ROBOTS / f"{name}.urdf") for name in ("four_bar", "charmie_torso"))
    return [
        md.closed_loop_inverse_dynamics_batch(four_bar, [[0.2]], [[0.3]], [[-0.4]]).tau,
        md.closed_loop_inverse_dynamics(four_bar, [0.2], [0.3], [-0.4]).tau,
        md.closed_loop_inverse_dynamics(torso, *np.zeros((3, 19))).tau,
    ]


PROGRAM = f"""
import runpy, sys
import numba
numba.__version__ = "99.0"
sys.path[:0] = {sys.path}
from modular_dynamics.kernels.numba_support import array_objects
from modular_dynamics.kernels.recursions.newton_euler import inverse_dynamics
for result in runpy.run_path({__file__!r})["results"]():
    print(*(x.hex() for x in result.ravel().tolist()))
private = "modular_dynamics.kernels.numba_support.disk_library"
print(array_objects.entries_are_direct(), private in sys.modules)
print(inverse_dynamics.stats.cache_path)
"""


@pytest.mark.slow
@pytest.mark.timeout(900)  # nothing is in the cache of such a version
def test_with_another_numba_results_are_the_same():
    done = run_python("-c", PROGRAM)
    assert done.returncode == 0, done.stderr
    *lines, private, folder = done.stdout.splitlines()
    assert private == "False False"
    assert compilation.source_stamp() in folder
    for line, expected in zip(lines, results(), strict=True):
        numbers = [float.fromhex(x) for x in line.split()]
        # compiled on its own: it rounds otherwise
        np.testing.assert_allclose(numbers, expected.ravel(), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("table", ["NUMBA", "NUMPY", "CPYTHON"])
def test_array_objects_are_not_read_on_other_versions(monkeypatch, table):
    assert entries_are_direct.__wrapped__()
    monkeypatch.setattr(tested_versions, table, set())
    assert not entries_are_direct.__wrapped__()


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """A folder in place of that of the kernels' sources."""
    folder = tmp_path / "sources"
    folder.mkdir()
    (folder / "other.py").write_text("one = 1")
    monkeypatch.setattr(compilation, "SOURCES", folder)
    monkeypatch.setattr(tested_versions, "NUMBA", set())
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "cache"))
    compilation.source_stamp.cache_clear()
    yield folder
    compilation.source_stamp.cache_clear()


def _double(x):
    return 2 * x


def test_with_another_numba_a_change_of_any_source_leads_to_another_folder(sources):
    before = compilation.kernel()(_double)
    assert before(3) == 6
    (sources / "other.py").write_text("one = 2")  # as long as before
    assert compilation.kernel()(_double).stats.cache_path == before.stats.cache_path  # read once a process
    compilation.source_stamp.cache_clear()
    after = compilation.kernel()(_double)
    assert after.stats.cache_path != before.stats.cache_path
    assert after(3) == 6
    assert not after.stats.cache_hits


def test_with_another_numba_folders_of_older_sources_are_bounded(sources):
    used = []
    for number in range(public_cache.KEPT + 3):
        (sources / "other.py").write_text(f"one = {number}")
        compilation.source_stamp.cache_clear()
        kernel = compilation.kernel()(_double)
        assert kernel(3) == 6
        used.append(Path(kernel.stats.cache_path).parent)
        os.utime(used[-1], (number, number))
    folders = {folder for folder in used if folder.is_dir()}
    assert folders == set(used[-public_cache.KEPT - 1 :])
    assert {folder.name for folder in used[-1].parent.iterdir()} == {folder.name for folder in folders}


def test_with_another_numba_threads_that_import_kernels_at_once_take_turns(sources, monkeypatch):
    usual, other_is_inside, first_is_done, kernels = config.CACHE_DIR, Event(), Event(), []

    def compiled_meanwhile(**options):
        if current_thread() is other:
            other_is_inside.set()
            first_is_done.wait(600.0)
        else:
            other.start()
            other_is_inside.wait(0.5)  # not before its turn
        return njit(**options)

    other = Thread(target=lambda: kernels.append(compilation.kernel()(_double)))
    monkeypatch.setattr(public_cache, "njit", compiled_meanwhile)
    kernel = compilation.kernel()(_double)
    first_is_done.set()
    other.join()
    assert (config.CACHE_DIR, kernel.stats.cache_path) == (usual, kernels[0].stats.cache_path)


def test_with_another_numba_and_no_folder_to_write_to_nothing_is_kept(sources, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "file"))
    kernel = compilation.kernel()(_double)
    assert kernel(3) == 6
    assert kernel.stats.cache_path is None
