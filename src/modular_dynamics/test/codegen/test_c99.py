"""Programs as C: parts of any length compute the same."""

import ctypes
import subprocess

import numpy as np
import pytest

from helpers.c_compiler import STRICT, needs_gcc
from modular_dynamics.codegen import c99
from modular_dynamics.codegen.procedure import Procedure, Result
from modular_dynamics.codegen.program import Program


def mixed():
    """One of every operation; a constant, an input, and one symbol twice among its results."""
    program = Program()
    x, y = program.input(0, 0), program.input(1, 1)
    s, c = program.sine(x), program.cosine(y)
    late = -(s / (2.0 + c * c)) - 1e-300 * x
    symbols = (late, program.constant(-0.1), x, s + late * y, late, program.constant(0.0))
    inputs = ("x", 1), ("y", 2)
    return Procedure("mixed", "Everything.", program, inputs, (Result("out", symbols, (6,)),), (c + 2.0,))


def value_of_mixed(x, y):
    late = -(np.sin(x[0]) / (2.0 + np.cos(y[1]) ** 2)) - 1e-300 * x[0]
    return np.array([late, -0.1, x[0], np.sin(x[0]) + late * y[1], late, 0.0])


@needs_gcc
@pytest.mark.parametrize("part", [1, 2, 3, 100])
def test_parts_of_any_length_compute_the_same(monkeypatch, tmp_path, part):
    monkeypatch.setattr(c99, "PART", part)
    procedure = mixed()
    declared = f"#include <math.h>\n{c99.signature(procedure, 'my')};\n"
    code = declared + c99.HELPERS + c99.definition(procedure, "my")
    (tmp_path / "a.c").write_text(code)
    command = ["gcc", *STRICT, "-shared", "-fPIC", tmp_path / "a.c", "-o", tmp_path / "a.so", "-lm"]
    subprocess.run(list(map(str, command)), check=True)
    x, y, out = np.array([0.7]), np.array([9.0, -0.4]), np.empty(6)
    pointers = (ctypes.c_void_p(array.ctypes.data) for array in (x, y, out))
    assert ctypes.CDLL(str(tmp_path / "a.so")).my_mixed(*pointers) == 0
    np.testing.assert_allclose(out, value_of_mixed(x, y), rtol=1e-15)
    assert code.count("SEPARATE mixed_part") == -(-procedure.operations // part)
    assert c99.work_size(procedure) <= 1 + procedure.operations


def test_slots_of_the_work_array_are_used_again(monkeypatch):
    """A chain hands on one number at a time, however many parts it has."""
    monkeypatch.setattr(c99, "PART", 5)
    program = Program()
    x = y = program.input(0, 0)
    for _ in range(100):
        y = y * x + 1.0
    procedure = Procedure("chain", "", program, (("x", 1),), (Result("out", (y,), (1,)),))
    assert c99.work_size(procedure) <= 2
