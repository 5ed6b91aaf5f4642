"""The graph of subsystems: a robot, constant after construction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

from ..exceptions import StateError
from . import configuration, named_values
from .changes.attach import attach
from .changes.lock import lock
from .changes.payload import payloads_of, with_payload
from .changes.removal import without
from .code_export import ExportsCode, exporter
from .parameters import parameters_of, with_parameters
from .printing import tree_lines
from .structure import Structure, closing_elements

__all__ = ["SubsystemGraph"]

T = TypeVar("T")
#: Largest number of results that a graph keeps; at more it forgets all of them.
MOST_KEPT = 1024


@dataclass(frozen=True, eq=False)
class SubsystemGraph(Structure, ExportsCode):
    """A robot as a tree of subsystems.

    Joints and bodies stand in topological order, subsystem by subsystem: body k is moved by joint k and
    ``parents[k]`` is the body that carries joint k (None: the ground).

    Attributes:
        joint_names: joints with coordinates of their own, in the order of q and v: document order within
            each subsystem. Mimic joints have none; their torque goes to their driver.
        joints, bodies, parents: those that count; joints and bodies of subsystems are made to follow them.
        gravity: gravitational acceleration in the root link's frame [m/s^2], shape (3,).
        ground: the root link with everything fixed to it.
        independent: joints that the user chose as independent; None: all except passive and geared ones.
        urdf: the text from which it was read; empty after a change.
        floating_base: whether a floating root joint was added.
        warnings: what was accepted although it looks wrong, one value each. notes: decisions of the reader,
            and what is unusual but right.
        sources: the texts from which its links were read, also after changes; see :meth:`to_urdf`.
    """

    def with_independent_joints(self, *names: str) -> SubsystemGraph:
        """Return the same mechanism with other independent joints.

        Args:
            names: the joints, as separate arguments, in any order.

        Raises:
            StateError: a name that is no joint's, or is there twice.
        """
        known, given = {*self.joint_names}, set[str]()
        for name in names:
            if not isinstance(name, str):
                raise StateError(f"independent joint {name!r}: names are needed, one argument each")
            if name not in known:
                raise StateError(
                    f"independent joint '{name}' is no joint of '{self.name}' with coordinates of its own; "
                    f"its joints: {', '.join(self.joint_names)}"
                )
            if name in given:
                raise StateError(f"independent joint '{name}' of '{self.name}' is named twice")
            given.add(name)
        return replace(self, independent=tuple(name for name in self.joint_names if name in given))

    @cached_property
    def tree(self) -> SubsystemGraph:
        """The open tree: without loop joints, gears and springs, with all joints actuated."""
        bare: dict[str, Any] = dict.fromkeys(("loop_joints", "passive_joints", "gears", "springs"), ())
        return replace(self, **bare, independent=None)

    # of the configuration space: model/configuration.py; by joint name: model/named_values.py
    coordinate_layout = cached_property(configuration.coordinate_layout)
    integrate = configuration.integrate
    difference = configuration.difference
    random_configuration = configuration.random_configuration
    pack = named_values.pack
    unpack = named_values.unpack
    position_limits = cached_property(configuration.position_limits)
    velocity_limits = cached_property(configuration.velocity_limits)
    effort_limits = cached_property(configuration.effort_limits)

    @cached_property
    def _kept(self) -> dict[Any, Any]:
        return {}

    def once(self, make: Callable[..., T], *arguments: Any) -> T:
        """Return ``make(self, *arguments)``, computed at the first call and kept: the graph is constant.

        Args:
            arguments: hashable.
        """
        key = (make, arguments) if arguments else make
        try:
            made: T = self._kept[key]
        except KeyError:
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            made = self._kept[key] = make(self, *arguments)
        return made

    # each returns a new graph: model/changes/
    attach = attach
    lock = lock
    with_parameters = with_parameters
    with_payload = with_payload
    without = without
    parameters = cached_property(parameters_of)
    payloads = property(payloads_of)

    def to_urdf(self) -> str:
        """Return the robot as it is now, as URDF text with tags (docs/urdf_tags.md).

        ``md.load_urdf(graph.to_urdf())`` is the same robot: names, order of q, torques, loops, subsystems.
        Payloads are part of the links that carry them, and a revolute joint without limits is continuous.
        ``warnings`` and ``notes`` are not written.

        Visuals, collisions and materials, and all else that the library does not read (``<gazebo>``,
        ``<ros2_control>``, ``<transmission>``), are taken from the texts from which the links were read, also
        after changes; those of an attached robot under its prefix. Robots that were not read from a URDF have
        none.

        Raises:
            UnsupportedModelError: something that a URDF with tags cannot express; names it.
        """
        text: str = exporter("graph_urdf")(self)
        return text

    def __str__(self) -> str:
        known = [one for one in self.subsystems if not one.black_box]  # whose masses are used
        mass = sum(self.bodies[k].mass for one in known for k in one.indices)
        heading = (
            f"{self.name}: {len(self.subsystems)} subsystems, {len(self.joints)} moving joints, "
            f"nq = {self.nq}, nv = {self.nv}, moving mass {mass:.6g} kg"
        )
        closing = (f"{kind}: {', '.join(names)}" for kind, names in closing_elements(self).items())
        return "\n".join([heading, *tree_lines(self.subsystems), *closing])
