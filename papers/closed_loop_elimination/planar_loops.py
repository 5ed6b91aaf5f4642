"""The planar loops of a graph, the order in which these and gears determine joints, and paths of springs."""

from dataclasses import dataclass, field

import numpy as np

from modular_dynamics.dynamics.arguments import Array
from modular_dynamics.exceptions import UnsupportedModelError
from modular_dynamics.model import Gear, SubsystemGraph
from papers.closed_loop_elimination.planar_bodies import End, PlanarBody, PlanarModel

#: Index of a plane's carrier, used like the index of a body in the plane.
BASE = -1
#: Cut joints whose two conditions in the plane say that two points coincide.
_HINGES = ("revolute", "spherical", "universal")


@dataclass
class Segment:
    """One body of a loop: its term of the vector sum that closes the loop, in its own frame.

    Attributes:
        body: index of a body with a revolute joint, or BASE. vector: (2,) [m].
        slides: directions (2,) of the prismatic joints fixed in it, by index of their bodies.
    """

    body: int
    vector: Array = field(default_factory=lambda: np.zeros(2))
    slides: dict[int, Array] = field(default_factory=dict)


@dataclass
class SymbolicLoop:
    """A loop, or the path between the ends of a spring.

    Attributes:
        predecessor: of each body except the first, which both branches share.
        height: distance of the ends along the plane's normal [m].
    """

    name: str
    segments: list[Segment]
    predecessor: dict[int, int]
    height: float

    @property
    def joints(self) -> list[int]:
        """Bodies whose joints belong to the loop."""
        return [*self.predecessor, *(k for segment in self.segments for k in segment.slides)]


def planar_loops_of(graph: SubsystemGraph, model: PlanarModel) -> list[SymbolicLoop]:
    """Return the loops of all loop joints.

    Raises UnsupportedModelError: a loop that is not planar, or whose cut joint is not a hinge in the plane.
    """
    loops = []
    for joint, ends in zip(graph.loop_joints, model.loop_ends, strict=True):
        if joint.type not in _HINGES:
            raise UnsupportedModelError(
                f"loop joint '{joint.name}' is {joint.type}: symbolic methods close planar loops with hinges"
            )
        loop = _path(model, f"loop '{joint.name}'", ends)
        if abs(loop.height) > 1e-6:
            raise UnsupportedModelError(
                f"{loop.name} is not planar: its ends are {loop.height:.3g} m apart along z"
            )
        loops.append(loop)
    return loops


def spring_paths_of(graph: SubsystemGraph, model: PlanarModel) -> list[SymbolicLoop]:
    """Return the paths from one end of each spring to the other.

    Raises UnsupportedModelError: a spring between bodies of different planes.
    """
    springs = zip(graph.springs, model.spring_ends, strict=True)
    return [_path(model, f"spring '{spring.name}'", ends) for spring, ends in springs]


def _path(model: PlanarModel, name: str, ends: list[End]) -> SymbolicLoop:
    """Return the path through the tree between two ends, in the plane of the end that is deeper in it."""
    bodies = model.bodies
    deepest = max(ends, key=lambda end: _depth(model, end[0]))[0]
    if deepest is None:
        raise UnsupportedModelError(f"{name} has both its ends on the ground")
    plane = bodies[deepest].plane
    branches = [_branch(model, name, plane, body) for body, _ in ends]
    shared = sum(first == second for first, second in zip(*branches, strict=False))
    segments: dict[int, Segment] = {}
    predecessor: dict[int, int] = {}
    height = 0.0
    for sign, branch, (_, position) in zip((1.0, -1.0), branches, ends, strict=True):
        for k, following in zip(branch[shared - 1 :], [*branch[shared:], None], strict=True):
            # from the origin of body k to that of the following body, or to the end
            vector = position if following is None else bodies[following].position
            if k == BASE:
                vector = model.planes[plane].axes.T @ vector
            rotating = _rotating(model, k)
            segment = segments.setdefault(rotating, Segment(rotating))
            segment.vector = segment.vector + sign * vector[:2]
            height += sign * float(vector[2])
            if following is not None:
                axis = bodies[following].axis
                if axis is None:
                    predecessor[following] = rotating
                else:
                    segment.slides[following] = sign * axis[:2]
    return SymbolicLoop(name, list(segments.values()), predecessor, height)


def _depth(model: PlanarModel, body: int | None) -> int:
    return 0 if body is None else 1 + _depth(model, model.bodies[body].parent)


def _branch(model: PlanarModel, name: str, plane: int, end: int | None) -> list[int]:
    """Return the bodies from the plane's carrier, BASE, to an end."""
    branch: list[int] = []
    k = end
    while k is not None and model.bodies[k].plane == plane:
        branch.insert(0, k)
        k = model.bodies[k].parent
    if k != model.planes[plane].carrier:
        raise UnsupportedModelError(f"{name} is not planar: it contains axes that are not parallel")
    return [BASE, *branch]


def _rotating(model: PlanarModel, k: int) -> int:
    """Return body k, or the body that it slides on: the one whose rotation moves it."""
    parent = None if k == BASE or model.bodies[k].axis is None else model.bodies[k].parent
    return k if parent is None else parent


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

    loop: SymbolicLoop
    groups: list[RigidGroup]
    slide: int | None = None

    def sliding_segment(self) -> tuple[RigidGroup, Segment]:
        """Return the segment in which the unknown slide is fixed, and its group."""
        return next((g, s) for g in self.groups for s in g.segments if self.slide in s.slides)


#: What determines further joints from known ones.
SolutionStep = Gear | LoopStep


def solution_steps(
    graph: SubsystemGraph, bodies: list[PlanarBody], loops: list[SymbolicLoop]
) -> list[SolutionStep]:
    """Return the steps that determine all dependent joints, each from joints known before it.

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


def _unknown(loop: SymbolicLoop, known: set[int]) -> list[int]:
    return [k for k in loop.joints if k not in known]


def _loop_step(loop: SymbolicLoop, bodies: list[PlanarBody], known: set[int]) -> LoopStep:
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
