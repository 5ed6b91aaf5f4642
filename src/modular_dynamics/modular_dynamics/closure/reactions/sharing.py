"""Reactions of an over-constrained mechanism, shared by rules; of the least norm; and the self-stresses.

The equations. Body b needs the wrench D_b, [force, moment] about its origin o_b in its axes: its own inertia
and weight, and the load that it carries (Goncalves et al., right-hand sides of eqs. 1, 2). With x_k the
k-th component of the joints, f_k and m_k its force and moment per unit on ``on`` at p_k, and s_bk = 1 where b
is ``on``, -1 where b is ``by``, equilibrium of all bodies is

    D_b = sum_k s_bk [f_k, m_k + (p_k - o_b) x f_k] x_k   for each b,   that is   D = E x.

E has more columns than independent rows where the mechanism is over-constrained. Rules select one x (each
step uses one of the equations for the components that it gives); x = E^+ D, of the least norm, is another.
Two such x differ by a self-stress, E x = 0: forces of the joints on each other that need no load.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...dynamics.arrays.arguments import Array
from ...exceptions import StateError
from ...kernels.reactions.sharing import NO_PART, Balances
from .free_bodies import FreeBodies, FreeBodyCuts, LoadCase
from .sharing_rules import Rules, Step

__all__ = ["SharedReactions", "ReactionSharing"]

#: Singular value of E, relative to the largest, below which it counts as zero.
RANK = 1e-12


@dataclass(frozen=True, eq=False)
class SharedReactions:
    """Reactions of all joints of the rules.

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


