"""Programs carried out line by line, and lists of operations as the core simplifies them."""

import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modular_dynamics import _core
from modular_dynamics.codegen.program import Listing, program

BINARY = {"add": operator.add, "sub": operator.sub, "mul": operator.mul}
LEAVES = st.sampled_from(["x", "y", "z"]) | st.sampled_from([0.0, 1.0, -1.0, 2.0, 0.5, -3.0])
NUMBERS = {"x": 1.25, "y": -0.75, "z": 3.0}


def made(listing, results, inputs=("x",)):
    """A program of inputs of length one."""
    shape = ((len(results),), "")
    return program("f", "", [(name, 1) for name in inputs], listing.simplified(results), [("out", *shape)])


def inputs_of(listing, count):
    return [listing.add("input", k, 0) for k in range(count)]


def values(function, *numbers):
    return function.values([np.array([[x]]) for x in numbers])[0][0]


def _extend(inner):
    return st.tuples(st.sampled_from(list(BINARY)), inner, inner) | st.tuples(st.just("neg"), inner)


def _value(tree):
    if isinstance(tree, tuple):
        parts = [_value(part) for part in tree[1:]]
        return -parts[0] if tree[0] == "neg" else BINARY[tree[0]](*parts)
    return NUMBERS.get(tree, tree) if isinstance(tree, str) else tree


def _listed(tree, listing, names):
    if isinstance(tree, tuple):
        return listing.add(tree[0], *(_listed(part, listing, names) for part in tree[1:]))
    return names[tree] if isinstance(tree, str) else listing.constant(tree)


@given(st.recursive(LEAVES, _extend, max_leaves=30))
def test_simplified_lists_compute_what_numbers_do(tree):
    listing = Listing()
    names = dict(zip(NUMBERS, inputs_of(listing, 3), strict=True))
    function = made(listing, [_listed(tree, listing, names)], NUMBERS)
    (value,) = values(function, *NUMBERS.values())
    assert value == pytest.approx(_value(tree), rel=1e-12, abs=1e-12)


ONE, TWO = ("neg", "sin", "cos", "sqrt", "floor"), ("add", "sub", "mul", "div", "atan2")
NAMES = ["negative", "sin", "cos", "sqrt", "floor", "add", "subtract", "multiply", "divide", "arctan2"]
NUMPY = {kind: getattr(np, name) for kind, name in zip((*ONE, *TWO), NAMES, strict=True)}


@pytest.mark.parametrize("kind", NUMPY)
def test_operations_of_inputs_and_of_constants_agree_with_numpy(kind):
    numbers = [0.7, 1.3][: 1 if kind in ONE else 2]
    expected = NUMPY[kind](*numbers)
    listing = Listing()
    inputs = inputs_of(listing, len(numbers))
    constants = [listing.constant(x) for x in numbers]
    results = [listing.add(kind, *inputs), listing.add(kind, *constants)]
    if len(numbers) > 1:
        results += [listing.add(kind, inputs[0], constants[1]), listing.add(kind, constants[0], inputs[1])]
    function = made(listing, results, ("x", "y")[: len(numbers)])
    assert values(function, *numbers) == pytest.approx(np.full(len(results), expected), rel=1e-15)
    assert function.lines[function.results[0].lines[1]] == (
        "constant",
        0,
        0,
        pytest.approx(expected, rel=1e-15),
    )


def test_nothing_is_listed_twice_and_zeros_vanish():
    listing = Listing()
    x, y = inputs_of(listing, 2)
    zero, one, two = map(listing.constant, (0.0, 1.0, 2.0))
    add, sub, mul = ((lambda a, b, kind=kind: listing.add(kind, a, b)) for kind in ("add", "sub", "mul"))
    pairs = [
        (mul(x, y), mul(y, x)),
        (add(mul(x, zero), mul(y, one)), y),
        (sub(zero, listing.add("neg", x)), x),
        (sub(x, x), zero),
        (sub(x, sub(x, y)), y),
        (add(y, sub(x, y)), x),
        (listing.add("div", x, two), mul(x, listing.constant(0.5))),
        (mul(listing.constant(-2.0), x), listing.add("neg", mul(two, x))),
        (listing.add("cos", listing.add("neg", x)), listing.add("cos", x)),
        (listing.add("sin", listing.add("neg", x)), listing.add("neg", listing.add("sin", x))),
    ]
    lines = made(listing, [line for pair in pairs for line in pair], ("x", "y")).results[0].lines
    assert lines[::2] == lines[1::2]


def test_an_offset_of_a_large_angle_keeps_its_digits():
    listing = Listing()
    (x,) = inputs_of(listing, 1)
    shifted = listing.add("add", x, listing.constant(0.3))
    sine, cosine = values(made(listing, [listing.add("sin", shifted), listing.add("cos", shifted)]), 1e12)
    s, c = np.sin(1e12), np.cos(1e12)
    assert sine == pytest.approx(s * np.cos(0.3) + c * np.sin(0.3), rel=1e-15)
    assert cosine == pytest.approx(c * np.cos(0.3) - s * np.sin(0.3), rel=1e-15)


def test_lines_that_nothing_needs_are_left_out():
    listing = Listing()
    x, y = inputs_of(listing, 2)
    listing.add("sin", x)
    function = made(
        listing, [listing.add("add", listing.add("mul", y, y), listing.constant(1.0))], ("x", "y")
    )
    assert function.operations == 2


ADD = _core.OPERATIONS.index("add")


@pytest.mark.parametrize(
    ("operations", "results"),
    [
        ([[99, 0, 0]], [0]),
        ([[-1, 0, 0]], [0]),
        ([[0, 0, 0], [ADD, 0, 1]], [1]),
        ([[1, 5, 0]], [0]),
        ([[0, 0, 0]], [1]),
    ],
)
def test_lists_that_read_what_is_not_there_are_refused(operations, results):
    arrays = np.array(operations, np.int64), np.array([1.0]), np.array(results, np.int64)
    with pytest.raises(ValueError, match="is no number of a line, operation or constant before"):
        _core.simplified(*arrays)
