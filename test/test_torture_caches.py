"""Machine code on the disk under attack, a short run; and processes where no folder is fit for it."""

import os
import shutil
import sys
from pathlib import Path

import pytest
from numba import config

import modular_dynamics as md
from helpers.processes import run_python
from torture.caches import KINDS, attack, table

pytestmark = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled")


@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind for kind in KINDS if "kernel" in kind])
def test_damaged_and_foreign_files_end_no_process_and_change_no_result(kind, tmp_path):
    rows = attack(kind, seed=1, count=26, folder=tmp_path)
    assert sum(row.tried for row in rows) == 26
    assert all(row.right == row.tried for row in rows), table(rows)


#: Computes by a kernel.
INDEX = """
import sys
import numba
numba.__version__ = sys.argv[1] or numba.__version__
import resource
if "full" in sys.argv:
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
from modular_dynamics.kernels.row_queue import new_queue, none_at_work
print(int(none_at_work(new_queue(), 1)))
"""

SETTINGS = {
    "a full disk": ({"NUMBA_CACHE_DIR": "{folder}/new"}, "full", "modular_dynamics-"),
    "a file": ({"NUMBA_CACHE_DIR": "{folder}/file"}, "", "not kept on the disk"),
    "a relative folder": ({"NUMBA_CACHE_DIR": "here"}, "", "must be an absolute path"),
    "no home directory": ({"NUMBA_CACHE_DIR": "", "HOME": "/nonexistent"}, "", "no home directory"),
    "no home": ({"NUMBA_CACHE_DIR": "", "HOME": ""}, "", "no home directory"),
    "a home that is a file": ({"NUMBA_CACHE_DIR": "", "HOME": "{folder}/file"}, "", "no home directory"),
}


@pytest.mark.parametrize("version", ["", "99.0"])
@pytest.mark.parametrize("setting", SETTINGS)
def test_where_nothing_can_be_kept_computing_goes_on_and_one_line_says_why(setting, version, tmp_path):
    given, word, expected = SETTINGS[setting]
    (tmp_path / "file").touch()
    package = tmp_path / "source" / "modular_dynamics"
    installed = Path(md.__file__).parent  # with the compiled core
    shutil.copytree(installed, package, ignore=shutil.ignore_patterns("__pycache__"))
    before = set(package.rglob("*"))
    environment = {name: value for name, value in os.environ.items() if name not in ("XDG_CACHE_HOME",)}
    environment |= {name: value.format(folder=tmp_path) for name, value in given.items()}
    environment |= {"MODULAR_DYNAMICS_QUIET": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    environment["PYTHONPATH"] = os.pathsep.join([str(package.parent), *sys.path])
    done = run_python("-c", INDEX, version, word, env=environment, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr
    lines = [line for line in done.stderr.splitlines() if "compiling" not in line]
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("modular_dynamics: machine code is not kept on the disk")
    assert expected in lines[0]
    assert set(package.rglob("*")) == before  # Python writes no bytecode here
    assert not (tmp_path / "here").exists()
