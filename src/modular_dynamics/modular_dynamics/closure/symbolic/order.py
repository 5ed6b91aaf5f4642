"""In which order gears and loops determine the dependent joints; loops as two or three rigid groups."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...exceptions import UnsupportedModelError
from ...model import Gear, SubsystemGraph
from .parts import Part
from .rings import Ring, Side

__all__ = ["Group", "Step", "steps_of"]


@dataclass
class Group:
    """Bodies of a ring that known joints connect; ``first`` is the one nearest to the ground."""

    first: int
    sides: list[Side] = field(default_factory=list)


@dataclass
class Step:
    """One gear, or one loop with two unknown joints.

    A loop has three groups and two unknown turns, or two groups, one unknown turn and an unknown slide.
    The first group is the one with the ring's first body.
    """

    gear: Gear | None = None
    ring: Ring | None = None
    groups: list[Group] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)
    slide: int | None = None


def steps_of(graph: SubsystemGraph, parts: list[Part], rings: list[Ring]) -> list[Step]:
    """Steps that solve all loops, each by what the ones before have found.

    Raises:
        UnsupportedModelError: loops with more unknown joints at once, or none.
    """
    names = [part.name for part in parts]
    known = {names.index(name) for name in graph.independent_joint_names}
    gears, left = list(graph.gears), list(rings)
    steps: list[Step] = []
    while gears or left:
        gear = next((g for g in gears if all(names.index(n) in known for n, _ in g.drivers)), None)
        if gear is not None:
            gears.remove(gear)
            steps.append(Step(gear=gear))
            known.add(names.index(gear.joint))
            continue
        ring = next((r for r in left if len(_unknown(r, known)) == 2), None)
        if ring is None:
            stuck = ", ".join([r.name for r in left] + [f"gear of {g.joint}" for g in gears])
            raise UnsupportedModelError(
                f"'{graph.name}': {stuck} have not two unknown joints each, one after the other"
            )
        left.remove(ring)
        steps.append(_dyad(ring, parts, known))
        known.update(_unknown(ring, known))
    missing = [names[k] for k in range(len(parts)) if k not in known]
    if missing:
        raise UnsupportedModelError(f"no loop or gear of '{graph.name}' determines {', '.join(missing)}")
    return steps


def _unknown(ring: Ring, known: set[int]) -> list[int]:
    return [k for k in ring.joints if k not in known]


def _dyad(ring: Ring, parts: list[Part], known: set[int]) -> Step:
    group_of: dict[int, Group] = {}
    groups: list[Group] = []
    for side in ring.sides:
        before = ring.before.get(side.body)
        if before is None or side.body not in known:
            group_of[side.body] = Group(side.body)
            groups.append(group_of[side.body])
        else:
            group_of[side.body] = group_of[before]
        group_of[side.body].sides.append(side)
    unknown = _unknown(ring, known)
    slides = [k for k in unknown if parts[k].axis is not None]
    turns = [group.first for group in groups[1:]]
    if len(slides) > 1:
        raise UnsupportedModelError(f"loop '{ring.name}' has two unknown slides; one is what a dyad may have")
    return Step(None, ring, groups, turns, slides[0] if slides else None)
