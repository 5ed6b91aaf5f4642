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

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..exceptions import StateError
from .free_bodies import FreeBodies, Situation, free_bodies
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
        residual: by body, D_b - E_b x, at its origin in its axes [N, N m].
    """

    components: Mapping[tuple[str, str], float]
    wrenches: Mapping[str, Array]
    residual: Mapping[str, Array]


class Sharing:
    """The reactions of one mechanism by its rules.

    Raises (all methods):
        StateError: a body, point or known force is missing in the situation, or a step takes a balance in
            which something plays a part that no step before it gives.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._column = {taker: k for k, taker in enumerate(rules.unknowns)}
        known = {taker for step in rules.steps if step.kind == "known" for taker in step.shares}
        self._open = np.array([taker not in known for taker in rules.unknowns])

    def __call__(self, situation: Situation) -> Shared:
        """Step by step, as the rules say."""
        free = free_bodies(self.rules, situation)
        x, given = np.zeros(len(self._column)), np.zeros(len(self._column), bool)
        for number, step in enumerate(self.rules.steps, 1):
            if step.kind == "known":
                for joint, component in step.shares:
                    x[self._column[joint, component]] = self._known(situation, number, joint)
            elif step.kind == "balance":
                joint = step.about or next(iter(step.shares))[0]
                self._take(number, step, step.shares, step.component, joint, free, x, given)
            elif step.kind == "rest":
                for taker in step.shares:
                    self._take(number, step, {taker: 1.0}, taker[1], taker[0], free, x, given)
            given[[self._column[taker] for taker in step.shares]] = True
        return self._told(free, x)

    def least_norm(self, situation: Situation) -> Shared:
        """x = E^+ D: of all reactions in equilibrium those with the least sum of squares, N and N m alike.

        Known forces are what they are.
        """
        free, open_ = free_bodies(self.rules, situation), self._open
        x = np.zeros(len(open_))
        for number, step in enumerate(self.rules.steps, 1):
            for taker in step.shares if step.kind == "known" else ():
                x[self._column[taker]] = self._known(situation, number, taker[0])
        x[open_] = np.linalg.lstsq(free.matrix[:, open_], free.demands - free.matrix @ x, rcond=RANK)[0]
        return self._told(free, x)

    def self_stress(self, situation: Situation) -> Array:
        """Orthonormal columns (n, k): reactions that load nothing but the joints, E x = 0; known forces 0."""
        E = free_bodies(self.rules, situation).matrix[:, self._open]
        _, s, vt = np.linalg.svd(E)
        rank = int((s > RANK * s[0]).sum())
        found = np.zeros((len(self._open), E.shape[1] - rank))
        found[self._open] = vt[rank:].T
        return found

    def _known(self, situation: Situation, number: int, joint: str) -> float:
        if joint not in situation.known:
            raise StateError(
                f"step {number} of '{self.rules.name}': the situation's known forces lack '{joint}'; "
                f"they have {', '.join(situation.known) or 'nothing'}"
            )
        return float(situation.known[joint])

    def _take(
        self,
        number: int,
        step: Step,
        shares: Mapping[tuple[str, str], float],
        component: str,
        about: str,
        free: FreeBodies,
        x: Array,
        given: NDArray[np.bool_],
    ) -> None:
        """Give x the values that fulfil one balance: x_k = w_k s, s = (D - what is given) / sum c_k w_k."""
        columns = [self._column[taker] for taker in shares]
        weights = np.array(list(shares.values()))
        axes = free.axes[next(iter(shares))[0]]
        c, d = free.balance(self.rules.bodies.index(step.body), component, axes, free.at[about])
        open_ = ~given & (np.abs(c) > NO_PART)
        open_[columns] = False
        if open_.any():
            names = [".".join(taker) for taker, yet in zip(self._column, open_, strict=True) if yet]
            raise StateError(
                f"step {number} of '{self.rules.name}' ({step}): {', '.join(names)} play a part in it, and "
                "no step before it gives them"
            )
        lever = float(c[columns] @ weights)
        if abs(lever) <= NO_PART:
            raise StateError(
                f"step {number} of '{self.rules.name}' ({step}): its joints have no lever in this balance "
                f"({lever:.2g}); it is a dead point, or the wrong balance"
            )
        x[columns] = weights * ((d - float(c[given] @ x[given])) / lever)

    def _told(self, free: FreeBodies, x: Array) -> Shared:
        wrenches: dict[str, Array] = {}
        for joint in self.rules.joints.values():
            mine = [self._column[joint.name, component] for component in joint.bears]
            R = free.axes[joint.name]
            parts = R.T @ (x[mine] @ free.forces[mine]), R.T @ (x[mine] @ free.moments[mine])
            wrenches[joint.name] = np.concatenate(parts)
        left = (free.demands - free.matrix @ x).reshape(-1, 6)
        values = dict(zip(self._column, x.tolist(), strict=True))
        return Shared(values, wrenches, dict(zip(self.rules.bodies, left, strict=True)))
