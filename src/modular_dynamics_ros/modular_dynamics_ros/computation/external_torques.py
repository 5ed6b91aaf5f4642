"""What the world exerts along the joints, from measured efforts: a low-pass filter for each joint."""

import numpy as np
from numpy.typing import NDArray

from modular_dynamics_ros.computation.values import Array, values_at

__all__ = ["ExternalTorques"]

NEVER = -(1 << 62)  # [ns]


class ExternalTorques:
    """Torques along the joints that explain the difference of the model from measured efforts.

    M(q) a + h(q, v) = tau_measured + tau_external. The model computes the left side, so tau_external is the
    model's torque less the measured one. It passes a low-pass filter of first order, y' = (x - y) 2 pi f_c,
    which is exact for an input that is constant from one stamp to the next, whatever their distances are.
    Of values with the same stamp the last one counts: each publisher that reports some of the joints makes
    the state, of which the model's torques are, more complete.

    Args:
        count: of joints.
    """

    def __init__(self, count: int) -> None:
        self._filtered = np.zeros(count)
        self._stamps = np.full(count, NEVER)  # [ns] of the last value of each joint
        # states before the last stamp, from which another value of that stamp starts
        self._filtered_before, self._stamps_before = self._filtered.copy(), self._stamps.copy()

    def continue_from(self, other: "ExternalTorques", where: NDArray[np.intp]) -> None:
        """Continue the filters of another robot; (n,) index of each joint among its own, -1: new."""
        self._filtered = values_at(where, other._filtered)
        self._stamps = values_at(where, other._stamps, NEVER).astype(np.int64)
        self._filtered_before = values_at(where, other._filtered_before)
        self._stamps_before = values_at(where, other._stamps_before, NEVER).astype(np.int64)

    def update(self, stamp: int, model: Array, measured: Array, cutoff: float, longest_gap: float) -> Array:
        """Return filtered torques (n,) [N m or N] at a stamp [ns]; NaN if no effort was measured.

        The filter of a joint begins anew, with the value itself, after `longest_gap` [s] without one, and
        where stamps go back.

        Args:
            model: torques (n,) that the model computes, friction included, of the same state.
            measured: efforts (n,), NaN where missing.
            cutoff: f_c [Hz]; 0: no filter.
        """
        raw = model - measured
        known = np.isfinite(raw)
        new = known & (self._stamps != stamp)
        self._filtered_before[new], self._stamps_before[new] = self._filtered[new], self._stamps[new]
        gaps = (stamp - self._stamps_before) * 1e-9
        begins = known & ((gaps < 0.0) | (gaps > longest_gap))
        kept = np.exp(-2.0 * np.pi * cutoff * np.maximum(gaps, 0.0)) if cutoff > 0.0 else 0.0
        filtered = raw + kept * (self._filtered_before - raw)
        filtered[begins] = raw[begins]
        self._filtered[known], self._stamps[known] = filtered[known], stamp
        return np.where(known, filtered, np.nan)
