"""Base inertial parameters: the fewest combinations of inertial parameters on which torques depend."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..exceptions import StateError
from ..model import SubsystemGraph
from .arguments import Array, checked_seed, has_loops, of_loops
from .regressor import JOINT_PARAMETERS, PARAMETERS, inertial_parameters, regressor

#: A column is independent if the part of it that the columns before it do not span is larger than this,
#: relative to the column. A parameter has an effect if its column is larger, relative to the largest one.
INDEPENDENT = 1e-8
#: Parts up to this relative size are rounding; between the two limits independence is uncertain.
UNCLEAR = 1e-11
#: Entries of a combination up to this relative size are rounding.
ROUNDING = 1e-9
#: Rows of the regressor for each parameter, and the least number of random states.
ROWS, STATES = 4, 40


@dataclass(frozen=True, eq=False)
class BaseParameters:
    """What `base_parameters` finds: tau = Y[:, independent] beta, beta = combination theta.

    Y and theta are those of ``regressor`` and ``inertial_parameters``, with the same ``joint_terms``.

    Attributes:
        names: of all entries of theta, "parameter(body)", then "parameter(joint)".
        independent (b,): indices in theta of one parameter for each base parameter, in which it is 1.
        combination (b, 10 n or 15 n): beta = combination theta, for any theta.
        values (b,): beta of the graph's own theta [kg, kg m, kg m^2].
        without_effect: indices of parameters that no torque depends on.
    """

    names: tuple[str, ...]
    independent: NDArray[np.int64]
    combination: Array
    values: Array
    without_effect: NDArray[np.int64]

    @cached_property
    def expressions(self) -> tuple[str, ...]:
        """Each base parameter as text: "Izz(upper_arm) + 0.36 m(forearm) - ..."."""
        return tuple(self._expression(row) for row in self.combination)

    def _expression(self, row: Array) -> str:
        """Return a row of ``combination`` as text."""
        terms = [(row[k], self.names[k]) for k in np.flatnonzero(row)]
        text = "".join(
            f" {'-' if factor < 0.0 else '+'} {'' if abs(factor) == 1.0 else f'{abs(factor):.6g} '}{name}"
            for factor, name in terms
        )
        return text[3:] if text.startswith(" + ") else text[1:]

    def __str__(self) -> str:
        pairs = zip(self.values.tolist(), self.expressions, strict=True)
        return "\n".join(f"{value:+.6e} = {expression}" for value, expression in pairs)


def base_parameters(
    graph: SubsystemGraph, seed: int = 0, *, joint_terms: bool = False, guess: ArrayLike | None = None
) -> BaseParameters:
    """Return the base inertial parameters of a robot, numerically.

    By QR (Gautier, Numerical calculation of the base inertial parameters of robots, 1991): the columns of
    ``regressor`` at random states within the limits, body after body, are made orthogonal; a column that
    depends on those before it adds its parameter to theirs. Of parameters that the torques determine only in
    combination the first is kept, so that parameters of outer bodies are added to those of inner ones.

    Args:
        seed: of the random states. Another one gives the same, as long as the rank is clear.
        joint_terms: with armature, friction and springs of the joints, as of ``regressor``.
        guess: with closed loops, which couple joints and so have fewer, closed coordinates of all joints
            round which poses are drawn; by default those from which loops are closed without a guess.

    Raises:
        StateError: a black box in the graph, or a rank that is not clear: two columns nearly dependent;
            a seed that is no whole number from 0 on.
        ClosureError: too few random poses in which loops close.
    """
    if has_loops(graph):
        result: BaseParameters = of_loops("base_parameters")(graph, seed, joint_terms, guess)
        return result
    rng, size = np.random.default_rng(checked_seed(seed)), (15 if joint_terms else 10) * len(graph.bodies)
    count = max(STATES, -(-ROWS * size // max(graph.nv, 1)))
    q = graph.random_configuration(rng, count)
    v, a = rng.uniform(-3.0, 3.0, (2, count, graph.nv))
    Y = regressor(graph, q, v, a, joint_terms=joint_terms)
    return reduced_parameters(graph, Y.reshape(count * graph.nv, size), joint_terms)


def reduced_parameters(graph: SubsystemGraph, rows: Array, joint_terms: bool) -> BaseParameters:
    """Return a graph's base parameters, from ``rows`` of regressors (count, 10 n or 15 n) of many states.

    Raises:
        StateError: a rank that is not clear.
    """
    size = rows.shape[1]
    R: Array = np.zeros((0, size))
    if rows.size:
        R = np.asarray(np.linalg.qr(rows, mode="r"), np.float64)
    norms = np.linalg.norm(R, axis=0)
    sizes = norms / max(norms.max(initial=0.0), 1e-300)
    without_effect = sizes <= INDEPENDENT
    basis, kept, unexplained = np.zeros((len(R), 0)), list[int](), np.zeros(size)
    for k in np.flatnonzero(~without_effect):
        column = R[:, k] / norms[k]
        for _ in range(2):  # repeated because of rounding
            column = column - basis @ (basis.T @ column)
        unexplained[k] = np.linalg.norm(column)
        if unexplained[k] > INDEPENDENT:
            kept.append(int(k))
            basis = np.column_stack([basis, column / unexplained[k]])
    left_out = np.setdiff1d(np.flatnonzero(~without_effect), kept)
    smallest = float(unexplained[kept].min(initial=1.0))
    largest = float(max(unexplained[left_out].max(initial=0.0), sizes[without_effect].max(initial=0.0)))
    if largest > UNCLEAR or smallest < 1e3 * largest:
        raise StateError(
            f"the number of base parameters of '{graph.name}' is not clear: columns of its regressor are "
            f"independent by {smallest:.1e} and dependent by {largest:.1e}; joints nearly in line, or "
            "lengths of very different sizes"
        )
    combination = np.zeros((len(kept), size))
    combination[:, kept] = np.eye(len(kept))
    if len(left_out):
        factors = np.linalg.lstsq(R[:, kept] / norms[kept], R[:, left_out] / norms[left_out], rcond=None)[0]
        factors[np.abs(factors) < ROUNDING] = 0.0
        factors = factors * norms[left_out] / norms[kept][:, None]
        whole = np.round(factors)
        combination[:, left_out] = np.where(np.abs(factors - whole) < ROUNDING, whole, factors)
    names = tuple(f"{what}({body.name})" for body in graph.bodies for what in PARAMETERS)
    if joint_terms:
        names += tuple(f"{what}({joint.name})" for joint in graph.joints for what in JOINT_PARAMETERS)
    values = combination @ inertial_parameters(graph, joint_terms=joint_terms)
    return BaseParameters(
        names, np.array(kept, np.int64), combination, values, np.flatnonzero(without_effect)
    )
