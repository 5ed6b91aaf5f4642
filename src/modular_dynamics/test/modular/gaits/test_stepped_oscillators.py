"""Hopf oscillators: limit cycle, frequency, locked lags, against scipy's integrator; refusals."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from modular_dynamics.exceptions import GaitError
from modular_dynamics.modular import gaits

NAMES = tuple(f"v{k}/bend" for k in range(1, 6))
AMPLITUDES = np.array([0.2, 0.3, 0.4, 0.5, 0.6])
WAVE = gaits.body_wave(NAMES, AMPLITUDES.tolist(), 0.8, 1.1)
OMEGA = 2.0 * np.pi * 0.8


def on_cycle(gait, times, omega=OMEGA):
    """z of each joint by its position and velocity: on the limit cycle v = -amplitude omega Im z."""
    q, v, _ = gait.states(times)
    amplitude = gait.rhythm.array("amplitude")
    return (q - gait.rhythm.array("offset")) / amplitude - 1j * v / (amplitude * omega)


@pytest.mark.parametrize(
    "connections", ["chain", "all", [(NAMES[2], name) for name in NAMES if name != NAMES[2]]]
)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_amplitudes_frequency_and_lags_lock(connections, seed):
    """After 30 s: sqrt(mu) = amplitude, the given frequency, and the given lags, whatever the start."""
    gait = gaits.Oscillators(WAVE, 5.0, 3.0, connections, seed)
    times = 30.0 + np.linspace(0.0, 2.0, 401)
    z = on_cycle(gait, times)
    # Runge-Kutta at a tenth of the fastest rate: 1e-7 of a radian per step at most
    assert np.abs(z) == pytest.approx(1.0, abs=1e-5)
    lags = np.angle(z[:, :-1] / z[:, 1:])
    assert lags == pytest.approx(1.1, abs=1e-5)
    turned = np.unwrap(np.angle(z[:, 0]))
    assert (turned[-1] - turned[0]) / 2.0 == pytest.approx(OMEGA, rel=1e-5)
    assert np.ptp(gait.states(times).q, axis=0) == pytest.approx(2.0 * AMPLITUDES, rel=1e-3)  # sampled peaks


def test_enough_coupling_locks_from_every_start():
    """k times the Laplacian's second smallest eigenvalue, 5 for all of five joints, exceeds g."""
    for seed in range(20):
        gait = gaits.Oscillators(WAVE, 1.0, 3.0, "all", seed)
        z = on_cycle(gait, np.array([20.0]))
        assert np.angle(z[:, :-1] / z[:, 1:]) == pytest.approx(1.1, abs=1e-5)


def test_a_single_oscillator_follows_the_closed_form():
    """r^2 = 1 / (1 + (1/r0^2 - 1) exp(-2 g t)), phase = phase0 + w t."""
    gait = gaits.Oscillators(gaits.Rhythm(("hip",), 1.0, 0.8), 1.0, 1.5, seed=3, step=0.005)
    times = np.linspace(0.0, 4.0, 200)
    rng = np.random.default_rng(3)
    radius, angle = rng.random((2, 1))
    r = 1.0 / np.sqrt(1.0 + (1.0 / radius - 1.0) * np.exp(-2.0 * 1.5 * times))
    exact = r * np.cos(2.0 * np.pi * angle + OMEGA * times)
    # Runge-Kutta turns by (w h)^5 / 120 too little in each step: 8e-8 rad in 4 s
    assert gait.states(times).q[:, 0] == pytest.approx(exact, abs=1e-6)


