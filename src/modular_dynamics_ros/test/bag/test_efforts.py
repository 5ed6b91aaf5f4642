import numpy as np
import pytest

import modular_dynamics as md
from helpers.recorded_bags import START, joint_state

MS = 1_000_000


def test_residuals_are_measured_efforts_less_torques(bag, names, four_link):
    graph, numbers = md.load_urdf(four_link), np.random.default_rng(3)
    q, v, extra = numbers.uniform(-1.0, 1.0, (3, 30, 4))
    tau = md.inverse_dynamics(graph, q, v, np.zeros((30, 4)))
    messages = [
        ("/joint_states", START + k * MS, joint_state(START + k * MS, names, q[k], v[k], tau[k] + extra[k]))
        for k in range(30)
    ]
    found = bag(messages)
    residuals = np.array([[float(row[f"residual_{name}"]) for name in names] for row in found.rows])
    np.testing.assert_allclose(residuals, extra, rtol=0.0, atol=1e-12)
    for k, name in enumerate(names):
        assert found.report["residuals"][name]["rms"] == pytest.approx(np.sqrt(np.mean(extra[:, k] ** 2)))
        assert found.report["residuals"][name]["largest"] == pytest.approx(np.abs(extra[:, k]).max())


def test_joints_without_effort_have_no_residual(bag, names):
    zeros = np.zeros(4)
    messages = [
        ("/joint_states", START, joint_state(START, names, zeros, zeros)),
        (
            "/joint_states",
            START + MS,
            joint_state(START + MS, names, zeros, zeros, [np.nan, 1.0, 2.0, np.inf]),
        ),
        ("/joint_states", START + 2 * MS, joint_state(START + 2 * MS, names, zeros, zeros)),
        ("/joint_states", START + 300 * MS, joint_state(START + 300 * MS, names, zeros, zeros)),
    ]
    found = bag(messages)
    known = [[bool(row[f"residual_{name}"]) for name in names] for row in found.rows]
    last = [False, True, True, False]
    assert known == [[False] * 4, last, last, [False] * 4]  # an effort counts for stale_after
    assert set(found.report["residuals"]) == {"bend", "left"}


def test_residuals_whose_squares_overflow(bag, names):
    """As in a damaged recording; NumPy's warning would be a second and third line on stderr."""
    zeros, huge = np.zeros(4), [3e200, -4e200, 0.0, 1.0]
    states = [
        ("/joint_states", START + k * MS, joint_state(START + k * MS, names, zeros, zeros, huge))
        for k in (0, 1)
    ]
    found = bag(states)
    assert (found.code, found.err) == (0, "")
    assert found.report["residuals"]["turn"] == {"rms": pytest.approx(3e200), "largest": pytest.approx(3e200)}
