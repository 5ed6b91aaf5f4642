"""Motion between knots at equal distances in time: quintic polynomials that meet with equal v and a."""

from collections.abc import Callable

import numpy as np

from .gait import Array, GaitState

__all__ = ["between_knots"]


def between_knots(knot: Callable[[int], GaitState], times: Array, step: float) -> GaitState:
    """Return states (k, n) at times: in each interval the quintic through q, v, a of its two ends.

    The motion is C2, and v and a are its exact derivatives. With
    q = q0 + v0 s + a0 s^2 / 2 + c3 s^3 + c4 s^4 + c5 s^5, s the time since the knot, the coefficients c
    follow from what the end has beyond the first three terms.

    Args:
        knot: state (n,) at time k step. step: time between knots [s].
    """
    order = np.argsort(times, kind="stable")  # knots are computed forwards
    rows = [_state(knot, t, step) for t in times[order]]
    n = len(knot(0).q)
    result = np.empty((3, len(times), n))
    if rows:
        result[:, order] = np.array(rows).transpose(1, 0, 2)
    return GaitState(*result)


def _state(knot: Callable[[int], GaitState], t: float, step: float) -> GaitState:
    k = int(t / step)
    first, last = knot(k), knot(k + 1)
    u = t / step - k
    h = step
    # in units of the step: derivatives with respect to u
    q0, v0, a0 = first.q, h * first.v, h * h * first.a
    dq = last.q - (q0 + v0 + 0.5 * a0)
    dv, da = h * last.v - (v0 + a0), h * h * last.a - a0
    c3 = 10.0 * dq - 4.0 * dv + 0.5 * da
    c4 = -15.0 * dq + 7.0 * dv - da
    c5 = 6.0 * dq - 3.0 * dv + 0.5 * da
    return GaitState(
        q0 + u * (v0 + u * (0.5 * a0 + u * (c3 + u * (c4 + u * c5)))),
        (v0 + u * (a0 + u * (3.0 * c3 + u * (4.0 * c4 + u * 5.0 * c5)))) / h,
        (a0 + u * (6.0 * c3 + u * (12.0 * c4 + u * 20.0 * c5))) / h**2,
    )
