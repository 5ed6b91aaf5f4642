"""Reactions of an over-constrained mechanism, shared by rules; and what rules leave open.

The equations. Body b has to receive the wrench D_b, [force, moment] about its origin o_b in its axes: its
own inertia and weight, and what hangs on it (Goncalves et al., right-hand sides of eqs. 1, 2). With x_k the
k-th borne component, f_k and m_k its force and moment per unit on ``on`` at p_k, and s_bk = 1 where b is
``on``, -1 where b is ``by``, equilibrium of all bodies is

    D_b = sum_k s_bk [f_k, m_k + (p_k - o_b) x f_k] x_k   for each b,   that is   D = E x.

E has more columns than independent rows where the mechanism is over-constrained. Rules choose one x (each
step takes one of the equations for the components that it gives); x = E^+ D, of the least norm, is another.
Two such x differ by a self-stress, E x = 0: forces with which the joints strain each other and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...exceptions import StateError
from .free_bodies import Cuts, FreeBodies, Situation
from .sharing_rules import Rules, Step

__all__ = ["Shared", "Sharing"]

Array = NDArray[np.float64]
#: Coefficient [1 or m] below which a component that is not given yet takes no part in a balance: rounding.
NO_PART = 1e-9
#: Part of the largest singular value of E below which one is none.
RANK = 1e-12


@dataclass(frozen=True, eq=False)
class Shared:
    """Reactions.

    Attributes:
        components: (joint, component) -> value [N or N m].
        wrenches: by joint, [force, moment] of ``by`` on ``on``, at the joint's point along its axes.
        points: by joint, its point in the common frame [m].
        residual: by body, D_b - E_b x, at its origin in its axes [N, N m].
    """

    components: Mapping[tuple[str, str], float]
    wrenches: Mapping[str, Array]
    points: Mapping[str, Array]
    residual: Mapping[str, Array]


@dataclass(frozen=True)
class _Balance:
    """One equation of one body, and the components that it gives."""

    number: int
    step: Step
    shares: Mapping[tuple[str, str], float]
    component: str
    about: str


class Sharing:
    """The reactions of one mechanism by its rules.

    Balances are taken all at once: with x = S s, where a column of S holds the weights of one balance's
    components, the balances are L s = d, and L is lower triangular, as each of them has only components that
    it or a balance before it gives.

    Raises (all methods):
        StateError: a body, point or known force is missing in the situation, or a step takes a balance in
            which something plays a part that no step before it gives.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._cut = Cuts(rules)
        self._column = {taker: k for k, taker in enumerate(rules.unknowns)}
        joints = {name: k for k, name in enumerate(rules.joints)}
        given = {t: n for n, step in enumerate(rules.steps, 1) for t in step.shares}  # by which step
        self._known = [
            (number, self._column[taker], taker[0])
            for number, step in enumerate(rules.steps, 1)
            for taker in (step.shares if step.kind == "known" else ())
        ]
        self._open = np.ones(len(self._column), bool)
        self._open[[column for _, column, _ in self._known]] = False
        self._balances = tuple(_balances(rules))
        first = [next(iter(balance.shares))[0] for balance in self._balances]
        self._bodies = np.array([rules.bodies.index(balance.step.body) for balance in self._balances], int)
        self._frames = np.array([joints[joint] for joint in first], int)
        self._about = np.array([joints[balance.about] for balance in self._balances], int)
        self._axis = np.array(["xyz".index(balance.component[1]) for balance in self._balances], int)
        self._turns = np.array([balance.component[0] == "M" for balance in self._balances], bool)
        self._weights = np.zeros((len(self._column), len(self._balances)))  # S
        self._later = np.zeros(self._weights.T.shape, bool)  # what a balance must not have in it
        for row, balance in enumerate(self._balances):
            self._later[row] = [given[taker] >= balance.number for taker in self._column]
            for taker, weight in balance.shares.items():
                self._weights[self._column[taker], row] = weight
                self._later[row, self._column[taker]] = False

    def __call__(self, situation: Situation) -> Shared:
        """Step by step, as the rules say."""
        free, x = self._cut(situation), self._given(situation)
        if self._balances:
            axes = free.axes[self._frames, :, self._axis]
            rows = free.balances(self._bodies, axes, self._turns, free.at[self._about])[:, None]
            C = (rows @ free.matrix.reshape(-1, 6, len(x))[self._bodies])[:, 0]
            d = (rows @ free.demands.reshape(-1, 6, 1)[self._bodies])[:, 0, 0]
            L = np.tril(C @ self._weights)
            self._refuse(C, np.diagonal(L))
            x += self._weights @ np.linalg.solve(L, d - C @ x)
        return self._told(free, x)

    def least_norm(self, situation: Situation) -> Shared:
        """x = E^+ D: of all reactions in equilibrium those with the least sum of squares, N and N m alike.

        Known forces are what they are.
        """
        free, open_, x = self._cut(situation), self._open, self._given(situation)
        x[open_] = np.linalg.lstsq(free.matrix[:, open_], free.demands - free.matrix @ x, rcond=RANK)[0]
        return self._told(free, x)

    def self_stress(self, situation: Situation) -> Array:
        """Orthonormal columns (n, k): reactions that load nothing but the joints, E x = 0; known forces 0."""
        E = self._cut(situation).matrix[:, self._open]
        _, s, vt = np.linalg.svd(E)
        rank = int((s > RANK * s[0]).sum())
        found = np.zeros((len(self._open), E.shape[1] - rank))
        found[self._open] = vt[rank:].T
        return found

    def _given(self, situation: Situation) -> Array:
        """x (n,) with the known forces, 0 elsewhere."""
        x = np.zeros(len(self._column))
        for number, column, joint in self._known:
            if joint not in situation.known:
                raise StateError(
                    f"step {number} of '{self.rules.name}': the situation's known forces lack '{joint}'; "
                    f"they have {', '.join(situation.known) or 'nothing'}"
                )
            x[column] = situation.known[joint]
        return x

    def _refuse(self, C: Array, levers: Array) -> None:
        """Raise what the first balance is at fault with, if one is."""
        early = (np.abs(C) > NO_PART) & self._later
        wrong = early.any(axis=1) | (np.abs(levers) <= NO_PART)
        if not wrong.any():
            return
        row = int(np.argmax(wrong))
        balance = self._balances[row]
        where = f"step {balance.number} of '{self.rules.name}' ({balance.step})"
        if early[row].any():
            names = [".".join(taker) for taker, yet in zip(self._column, early[row], strict=True) if yet]
            raise StateError(
                f"{where}: {', '.join(names)} play a part in it, and no step before it gives them"
            )
        raise StateError(
            f"{where}: its joints have no lever in this balance ({levers[row]:.2g}); it is a dead point, or "
            "the wrong balance"
        )

    def _told(self, free: FreeBodies, x: Array) -> Shared:
        joints = self.rules.joints
        mine = self._cut.of_joints * x
        onto = np.transpose(free.axes, (0, 2, 1))
        force, moment = ((onto @ (mine @ part)[..., None])[..., 0] for part in (free.forces, free.moments))
        left = (free.demands - free.matrix @ x).reshape(-1, 6)
        return Shared(
            dict(zip(self._column, x.tolist(), strict=True)),
            dict(zip(joints, np.concatenate([force, moment], axis=1), strict=True)),
            dict(zip(joints, free.at, strict=True)),
            dict(zip(self.rules.bodies, left, strict=True)),
        )


def _balances(rules: Rules) -> Iterator[_Balance]:
    """In order; 'rest' is a balance for each component of its joint, about the joint itself."""
    for number, step in enumerate(rules.steps, 1):
        if step.kind == "balance":
            about = step.about or next(iter(step.shares))[0]
            yield _Balance(number, step, step.shares, step.component, about)
        elif step.kind == "rest":
            for taker in step.shares:
                yield _Balance(number, step, {taker: 1.0}, taker[1], taker[0])
