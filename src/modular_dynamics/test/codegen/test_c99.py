"""Programs as C: parts of any length compute the same."""

import ctypes
import re
import subprocess

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.c_compiler import STRICT, needs_gcc
from modular_dynamics.codegen import c99
from modular_dynamics.codegen.c99 import comment_text, identifier, unique_identifiers
from modular_dynamics.codegen.program import Line, Program, Result


def line(kind, first=0, second=0):
    return Line(kind, first, second) if kind != "constant" else Line(kind, value=first)


#: Every operation, of two inputs and a constant.
LINES = (
    *(line("input", 0, 0), line("input", 1, 1), line("constant", 2.0), line("sin", 0), line("cos", 1)),
    *(line("mul", 4, 4), line("add", 2, 5), line("div", 3, 6), line("neg", 7), line("constant", 1e-300)),
    *(line("mul", 9, 0), line("sub", 8, 10), line("sqrt", 6), line("floor", 1), line("atan2", 11, 12)),
)


def mixed():
    """A constant, an input, and one line twice among its results."""
    results = Result("out", (11, 9, 0, 14, 11, 13), (6,))
    return Program("mixed", "Everything.", (("x", 1), ("y", 2)), LINES, (results,), pivots=(6,))


def value_of_mixed(x, y):
    root = np.sqrt(2.0 + np.cos(y[1]) ** 2)
    late = -np.sin(x[0]) / root**2 - 1e-300 * x[0]
    return np.array([late, 1e-300, x[0], np.arctan2(late, root), late, np.floor(y[1])])


@needs_gcc
@pytest.mark.parametrize("part", [1, 2, 3, 100])
def test_parts_of_any_length_compute_the_same_as_line_by_line(monkeypatch, tmp_path, part):
    monkeypatch.setattr(c99, "PART", part)
    function = mixed()
    declared = f"#include <math.h>\n{c99.signature(function, 'my')};\n"
    code = declared + c99.HELPERS + c99.definition(function, "my")
    (tmp_path / "a.c").write_text(code)
    command = ["gcc", *STRICT, "-shared", "-fPIC", tmp_path / "a.c", "-o", tmp_path / "a.so", "-lm"]
    subprocess.run(list(map(str, command)), check=True)
    x, y, out = np.array([0.7]), np.array([9.0, -0.4]), np.empty(6)
    pointers = (ctypes.c_void_p(array.ctypes.data) for array in (x, y, out))
    assert ctypes.CDLL(str(tmp_path / "a.so")).my_mixed(*pointers) == 0
    for values in (out, function.values([x[None], y[None]])[0][0]):
        np.testing.assert_allclose(values, value_of_mixed(x, y), rtol=1e-15)
    assert code.count("SEPARATE mixed_part") == -(-function.operations // part)
    assert c99.work_size(function) <= 1 + function.operations


def test_slots_of_the_work_array_are_used_again(monkeypatch):
    """A chain hands on one number at a time, however many parts it has."""
    monkeypatch.setattr(c99, "PART", 5)
    sums = [line("mul" if k % 2 else "add", k, 0) for k in range(200)]
    chain = Program("chain", "", (("x", 1),), (line("input"), *sums), (Result("out", (200,), (1,)),))
    assert c99.work_size(chain) <= 2


# Names inside C.


@given(st.lists(st.text(), unique=True))
def test_identifiers_are_different_and_valid(texts):
    names = unique_identifiers(texts)
    assert len(set(names)) == len(texts)
    assert all(re.fullmatch("[A-Z0-9][A-Z0-9_]*", name) for name in names)


def test_identifiers_are_readable():
    assert identifier("left arm/joint-1") == "left_arm_joint_1"
    assert unique_identifiers(["a b", "a.b", "é", "a_b_2"]) == ["A_B", "A_B_2", "UNNAMED", "A_B_2_2"]


@given(st.text())
def test_comments_cannot_end_or_continue(text):
    safe = comment_text(text)
    assert safe.isascii()
    assert not any(c in safe for c in "*\\?\n\r")
    decoded = re.sub("<U[+]([0-9A-F]+)>", lambda match: chr(int(match[1], 16)), safe)
    assert decoded == text or "<U+" in text
