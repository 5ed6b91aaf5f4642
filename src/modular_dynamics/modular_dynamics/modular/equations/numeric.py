"""The closed form M(q) a + C(q, v) v + N(q) = tau: Meister & Gutenkunst, eqs. 30-39.

Corrections: N = S^T T^T (M T_H0 Vdot0 - F^e) in (39) (and -T^T F^e in (32)), for in (27) F^e acts on the body
from outside; ad*_V M in place of ad*_V in (38), as (32) has it.

The paper's C, S^T T^T (M T ad_Sq + ad*_V M) T S, gives the right C v, but Mdot - 2 C is not skew-symmetric:
Mdot = J^T M Jdot + (J^T M Jdot)^T with J = T S and Jdot = T ad_Sq T S, so that what remains is
-2 J^T ad*_V M J, and -ad_V^T M_i is not skew-symmetric. Any B_i with B_i V_i = -ad_{V_i}^T M_i V_i may stand
in its place. With b_i = B(M_i V_i) of :func:`.dual_bracket_matrix`, which is skew-symmetric,
B_i = (M_i ad_{V_i} - ad_{V_i}^T M_i - b_i) / 2 is skew-symmetric, too, and gives Christoffel's symbols: it
cancels the asymmetry -M_i [V_i, W_i] of M_i Jdot (that of Jdot is the Maurer-Cartan equation).
"""

from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...algebra.matrix_forms import skew
from ...exceptions import StateError
from ...model import SubsystemGraph, checked_vectors
from .forms import Array, ad, exp, gyroscopic
from .tree import TreeData, body_wrenches, tree_data

__all__ = ["ClosedForm", "Matrices", "dyads"]


class Matrices(NamedTuple):
    """The matrices of eqs. 30-35 at one position; blocks of six rows are bodies, columns of S joints.

    Attributes:
        T: (6n, 6n) block (i, j) is Ad_{H_{j,i}^-1} where j carries i, identities on the diagonal, else zero:
            lower triangular (eq. 35).
        T_H0: (6n, 6) Ad_{H_{0,i}^-1} (eq. 34). S: (6n, nv) unit twists. M: (6n, 6n) generalized masses.
    """

    T: Array
    T_H0: Array
    S: Array
    M: Array


