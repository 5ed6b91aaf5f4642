"""The core's headers in C++ programs: installed by CMake alone, and by colcon."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

import modular_dynamics as md
from helpers.paths import ROOT
from helpers.processes import run_command
from modular_dynamics.loops.dynamics.solver import solver_of

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


def torques(program, *states):
    """Rows that an example prints; it fails where it has allocated memory after its start."""
    done = run_command(program, input="\n".join(" ".join(map(repr, state)) for state in states))
    assert done.returncode == 0, (done.returncode, done.stdout)
    return [np.array(line.split(), float) for line in done.stdout.splitlines()]


@pytest.mark.parametrize(("prefix", "targets"), [(plain_install, "all"), (overlay, "tree")])
def test_examples_compute_the_librarys_torques(prefix, targets, tmp_path):
    found = prefix(tmp_path / "with space")
    assert (found / "include/modular_dynamics/newton_euler.hpp").is_file()
    build = tmp_path / "example build"
    run(
        *("cmake", "-S", ROOT / "examples/cpp", "-B", build, f"-DCMAKE_PREFIX_PATH={found}"),
        *("-DCMAKE_NO_SYSTEM_FROM_IMPORTED=ON", "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror"),  # also in headers
    )
    run("cmake", "--build", build, "--target", targets)
    tree, four_bar = (md.load_urdf(ROOT / f"urdf/{name}.urdf") for name in ("four_link", "four_bar"))
    states = np.random.default_rng(0).uniform(-2.0, 2.0, (5, 12))
    for tau, state in zip(torques(build / "tree", *states.tolist()), states, strict=True):
        ours = md.inverse_dynamics(tree, *state.reshape(3, 4))
        assert np.abs(tau - ours).max() <= 1e-12 * np.abs(ours).max()
    if targets == "tree":
        return
    turn = [(angle, 20.0, -3.0) for angle in np.linspace(0.0, 2 * np.pi, 40).tolist()]
    rows, solver = torques(build / "four_bar", *turn), solver_of(four_bar)
    assert len(rows) == 2 * len(turn)
    of_turn = [
        (tau, q, solver.inverse_dynamics(q, np.array([v]), np.array([a])))
        for tau, q, (_, v, a) in zip(rows[::2], rows[1::2], turn, strict=True)
    ]
    largest = max(abs(result.tau[0]) for *_, result in of_turn)
    for tau, q, result in of_turn:
        assert np.abs(solver.system.evaluate(q).phi).max() < 1e-14
        assert abs(tau[0] - result.tau[0]) <= 1e-12 * largest


def test_the_package_has_the_librarys_version_and_asks_for_no_python(tmp_path):
    prefix = plain_install(tmp_path)
    assert md.__version__ in (
        prefix / "share/modular_dynamics/cmake/modular_dynamicsConfigVersion.cmake"
    ).read_text("utf-8")
    cache = (tmp_path / "build/CMakeCache.txt").read_text("utf-8")
    assert "Python3" not in cache
