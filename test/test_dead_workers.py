"""A process of tests that dies is named; its test runs once more where the middleware may be the cause."""

import os

import pytest

from helpers.paths import ROOT
from helpers.processes import run_python

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


@pytest.mark.parametrize(
    ("folder", "count", "deaths"),
    [("test", "1 failed, 2 passed, 2 rerun", 3), ("src/modular_dynamics/test", "2 failed, 1 passed", 2)],
)
def test_one_of_nodes_runs_once_more_and_one_of_the_library_fails_at_once(folder, count, deaths, tmp_path):
    (tmp_path / folder).mkdir(parents=True)
    (tmp_path / folder / "test_deaths.py").write_text(TESTS)
    (tmp_path / "conftest.py").write_text("from helpers.dead_workers import register as pytest_configure\n")
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST")}
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT / "test"), environment.get("PYTHONPATH", "")])
    options = "-q", "-n", "1", "-p", "no:cacheprovider", "."
    done = run_python("-m", "pytest", *options, cwd=tmp_path, env=environment, timeout=120)
    assert done.returncode == 1, done.stdout + done.stderr
    assert count in done.stdout.splitlines()[-1]
    assert f"FAILED {folder}/test_deaths.py::test_dies_always" in done.stdout
    assert done.stdout.count("the process died in ") == deaths
    assert "in test_dies_once" in done.stdout + done.stderr  # faulthandler's trace
