import numpy as np
import pytest

from modular_dynamics_ros.computation.accelerations.acceleration_source import AccelerationSource
from modular_dynamics_ros.computation.accelerations.reference_trajectory import ReferenceTrajectory
from modular_dynamics_ros.computation.values import ComputationSettings, Coverage
from modular_dynamics_ros.exceptions import BadMessage

NOW = 1_700_000_000_000_000_000
MS = 1_000_000
V = np.zeros(2)
POINTS = np.array([[1.0, 2.0], [3.0, 4.0]])
ZERO, LAST = [0.0, 0.0], [3.0, 4.0]


def source(without_reference: str, accelerations=POINTS, missing=()) -> AccelerationSource:
    """With a reference from NOW to 10 ms later; `stale_after` is 0.2 s."""
    settings = ComputationSettings("reference", without_reference=without_reference)
    one, instants = AccelerationSource(2, settings), NOW + np.array([0, 10 * MS])
    one.reference.add(
        ReferenceTrajectory.through(instants, accelerations=np.array(accelerations), missing=missing), NOW
    )
    return one


def at(one: AccelerationSource, later: float):
    acceleration, coverage = one.at(NOW + round(later * MS), V, ())
    return acceleration.tolist(), coverage


@pytest.mark.parametrize(
    ("without_reference", "later", "expected"),
    [
        ("zero", -1, (ZERO, Coverage.NONE)),
        ("zero", 10, (LAST, Coverage.COVERED)),
        ("zero", 10.001, (ZERO, Coverage.NONE)),
        ("hold", -1, (ZERO, Coverage.NONE)),
        ("hold", 210, (LAST, Coverage.HELD)),
        ("hold", 211, (ZERO, Coverage.NONE)),
        ("stop", 10, (LAST, Coverage.COVERED)),
    ],
)
def test_without_a_reference_accelerations_are_what_the_parameter_says(without_reference, later, expected):
    assert at(source(without_reference), later) == expected


@pytest.mark.parametrize("later", [-1, 10.001])
def test_without_a_reference_a_state_may_be_refused(later):
    for last in (LAST, ZERO):  # ended in motion or at rest
        with pytest.raises(BadMessage, match="no reference covers the stamp"):
            at(source("stop", [[1.0, 2.0], last]), later)


def test_a_reference_that_ended_at_rest_is_no_problem():
    acceleration, coverage = at(source("zero", [[1.0, 2.0], ZERO]), 11)
    assert (acceleration, coverage) == (ZERO, Coverage.OVER)
    assert [one.doubtful for one in Coverage] == [False, False, True, True, False]
