"""Dynamics of robots with spherical and fixed loop joints, by Pinocchio and one linear system.

[M -J^T -E^T; J 0 0; E 0 0] [a; lambda; tau_p] = [tau_f - h; -Jdot v; a_p], E selects joints p.
"""

import numpy as np
import pinocchio

import modular_dynamics as md
from helpers.tree_dynamics import assert_close


class SaddlePoint:
    """M, h and the loops' rows at one state (q, v in the graph's order), all from Pinocchio."""

    def __init__(self, graph, q, v):
        bare = graph.tree
        pin = md.crosscheck.PinocchioModel(bare)
        nv = graph.nv
        self.order = pin.order.from_v(range(nv)).astype(int)
        theirs_q, theirs_v = pin.q(q), pin.v(v)
        M = pinocchio.crba(pin.model, pin.data, theirs_q)
        M = np.triu(M) + np.triu(M, 1).T
        self.M = M[np.ix_(self.order, self.order)]
        self.h = pinocchio.nle(pin.model, pin.data, theirs_q, theirs_v)[self.order]
        pinocchio.computeJointJacobians(pin.model, pin.data, theirs_q)
        pinocchio.forwardKinematics(pin.model, pin.data, theirs_q, theirs_v, np.zeros(nv))
        pinocchio.updateFramePlacements(pin.model, pin.data)
        rows, drift, self.open = [], [], 0.0
        for loop in graph.loop_joints:
            count = {"spherical": 3, "fixed": 6}[loop.type]
            ends = [self._end(pin, anchor) for anchor in (loop.predecessor, loop.successor)]
            rows.append((ends[1][0] - ends[0][0])[:count])
            drift.append((ends[1][1] - ends[0][1])[:count])
            self.open = max(self.open, np.abs(ends[1][2] - ends[0][2]).max())
        self.J, self.drift = np.vstack(rows)[:, self.order], np.concatenate(drift)

    def _end(self, pin, anchor):
        """Jacobian, acceleration without a and position of an anchor's origin."""
        frame = pin.model.getFrameId(anchor.link)
        aligned = pinocchio.ReferenceFrame.LOCAL_WORLD_ALIGNED
        pose, J = pin.data.oMf[frame], pinocchio.getFrameJacobian(pin.model, pin.data, frame, aligned)
        arm = pose.rotation @ np.array(md.algebra.translation(anchor.x_link_anchor))
        velocity = pinocchio.getFrameVelocity(pin.model, pin.data, frame, aligned)
        classical = pinocchio.getFrameClassicalAcceleration(pin.model, pin.data, frame, aligned)
        w = velocity.angular
        moved = classical.linear + np.cross(classical.angular, arm) + np.cross(w, np.cross(w, arm))
        rows = np.vstack([J[:3] - pinocchio.skew(arm) @ J[3:], J[3:]])
        return rows, np.concatenate([moved, classical.angular]), pose.translation + arm

    def solve(self, known_a, a, tau):
        """a (nv,) and torques of the joints whose accelerations are known, by mask (nv,).

        Returns both, and the residual of the system.
        """
        nv, rows = len(self.M), np.vstack([self.J, np.eye(len(self.M))[known_a]])
        saddle = np.block([[self.M, -rows.T], [rows, np.zeros((len(rows), len(rows)))]])
        right = np.concatenate([np.where(known_a, 0.0, tau) - self.h, -self.drift, a[known_a]])
        solution = np.linalg.lstsq(saddle, right, 1e-13)[0]
        return solution[:nv], solution[nv + len(self.J) :], np.abs(saddle @ solution - right).max()


def assert_moves_as_pinocchio_allows(graph, closed, seed=0):
    """Rank, motion, torques and mass matrix of loops near closed coordinates, against Pinocchio's terms."""
    independent = closed[[k for name in graph.independent for k in range(graph.nq)[graph.q_slice(name)]]]
    size = sum(graph.joint(name).type.nv for name in graph.independent)
    v, a = np.random.default_rng(seed).normal(size=(2, size))
    result = md.InverseDynamics(graph).solve(independent, v, a, guess=closed)
    oracle, W = SaddlePoint(graph, result.coordinates, result.velocities), result.projection
    assert np.linalg.matrix_rank(oracle.J, 1e-6) == graph.nv - size == result.rank
    assert oracle.open < 1e-10
    assert np.abs(oracle.J @ W).max(initial=0.0) < 1e-10
    assert np.abs(oracle.J @ result.velocities).max(initial=0.0) < 1e-10
    assert_close(oracle.J @ result.accelerations, -oracle.drift, 1e-10, 1.0)
    assert np.abs(oracle.J @ result.accelerations + oracle.drift).max(initial=0.0) < 1e-9
    assert_close(result.tau, W.T @ (oracle.M @ result.accelerations + oracle.h), 1e-10)
    assert_close(md.mass_matrix(graph, independent, guess=closed), W.T @ oracle.M @ W, 1e-10)
