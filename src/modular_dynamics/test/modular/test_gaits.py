"""Gaits: exact derivatives, smooth starts, rhythms, coupled maps by hand, files and their errors."""

from dataclasses import replace

import numpy as np
import pytest
import yaml

from helpers.paths import ROOT
from modular_dynamics.exceptions import GaitError, StateError, UnknownNameError
from modular_dynamics.modular import gaits
from modular_dynamics.modular.gaits import KEPT

NAMES = ("v1/bend", "v2/bend", "v3/bend")
RHYTHM = gaits.body_wave(NAMES, [0.3, 0.4, 0.5], 0.8, 1.1, offset=0.2)
MAPS_OF = gaits.CoupledMaps(NAMES, [0.3, 0.4, 0.5], 0.6, offset=0.2, seed=3)
WITHOUT_RAMP = {"sine": gaits.Sine(RHYTHM), "coupled_maps": MAPS_OF}
WITH_RAMP = {kind: replace(gait, ramp=1.5) for kind, gait in WITHOUT_RAMP.items()}
GAITS = [*WITHOUT_RAMP.values(), *WITH_RAMP.values()]


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
    with_ramp, without = (gaits_of[kind].states([1.5, 2.0, 7.3]) for gaits_of in (WITH_RAMP, WITHOUT_RAMP))
    assert np.array_equal(with_ramp, without)


@pytest.mark.parametrize("gait", GAITS)
def test_states_do_not_depend_on_what_was_asked_before(gait):
    """In another order, one by one, and by an equal gait: the same to the bit."""
    times = np.array([3.0, 0.1, 1500.0, 0.1, 1.7, 55.5])  # more iterates than are kept
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


# Phases along bodies and legs; numbers that are refused.


LEFT, RIGHT = [["l1", "l2"], ["l3", "l4"]], [["r1", "r2"], ["r3", "r4"]]


def test_phases_of_a_trot():
    """Lag of half a turn and alternating sides: diagonal legs move together; knees follow by a quarter."""
    rhythm = gaits.legs(LEFT, RIGHT, 0.4, 1.0, np.pi, within=np.pi / 2)
    assert rhythm.joint_names == ("l1", "l2", "l3", "l4", "r1", "r2", "r3", "r4")
    turns = np.mod(rhythm.array("phase") / (2 * np.pi), 1.0)
    assert turns == pytest.approx([0.0, 0.75, 0.5, 0.25, 0.5, 0.25, 0.0, 0.75])


def test_body_and_legs_together():
    """Each joint of a body is the lag behind the one before it."""
    body = gaits.body_wave(["b1", "b2"], 0.1, 0.5, 0.3, phase=0.2)
    both_legs = gaits.legs(LEFT, RIGHT, 0.4, 1.0, 0.0)
    both = body + both_legs
    assert both.joint_names == body.joint_names + both_legs.joint_names
    assert both.array("phase")[:2] == pytest.approx([0.2, -0.1])
    for key in ("amplitude", "frequency", "offset", "phase"):
        assert np.array_equal(both.array(key), np.concatenate([body.array(key), both_legs.array(key)]))
    with pytest.raises(GaitError, match="joints names b1, b2 twice; each joint has one motion"):
        _ = body + body


# The gait of coupled maps: its iterates by hand, angles at the knots, range, seeds, refusals.

ABC = ("a", "b", "c")


def maps(**numbers):
    return gaits.CoupledMaps(**{"joint_names": ABC, "amplitude": 1.0, "period": 1.0, **numbers})


def test_one_iteration_by_hand():
    x = [0.1, 0.4, 0.7]
    a, b, c = (3.5 * value * (1.0 - value) for value in x)
    for boundary, first, last in (("ring", c, a), ("open", a, c)):
        gait = maps(growth=3.5, coupling=0.3, initial=x, boundary=boundary)
        expected = [0.7 * a + 0.15 * (first + b), 0.7 * b + 0.15 * (a + c), 0.7 * c + 0.15 * (b + last)]
        assert gait.iterates(2)[1] == pytest.approx(expected, abs=1e-15)


