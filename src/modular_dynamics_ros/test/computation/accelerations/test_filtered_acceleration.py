import numpy as np
import pytest
from scipy.signal import butter, freqz_sos, sosfilt, sosfilt_zi

from modular_dynamics_ros.computation.accelerations.filtered_acceleration import (
    FilteredAcceleration,
    FilterState,
    SamplingError,
    butterworth_sections,
    richardson_derivative,
    steady_states,
    step_matrix,
)

NOW = 1_700_000_000_000_000_000  # a stamp of today [ns]: floats of seconds would not resolve it
PERIOD = 2_000_000  # 500 Hz [ns]


@pytest.fixture
def filtered():
    """Of one joint, with a cutoff of 10 Hz."""
    return FilteredAcceleration(1, 10.0)


def run(filtered: FilteredAcceleration, velocity, stamps) -> np.ndarray:
    """Accelerations (m, n) at all stamps, velocity(t [s]) -> (n,); NaN while it starts."""
    joints = (filtered._joints,)
    results = np.full((len(stamps), *joints), np.nan)
    for row, t in zip(results, map(int, stamps), strict=True):
        acceleration = filtered.update(t, np.atleast_1d(velocity((t - NOW) * 1e-9)))
        if acceleration is not None:
            row[:] = acceleration
    return results


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_the_extrapolated_difference_is_exact_for_cubics(degree):
    step = 0.01
    t = 0.3 + step * np.arange(-4, 1)
    derivative = richardson_derivative((t**degree)[:, np.newaxis], step)
    assert derivative[0] == pytest.approx(degree * 0.3 ** max(degree - 1, 0), abs=1e-12)  # rounding / step


@pytest.mark.parametrize(("cutoff", "rate"), [(10.0, 1000.0), (10.0, 125.0), (60.0, 121.0), (0.5, 2000.0)])
def test_the_filter_is_scipys_butterworth_filter(cutoff, rate):
    sections, expected = butterworth_sections(cutoff, rate), butter(6, cutoff, fs=rate, output="sos")
    frequencies = np.array([0.0, 0.5, 1.0, 1.5]) * min(cutoff, rate / 3.5)
    (_, response), (_, theirs) = (freqz_sos(one, worN=frequencies, fs=rate) for one in (sections, expected))
    # at 0.5 Hz of 2 kHz a pole is 4e-4 from 1: rounding of its distance, six times
    assert response == pytest.approx(theirs, rel=0, abs=1e-9)
    steady, filtered = steady_states(sections), sosfilt(sections, np.ones(9), zi=sosfilt_zi(sections))[0]
    assert filtered == pytest.approx(1.0, abs=1e-9)
    assert steady[1:7].reshape(3, 2) == pytest.approx(sosfilt_zi(sections), abs=1e-9)
    assert steady == pytest.approx(step_matrix(sections, 1.0 / rate) @ np.append(1.0, steady[1:]), abs=1e-9)


def test_a_sine_comes_out_with_the_filters_gain_and_phase(filtered):
    frequency, omega = 3.0, 2 * np.pi * 3.0
    stamps = NOW + PERIOD * np.arange(2000)
    result = run(filtered, lambda t: np.sin(omega * t), stamps)[:, 0]
    sos = butter(6, 10.0, fs=500.0, output="sos")
    _, response = freqz_sos(sos, worN=[frequency], fs=500.0)
    t = (stamps - NOW) * 1e-9
    expected = omega * np.abs(response[0]) * np.cos(omega * t + np.angle(response[0]))
    # after 1 s the filter's transient (slowest pole: -16 / s) is below 1e-6; the rest is the difference's h^3
    # error
    assert result[500:] == pytest.approx(expected[500:], abs=1e-4 * omega)


def test_evenly_stamped_samples_enter_the_filter_unchanged():
    rng = np.random.default_rng(1)
    samples = rng.normal(size=(60, 2))
    filtered = FilteredAcceleration(2, 10.0)
    result = [filtered.update(NOW + k * PERIOD, sample) for k, sample in enumerate(samples)]
    sos = butter(6, 10.0, fs=500.0, output="sos")
    zi = sosfilt_zi(sos)[:, np.newaxis, :] * samples[0][np.newaxis, :, np.newaxis]
    smooth, _ = sosfilt(sos, samples[1:].T, axis=-1, zi=zi)
    expected = richardson_derivative(smooth.T[-5:], 0.002)
    assert result[-1] == pytest.approx(expected, rel=1e-9)  # the same arithmetic but for the grid's rounding


def test_no_start_transient():
    velocity, stamps = np.array([5.0, -2.0, 0.0]), NOW + PERIOD * np.arange(200)
    result = run(FilteredAcceleration(3, 10.0), lambda t: velocity, stamps)
    assert np.isnan(result[:5]).all()
    assert np.abs(result[5:]).max() < 1e-8  # rounding of 5 over a step of 2 ms


