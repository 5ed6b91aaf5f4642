"""What all gaits share: exact derivatives, smooth starts, order of joints, times, the same in every run."""

from dataclasses import replace

import numpy as np
import pytest

from modular_dynamics.exceptions import StateError, UnknownNameError
from modular_dynamics.modular import gaits

NAMES = ("v1/bend", "v2/bend", "v3/bend")
RHYTHM = gaits.body_wave(NAMES, [0.3, 0.4, 0.5], 0.8, 1.1, offset=0.2)
WITHOUT_RAMP = {
    "sine": gaits.Sine(RHYTHM),
    "coupled_maps": gaits.CoupledMaps(NAMES, [0.3, 0.4, 0.5], 0.6, offset=0.2, seed=3),
}
WITH_RAMP = {
    "sine": gaits.Sine(RHYTHM, ramp=1.5),
    "coupled_maps": gaits.CoupledMaps(NAMES, [0.3, 0.4, 0.5], 0.6, offset=0.2, seed=3, ramp=1.5),
}
GAITS = [
    pytest.param(gait, id=f"{kind}-{gait.ramp:g}")
    for of in (WITHOUT_RAMP, WITH_RAMP)
    for kind, gait in of.items()
]


@pytest.mark.parametrize("gait", GAITS)
def test_velocities_and_accelerations_are_derivatives(gait):
    """Integrals by Gauss's rule between instants, none of which needs a derivative to be continuous there."""
    ends = np.linspace(0.0, 4.0, 4001)
    nodes, weights = np.polynomial.legendre.leggauss(4)
    h = ends[1] - ends[0]
    times = (ends[:-1, np.newaxis] + 0.5 * h * (nodes + 1.0)).ravel()
    at_ends, inside = gait.states(ends), gait.states(times)
    for primitive, derivative in ((at_ends.q, inside.v), (at_ends.v, inside.a)):
        integrals = 0.5 * h * np.einsum("g,kgn->kn", weights, derivative.reshape(len(ends) - 1, 4, -1))
        assert np.diff(primitive, axis=0) == pytest.approx(integrals, abs=1e-9)


@pytest.mark.parametrize("gait", GAITS)
def test_nothing_jumps(gait):
    """At steps of 0.1 ms, q, v and a change by little of their range."""
    for values in gait.states(np.linspace(0.0, 3.0, 30001)):
        assert np.abs(np.diff(values, axis=0)).max() < 0.01 * np.ptp(values)


@pytest.mark.parametrize("kind", WITH_RAMP)
def test_a_ramp_starts_at_rest_and_leaves_the_motion_afterwards(kind):
    start = WITH_RAMP[kind].at(0.0)
    assert not np.any(start)
    assert np.abs(WITHOUT_RAMP[kind].at(0.0).q).max() > 0.1  # without it, there is a jump
    times = [1.5, 2.0, 7.3]
    for with_ramp, without in zip(
        WITH_RAMP[kind].states(times), WITHOUT_RAMP[kind].states(times), strict=True
    ):
        assert np.array_equal(with_ramp, without)


@pytest.mark.parametrize("gait", GAITS)
def test_states_do_not_depend_on_what_was_asked_before(gait):
    """In another order, one by one, and by an equal gait: the same to the bit."""
    times = np.array([3.0, 0.1, 200.0, 0.1, 1.7, 55.5])
    together = gait.states(times)
    other = replace(gait)
    assert other == gait
    assert other is not gait
    for k in (5, 1, 2, 0, 4, 3):
        for row, single in zip(together, other.at(times[k]), strict=True):
            assert np.array_equal(row[k], single)


@pytest.mark.parametrize("gait", GAITS)
def test_a_gait_of_some_joints_leaves_the_others_at_zero(gait):
    names = ["v3/bend", "rotor", "v1/bend", "v2/bend", "tail"]
    wide = gait.checked_against(names)
    assert list(wide.joint_names) == names
    for whole, own in zip(wide.states([0.4, 2.2]), gait.states([0.4, 2.2]), strict=True):
        assert np.array_equal(whole[:, [2, 3, 0]], own)
        assert not whole[:, [1, 4]].any()


def test_joints_that_an_assembly_lacks_are_named():
    with pytest.raises(UnknownNameError, match=r"^no joint v2/bend, v3/bend; the joints: v1/bend, tail$"):
        WITHOUT_RAMP["sine"].checked_against(["v1/bend", "tail"])


@pytest.mark.parametrize("times", [[-0.1], [float("nan")], [float("inf")], [[0.0]], 1.0])
@pytest.mark.parametrize("kind", WITHOUT_RAMP)
def test_impossible_times_are_refused(kind, times):
    with pytest.raises(StateError, match=r"finite times \[s\] of at least 0 are needed"):
        WITHOUT_RAMP[kind].states(times)


@pytest.mark.parametrize("gait", GAITS)
def test_no_times_are_no_states(gait):
    assert [values.shape for values in gait.states([])] == [(0, 3)] * 3


@pytest.mark.parametrize("times", ["soon", ["0.5"], [1j], [None]])
def test_times_that_are_no_numbers_are_refused(times):
    with pytest.raises(StateError, match="times are not an array of numbers"):
        WITHOUT_RAMP["sine"].states(times)
