"""Energy of motions, motions that a formula gives, and rates of change along a motion."""

import numpy as np
from scipy.integrate import solve_ivp

import modular_dynamics as md


def kinetic(graph, motion):
    """Return the largest kinetic energy of a motion: a scale for errors of energy."""
    M = [md.mass_matrix(graph.tree, q) for q in motion.coordinates]
    return 0.5 * max(v @ m @ v for m, v in zip(M, motion.velocities, strict=True))


def rate(function, step):
    """Derivative of a function of time at zero, by central differences of eighth order."""
    weights = enumerate((4 / 5, -1 / 5, 4 / 105, -1 / 280), 1)
    return sum(weight / step * (function(k * step) - function(-k * step)) for k, weight in weights)


def pendulum(count, angle, speed, times):
    """Return angles from the vertical of n windows, which are a pendulum exactly.

    n + 1 uprights turn and n beams of 1 kg are carried along: (n + (n + 1) / 3) phi'' =
    (n + (n + 1) / 2) g sin phi.
    """
    inertia, weight = count + (count + 1) / 3, count + (count + 1) / 2

    def rates(_, y):
        return [y[1], weight / inertia * 9.81 * np.sin(y[0])]

    span, start = (0.0, times[-1]), [angle, speed]
    return solve_ivp(rates, span, start, "DOP853", times, rtol=1e-13, atol=1e-13).y[0]
