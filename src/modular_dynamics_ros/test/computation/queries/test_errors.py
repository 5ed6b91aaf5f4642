"""The code of each error."""

import pytest

import modular_dynamics as md
from modular_dynamics_ros.computation.queries.errors import QueryError, code_of
from modular_dynamics_ros.exceptions import BadMessage

pytestmark = pytest.mark.ros


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (QueryError("REFUSED", ""), "REFUSED"),
        (BadMessage("unknown frame", ""), "UNKNOWN_NAME"),
        (BadMessage("no frame", ""), "UNKNOWN_NAME"),
        (BadMessage("inside a black box", ""), "REFUSED"),
        (BadMessage("dead point", ""), "BAD_STATE"),
        (BadMessage("not finite", ""), "BAD_STATE"),
        (md.UnknownNameError(""), "UNKNOWN_NAME"),
        (md.StateError(""), "BAD_STATE"),
        (md.SingularityError("", 1.0, None), "BAD_STATE"),
        (md.UnsupportedModelError(""), "REFUSED"),
        (ZeroDivisionError(), "UNEXPECTED"),
    ],
)
def test_codes(error, code):
    assert code_of(error) == code
