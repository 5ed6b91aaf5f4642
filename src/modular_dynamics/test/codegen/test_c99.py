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
from modular_dynamics.codegen.program import Listing, program


def mixed():
    """One of every operation; a constant, an input, and one line twice among its results."""
    listing = Listing()
    x, y = listing.add("input", 0, 0), listing.add("input", 1, 1)
    s, c, two = listing.add("sin", x), listing.add("cos", y), listing.constant(2.0)
    quotient = listing.add("div", s, listing.add("add", two, listing.add("mul", c, c)))
    small = listing.add("mul", listing.constant(1e-300), x)
    late = listing.add("sub", listing.add("neg", quotient), small)
    last = listing.add("add", s, listing.add("mul", late, y))
    lines = [late, listing.constant(-0.1), x, last, late, listing.constant(0.0), listing.add("add", c, two)]
    operations, constants, results, _, reach = listing.simplified(lines)
    recorded = operations, constants, results[:-1], results[-1:], reach
    return program("mixed", "Everything.", (("x", 1), ("y", 2)), recorded, [("out", (6,), "")])


def value_of_mixed(x, y):
    late = -(np.sin(x[0]) / (2.0 + np.cos(y[1]) ** 2)) - 1e-300 * x[0]
    return np.array([late, -0.1, x[0], np.sin(x[0]) + late * y[1], late, 0.0])


@needs_gcc
@pytest.mark.parametrize("part", [1, 2, 3, 100])
def test_parts_of_any_length_compute_the_same(monkeypatch, tmp_path, part):
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
    np.testing.assert_allclose(out, value_of_mixed(x, y), rtol=1e-15)
    assert code.count("SEPARATE mixed_part") == -(-function.operations // part)
    assert c99.work_size(function) <= 1 + function.operations


def test_slots_of_the_work_array_are_used_again(monkeypatch):
    """A chain hands on one number at a time, however many parts it has."""
    monkeypatch.setattr(c99, "PART", 5)
    listing = Listing()
    x = y = listing.add("input", 0, 0)
    one = listing.constant(1.0)
    for _ in range(100):
        y = listing.add("add", listing.add("mul", y, x), one)
    chain = program("chain", "", (("x", 1),), listing.simplified([y]), [("out", (1,), "")])
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
