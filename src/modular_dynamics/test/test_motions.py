"""Motions of piecewise constant accelerations, and accelerations without delay of recorded motions."""

import numpy as np
import pytest
from numpy import pi

import modular_dynamics as md
from modular_dynamics.exceptions import DescriptionError
from modular_dynamics.motions import AccelerationProfile, load_profile, profile_of

TEXT = "duration: 2.0\nsegments: [{until: 1.0, scale: 1}, {until: 2.0, scale: -1}]\naccelerations: {a: 3.0}\n"


def test_a_profile_is_read_from_a_file_or_a_text(tmp_path):
    (tmp_path / "a.yaml").write_text(TEXT + "start: {a: 0.5}\n")
    motion = load_profile(tmp_path / "a.yaml")
    assert (motion.joint_names, motion.duration) == (("a",), 2.0)
    # one second at 3, one at -3: it ends at rest, 3 on
    assert [part.tolist() for part in motion.sample(2.0)] == [[3.5], [0.0], [-3.0]]
    assert profile_of(TEXT, "the text").sample(2.0)[0].tolist() == [3.0]


@pytest.mark.parametrize(
    ("text", "offender"),
    [
        ("a: 1", "a is an unknown key"),
        (TEXT.replace("until: 2.0", "until: 0.5"), "segments/1/until is 0.5; a time .s. later"),
        (TEXT.replace("3.0", "x"), "accelerations/a is 'x'; a finite number"),
    ],
)
def test_errors_name_what_is_wrong(text, offender):
    with pytest.raises(DescriptionError, match=f"^here.*: .*{offender}"):
        profile_of(text, "here")


def test_position_and_velocity_are_integrals_of_the_acceleration():
    motion = AccelerationProfile({"a": 2.0, "b": -1.0}, [(0.3, 1.0), (1.0, -0.5), (1.7, 0.25)], {"a": 0.5})
    step = 1e-4
    for t in (0.1, 0.3 + step, 0.65, 1.2, 1.7 - step):
        (q0, v0, _), (_, v, a), (q1, v1, _) = (motion.sample(t + d) for d in (-step, 0.0, step))
        # central differences are exact for parabolas
        assert (q1 - q0) / (2 * step) == pytest.approx(v, abs=1e-11)
        if abs(t - 0.3) > 2 * step:
            assert (v1 - v0) / (2 * step) == pytest.approx(a, abs=1e-11)
    assert motion.sample(0.0)[0].tolist() == [0.5, 0.0]


def test_all_joints_move_on_one_path():
    motion = AccelerationProfile({"a": 2.0, "b": -1.0}, [(0.3, 1.0), (1.0, -0.5)], {"b": 0.1})
    times = np.array([0.0, 0.2, 0.3, 0.7, 1.0])
    path, rate, scale = motion.path(times)
    for k, t in enumerate(times.tolist()):
        q, v, a = motion.sample(t)
        assert q.tolist() == pytest.approx([2.0 * path[k], 0.1 - path[k]], abs=1e-15)
        assert v.tolist() == pytest.approx([2.0 * rate[k], -rate[k]], abs=1e-15)
        assert a.tolist() == [2.0 * scale[k], -scale[k]]
    # 0.3 s at 1, then 0.7 s at -0.5: 0.045 + 0.3 * 0.7 - 0.25 * 0.49
    assert path[-1] == pytest.approx(0.1325, abs=1e-15)


# Accelerations of motions whose acceleration is known in closed form.

T = np.arange(0.0, 4.0, 0.002)
RNG = np.random.default_rng(0)
UNEVEN = np.sort(T[:-1] + RNG.uniform(-6e-4, 6e-4, len(T) - 1))


def sine(t, f):
    """q, v, a of 0.5 rad at f [Hz]."""
    w = 2 * pi * f
    return 0.5 * np.sin(w * t + 0.3), 0.5 * w * np.cos(w * t + 0.3), -0.5 * w**2 * np.sin(w * t + 0.3)


def given(kind, q, v):
    return {"q": q} if kind == "q" else {"v": v}


def inner(t, cutoff=10.0):
    """Not within two periods of the cutoff of the ends."""
    return (t > t[0] + 2.0 / cutoff) & (t < t[-1] - 2.0 / cutoff)


