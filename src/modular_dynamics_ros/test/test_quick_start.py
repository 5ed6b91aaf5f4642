"""A node's process computes without scipy.linalg, and can still import it."""

import subprocess
import sys

PROGRAM = """
import sys
from modular_dynamics_ros.quick_start import load_numba_without_blas
load_numba_without_blas()
import modular_dynamics as md
graph = md.load_urdf(sys.argv[1])
md.inverse_dynamics(graph, *[[0.1] * 4] * 3)
assert "scipy.linalg" not in sys.modules
from scipy import linalg, signal
print(linalg.solve([[2.0]], [1.0]))
load_numba_without_blas()  # too late, and no harm
"""


def test_scipy_is_imported_only_where_it_is_needed(root):
    robot = root / "urdf/four_link.urdf"
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(robot)], capture_output=True, text=True, check=False
    )
    assert done.stdout == "[0.5]\n", done.stderr
