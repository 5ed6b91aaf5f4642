"""The shipped module types, also where the package is built and installed."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.paths import ROOT
from modular_dynamics import modular

SHIPPED = sorted((Path(modular.__file__).parent / "modules/shipped").glob("*.yaml"))


def test_each_file_holds_the_type_of_its_name():
    assert [path.stem for path in SHIPPED] == list(modular.shipped_types())
    assert {"backbone", "block", "scout", "slider"} <= set(modular.shipped_types())


def test_cubes_of_one_edge_dock_at_their_faces():
    for kind in modular.shipped_types().values():
        assert kind.cell_size == 0.09
        assert [port.number for port in kind.ports.values()] == [2, 3, 4, 5]


def test_the_files_are_in_what_colcon_builds(tmp_path):
    pytest.importorskip("setuptools")
    package = ROOT / "src/modular_dynamics"
    for name in ("setup.py", "setup.cfg", "package.xml"):
        shutil.copy(package / name, tmp_path)
    shutil.copytree(package / "modular_dynamics/modular", tmp_path / "modular_dynamics/modular")
    (tmp_path / "modular_dynamics/__init__.py").touch()
    command = [sys.executable, "setup.py", "-q", "build_py", "--build-lib", "built"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    built = (tmp_path / "built/modular_dynamics/modular/modules/shipped").glob("*.yaml")
    assert sorted(path.name for path in built) == [path.name for path in SHIPPED]
