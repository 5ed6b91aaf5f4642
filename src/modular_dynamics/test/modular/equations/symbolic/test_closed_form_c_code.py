"""C99 of symbolic equations: it compiles without warnings and agrees with the numeric form."""

from types import SimpleNamespace

import numpy as np
import pytest

import modular_dynamics as md
from helpers.c_compiler import CFunctions, compiled, needs_gcc, run
from helpers.robots.cubes import cubes
from helpers.robots.lagrangian_benchmarks import crane, double_pendulum, four_module_branch
from helpers.robots.small_robots import small_robot
from helpers.tree_dynamics import assert_close
from modular_dynamics.modular.equations import closed_form

pytest.importorskip("sympy")
pytestmark = needs_gcc


def written(code, folder):
    files = SimpleNamespace(
        source=folder / "robot.c", header=folder / "robot.h", test=folder / "robot_test.c", prefix="robot"
    )
    for path, text in zip((files.header, files.source, files.test), code, strict=True):
        path.write_text(text, encoding="ascii")
    return files


GRAPHS = {
    "branch": lambda: md.load_urdf(four_module_branch()),
    "crane": lambda: md.load_urdf(crane()),
    "double pendulum": lambda: md.load_urdf(double_pendulum()),
    "oblique": lambda: small_robot("fork"),
    "one": lambda: md.load_urdf(cubes(1)),
    "chain": lambda: md.load_urdf(cubes(8, seed=1)),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_it_compiles_and_agrees(name, tmp_path):
    graph = GRAPHS[name]()
    equations, numeric, n = closed_form(graph, symbolic=True), closed_form(graph), graph.nv
    files = written(equations.c99("robot"), tmp_path)
    functions = CFunctions(files)
    q, v, a = np.random.default_rng(7).normal(size=(3, n))
    size = np.abs(numeric.M(q)).max() * max(np.abs(v).max(), 1.0)
    for function, shape, state in (
        ("M", (n, n), (q,)),
        ("C", (n, n), (q, v)),
        ("N", (n,), (q,)),
        ("tau", (n,), (q, v, a)),
    ):
        status, result = functions.call(function, shape, *state)
        assert status == 0
        assert_close(result, getattr(numeric, function)(*state), 1e-12, size)


@pytest.mark.parametrize("options", [{}, {"parameters": "symbols"}, {"wrenches": ("l4", "l1")}], ids=str)
def test_its_test_program_passes(options, tmp_path):
    files = written(closed_form(small_robot("fork"), symbolic=True, **options).c99("robot"), tmp_path)
    finished = run(compiled(files))
    assert finished.returncode == 0, finished.stdout
    assert [line.split(":")[0] for line in finished.stdout.splitlines()] == ["M", "C", "N", "tau"]
    for name in ("M", "C", "N", "tau"):
        assert f"int robot_{name}(const double *" in files.header.read_text()


def test_a_wrong_function_fails_in_its_test_program(tmp_path):
    code = closed_form(md.load_urdf(crane()), symbolic=True).c99("robot")
    files = written(code._replace(source=code.source.replace("sin(", "cos(")), tmp_path)
    assert run(compiled(files)).returncode == 1