class ClosedForm:
    """M, C and N of one robot as products of the paper's matrices; made by :func:`.closed_form`.

    Vectors are in joint_names' order. O(n^2) transformations, and dense products of them: this is the form
    to read and to compare; ``md.mass_matrix`` and the others are the fast ones.

    Attributes:
        tree: the data of the equations.
    """

    def __init__(self, graph: SubsystemGraph) -> None:
        self._graph, self.tree = graph, tree_data(graph)

    @cached_property
    def _constant(self) -> tuple[Array, Array]:
        """The matrices S and M, which do not depend on q."""
        n = len(self.tree.bodies)
        S, M = np.zeros((6 * n, n)), np.zeros((6 * n, 6 * n))
        for k in range(n):
            rows = slice(6 * k, 6 * k + 6)
            S[rows, self.tree.columns[k]], M[rows, rows] = self.tree.S[k], self.tree.M[k]
        return S, M

    def transformations(self, q: ArrayLike) -> Array:
        """Return H_ij (n + 1, n + 1, 4, 4) of bodies i, j on one path, 0 the base; zeros for others.

        H_ij = H_ix H_xj with x the body before j (eq. 21): each from its predecessor's, direct (x = i, from
        (18)) or indirect.
        """
        (q,) = checked_vectors(self._graph, q=q)
        n = len(self.tree.bodies)
        H = np.zeros((n + 1, n + 1, 4, 4))
        H[range(n + 1), range(n + 1)] = np.eye(4)
        for k, (parent, own) in enumerate(zip(self.tree.parents, dyads(self.tree, q), strict=True)):
            before = 0 if parent is None else parent + 1
            H[: k + 1, k + 1] = H[: k + 1, before] @ own  # zeros where they are on no common path
        return H

    def matrices(self, q: ArrayLike) -> Matrices:
        """Return T, T_H0, S and M. Raises StateError: q of the wrong shape, or not finite."""
        n, H = len(self.tree.bodies), self.transformations(q)
        R = np.swapaxes(H[..., :3, :3], -1, -2)
        blocks = np.zeros((n + 1, n + 1, 6, 6))  # Ad of the inverses: [[R^T, -R^T p^], [0, R^T]]
        blocks[..., :3, :3] = blocks[..., 3:, 3:] = R
        blocks[..., :3, 3:] = -R @ skew(H[..., :3, 3])
        T = blocks[1:, 1:].transpose(1, 2, 0, 3).reshape(6 * n, 6 * n)  # block (i, j) of H_ji
        T_H0 = blocks[0, 1:].reshape(6 * n, 6)
        return Matrices(T, T_H0, *self._constant)

    def M(self, q: ArrayLike) -> Array:
        """Return M(q) = S^T T^T M T S (nv, nv) (eq. 37), with the joints' armatures on the diagonal."""
        T, _, S, M = self.matrices(q)
        J = T @ S
        total: Array = J.T @ M @ J
        total[self.tree.columns, self.tree.columns] += self.tree.armature
        return total

    def C(self, q: ArrayLike, v: ArrayLike, form: str = "skew") -> Array:
        """Return C(q, v) (nv, nv) (eq. 38): S^T T^T (M T ad_Sq + B) T S.

        Args:
            form: "skew": the B in the head of this file, so that Mdot - 2 C is skew-symmetric; the matrix of
                ``md.coriolis_matrix``. "paper": B = ad*_V M, of which only C v is the same.

        Raises:
            StateError: q or v of the wrong shape or not finite, or another form.
        """
        if form not in ("skew", "paper"):
            raise StateError(f"form is {form!r}; 'skew' or 'paper' is needed")
        (v,) = checked_vectors(self._graph, v=v)
        T, _, S, M = self.matrices(q)
        J = T @ S
        V = (J @ v).reshape(-1, 6)
        ad_Sq, B = np.zeros_like(T), np.zeros_like(T)
        for k, twist in enumerate(V):
            rows, M_k = slice(6 * k, 6 * k + 6), self.tree.M[k]
            ad_Sq[rows, rows] = -ad(self.tree.S[k] * v[self.tree.columns[k]])
            B[rows, rows] = gyroscopic(M_k, twist) if form == "skew" else -ad(twist).T @ M_k
        C: Array = J.T @ (M @ T @ ad_Sq + B) @ J
        return C

    def N(self, q: ArrayLike, wrenches: Mapping[str, ArrayLike] | None = None) -> Array:
        """Return N(q) = S^T T^T (M T_H0 Vdot0 - F^e) (nv,) (eq. 39), with the springs of the joints.

        Args:
            wrenches: on links, see :func:`.body_wrenches`.

        Raises:
            StateError: q of the wrong shape or not finite, an unknown link.
        """
        T, T_H0, S, M = self.matrices(q)
        F = body_wrenches(self.tree, wrenches).ravel()
        N: Array = (T @ S).T @ (M @ T_H0 @ self.tree.Vdot0 - F)
        order = self.tree.columns
        N[order] += self.tree.stiffness * (np.asarray(q, np.float64)[order] - self.tree.rest_position)
        return N

    def tau(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, wrenches: Mapping[str, ArrayLike] | None = None
    ) -> Array:
        """Return tau (nv,) = M(q) a + C(q, v) v + N(q) (eq. 36), without friction. Errors as of the parts."""
        v, a = checked_vectors(self._graph, v=v, a=a)
        tau: Array = self.M(q) @ a + self.C(q, v) @ v + self.N(q, wrenches)
        return tau


def dyads(tree: TreeData, q: Array) -> Array:
    """Return the direct transformations H_i(0) exp(s_i q_i) (n, 4, 4), of body i's frame in its parent's."""
    own = [H0 @ exp(s, float(q[k])) for H0, s, k in zip(tree.H0, tree.S, tree.columns, strict=True)]
    return np.array(own).reshape(-1, 4, 4)
