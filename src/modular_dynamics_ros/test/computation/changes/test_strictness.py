"""Inertias that no body can have, in changes: warnings, or refused where strict is asked for."""

import pytest

from helpers.rebuilt import assert_same_to_the_bit
from modular_dynamics_ros.computation.changes.application import applied, fitted
from modular_dynamics_ros.computation.changes.attachment import Attachment
from modular_dynamics_ros.computation.changes.lock import Lock
from modular_dynamics_ros.computation.changes.numbers import Numbers
from modular_dynamics_ros.computation.changes.payload import Payload
from modular_dynamics_ros.exceptions import NumbersError


def load(xx, yy, zz, link="left_branch"):
    return Payload.of(link, 1.0, (0.0,) * 3, (xx, 0.0, 0.0, yy, 0.0, zz))


GOOD, BAD = load(0.1, 0.2, 0.25), load(0.1, 0.1, 1.0)
XX = Numbers({"link lower_stem inertia xx": 5.0})


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ([BAD], r"payload on link 'left_branch' breaks .* \(principal moments 0.1, 0.1, 1 kg m\^2"),
        ([XX], r"link 'lower_stem' breaks .* \(principal moments 0.0016, 0.016, 5 kg m\^2"),
        (
            [GOOD, Numbers({"link base mass": 1.0, "payload left_branch inertia zz": 9.0})],
            r"payload on link 'left_branch' breaks .* \(principal moments 0.1, 0.2, 9 kg m\^2",
        ),
    ],
)
def test_inertias_that_no_body_has_are_refused_if_strict_and_else_warnings(described, changes, words):
    with pytest.raises(NumbersError, match=f"^strict: the inertia of (the )?{words}"):
        applied(described, changes, strict=True)
    (warning,) = applied(described, changes).warnings
    assert "breaks the triangle inequality" in warning
    strict, lenient = fitted(described, changes, strict=True), fitted(described, changes)
    assert strict.changes == tuple(changes[:-1])
    (dropped,) = strict.dropped
    assert dropped.startswith(f"{changes[-1]}: strict: the inertia of")
    assert (lenient.changes, lenient.dropped, lenient.warnings) == (tuple(changes), (), (warning,))
    assert (strict.graph.warnings, strict.warnings) == (described.warnings, ())


def test_rounding_to_six_digits_is_no_defect_as_in_descriptions(described):
    plate = load(0.333333, 0.333333, 0.666667)
    assert applied(described, [plate], strict=True).changes == (plate,)


def test_all_else_is_as_without(described, gripper_urdf):
    """A joint is locked where it was measured, also beyond its limits; a mass of zero takes a load off."""
    changes = (
        GOOD,
        Attachment.of("hand", gripper_urdf, "base", prefix="g/", strict=True),
        Numbers({"payload left_branch mass": 0.0, "payload left_branch inertia xx": 0.1}),
        Numbers({"joint left damping": 1.0, "link g/jaw mass": 2.0}),
        Lock({"bend": 50.0}),
    )
    strict, lenient = applied(described, changes, strict=True), applied(described, changes)
    assert strict.changes == fitted(described, changes, strict=True).changes == changes
    assert strict.warnings == lenient.warnings != ()
    assert_same_to_the_bit(strict.graph, lenient.graph)
