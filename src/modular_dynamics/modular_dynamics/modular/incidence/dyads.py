"""Two docked modules as in eq. 18 of Meister & Gutenkunst: a constant pose, and the joints on the way."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...algebra import rotation_matrix
from ..assembly.docking import Docking
from ..assembly.placement import PlacedModule
from ..assembly.structure import Structure
from ..modules.module_type import Step
from ..modules.port import Port, docked_pose
from .exponentials import Screw, homogeneous

__all__ = ["Dyad", "dyads_of"]


class Dyad(NamedTuple):
    """T_ij(q) = prod exp(s_k q_k) T_ij(0) prod exp(s_l q_l) of module j docked at module i.

    Attributes:
        x: T_ij(0), shape (4, 4).
        before: joints of i between its first body and that of the port, in i's frame. The paper's modules
            have one body, and no such joints.
        after: joints between the port and the first body of j, in j's frame: one of a Backbone (eq. 18), two
            of a Scout, none of a passive block.
    """

    x: NDArray[np.float64]
    before: tuple[Screw, ...]
    after: tuple[Screw, ...]


def dyads_of(structure: Structure, dockings: Sequence[Docking]) -> list[Dyad]:
    """Return a dyad for each docking."""
    starts = _starts(structure)
    return [_dyad(structure.placed, docking, starts) for docking in dockings]


def _starts(structure: Structure) -> Mapping[str, int]:
    """Return the index in q at which each joint's position starts."""
    starts: dict[str, int] = {}
    nq = 0
    for placed in structure.placed.values():
        for joint in placed.joints:
            starts[joint.name] = nq
            nq += joint.type.nq
    return starts


def _dyad(placed: Mapping[str, PlacedModule], docking: Docking, starts: Mapping[str, int]) -> Dyad:
    i, j = placed[docking.parent], placed[docking.module]
    port, other = i.type.ports[docking.parent_port], j.type.ports[docking.port]
    return Dyad(
        homogeneous(docked_pose(port, other, docking.turn)),
        tuple(_screws(docking.parent, _steps_to(i, port.body), _entered(i), starts)),
        tuple(_screws(docking.module, j.type.entry_steps, other, starts)),
    )


def _entered(module: PlacedModule) -> Port | None:
    """Return the port by which a module is docked towards the base; None for the base."""
    return None if module.docking is None else module.type.ports[module.docking.port]


def _steps_to(module: PlacedModule, body: str) -> list[Step]:
    """Return the joints from a module's first body to another one of its bodies."""
    entered = _entered(module)
    first = module.type.root if entered is None or module.type.entry_steps else entered.body
    leading = {step.child: step for step in module.type.steps_from(first)}
    steps: list[Step] = []
    while body != first:
        steps.insert(0, leading[body])
        body = steps[0].parent
    return steps


def _screws(
    module: str, steps: Sequence[Step], entered: Port | None, starts: Mapping[str, int]
) -> Iterator[Screw]:
    for step in steps:
        axis = step.joint.axis
        if axis is None and entered is not None:
            axis = rotation_matrix(entered.x_module_port.primary)[:, 2]
        assert axis is not None  # only joints at an entry lack an axis, and the base has no entry
        signed = -axis if step.reversed else axis
        yield Screw.of(step.joint, signed, starts[f"{module}/{step.joint.name}"])
