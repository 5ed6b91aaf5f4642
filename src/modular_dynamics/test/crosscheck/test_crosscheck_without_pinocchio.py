"""Without Pinocchio everything but the cross-check works, and the error names the extra to install."""

import pickle
import subprocess
import sys

import pytest

import modular_dynamics as md
from helpers.paths import ROBOTS

BLOCKED = """
import sys
sys.modules["pinocchio"] = None  # any import of it raises ModuleNotFoundError
import modular_dynamics as md
graph = md.load_urdf(sys.argv[1])
md.gravity_torque(graph, graph.neutral())
for _ in range(2):
    try:
        {use}
    except ImportError as error:
        assert isinstance(error, md.ModularDynamicsError), type(error)
        assert 'pip install "modular_dynamics[crosscheck]"' in str(error), error
        assert not isinstance(error, ModuleNotFoundError)
    else:
        raise SystemExit("no error")
"""


@pytest.mark.parametrize(
    "use", ["import modular_dynamics.crosscheck", "md.crosscheck", "from modular_dynamics import crosscheck"]
)
def test_the_error_names_the_extra(use):
    command = [sys.executable, "-c", BLOCKED.format(use=use), str(ROBOTS / "four_link.urdf")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr


def test_the_error_survives_pickling():
    error = md.MissingDependencyError("this", "Package", "extra", "no module")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is md.MissingDependencyError
    assert str(copy) == str(error)
