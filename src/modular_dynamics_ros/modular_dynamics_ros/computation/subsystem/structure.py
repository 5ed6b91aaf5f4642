"""What the nodes of a robot's subsystems must agree on, though each reads its own description.

A subsystem answers for its own links: masses, inertias, friction and axes may differ, since nobody else
uses them. But both sides read which subsystem carries which, whose each joint is, and where they are
connected.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from modular_dynamics_ros.computation.values import Array
from modular_dynamics_ros.exceptions import listed

ROUNDING = 1e-6  # [m, 1] of a connection point: descriptions may be written with few digits


@dataclass(frozen=True, eq=False)
class SubsystemStructure:
    """How a description divides a robot into subsystems.

    Attributes:
        predecessors: of all subsystems; None: the ground.
        owners: the subsystem of each joint.
        points: of each subsystem, the link that carries its connection point, and H_link_point (4, 4).
    """

    predecessors: Mapping[str, str | None]
    owners: Mapping[str, str]
    points: Mapping[str, tuple[str, Array]]

    def connected(self, one: str, other: str) -> set[str]:
        """Return which of two subsystems the other one carries, as a set; empty if they are not connected."""
        return {a for a, b in ((one, other), (other, one)) if self.predecessors.get(a) == b}

    def branch(self, name: str) -> list[str]:
        """Return a subsystem and all that it carries; predecessors come before their successors."""
        found = [name]
        for one, before in self.predecessors.items():
            if before in found:
                found.append(one)
        return found


def contradiction(
    name: str, own: SubsystemStructure, other_name: str, other: SubsystemStructure
) -> str | None:
    """Return a contradiction between neighbours' descriptions, as a clause; None if there is none.

    Subsystems that only one of them knows are no contradiction, unless the other one has to carry them: the
    description of an arm may hold a tool where that of its robot ends with the arm, as a black box.
    """
    return next(_differences(name, own, other_name, other), None)


def _differences(
    name: str, own: SubsystemStructure, other_name: str, other: SubsystemStructure
) -> Iterator[str]:
    """Yield the differences; each is only meaningful if no earlier one exists. See `contradiction`."""
    connected = own.connected(name, other_name) | other.connected(name, other_name)
    if not connected:
        return
    carried = own.branch(other_name) if own.predecessors.get(other_name) == name else []
    if unknown := [one for one in (name, *carried) if one not in other.predecessors]:
        yield f"that of '{other_name}' has no subsystem {listed(unknown)}"
    carried = other.branch(name) if other.predecessors.get(name) == other_name else []
    if unknown := [one for one in carried if one not in own.predecessors]:
        yield f"that of '{name}' has no subsystem {listed(unknown)}, which it has to carry"
    for one, before in own.predecessors.items():
        if (elsewhere := other.predecessors.get(one, before)) != before:
            yield _clause(name, f"'{one}' is on {_quoted(before)}", other_name, f"on {_quoted(elsewhere)}")
    for joint, owner in own.owners.items():
        if (another := other.owners.get(joint, owner)) != owner:
            yield _clause(name, f"joint '{joint}' belongs to '{owner}'", other_name, f"to '{another}'")
    for one in connected:
        (link, H), (other_link, other_H) = own.points[one], other.points[one]
        if link == other_link and np.allclose(H, other_H, rtol=0.0, atol=ROUNDING):
            continue
        here, there = _place(link, H), _place(other_link, other_H)
        if here == there:
            yield f"by both, '{one}' is connected at {here}, but with different axes"
        else:
            yield _clause(name, f"'{one}' is connected at {here}", other_name, f"at {there}")


def _clause(name: str, here: str, other_name: str, there: str) -> str:
    return f"by that of '{name}', {here}; by that of '{other_name}', {there}"


def _quoted(predecessor: str | None) -> str:
    return "the ground" if predecessor is None else f"'{predecessor}'"


def _place(link: str, H: Array) -> str:
    x, y, z = H[:3, 3].round(6) + 0.0  # + 0.0 turns -0.0 into 0.0
    return f"[{x:.6g}, {y:.6g}, {z:.6g}] m in the frame of '{link}'"