def test_states_agree_with_scipy_and_converge_with_the_fourth_power_of_the_step():
    """The equations once more, in x and y = amplitude (Re z, Im z), by DOP853."""
    phase, links = WAVE.array("phase"), [(k, k + 1) for k in range(4)]
    gait = gaits.Oscillators(WAVE, 5.0, 3.0, seed=2, step=0.016)
    z0 = gait._x(0)

    def rates(_, state):
        x, y = state[:5], state[5:]
        growth = 3.0 * (1.0 - (x**2 + y**2) / AMPLITUDES**2)
        dx, dy = growth * x - OMEGA * y, growth * y + OMEGA * x
        for i, j in [*links, *((b, a) for a, b in links)]:
            turn, scale = phase[i] - phase[j], AMPLITUDES[i] / AMPLITUDES[j]
            dx[i] += 5.0 * (scale * (np.cos(turn) * x[j] - np.sin(turn) * y[j]) - x[i])
            dy[i] += 5.0 * (scale * (np.sin(turn) * x[j] + np.cos(turn) * y[j]) - y[i])
        return np.concatenate([dx, dy])

    times = np.linspace(0.0, 3.0, 301)
    start = np.concatenate([AMPLITUDES * z0.real, AMPLITUDES * z0.imag])
    exact = solve_ivp(rates, (0.0, 3.0), start, "DOP853", times, rtol=1e-12, atol=1e-12).y[:5].T
    errors = [
        np.abs(gaits.Oscillators(WAVE, 5.0, 3.0, seed=2, step=step).states(times).q - exact).max()
        for step in (0.016, 0.008)
    ]
    assert errors[1] < 1e-4
    assert 10.0 < errors[0] / errors[1] < 30.0  # 2^4


def test_different_frequencies_meet_in_the_middle():
    """Two joints at 0.7 and 0.9 Hz: both at 0.8 Hz, by symmetry, the faster one ahead."""
    gait = gaits.Oscillators(gaits.Rhythm(("a", "b"), 1.0, [0.7, 0.9]), 5.0, 3.0)
    times = 30.0 + np.linspace(0.0, 5.0, 1001)
    q = gait.states(times).q
    falling = [times[:-1][(q[:-1, k] > 0.0) & (q[1:, k] <= 0.0)] for k in (0, 1)]
    for crossings in falling:
        assert np.mean(np.diff(crossings)) == pytest.approx(1.0 / 0.8, abs=0.005)  # instants 5 ms apart
    # two coupled phases: sin(difference) = (w_b - w_a) / (2 k), here with the same radii
    z = on_cycle(gait, times)
    difference = np.mean(np.angle(z[:, 1] / z[:, 0]))
    assert difference == pytest.approx(np.arcsin(2.0 * np.pi * 0.2 / 10.0), abs=5e-3)


def test_a_joint_with_amplitude_zero_stands_still():
    gait = gaits.Oscillators(gaits.Rhythm(("a", "b"), [0.0, 1.0], 1.0, [0.3, 0.0]))
    assert gait.states([0.0, 1.3]).q[:, 0] == pytest.approx(0.3, abs=0)


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({"coupling": 0.0}, "coupling is 0.0; a finite number above 0 is needed"),
        ({"convergence": -1.0}, "convergence is -1.0; a finite number above 0 is needed"),
        ({"connections": "ring"}, "connections is 'ring'; chain, all, or a list of pairs"),
        ({"connections": 3}, "connections is 3; chain, all, or a list of pairs"),
        ({"connections": ["v1/bend"]}, "connections holds 'v1/bend'; two different joints"),
        ({"connections": [("v1/bend", "v1/bend")]}, "connections holds .*; two different joints"),
        ({"connections": [("v1/bend", "v9/bend")]}, "connections names 'v9/bend'; the joints: v1/bend"),
        (
            {"connections": [NAMES[:2], NAMES[2:4]]},
            "connections do not link v3/bend, v4/bend, v5/bend to v1/bend",
        ),
        ({"seed": -3}, "seed is -3; a whole number from 0 to "),
        ({"step": 1.0}, "step is 1.0; a finite number of at least 0 and at most 0.0"),
        ({"step": 1e-9}, "step is 1e-09; 0 or at least 1e-06 s is needed"),
        (
            {"coupling": 1e6},
            "the fastest rate, of frequency, convergence and coupling, is 4.*e.06 1/s; at most 100000",
        ),
        ({"ramp": float("nan")}, "ramp is nan"),
    ],
)
def test_what_gives_no_motion_is_refused(numbers, message):
    with pytest.raises(GaitError, match=message):
        gaits.Oscillators(WAVE, **numbers)
