"""The order in which gears and loops determine the dependent joints; a loop is two or three rigid groups."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...exceptions import UnsupportedModelError
from ...model import Gear, SubsystemGraph
from .planar_bodies import PlanarBody
from .planar_loops import PlanarLoop, Segment

__all__ = ["LoopStep", "RigidGroup", "SolutionStep", "solution_steps"]


@dataclass
class RigidGroup:
    """Bodies of a loop connected by known joints; ``first`` is the one nearest to the ground."""

    first: int
    segments: list[Segment] = field(default_factory=list)


@dataclass
class LoopStep:
    """A loop with two unknown joints.

    It has three rigid groups and two unknown rotations, or two groups, one unknown rotation and an unknown
    slide. The first group contains the loop's first body.
    """

    loop: PlanarLoop
    groups: list[RigidGroup]
    slide: int | None = None

    def sliding_segment(self) -> tuple[RigidGroup, Segment]:
        """The segment in which the unknown slide is fixed, and its group."""
        return next((g, s) for g in self.groups for s in g.segments if self.slide in s.slides)


#: What determines further joints from known ones.
SolutionStep = Gear | LoopStep


def solution_steps(
    graph: SubsystemGraph, bodies: list[PlanarBody], loops: list[PlanarLoop]
) -> list[SolutionStep]:
    """Steps that determine all dependent joints, each from the joints known before it.

    Raises:
        UnsupportedModelError: loops that cannot be solved one after the other with two unknown joints each.
    """
    names = [body.name for body in bodies]
    known = {names.index(name) for name in graph.independent_joint_names}
    gears, remaining = list(graph.gears), list(loops)
    steps: list[SolutionStep] = []
    while gears or remaining:
        gear = next((g for g in gears if all(names.index(n) in known for n, _ in g.drivers)), None)
        if gear is not None:
            gears.remove(gear)
            steps.append(gear)
            known.add(names.index(gear.joint))
            continue
        loop = next((loop for loop in remaining if len(_unknown(loop, known)) == 2), None)
        if loop is None:
            unsolved = ", ".join([loop.name for loop in remaining] + [f"gear of {g.joint}" for g in gears])
            raise UnsupportedModelError(
                f"'{graph.name}': symbolic methods solve loops one after the other, each with two unknown "
                f"joints; unsolved: {unsolved}"
            )
        remaining.remove(loop)
        steps.append(_loop_step(loop, bodies, known))
        known.update(_unknown(loop, known))
    missing = [names[k] for k in range(len(bodies)) if k not in known]
    if missing:
        raise UnsupportedModelError(f"no loop or gear of '{graph.name}' determines {', '.join(missing)}")
    return steps


def _unknown(loop: PlanarLoop, known: set[int]) -> list[int]:
    return [k for k in loop.joints if k not in known]


def _loop_step(loop: PlanarLoop, bodies: list[PlanarBody], known: set[int]) -> LoopStep:
    group_of: dict[int, RigidGroup] = {}
    groups: list[RigidGroup] = []
    for segment in loop.segments:
        predecessor = loop.predecessor.get(segment.body)
        if predecessor is None or segment.body not in known:
            group_of[segment.body] = RigidGroup(segment.body)
            groups.append(group_of[segment.body])
        else:
            group_of[segment.body] = group_of[predecessor]
        group_of[segment.body].segments.append(segment)
    unknown = _unknown(loop, known)
    slides = [k for k in unknown if bodies[k].axis is not None]
    if len(slides) > 1:
        raise UnsupportedModelError(f"{loop.name} has two unknown slides; symbolic methods treat one")
    return LoopStep(loop, groups, slides[0] if slides else None)
