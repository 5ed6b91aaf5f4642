"""What all gaits share: exact derivatives, smooth starts, order of joints, times, the same in every run."""

from dataclasses import replace

import numpy as np
import pytest

from modular_dynamics.exceptions import GaitError, StateError, UnknownNameError
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


@pytest.mark.parametrize(
    ("times", "message"),
    [
        ([-0.1], r"finite times \[s\] of at least 0 are needed"),
        ([float("nan")], r"finite times \[s\] of at least 0 are needed"),
        ([[0.0]], r"finite times \[s\] of at least 0 are needed, as a vector"),
        (["0.5"], "times are not an array of numbers"),
    ],
)
def test_impossible_times_are_refused_and_none_are_no_states(times, message):
    for gait in WITHOUT_RAMP.values():
        with pytest.raises(StateError, match=message):
            gait.states(times)
        assert [values.shape for values in gait.states([])] == [(0, 3)] * 3


# The rhythmic gait against its formula.


def test_one_joint_by_hand():
    """q = 0.1 + 0.5 sin(2 pi 0.25 t + pi/2): at t = 0 at its top, at t = 1 through the middle downwards."""
    gait = gaits.Sine(gaits.Rhythm(("hip",), 0.5, 0.25, 0.1, np.pi / 2.0))
    omega = np.pi / 2.0
    assert np.array(gait.at(0.0)).ravel() == pytest.approx([0.6, 0.0, -0.5 * omega**2], abs=1e-15)
    assert np.array(gait.at(1.0)).ravel() == pytest.approx([0.1, -0.5 * omega, 0.0], abs=1e-15)
    assert gait.at(4.0).q == pytest.approx(gait.at(0.0).q, abs=1e-15)


def test_a_body_wave_arrives_at_each_joint_later():
    """Joint k does what the first did k lag / (2 pi frequency) earlier."""
    names = [f"v{k}/bend" for k in range(5)]
    gait = gaits.Sine(gaits.body_wave(names, 0.4, 0.5, 0.9))
    delay = 0.9 / (2.0 * np.pi * 0.5)
    for k in range(5):
        assert gait.at(10.0).q[k] == pytest.approx(gait.at(10.0 - k * delay).q[0], abs=1e-13)


@pytest.mark.parametrize("ramp", [-1.0, float("nan"), "2", 1e-300])
def test_an_impossible_ramp_is_refused(ramp):
    with pytest.raises(GaitError, match=r"^ramp is .*; (a finite number of|0 or) at least (0|1e-06)"):
        gaits.Sine(gaits.Rhythm(("hip",), 0.5, 0.25), ramp=ramp)


# Phases along bodies and legs; numbers that are refused.


LEFT, RIGHT = [["l1", "l2"], ["l3", "l4"]], [["r1", "r2"], ["r3", "r4"]]


def turns(rhythm):
    """Phases by joint, in turns from 0 to 1."""
    return dict(
        zip(rhythm.joint_names, np.round(np.mod(rhythm.array("phase") / (2 * np.pi), 1.0), 12), strict=True)
    )


def test_phases_of_a_trot():
    """Lag of half a turn and alternating sides: diagonal legs move together; knees follow by a quarter."""
    rhythm = gaits.legs(LEFT, RIGHT, 0.4, 1.0, np.pi, within=np.pi / 2)
    phase = turns(rhythm)
    assert rhythm.joint_names == ("l1", "l2", "l3", "l4", "r1", "r2", "r3", "r4")
    assert phase["l1"] == phase["r3"] == 0.0
    assert phase["r1"] == phase["l3"] == 0.5
    assert phase["l2"] == phase["r4"] == 0.75


def test_body_and_legs_together():
    body, both_legs = (
        gaits.body_wave(["b1", "b2"], 0.1, 0.5, 0.3, phase=0.2),
        gaits.legs(LEFT, RIGHT, 0.4, 1.0, 0.0),
    )
    both = body + both_legs
    assert both.joint_names == body.joint_names + both_legs.joint_names
    assert both.array("phase")[:2] == pytest.approx([0.2, -0.1])
    for key in ("amplitude", "frequency", "offset", "phase"):
        assert np.array_equal(both.array(key), np.concatenate([body.array(key), both_legs.array(key)]))
    with pytest.raises(GaitError, match="joints names b1, b2 twice; each joint has one motion"):
        _ = body + body


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["a", "a"], 1.0, 1.0), "joints names a twice"),
        (("arm", 1.0, 1.0), "joints is 'arm'; a list of joints' names"),
        ((["a", "b"], [1.0], 1.0), "amplitude has 1 numbers for 2 joints"),
        ((["a", "b"], [1.0, float("nan")], 1.0), "amplitude of joint 'b' is nan; a finite number is needed"),
        ((["a"], "1e-3", 1.0), "amplitude is '1e-3'; a finite number"),
        ((["a"], 1.0, -0.5), "frequency is -0.5; a finite number of at least 0 is needed"),
    ],
)
def test_what_gives_no_motion_is_refused(arguments, message):
    with pytest.raises(GaitError, match=message):
        gaits.Rhythm(*arguments)


@pytest.mark.parametrize(
    ("sides", "message"),
    [
        (("left", RIGHT), "legs/left is 'left'; a list of legs is needed"),
        ((LEFT, [["r1"], []]), "legs/right, leg 2 is empty"),
        ((LEFT, LEFT), "legs names l1, l2, l3, l4 twice"),
    ],
)
def test_impossible_legs_are_refused(sides, message):
    with pytest.raises(GaitError, match=message):
        gaits.legs(*sides, 0.4, 1.0, 0.0)
