"""What is no real number is refused wherever states are passed; NumPy alone would convert some of it."""

from fractions import Fraction

import numpy as np
import pytest

import modular_dynamics as md
from modular_dynamics.model.number_arrays import number_array, real_numbers

GOOD = np.zeros(3)
NOT_REAL = {
    "text": ["1", "2", "3"],
    "bytes": np.array([b"1"] * 3),
    "dates": np.array(["2001-01-01"] * 3, "M8[D]"),
    "durations": np.ones(3, "m8[s]"),
    "complex numbers": np.ones(3, complex),
    "objects": [Fraction(1, 2), None, 1.0],
    "records": np.zeros(3, [("angle", float)]),
    "inhomogeneous": [[1.0], [1.0, 2.0], 3.0],
}


@pytest.mark.parametrize("kind", NOT_REAL)
def test_what_is_no_real_number_is_named(kind):
    with pytest.raises(md.StateError, match=rf"^q is not an array of numbers: .*{kind}"):
        number_array("q", NOT_REAL[kind])


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", ">f8", "longdouble", "i1", "u8", "?"])
def test_real_numbers_of_all_sizes_are_taken(dtype):
    given = np.array([[0, 1], [1, 0]], dtype)[:, ::-1]
    assert real_numbers("q", given) is given
    taken = number_array("q", given)
    assert (taken.dtype, taken.flags.c_contiguous, taken.tolist()) == (np.float64, True, [[1, 0], [0, 1]])


#: Calls with a tree, the same robot with its loop, and three values, all of which must be numbers.
CALLS = {
    "inverse_dynamics": lambda tree, loop, bad: md.inverse_dynamics(tree, bad, GOOD, GOOD),
    "batch": lambda tree, loop, bad: md.inverse_dynamics(tree, [GOOD], [bad], [GOOD]),
    "wrench": lambda tree, loop, bad: md.inverse_dynamics(
        tree, GOOD, GOOD, GOOD, external_wrenches={tree.bodies[-1].name: np.resize(bad, 6)}
    ),
    "hybrid": lambda tree, loop, bad: md.hybrid_dynamics(tree, GOOD, GOOD, GOOD, bad, []),
    "loop": lambda tree, loop, bad: md.InverseDynamics(loop).solve(bad[:1], [0.0], [0.0]),
    "guess": lambda tree, loop, bad: md.close_loops(loop, [0.0], bad),
    "assemble": lambda tree, loop, bad: md.assemble(loop, bad),
    "integrate": lambda tree, loop, bad: tree.integrate(bad, GOOD),
    "dt": lambda tree, loop, bad: tree.integrate(GOOD, GOOD, bad[0]),
    "unpack": lambda tree, loop, bad: tree.unpack(bad),
    "pack": lambda tree, loop, bad: tree.pack({"J1": bad[0]}, others=GOOD),
    "pack others": lambda tree, loop, bad: tree.pack({"J1": 0.0}, others=bad),
    "order": lambda tree, loop, bad: md.joint_order.from_names(tree, tree.joint_names).from_q(bad),
    "order, others": lambda tree, loop, bad: md.joint_order.from_names(tree, ["J1"]).from_q(
        [0.0], others=bad
    ),
    "gravity": lambda tree, loop, bad: md.load_urdf(loop.urdf, gravity=bad),
    "times": lambda tree, loop, bad: md.simulate(loop, [0.3], [0.0], None, 9.0, times=bad),
}


@pytest.mark.parametrize("call", CALLS)
def test_functions_that_take_numbers_refuse_text_and_dates(load_robot, call):
    loop = load_robot("four_bar")
    for kind in ("text", "dates", "durations"):
        with pytest.raises(md.StateError, match="number"):
            CALLS[call](loop.tree, loop, NOT_REAL[kind])


@pytest.mark.parametrize("call", CALLS)
def test_the_same_calls_answer_with_numbers(load_robot, call):
    loop = load_robot("four_bar")
    numbers = loop.neutral() if call in ("guess", "assemble") else [1.0, 2.0, 3.0]
    CALLS[call](loop.tree, loop, numbers)