def test_angles_are_those_of_the_iterates():
    gait = maps(amplitude=[0.5, -0.2, 1.0], period=0.4, coupling=0.2, offset=[0.0, 0.1, -0.3], seed=4)
    expected = np.array([0.0, 0.1, -0.3]) + np.array([0.5, -0.2, 1.0]) * (2.0 * gait.iterates(20) - 1.0)
    knots = gait.states(0.4 * np.arange(20))
    assert knots.q == pytest.approx(expected, abs=1e-12)
    assert knots.v == pytest.approx(0.0, abs=1e-10)
    for k in range(19):  # and stay between them
        between = gait.states(np.linspace(0.4 * k, 0.4 * (k + 1), 50)).q
        low, high = np.minimum(expected[k], expected[k + 1]), np.maximum(expected[k], expected[k + 1])
        assert (between >= low - 1e-12).all()
        assert (between <= high + 1e-12).all()


def test_the_seed_decides():
    gait, same, other = (maps(seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(gait.at(7.7).q, same.at(7.7).q)
    assert np.abs(gait.at(7.7).q - other.at(7.7).q).max() > 1e-3
    assert np.array_equal(gait.iterates(1)[0], np.random.default_rng(1).random(3))


def test_settled_gaits_start_later_in_the_same_motion():
    early, late = (maps(coupling=0.6, settle=settle) for settle in (0, 300))
    assert np.array_equal(early.iterates(310)[300:], late.iterates(10))
    assert np.ptp(late.iterates(10), axis=1).max() < 1e-12
    assert np.ptp(early.iterates(10), axis=1).max() > 1e-3


def test_rounding_never_leaves_the_range():
    """At growth 4 an x of 1 plus rounding would run away to minus infinity."""
    for seed in range(20):
        x = maps(coupling=0.6, seed=seed).iterates(3000)
        assert (x >= 0.0).all()
        assert (x <= 1.0).all()


def test_between_iterates_is_the_motion_of_least_jerk():
    """10 u^3 - 15 u^4 + 6 u^5, with the peaks 15/8 and 10/sqrt(3) of the change."""
    u = np.linspace(0.0, 1.0, 10001)[:-1]
    gait = maps(joint_names=("a",), period=0.5, growth=0.0, initial=[1.0])  # from 1 to -1
    state = gait.states(0.5 * u)
    assert state.q[:, 0] == pytest.approx(1.0 - 2.0 * u**3 * (10 - 15 * u + 6 * u**2), abs=1e-14)
    assert np.abs(state.v).max() == pytest.approx(2.0 * 15 / 8 / 0.5, rel=1e-7)
    assert np.abs(state.a).max() == pytest.approx(2.0 * 10 / np.sqrt(3) / 0.25, rel=1e-6)


def test_any_order_gives_the_same_iterates_and_memory_is_bounded():
    gait, expected = maps(seed=5), maps(seed=5).iterates(5 * KEPT + 1)
    for k in (10, 3, 5 * KEPT, 5 * KEPT - 100, 7, 0, 3 * KEPT):
        assert np.array_equal(gait._x(k), expected[k])
        assert len(gait._kept[1]) <= 2 * KEPT


REFUSED = (
    (lambda: gaits.Rhythm(["a", "a"], 1.0, 1.0), "joints names a twice"),
    (lambda: gaits.Rhythm("arm", 1.0, 1.0), "joints is 'arm'; a list of joints' names"),
    (lambda: gaits.Rhythm(["a", "b"], [1.0], 1.0), "amplitude has 1 numbers for 2 joints"),
    (lambda: gaits.Rhythm(["a", "b"], [1.0, np.nan], 1.0), "amplitude of joint 'b' is nan; a finite number"),
    (lambda: gaits.Rhythm(["a"], "1e-3", 1.0), "amplitude is '1e-3'; a finite number"),
    (lambda: gaits.Rhythm(["a"], 1.0, -0.5), "frequency is -0.5; a finite number of at least 0 is needed"),
    (lambda: gaits.legs("left", RIGHT, 0.4, 1.0, 0.0), "legs/left is 'left'; a list of legs is needed"),
    (lambda: gaits.legs(LEFT, [["r1"], []], 0.4, 1.0, 0.0), "legs/right, leg 2 is empty"),
    (lambda: gaits.legs(LEFT, LEFT, 0.4, 1.0, 0.0), "legs names l1, l2, l3, l4 twice"),
    (lambda: gaits.Sine(RHYTHM, ramp=-1.0), "ramp is -1.0; a finite number of at least 0"),
    (lambda: gaits.Sine(RHYTHM, ramp=np.nan), "ramp is nan; a finite number of at least 0"),
    (lambda: gaits.Sine(RHYTHM, ramp="2"), "ramp is '2'; a finite number of at least 0"),
    (lambda: gaits.Sine(RHYTHM, ramp=1e-300), "ramp is 1e-300; 0 or at least 1e-06 s"),
    (lambda: maps(period=0.0), "period is 0.0; a finite number of at least 1e-06 is needed"),
    (lambda: maps(growth=4.1), "growth is 4.1; a finite number of at least 0 and at most 4 is needed"),
    (lambda: maps(coupling=-0.1), "coupling is -0.1; a finite number of at least 0 and at most 1 is needed"),
    (lambda: maps(boundary="wall"), "boundary is 'wall'; ring and open are known"),
    (lambda: maps(seed=1.5), "seed is 1.5; a whole number"),
    (lambda: maps(settle=10**7), "settle is 10000000; a whole number from 0 to 1000000 is needed"),
    (lambda: maps(initial=[0.1, 0.2]), "initial has 2 numbers for 3 joints"),
    (lambda: maps(initial=[0.1, 0.2, 1.2]), "initial of joint 'c' is 1.2; a finite number of at least 0"),
)


@pytest.mark.parametrize(("make", "message"), REFUSED)
def test_what_gives_no_motion_is_refused(make, message):
    with pytest.raises(GaitError, match=message):
        make()


# Gaits from YAML: the repository's files, sections, errors that name key, value, and what is right.

FOLDER = ROOT / "config" / "gaits"
SINE = {"kind": "sine", "frequency": 0.5, "amplitude": 0.3, "joints": ["a", "b"]}
MAPS = {"kind": "coupled_maps", "period": 0.5, "amplitude": 0.3, "joints": ["a", "b"]}
SNAKE = ("v1/bend", "v2/bend", "v3/bend", "v4/bend")


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.yaml")), ids=lambda path: path.stem)
def test_files_of_the_repository_are_read(path):
    gait = gaits.load(path)
    assert gaits.load(str(path)) == gait
    assert gaits.load(yaml.safe_load(path.read_text("utf-8"))) == gait
    largest = np.abs(gait.states(np.linspace(0.0, 10.0, 1001)).q).max()
    assert 0.1 < largest <= np.pi / 2  # a Backbone's range


def test_the_snake_is_a_body_wave():
    assert gaits.load(FOLDER / "snake.yaml") == gaits.Sine(gaits.body_wave(SNAKE, 0.6, 0.5, 1.2), ramp=2.0)


def test_the_chaotic_snake_synchronises():
    gait = gaits.load(FOLDER / "chaotic_snake.yaml")
    assert gait.joint_names == SNAKE
    spread = np.ptp(gait.iterates(300), axis=1)
    assert spread[[0, -1]] == pytest.approx([0.5, 0.0], abs=0.5 - 1e-3)
    assert spread[-1] < 1e-9


def test_the_quadruped_trots():
    gait = gaits.load(FOLDER / "quadruped.yaml")
    motion = dict(zip(gait.joint_names, gait.states(np.linspace(20.0, 22.0, 201)).q.T, strict=True))
    for one, other, sign in (("l1", "r3", 1), ("r1", "l3", 1), ("l1", "r1", -1), ("v1", "v2", -1)):
        assert motion[f"{one}/bend"] == pytest.approx(
            sign * motion[f"{other}/bend"], abs=1e-4
        )  # pi is 3.1416


def test_joints_may_differ_from_what_the_whole_gait_says():
    gait = gaits.load({**SINE, "joints": {"a": None, "b": {"amplitude": 0.1, "phase": 1.0}}})
    assert gait.rhythm == gaits.Rhythm(("a", "b"), [0.3, 0.1], 0.5, 0.0, [0.0, 1.0])
    maps = gaits.load({**MAPS, "joints": {"a": {"offset": 0.2}, "b": {}}})
    assert maps == gaits.CoupledMaps(("a", "b"), 0.3, 0.5, offset=[0.2, 0.0])


def test_sections_are_joined():
    gait = gaits.load(
        {
            "kind": "sine",
            "frequency": 1.0,
            "body": {"joints": ["s1", "s2"], "amplitude": 0.1, "lag": 0.5},
            "legs": {"left": [["l"]], "right": [["r"]], "amplitude": 0.4, "lag": 0.0, "frequency": 2.0},
            "joints": {"tail": {"amplitude": 0.2}},
        }
    )
    expected = gaits.body_wave(["s1", "s2"], 0.1, 1.0, 0.5) + gaits.legs([["l"]], [["r"]], 0.4, 2.0, 0.0)
    assert gait.rhythm == expected + gaits.Rhythm(("tail",), 0.2, 1.0)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([1], r"the content is \[1\]; a mapping of keys to values is needed"),
        ({**SINE, "kind": "walk"}, "kind is 'walk'; one of sine, coupled_maps is needed"),
        ({**SINE, "speed": 2}, r"speed is an unknown key; known: kind, ramp, body"),
        ({**MAPS, "frequency": 2}, r"frequency is an unknown key"),
        ({**SINE, "joints": {"a": {"amp": 1}}}, r"joints/a/amp is an unknown key; known: amplitude"),
        ({**SINE, "body": {"joints": ["a"], "lag": 1}}, "joints names a twice"),
        ({**SINE, "body": {"joints": ["c"]}}, "body/lag is missing"),
        ({**SINE, "legs": {"lag": 1}}, "legs is empty"),
        ({**SINE, "frequency": -1}, "frequency of joint 'a' is -1.0; a finite number of at least 0"),
        ({**SINE, "amplitude": [0.1, 0.2]}, r"amplitude of joint 'a' is \[0.1, 0.2\]; a finite number"),
        ({"kind": "sine", "joints": {"a": {"amplitude": 1}}}, "joints/a/frequency is missing"),
        ({"kind": "sine", "frequency": 1}, "no section body, legs or joints; at least one is needed"),
        ({"kind": "coupled_maps", "joints": ["a"], "amplitude": 1}, "period is missing"),
        ({**MAPS, "seed": 1, "initial": [0.1, 0.2]}, "seed and initial both give the first states"),
        ({**MAPS, "coupling": "strong"}, "coupling is 'strong'; a finite number"),
    ],
)
def test_what_is_wrong_is_named(content, message, tmp_path):
    if isinstance(content, dict):
        with pytest.raises(GaitError, match=f"^{message}"):
            gaits.load(content)
    path = tmp_path / "gait.yaml"
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    with pytest.raises(GaitError, match=rf"^.*gait\.yaml(, line \d+)?: {message}"):
        gaits.load(path)


def test_keys_may_be_merged_from_another_mapping():
    text = (
        "kind: sine\nfrequency: 1\njoints:\n  a: &a {amplitude: 0.1, phase: 1.0}\n  b: {<<: *a, phase: 2.0}\n"
    )
    assert gaits.load(text).rhythm == gaits.Rhythm(("a", "b"), 0.1, 1.0, 0.0, [1.0, 2.0])


def test_files_that_are_no_gaits(tmp_path):
    with pytest.raises(GaitError, match=r"no gait at '.*missing\.yaml'"):
        gaits.load(tmp_path / "missing.yaml")
    with pytest.raises(GaitError, match=r"int 3 is no gait; the path of one, or text of several lines"):
        gaits.load(3)
    with pytest.raises(GaitError, match=r"line 3: the key 'a' stands twice, first in line 2"):
        gaits.load("kind: sine\njoints: {a: {},\n  a: {}}\n")