@pytest.mark.parametrize("t", [T, UNEVEN], ids=["even", "uneven"])
@pytest.mark.parametrize("kind", ["q", "v"])
@pytest.mark.parametrize("f", [0.2, 1.0, 3.0])
def test_of_a_sine_far_below_the_cutoff(t, kind, f):
    """The filter lets 1 / (1 + (f / 11.6 Hz)^6) pass: all but 3e-4 at 3 Hz."""
    q, v, a = sine(t, f)
    found = md.filtered_accelerations(t, **given(kind, q, v))
    assert np.abs(found - a)[inner(t)].max() < 4e-4 * np.abs(a).max()


@pytest.mark.parametrize("kind", ["q", "v"])
@pytest.mark.parametrize("f", [2.0, 5.0, 10.0, 20.0])
def test_no_component_is_delayed_and_the_gain_is_butterworths(kind, f):
    """Phase and gain of the fundamental, by projection on sine and cosine over whole periods."""
    q, v, a = sine(T, f)
    found = md.filtered_accelerations(T, **given(kind, q, v))
    whole = (T >= 1.0) & (T < 3.0)
    wave = np.exp(2j * pi * f * T[whole])
    ratio = (found[whole] @ wave.conj()) / (a[whole] @ wave.conj())
    assert abs(np.angle(ratio)) / (2 * pi * f) < 1e-5  # s
    corrected = 10.0 * (np.sqrt(2.0) - 1.0) ** (-1.0 / 6.0)
    warped = np.tan(pi * f * 0.002) / np.tan(pi * corrected * 0.002)  # the bilinear transform's
    assert abs(ratio) == pytest.approx(1.0 / (1.0 + warped**6), rel=2e-3)
    if f == 10.0:
        assert abs(ratio) == pytest.approx(np.sqrt(0.5), rel=2e-3)


@pytest.mark.parametrize("kind", ["q", "v"])
def test_at_the_ends(kind):
    """As the docstring says: at the ends, 50 ms inside, and 100 ms inside, whatever the phase is there."""
    w, errors = 2 * pi, np.zeros(3)
    for phase in np.linspace(0.0, 6.2, 20):
        q, v, a = np.sin(w * T + phase), w * np.cos(w * T + phase), -(w**2) * np.sin(w * T + phase)
        error = np.abs(md.filtered_accelerations(T, **given(kind, q, v)) - a) / w**2
        errors = np.maximum(errors, [error[part : len(T) - part].max() for part in (0, 25, 50)])
    assert (errors < [0.06, 0.004, 0.001]).all()
    assert (errors > [0.05, 0.003, 0.0005]).all()


def test_constant_acceleration_is_exact_to_the_ends():
    t = np.linspace(0.0, 2.0, 401)
    assert md.filtered_accelerations(t, v=3.0 * t - 1.0) == pytest.approx(np.full(401, 3.0), rel=1e-9)


def test_shapes():
    v = sine(T, 1.0)[1]
    both = md.filtered_accelerations(T, v=np.stack([v, 2.0 * v], axis=1))
    assert both.shape == (len(T), 2)
    assert both[:, 1] == pytest.approx(2.0 * md.filtered_accelerations(T, v=v), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    ("times", "values", "cutoff", "words"),
    [
        (T, {}, 10.0, "either positions q or velocities v"),
        (T, {"v": T[:-1]}, 10.0, r"times have the shape \(2000,\), v has \(1999,\)"),
        (
            np.r_[T[:5], T[3:]],
            {"v": np.r_[T[:5], T[3:]]},
            10.0,
            "times do not rise from row 4, 0.008000 s, to row 5",
        ),
        (
            np.r_[T[:500], T[600:]],
            {"v": np.r_[T[:500], T[600:]]},
            10.0,
            "no sample; a cutoff of 10 Hz needs one every 0.04 s",
        ),
        (T[:4], {"v": T[:4]}, 10.0, "4 samples; 6, and a period of the cutoff, 0.1 s, are needed"),
        (T, {"v": np.where(T == 1.0, np.nan, T)}, 10.0, "v has a value that is not finite in row 500"),
        (T, {"v": T}, 0.0, "cutoff is 0.0; a positive number"),
        (T, {"v": ["a"] * len(T)}, 10.0, "must be arrays of numbers"),
    ],
)
def test_refusals(times, values, cutoff, words):
    with pytest.raises(md.StateError, match=words):
        md.filtered_accelerations(times, **values, cutoff=cutoff)