def test_nothing_until_the_period_is_known_then_running(filtered):
    for k in range(5):
        assert filtered.update(NOW + k * PERIOD, np.array([float(k)])) is None
        assert filtered.update(NOW + k * PERIOD, np.array([float(k)])) is None  # nor for a repeated stamp
        assert filtered.state is FilterState.STARTING
    assert filtered.update(NOW + 5 * PERIOD, np.array([5.0]))[0] != 0.0
    assert filtered.state is FilterState.RUNNING
    assert filtered.period == pytest.approx(0.002)


def test_jitter_and_a_lost_message_do_not_disturb_a_steady_acceleration(filtered):
    rng = np.random.default_rng(2)
    stamps = NOW + PERIOD * np.arange(800) + rng.integers(-400_000, 400_000, 800)
    kept = np.delete(stamps, [500, 501, 600])
    result = run(filtered, lambda t: 3.0 * t, kept)
    assert result[-100:, 0] == pytest.approx(3.0, abs=1e-6)  # linear in time, so interpolation is exact


def test_a_stamp_that_is_early_by_less_than_a_thousandth_of_a_period_counts_as_on_the_grid():
    """Clocks round: otherwise its sample would enter the filter a period later."""
    exact, early, earlier = (FilteredAcceleration(1, 10.0) for _ in range(3))
    for filtered in (exact, early, earlier):
        run(filtered, lambda t: np.sin(9.0 * t), NOW + PERIOD * np.arange(100))
    before, stamp, velocity = exact._now.acceleration[0], NOW + 100 * PERIOD, np.array([np.sin(1.8)])
    at_once = exact.update(stamp, velocity)[0]
    assert abs(at_once - before) > 0.01
    assert early.update(stamp - PERIOD // 2000, velocity)[0] == at_once
    assert earlier.update(stamp - PERIOD // 500, velocity)[0] == before


def test_a_pause_starts_anew_and_says_so(filtered):
    run(filtered, lambda t: 3.0 * t, NOW + PERIOD * np.arange(400))
    late = NOW + 400 * PERIOD + 1_000_000_000
    assert filtered.update(late, np.array([7.0])) is None
    assert filtered.state is FilterState.RESTARTED_AFTER_PAUSE
    later = run(filtered, lambda t: 7.0, late + PERIOD * np.arange(1, 50))
    assert filtered.state is FilterState.RUNNING
    assert np.nanmax(np.abs(later)) < 1e-8  # the jump over the pause is no acceleration


def test_backwards_stamps_start_anew_and_say_so(filtered):
    run(filtered, lambda t: 3.0 * t, NOW + PERIOD * np.arange(100))
    assert filtered.update(NOW, np.array([0.0])) is None
    assert filtered.state is FilterState.RESTARTED_BACKWARDS


def test_a_rate_below_twice_the_cutoff_is_refused(filtered):
    with pytest.raises(SamplingError, match=r"15 Hz: filter_cutoff 10 Hz needs more than 20 Hz"):
        run(filtered, lambda t: t, [NOW + round(k * 1e9 / 15) for k in range(10)])


def test_stamps_that_are_too_dense_are_refused_and_forgotten(filtered):
    velocity = np.zeros(1)
    for k in range(5):
        assert filtered.update(NOW + k, velocity) is None
    with pytest.raises(SamplingError, match="less than 1e-05 s apart"):  # not a grid of 1 ns over 0.2 s
        filtered.update(NOW + 5, velocity)
    with pytest.raises(SamplingError):
        filtered.update(NOW + 200_000_000, velocity)
    late = NOW + 200_000_000 + PERIOD * np.arange(1, 10)
    with pytest.raises(SamplingError):  # most of the last five intervals are still 1 ns
        filtered.update(int(late[0]), velocity)
    assert np.isfinite(run(filtered, lambda t: 0.0, late[1:])).all()


def test_stamps_that_are_too_uneven_to_start_with_are_refused(filtered):
    stamps = [NOW + 20_000 * k for k in range(5)]
    with pytest.raises(SamplingError, match="too uneven"):
        run(filtered, lambda t: 0.0, [*stamps, stamps[-1] + 200_000_000])


@pytest.mark.parametrize("stamps", [PERIOD * np.arange(60), np.cumsum(PERIOD + 1000 * np.arange(60) ** 2)])
def test_joints_that_are_reported_later_at_the_same_stamp_lose_no_time(stamps):
    """Two publishers, whose messages have the same stamps, give the accelerations of a single one."""
    single, split, before = FilteredAcceleration(2, 10.0), FilteredAcceleration(2, 10.0), np.zeros(2)
    for stamp in (NOW + stamps).tolist():
        t = (stamp - NOW) * 1e-9
        velocity = np.array([np.sin(20.0 * t), np.cos(30.0 * t)])
        expected = single.update(stamp, velocity)
        split.update(stamp, np.array([velocity[0], before[1]]))
        given, before = split.update(stamp, velocity), velocity
        assert (given is None) == (expected is None)
        if expected is not None:
            assert given.tolist() == expected.tolist()
    assert split.state is FilterState.RUNNING
