"""A process of tests that dies is named; its test runs once more where the middleware may be the cause."""

import os
import subprocess
import sys

import pytest

from helpers.paths import ROOT

TESTS = """
import ctypes
from pathlib import Path

def test_dies_once():
    if not (file := Path(__file__).with_suffix(".died")).exists():
        file.touch()
        ctypes.string_at(0)

def test_dies_always():
    ctypes.string_at(0)

def test_lives():
    pass
"""


@pytest.fixture(params=["test", "src/modular_dynamics/test"])
def printed(request, tmp_path):
    folder = tmp_path / request.param
    folder.mkdir(parents=True)
    (folder / "test_deaths.py").write_text(TESTS)
    (tmp_path / "conftest.py").write_text(
        "import pytest\nfrom helpers import dead_workers\n"
        "@pytest.hookimpl(trylast=True)\ndef pytest_configure(config): dead_workers.register(config)\n"
    )
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST")}
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT / "test"), environment.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "1", "-p", "no:cacheprovider", "."],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    return request.param, done.stdout


def test_a_test_of_nodes_runs_once_more_and_one_of_the_library_fails_at_once(printed):
    folder, out = printed
    count = "1 failed, 2 passed, 2 rerun" if folder == "test" else "2 failed, 1 passed"
    assert count in out.splitlines()[-1]
    assert f"FAILED {folder}/test_deaths.py::test_dies_always" in out
    assert out.count("the process died in this test") == 2
    assert "in test_dies_once" in out.split("the process died in this test")[1]
    assert "site-packages/_pytest" not in out.split("the process died in this test")[1]
