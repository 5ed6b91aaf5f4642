"""Our torques against Pinocchio's recursive Newton-Euler algorithm, while the robot runs."""

import threading
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio
from numpy.typing import ArrayLike

from ..algebra import to_rotation_translation
from ..dynamics import inverse_dynamics
from ..dynamics.arguments import Array
from ..model import SubsystemGraph, body_of_link, checked_vectors, refuse_closures, require_graph
from .pinocchio_model import PinocchioModel
from .term_sizes import TermSizes

Wrenches = Mapping[str, ArrayLike] | None
#: [force, moment] on bodies of the graph, in the body's frame.
Loads = dict[int, Array]


@dataclass(frozen=True, eq=False)
class Residual:
    """Differences of torques from Pinocchio's. Those inside black boxes, which are not known, count as zero.

    Attributes:
        per_joint: |tau - tau_pinocchio| (nv,) [N m or N].
        per_subsystem: the largest of each subsystem.
        scale: the largest |tau_pinocchio|.
        of_terms: by subsystem, the largest residual over the size of the terms that add up to its torque
        (`TermSizes`). It stays near 1e-16 where torques cancel, or are zero, too.
    """

    per_joint: Array
    per_subsystem: dict[str, float]
    scale: float
    of_terms: dict[str, float]

    @property
    def worst(self) -> float:
        """The largest residual [N m or N]."""
        return float(self.per_joint.max(initial=0.0))

    @property
    def relative(self) -> float:
        """The largest residual over the largest torque; the residual itself where all torques are zero."""
        return self.worst / self.scale if self.scale > 0.0 else self.worst


