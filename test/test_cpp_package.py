"""The core's headers in C++ programs: installed by CMake alone, and by colcon."""

import os
import shutil
from pathlib import Path

import pytest

import modular_dynamics as md
from helpers.paths import ROOT
from helpers.processes import run_command

pytestmark = pytest.mark.skipif(not (shutil.which("cmake") and shutil.which("c++")), reason="no compiler")


def run(*command):
    done = run_command(*command)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def plain_install(folder):
    """Prefix with the headers, installed as where there is no ROS."""
    run(
        *("cmake", "-S", ROOT / "src/modular_dynamics", "-B", folder / "build"),
        *("-DCMAKE_DISABLE_FIND_PACKAGE_ament_cmake=ON", f"-DCMAKE_INSTALL_PREFIX={folder / 'prefix'}"),
    )
    run("cmake", "--install", folder / "build")
    return folder / "prefix"


def overlay(_folder):
    """Prefix of the overlay that these tests run in."""
    for prefix in map(Path, os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)):
        if (prefix / "share/modular_dynamics/cmake").is_dir():
            return prefix
    return pytest.skip("no overlay in this shell")


@pytest.mark.parametrize("prefix", [plain_install, overlay])
def test_find_package_gives_the_headers(prefix, tmp_path):
    found = prefix(tmp_path / "with space")
    assert (found / "include/modular_dynamics/newton_euler.hpp").is_file()
    build = tmp_path / "example build"
    run(
        *("cmake", "-S", ROOT / "examples/cpp", "-B", build, f"-DCMAKE_PREFIX_PATH={found}"),
        "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror",
    )
    run("cmake", "--build", build)
    assert run(build / "pendulum") == "3.559053227348 N m, 3.559053227348 N m\n"


def test_the_package_has_the_librarys_version_and_asks_for_no_python(tmp_path):
    prefix = plain_install(tmp_path)
    assert md.__version__ in (
        prefix / "share/modular_dynamics/cmake/modular_dynamicsConfigVersion.cmake"
    ).read_text("utf-8")
    cache = (tmp_path / "build/CMakeCache.txt").read_text("utf-8")
    assert "Python3" not in cache
