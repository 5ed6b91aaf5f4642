"""What a process that only loads kernels from the disk cache does without; what it still can."""

import subprocess
import sys

import pytest
from numba import config

PROGRAM = """
import sys
import numpy as np
from modular_dynamics.kernels import first_not_finite
print(first_not_finite(np.array([1.0, 2.0, np.nan])))
print([name for name in ("numba.np.arraymath", "scipy.linalg") if name in sys.modules])
from numba import njit
print(njit(lambda x: x + 1)(1))  # what is not on the disk is compiled as ever
print(sum(first_not_finite.stats.cache_hits.values()))
"""


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled")
def test_kernels_on_the_disk_are_loaded_without_the_compiler(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))

    def run():
        command = [sys.executable, "-c", PROGRAM]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()

    (index, imported, other, hits), (index_2, imported_2, other_2, hits_2) = run(), run()
    assert (index, other, hits) == ("2", "2", "0")
    assert (index_2, other_2, hits_2) == ("2", "2", "1")
    assert "numba.np.arraymath" in imported
    assert imported_2 == "[]"