class CrossCheck:
    """Pinocchio's RNEA of a graph. Joints are matched by name.

    Raises:
        UnsupportedModelError: the graph has loop joints, passive joints, gears or springs.
    """

    def __init__(self, graph: SubsystemGraph) -> None:
        refuse_closures(graph, "cross-check")
        self.graph = graph
        self._full, self._sizes = PinocchioModel(graph), TermSizes(graph)
        self._prunings: dict[frozenset[str], tuple[PinocchioModel, set[int]]] = {}

    def set_gravity(self, gravity: Array) -> None:
        """Compare at this gravitational acceleration (3,) [m/s^2] from now on, instead of the graph's."""
        for robot in (self._full, *(pruned for pruned, _ in self._prunings.values())):
            robot.model.gravity = pinocchio.Motion(gravity, np.zeros(3))
        self._sizes.set_gravity(gravity)

    def torques(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        external_wrenches: Wrenches = None,
        black_box_wrenches: Wrenches = None,
    ) -> Array:
        """Pinocchio's tau in graph order; NaN inside black boxes. Arguments as of ``inverse_dynamics``."""
        q, v, a = checked_vectors(self.graph, q=q, v=v, a=a)
        loads = self._loads(external_wrenches or {})
        if not black_box_wrenches:
            return self._full.tau(self._rnea(self._full, q, v, a, loads)) + self._spring_torques(q)
        # black boxes cut the tree into regions; in a region, the given wrenches replace the boxes that it
        # carries, and what is beyond them is left out
        boxes = {name: np.asarray(wrench, dtype=float) for name, wrench in black_box_wrenches.items()}
        above = self._box_above(frozenset(boxes))
        theirs = np.full(self._full.model.nv, np.nan)
        for region in {above[s.name] for s in self.graph.subsystems if s.name not in boxes}:
            carried = frozenset(name for name in boxes if above[name] == region)
            pruned, removed = self._pruned(carried)
            acting = {k: load for k, load in loads.items() if k not in removed}
            for name in carried:
                connection = self.graph.subsystem(name).connection
                placement = pinocchio.SE3(*to_rotation_translation(connection.x_body_connection))
                self._add_load(acting, connection.body, placement, -boxes[name])
            tau = self._rnea(pruned, q, v, a, acting)
            for subsystem in self.graph.subsystems:
                if subsystem.name not in boxes and above[subsystem.name] == region:
                    for joint in subsystem.joints:
                        theirs[pruned.v_slice(joint)] = tau[pruned.v_slice(joint)]
        return self._full.tau(theirs) + self._spring_torques(q)

    def _spring_torques(self, q: Array) -> Array:
        """Return the torques (nv,) of springs at joints, which Pinocchio does not model."""
        tau = np.zeros(self.graph.nv)
        for joint in self.graph.joints:
            if joint.stiffness != 0.0:
                own = joint.stiffness * (self.graph.joint_position(joint, q) - joint.rest_position)
                multiplier = 1.0 if joint.mimic is None else joint.mimic.multiplier
                tau[self.graph.v_slice(self.graph.driver(joint))] += multiplier * own
        return tau

    def __call__(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        tau: ArrayLike,
        external_wrenches: Wrenches = None,
        black_box_wrenches: Wrenches = None,
        *,
        common_size: bool = False,
    ) -> Residual:
        """Return the residual of torques ``tau`` (nv,) against Pinocchio's.

        Args:
            common_size: whether ``of_terms`` is relative to the largest terms of all joints: for wrenches
                that were solved for together, as those at the cuts of loops: each has an error of that size.
        """
        theirs = self.torques(q, v, a, external_wrenches, black_box_wrenches)
        (difference,) = np.abs(np.asarray(tau, dtype=float) - theirs).reshape(1, -1)
        unknown = np.isnan(theirs)
        difference[unknown] = 0.0
        scale = float(np.abs(theirs[~unknown]).max(initial=0.0))
        q, v, a = checked_vectors(self.graph, q=q, v=v, a=a)
        sizes = self._sizes(q, v, a, _arrays(external_wrenches), _arrays(black_box_wrenches))
        of_terms = self._per_subsystem(difference / (sizes.max(initial=0.0) if common_size else sizes))
        return Residual(difference, self._per_subsystem(difference), scale, of_terms)

    def _per_subsystem(self, values: Array) -> dict[str, float]:
        """Return the largest of the values (nv,) of each subsystem's joints; NaN if one is."""
        graph, no_joint = self.graph, np.zeros(1)
        return {
            subsystem.name: float(
                np.concatenate(
                    [no_joint, *(values[graph.v_slice(graph.driver(j))] for j in subsystem.joints)]
                ).max()
            )
            for subsystem in graph.subsystems
        }

    def _box_above(self, boxes: frozenset[str]) -> dict[str, str | None]:
        """Return for each subsystem the nearest black box on its way to the ground."""
        above: dict[str, str | None] = {}
        for subsystem in self.graph.subsystems:
            before = self.graph.predecessor(subsystem)
            if before is None or before.name in boxes:
                above[subsystem.name] = None if before is None else before.name
            else:
                above[subsystem.name] = above[before.name]
        return above

    def _pruned(self, first: frozenset[str]) -> tuple[PinocchioModel, set[int]]:
        """Return the robot without these subsystems and their successors, and the removed bodies.

        All models share Pinocchio's data, which is large; RNEA writes what it reads of it.
        """
        if first not in self._prunings:
            names: set[str] = set()
            for subsystem in self.graph.subsystems:
                before = self.graph.predecessor(subsystem)
                if subsystem.name in first or (before is not None and before.name in names):
                    names.add(subsystem.name)
            removed = {k for name in names for k in self.graph.subsystem(name).indices}
            pruned = copy(self._full)
            pruned.model = self._full.model.copy()
            for k in removed:
                pruned.model.inertias[pruned.ids[k]] = pinocchio.Inertia.Zero()
            self._prunings[first] = pruned, removed
        return self._prunings[first]

    def _loads(self, external: Mapping[str, ArrayLike]) -> Loads:
        """Return external wrenches at the joints, moved there by Pinocchio."""
        loads: Loads = {}
        for link, wrench in external.items():
            body = body_of_link(self.graph, link)
            if body is not None:  # None: it acts on the ground
                # a joint may have the link's name: the frame's type distinguishes them
                frame = self._full.model.frames[self._full.model.getFrameId(link, pinocchio.FrameType.BODY)]
                self._add_load(loads, body, frame.placement, np.asarray(wrench, dtype=float))
        return loads

    @staticmethod
    def _add_load(loads: Loads, body: int | None, placement: Any, wrench: Array) -> None:
        if body is not None:
            moved = placement.act(pinocchio.Force(wrench)).vector
            loads[body] = loads[body] + moved if body in loads else moved

    def _rnea(self, model: PinocchioModel, q: Array, v: Array, a: Array, loads: Loads) -> Array:
        arguments = [model.model, model.data, model.q(q), model.v(v), model.v(a)]
        if loads:
            forces = pinocchio.StdVec_Force()
            forces.extend([pinocchio.Force.Zero() for _ in range(model.model.njoints)])
            for body, wrench in loads.items():
                forces[model.ids[body]] = pinocchio.Force(wrench)
            arguments.append(forces)
        return np.array(pinocchio.rnea(*arguments))


def _arrays(wrenches: Wrenches) -> dict[str, Array]:
    return {name: np.asarray(wrench, dtype=float) for name, wrench in (wrenches or {}).items()}


class _OfThread(threading.local):
    """A comparison for each thread, as Pinocchio's data belong to one."""

    def __init__(self, graph: SubsystemGraph) -> None:
        self.check = CrossCheck(graph)


def rnea_residual(graph: SubsystemGraph, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
    """Return |tau - tau_pinocchio| (nv,) [N m or N] of ``inverse_dynamics`` at one state."""
    require_graph(graph)
    check = graph.once(_OfThread).check
    return check(q, v, a, inverse_dynamics(graph, q, v, a)).per_joint
