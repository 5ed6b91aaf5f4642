"""dynibo from Python: a library in Rust (MIT licence), with three calls of ours for a single state."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import modular_dynamics as md
from benchmark.peers.mujoco_peer import UnsupportedRobotError
from benchmark.setting.robots import Array, States
from benchmark.setting.timing import Timed

try:
    import dynibo
except ImportError:  # an optional peer
    dynibo = None

#: Its gravity, along -z [m/s^2]; it cannot be changed.
GRAVITY = 9.80665


class DyniboPeer:
    """dynibo's robot of a graph, on the first state; results are arrays allocated before timing.

    Raises UnsupportedRobotError: dynibo is not installed, or reads the robot's joints otherwise.
    """

    def __init__(self, graph: md.SubsystemGraph, states: States) -> None:
        if dynibo is None:
            raise UnsupportedRobotError("dynibo is not installed")
        if np.any(graph.gravity[:2]):
            raise UnsupportedRobotError("dynibo: its gravity is along -z")
        with TemporaryDirectory() as folder:
            path = Path(folder) / "robot.urdf"
            path.write_text(graph.urdf, encoding="utf-8")
            try:
                self._robot: Any = dynibo.Robot.from_urdf(str(path))
            except dynibo.DyniboError as error:
                raise UnsupportedRobotError(f"dynibo: {' '.join(str(error).split())}") from None
        if self._robot.generalized_count != graph.nv or graph.nq != graph.nv:
            raise UnsupportedRobotError("dynibo reads neither mimic nor floating joints from a URDF")
        self._order = _order(graph, self._robot)
        theirs = np.argsort(self._order)
        self._state = tuple(np.ascontiguousarray(x[theirs]) for x in states.first)
        # torques are linear in gravity: what its own value lacks is added to results, and not timed
        lacking = -float(graph.gravity[2]) / GRAVITY - 1.0
        self._lacking = lacking * self._robot.gravity(self._state[0])
        q, v, a = self._state
        self._given = self._robot.inverse_dynamics(q, v, a)
        nv = graph.nv
        self._tau, self._acceleration, self._matrix = np.empty(nv), np.empty(nv), np.empty(nv * nv)

    def timed(self) -> Timed:
        """Single calls: it has none for many states."""
        return {
            "dynibo inverse_dynamics": (self._inverse(), 1),
            "dynibo mass_matrix": (self._mass_matrix(), 1),
            "dynibo forward_dynamics": (self._forward(), 1),
        }

    def _inverse(self) -> Callable[[], object]:
        (q, v, a), call, out = self._state, self._robot.inverse_dynamics, self._tau
        return lambda: call(q, v, a, out=out)

    def _mass_matrix(self) -> Callable[[], object]:
        q, call, out = self._state[0], self._robot.mass_matrix, self._matrix
        return lambda: call(q, out=out)

    def _forward(self) -> Callable[[], object]:
        (q, v, _), call, given, out = (
            self._state,
            self._robot.forward_dynamics,
            self._given,
            self._acceleration,
        )
        return lambda: call(q, v, given, out=out)

    def results(self) -> dict[str, Array]:
        """Results for the first state, in the graph's order and gravity: quantity -> array."""
        for call in (self._inverse(), self._mass_matrix(), self._forward()):
            call()
        order, nv = self._order, len(self._order)
        return {
            "torques": (self._tau + self._lacking)[order],
            "mass matrix": self._matrix.reshape(nv, nv)[np.ix_(order, order)],
            # the given torques are those of its own gravity
            "accelerations": self._acceleration[order],
        }


def _order(graph: md.SubsystemGraph, robot: Any) -> np.ndarray:
    """Its index of each joint: the column of its link's Jacobian that links before it have not."""
    q, n = np.full(graph.nv, 0.1), graph.nv
    columns: dict[str, set[int]] = {}
    order = []
    for joint in graph.joints:
        J = robot.jacobian(q, robot.link_id(joint.child_link)).reshape(n, 6)  # columns one after another
        columns[joint.child_link] = own = set(np.flatnonzero(np.abs(J).max(axis=1) > 0.0).tolist())
        before = set().union(*(found for found in columns.values() if found < own))
        if len(left := own - before) != 1:
            raise UnsupportedRobotError(f"dynibo: it is not clear which joint '{joint.name}' is")
        order.append(left.pop())
    return np.array(order)