class ReactionSharing:
    """The reactions of one mechanism by its rules.

    All balances are solved at once: with x = S s, where a column of S holds the weights of one balance's
    components, the balances are L s = d, and L is lower triangular, as each of them contains only components
    that it or a balance before it gives.

    Attributes:
        cuts: cut the bodies free. columns: of each (joint, component) its place in x.

    Raises (all methods):
        StateError: a body, point or known force is missing in the load case, or a balance contains a
            component that is given later.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.cuts = FreeBodyCuts(rules)
        self.columns = {taker: k for k, taker in enumerate(rules.unknowns)}
        joints = {name: k for k, name in enumerate(rules.joints)}
        given_by = {t: n for n, step in enumerate(rules.steps, 1) for t in step.shares}
        self._known = [
            (number, self.columns[taker], taker[0])
            for number, step in enumerate(rules.steps, 1)
            for taker in (step.shares if step.kind == "known" else ())
        ]
        self._is_open = np.ones(len(self.columns), bool)
        self._is_open[[column for _, column, _ in self._known]] = False
        self._balances = tuple(_balances(rules))
        steps = [step for _, step in self._balances]
        first = [next(iter(step.shares))[0] for step in steps]
        about = [step.about or joint for step, joint in zip(steps, first, strict=True)]
        self._bodies = np.array([rules.bodies.index(step.body) for step in steps], int)
        self._frames, self._about = (np.array([joints[j] for j in names], int) for names in (first, about))
        self._axis = np.array(["xyz".index(step.component[1]) for step in steps], int)
        self._is_moment = np.array([step.component[0] == "M" for step in steps], bool)
        self._weights = np.zeros((len(self.columns), len(steps)))  # S
        self._is_later = np.zeros(self._weights.T.shape, bool)  # components that a balance must not contain
        for row, (number, step) in enumerate(self._balances):
            self._is_later[row] = [given_by[taker] >= number for taker in self.columns]
            for taker, weight in step.shares.items():
                self._weights[self.columns[taker], row] = weight
                self._is_later[row, self.columns[taker]] = False

    @property
    def known_joints(self) -> dict[str, int]:
        """The joints whose forces are known, and their places in x."""
        return {joint: column for _, column, joint in self._known}

    @property
    def balances(self) -> Balances:
        """The balances as arrays of the kernel."""
        return Balances(
            bodies=self._bodies,
            frames=self._frames,
            axes=self._axis,
            about=self._about,
            moments=self._is_moment.astype(np.int64),
            weights=self._weights,
            later=self._is_later.astype(np.int64),
        )

    def __call__(self, load_case: LoadCase) -> SharedReactions:
        """The reactions by the rules, step by step."""
        free, x = self.cuts(load_case), self._given(load_case)
        C, levers, x = self.shared(free, x)
        self._check_balances(C, levers)
        return self._result(free, x)

    def shared(self, free: FreeBodies, x: Array) -> tuple[Array, Array, Array]:
        """Coefficients C of the balances, their lever arms, and the components; x: with the known forces.

        Of one load case, or of many. Where a balance has no lever arm, x is not finite.
        """
        axes = free.axes.swapaxes(-1, -2)[..., self._frames, self._axis, :]
        rows = free.balances(self._bodies, axes, self._is_moment, free.at[..., self._about, :])[..., None, :]
        lead = x.shape[:-1]
        matrix, required = free.matrix.reshape(*lead, -1, 6, x.shape[-1]), free.required.reshape(*lead, -1, 6)
        C = (rows @ matrix[..., self._bodies, :, :])[..., 0, :]
        d = (rows @ required[..., self._bodies, :, None])[..., 0, 0]
        L = np.tril(C @ self._weights)
        levers = np.diagonal(L, axis1=-2, axis2=-1)
        no_lever = np.asarray((np.abs(levers) <= NO_PART).any(axis=-1))
        solvable = np.where(no_lever[..., None, None], np.eye(L.shape[-1]), L)
        unknown = d - (C @ x[..., None])[..., 0]
        s = np.linalg.solve(solvable, unknown[..., None])[..., 0]
        s = np.where(no_lever[..., None], np.nan, s)
        return C, levers, x + s @ self._weights.T

    def least_norm(self, load_case: LoadCase) -> SharedReactions:
        """x = E^+ D: of all reactions in equilibrium those with the least sum of squares, N and N m alike.

        Known forces keep their values.
        """
        free, is_open, x = self.cuts(load_case), self._is_open, self._given(load_case)
        x[is_open] = np.linalg.lstsq(free.matrix[:, is_open], free.required - free.matrix @ x, rcond=RANK)[0]
        return self._result(free, x)

    def self_stress(self, load_case: LoadCase) -> Array:
        """Orthonormal columns (n, k): reactions without load, E x = 0, with all known forces zero."""
        E = self.cuts(load_case).matrix[:, self._is_open]
        _, s, vt = np.linalg.svd(E)
        rank = int((s > RANK * s[0]).sum())
        columns = np.zeros((len(self._is_open), E.shape[1] - rank))
        columns[self._is_open] = vt[rank:].T
        return columns

    def _given(self, load_case: LoadCase) -> Array:
        """x (n,) with the known forces, 0 elsewhere."""
        x = np.zeros(len(self.columns))
        for number, column, joint in self._known:
            if joint not in load_case.known:
                raise StateError(
                    f"step {number} of '{self.rules.name}': the load case has no known force of '{joint}'; "
                    f"it has those of: {', '.join(load_case.known) or 'none'}"
                )
            x[column] = load_case.known[joint]
        return x

    def wrong_balances(self, C: Array, levers: Array) -> NDArray[np.bool_]:
        """Which balances contain components that are given later, or have no lever arm."""
        early = (np.abs(C) > NO_PART) & self._is_later
        return np.asarray(early.any(axis=-1) | (np.abs(levers) <= NO_PART))

    def _check_balances(self, C: Array, levers: Array) -> None:
        """Raise the fault of the first balance that has one."""
        wrong = self.wrong_balances(C, levers)
        if not wrong.any():
            return
        early = (np.abs(C) > NO_PART) & self._is_later
        row = int(np.argmax(wrong))
        number, step = self._balances[row]
        where = f"step {number} of '{self.rules.name}' ({step})"
        if early[row].any():
            names = [".".join(self.rules.unknowns[k]) for k in np.flatnonzero(early[row])]
            raise StateError(f"{where}: it contains {', '.join(names)}, which no step before it gives")
        raise StateError(
            f"{where}: its joints have no lever arm in this balance ({levers[row]:.2g}): a dead point, or "
            "the wrong balance"
        )

    def wrenches_and_residual(self, free: FreeBodies, x: Array) -> tuple[Array, Array]:
        """Of each joint [force, moment] in its axes (j, 6); of each body D_b - E_b x (b, 6)."""
        by_joint = self.cuts.of_joints * x[..., None, :]
        onto = free.axes.swapaxes(-1, -2)
        parts = [(onto @ (by_joint @ part)[..., None])[..., 0] for part in (free.forces, free.moments)]
        residual = free.required - (free.matrix @ x[..., None])[..., 0]
        return np.concatenate(parts, axis=-1), residual.reshape(*x.shape[:-1], -1, 6)

    def _result(self, free: FreeBodies, x: Array) -> SharedReactions:
        wrenches, residual = self.wrenches_and_residual(free, x)
        joints = self.rules.joints
        return SharedReactions(
            dict(zip(self.columns, x.tolist(), strict=True)),
            dict(zip(joints, wrenches, strict=True)),
            dict(zip(joints, free.at, strict=True)),
            dict(zip(self.rules.bodies, residual, strict=True)),
        )


def _balances(rules: Rules) -> Iterator[tuple[int, Step]]:
    """In order, with the numbers of their steps; 'rest' is one for each component, about the joint itself."""
    for number, step in enumerate(rules.steps, 1):
        if step.kind == "balance":
            yield number, step
        elif step.kind == "rest":
            for joint, component in step.shares:
                shares = {(joint, component): 1.0}
                yield number, replace(step, kind="balance", shares=shares, component=component, about=joint)
