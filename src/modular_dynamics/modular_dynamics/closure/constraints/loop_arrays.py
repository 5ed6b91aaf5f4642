"""A graph with closed loops as the arrays that its kernels take, and room for them, allocated beforehand."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...dynamics.arrays.model_arrays import alignments_of, constants_of, topology_of, work_of
from ...exceptions import StateError, UnsupportedModelError
from ...kernels import layout
from ...kernels.loops import closed_loop
from ...kernels.loops.constraint_rows import COUPLING, MOTION_COLUMNS
from ...model import JointType, SubsystemGraph
from .gearing import eliminated
from .passive_joints import PassiveJoints
from .rows import Rows, loop_rows, spring_rows

__all__ = ["LoopArrays"]

Array = NDArray[np.float64]


class LoopArrays:
    """The arrays of one graph, its coordinates split, and room for the kernels. Not for several threads.

    Attributes:
        tree: the graph without loops, gears and springs.
        rows, springs: the conditions and the springs' lengths.
        independent_q, independent_v: where the independent joints' coordinates stand in q and in v.
        idle, moves (of independent_q): is it in no loop and no gear? How far one unit of it moves loops.
        dependent: names of the others. arrays: (tree, loops, split), as kernels/closed_loop takes them.
        units, row_scale: see `_scales`. gearing: gears met exactly. passive: the joints that loops determine.
        laws (s, 4): stiffness, free length, initial force and damping of the springs. alignments: of the
        joints, see dynamics/arrays.py.

    Raises:
        UnsupportedModelError: a black box, or a passive joint that has several coordinates.
        StateError: independent joints that are none.
    """

    def __init__(self, graph: SubsystemGraph) -> None:
        boxes = [subsystem.name for subsystem in graph.subsystems if subsystem.black_box]
        if boxes:
            raise UnsupportedModelError(
                f"closed loops of '{graph.name}' are not solved: its black boxes are {', '.join(boxes)}"
            )
        self.graph, self.tree = graph, graph.tree
        self.rows: Rows = loop_rows(graph)
        self.springs: Rows = spring_rows(graph)
        mine = graph.independent_joint_names
        self.dependent = tuple(name for name in graph.joint_names if name not in mine)
        self.independent_q = self._places(mine, graph.q_slice)
        self.independent_v = self._places(mine, graph.v_slice)
        single = [name for name in mine if graph.joint(name).type is not JointType.FLOATING]
        floating = [name for name in self.dependent if graph.joint(name).type is JointType.FLOATING]
        if floating:
            raise UnsupportedModelError(f"the floating joint '{floating[0]}' cannot be passive or geared")
        self.single_q = self._places(single, graph.q_slice)
        tree = topology_of(graph, frozenset()), constants_of(graph)
        dependent_v = self._places(self.dependent, graph.v_slice)
        self.laws = np.array(
            [[s.stiffness, s.free_length, s.initial_force, s.damping] for s in graph.springs]
        ).reshape(-1, 4)
        single_v = self._places(single, graph.v_slice)
        J, size = self._anywhere(tree)
        floats = [name for name in mine if name not in single]
        self.idle = np.isin(self.independent_q, self.single_q[~(J[:, single_v] != 0.0).any(axis=0)])
        self.floats_in_loops = any(size[graph.v_slice(name)].any() for name in floats)
        self.quaternions = [slice(graph.q_slice(name).start + 3, graph.q_slice(name).stop) for name in floats]
        own = [self.dependent.index(g.joint) if g.joint in self.dependent else None for g in graph.gears]
        self.units, self.row_scale = self._scales(J, size > 0.0)
        self.gearing = eliminated(J[self.coupling][:, dependent_v], own, size[dependent_v] > 0.0)
        geared = abs(self.gearing.meeting @ J[self.coupling][:, single_v])
        moves = np.maximum(size[single_v], (size[dependent_v, None] * geared).max(axis=0, initial=0.0))
        self.moves = np.full(len(self.independent_q), float(self.floats_in_loops))
        self.moves[np.isin(self.independent_q, self.single_q)] = moves
        self.passive = PassiveJoints(graph, [self.dependent[k] for k in self.gearing.left])
        free = len(self.gearing.left)
        self.room, self.stretch = self._room(self.rows, free), self._room(self.springs, free)
        split = (
            self.single_q,
            single_v,
            self._places(self.dependent, graph.q_slice),
            dependent_v,
            self.independent_v,
            size[single_v],
            np.maximum(size[dependent_v], np.isin(range(len(dependent_v)), self.gearing.left)),
            self.gearing.T,
            self.gearing.meeting,
            self.row_scale,
            self.units[dependent_v],
        )
        self.arrays = tree, self.rows.arrays, split
        self.buffer = work_of(graph)
        self.alignments = alignments_of(graph)

    def _scales(self, J: Array, in_loops: NDArray[np.bool_]) -> tuple[Array, Array]:
        """Units of velocities (nv,) and factors of rows (m,): one, but for what gears drive and for gears.

        What moves no loop counts in parts of what it does for one unit of the joints that it is geared to,
        and a gear's largest entry is one: a large ratio must not make all else look small beside it.
        """
        gears, units = J[self.coupling], np.ones(self.graph.nv)
        own = [self.graph.v_slice(gear.joint).start for gear in self.graph.gears]
        most = np.abs(eliminated(gears, own, in_loops).T).max(axis=1, initial=0.0)
        units[~in_loops & (most > 0.0)] = most[~in_loops & (most > 0.0)]
        factors = np.ones(len(J))
        factors[self.coupling] = 1.0 / np.abs(gears * units).max(axis=1, initial=0.0)
        return units, factors

    @property
    def split(self) -> tuple[NDArray[Any], ...]:
        """Places of independent joints of one coordinate in q, v; and others: see kernels/closed_loop.py."""
        return self.arrays[2]

    def _places(self, names: tuple[str, ...] | list[str], place: Any) -> NDArray[np.int64]:
        return np.array([k for name in names for k in range(*place(name).indices(1 << 40))], np.int64)

    def _room(self, rows: Rows, free: int) -> tuple[NDArray[Any], ...]:
        graph, n = self.graph, len(self.graph.joints)
        m, d = len(rows.rows), len(self.dependent)
        return (
            np.zeros(layout.STATE_BLOCKS * layout.padded(n)),
            np.zeros(n * MOTION_COLUMNS),
            np.zeros(m),
            np.zeros((m, graph.nv)),
            np.zeros(m),
            np.zeros((m, d), order="F"),  # worked on column by column
            np.zeros(d),
            np.zeros(d, np.int64),
            np.zeros(m),
            np.zeros(d),
            np.zeros(graph.nv),
            np.zeros(graph.nq),
            np.zeros((m, d)),
            np.zeros((m, free), order="F"),
            np.zeros(free),
            np.zeros(free, np.int64),
            np.zeros(free),
        )

    @property
    def coupling(self) -> NDArray[np.bool_]:
        """Which rows are gears'."""
        return np.asarray(self.rows.rows[:, 0] == COUPLING)

    def _anywhere(self, tree: tuple[Any, Any]) -> tuple[Array, Array]:
        """J at a pose that is nothing special, and how far each coordinate (nv,) moves loops: see SPLIT."""
        graph, room = self.graph, self._room(self.rows, 0)
        q = graph.neutral()
        q[[graph.q_slice(name).start for name in graph.joint_names]] = 0.7 + 0.1 * np.arange(
            len(graph.joint_names)
        )
        closed_loop.rows_of(tree, self.rows.arrays, q, np.zeros(graph.nv), room)
        size = (room[3][~self.coupling] != 0.0).any(axis=0).astype(float)
        for joint in graph.joints:
            if joint.mimic is not None:
                size[graph.v_slice(joint.mimic.joint)] *= max(1.0, abs(joint.mimic.multiplier))
        return room[3], size

    def checked_rates(self, **rates: ArrayLike) -> list[Array]:
        """Velocities, accelerations or torques of the independent coordinates as float arrays."""
        return [self._checked(name, value) for name, value in rates.items()]

    def spring_forces(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Jacobian (s, nv) of the springs' lengths, and their tensions [N]."""
        closed_loop.rows_of(self.arrays[0], self.springs.arrays, q, v, self.stretch)
        length, pull = self.stretch[2], self.stretch[3]
        stiffness, free, initial, damping = self.laws.T
        tensions: Array = initial + stiffness * (length - free) + damping * (pull @ v)
        return pull, tensions

    def potential(self, q: Array) -> float:
        """Of gravity and of the springs [J]."""
        (topology, constants), loops, _ = self.arrays
        closed_loop.rows_of((topology, constants), loops, q, np.zeros(self.graph.nv), self.room)
        n = len(topology) - 1
        poses = self.room[1][: 12 * n].reshape(n, 12)
        mass, moment = constants[:n, layout.MASS], constants[:n, layout.MOMENT : layout.MOMENT + 3]
        turned = np.einsum("nij,nj->ni", poses[:, :9].reshape(n, 3, 3), moment)
        moments = poses[:, 9:] * mass[:, None] + turned
        found = -float(moments.sum(axis=0) @ self.graph.gravity)
        if len(self.laws):
            self.spring_forces(q, np.zeros(self.graph.nv))
            stretch = self.stretch[2] - self.laws[:, 1]
            found += float(self.laws[:, 2] @ stretch + 0.5 * self.laws[:, 0] @ stretch**2)
        return found

    def checked(self, q: ArrayLike, v: ArrayLike | None = None, **rates: ArrayLike) -> list[Array]:
        """Vectors of the independent coordinates: q, v and further rates, as float arrays.

        Raises:
            StateError: a wrong shape or a number that is not finite, by its joint.
        """
        given = {"q": q} | ({} if v is None else {"v": v}) | rates
        return [self._checked(name, value) for name, value in given.items()]

    def _checked(self, name: str, value: ArrayLike) -> Array:
        graph, places = self.graph, self.independent_q if name == "q" else self.independent_v
        try:
            array = np.asarray(value, np.float64)
        except (TypeError, ValueError) as error:
            raise StateError(f"{name} is not an array of numbers: {error}") from None
        if array.shape != (len(places),):
            raise StateError(
                f"{name} has shape {array.shape}; ({len(places)},) is needed, for the independent joints "
                f"{', '.join(graph.independent_joint_names)} of '{graph.name}'"
            )
        full = graph.neutral() if name == "q" else np.zeros(graph.nv)
        full[places] = array
        graph.checked(**{"q" if name == "q" else name: full})
        return array

    def settle(self, coordinates: Array) -> float:
        """Newton's method from afar, in place, gears met at once. Returns the residual."""
        self.meet_gears(coordinates)
        return float(closed_loop.settle(*self.arrays, coordinates, self.room))

    def meet_gears(self, coordinates: Array) -> None:
        """Set what follows by gears, in place."""
        tree, loops, split = self.arrays
        closed_loop.rows_of(tree, loops, coordinates, np.zeros(self.graph.nv), self.room)
        coordinates[split[2]] -= self.gearing.meeting @ self.room[2][self.coupling]

    def residual(self, coordinates: Array) -> dict[str, float]:
        """What is open [m or 1] at coordinates of all joints: the largest row of each loop joint and gear."""
        closed_loop.rows_of(self.arrays[0], self.arrays[1], coordinates, np.zeros(self.graph.nv), self.room)
        found = dict.fromkeys(self.rows.names, 0.0)
        for name, value in zip(self.rows.names, self.room[2], strict=True):
            found[name] = max(found[name], abs(float(value)))
        return found

    def rank(self, J: Array) -> int:
        """Of constraint rows (m, k), by singular values."""
        size = np.linalg.svd(self.row_scale[:, None] * J, compute_uv=False) if J.size else np.zeros(0)
        return int((size > 1e-9 * size.max(initial=0.0)).sum())
