"""A graph's closed loops as arguments of the core: _core.pyi, and loops/loop_model.hpp of its headers."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core import GOOD, Loops
from ..algebra import to_rotation_translation
from ..dynamics.arguments import Array
from ..dynamics.core_robot import core_robot, integers
from ..exceptions import UnsupportedModelError
from ..model import Anchor, SubsystemGraph

__all__ = ["GOOD", "LOOP_TYPES", "Loops", "are_planar", "core_loops", "loop_arrays"]

#: Numbers of the core's enum class LoopType, rising.
LOOP_TYPES = {"revolute": 0, "spherical": 1, "universal": 2, "fixed": 3, "prismatic": 4, "planar": 5}


def core_loops(graph: SubsystemGraph, kernels: str | None = None) -> Loops:
    """Return the core's closed loops of a graph; kernels: as of `core_robot`.

    Raises:
        UnsupportedModelError: an unknown type of loop joint, or a geared joint that has no coordinate of its
            own, or several.
    """
    return Loops(core_robot(graph.tree, kernels), **loop_arrays(graph))


def are_planar(loops: Loops) -> bool:
    """Return whether there are loops, all of them solved in closed form."""
    kinds = [kind for kind, _ in loops.clusters]
    return bool(kinds) and "newton" not in kinds and not loops.undetermined


def loop_arrays(graph: SubsystemGraph) -> dict[str, NDArray[Any]]:
    """Return the arguments of `_core.Loops`. Errors as of `core_loops`."""
    for loop in graph.loop_joints:
        if loop.type not in LOOP_TYPES:
            raise UnsupportedModelError(f"loop joint '{loop.name}' has the unknown type '{loop.type}'")
    numbers = {joint.name: k for k, joint in enumerate(graph.joints)}
    gears = [((gear.joint, -1.0), *gear.drivers) for gear in graph.gears]
    terms = [(k, name, ratio) for k, gear in enumerate(gears) for name, ratio in gear]
    for k, name, _ in terms:
        if name not in graph.joint_names or graph.joint(name).type.nv != 1:
            raise UnsupportedModelError(
                f"gear of joint '{graph.gears[k].joint}': '{name}' has no coordinate of its own, or several; "
                "couple joints that have one and mimic no other"
            )
    loops, springs = graph.loop_joints, graph.springs
    return {
        "loop_type": integers(LOOP_TYPES[loop.type] for loop in loops),
        "loop_bodies": _bodies(graph, (loop.anchors for loop in loops)),
        "loop_poses": _poses(graph, (loop.anchors for loop in loops)),
        "loop_axis": np.array([loop.axis for loop in loops], np.float64).reshape(-1, 3),
        "gear_offset": np.array([gear.offset for gear in graph.gears], np.float64),
        "term_gear": integers(k for k, _, _ in terms),
        "term_joint": integers(numbers[name] for _, name, _ in terms),
        "term_ratio": np.array([ratio for _, _, ratio in terms], np.float64),
        "spring_bodies": _bodies(graph, (spring.anchors for spring in springs)),
        "spring_poses": _poses(graph, (spring.anchors for spring in springs)),
        "spring_law": np.array(
            [[s.stiffness, s.free_length, s.initial_force, s.damping] for s in springs], np.float64
        ).reshape(-1, 4),
        "independent": integers(numbers[name] for name in graph.independent_joint_names),
    }


def _bodies(graph: SubsystemGraph, pairs: Iterable[tuple[Anchor, Anchor]]) -> NDArray[np.int64]:
    """Return (n, 2): indices of the bodies that carry both ends; -1: the ground."""
    bodies = [[graph.link_pose(anchor.link)[0] for anchor in pair] for pair in pairs]
    return np.array([[-1 if k is None else k for k in pair] for pair in bodies], np.int64).reshape(-1, 2)


def _poses(graph: SubsystemGraph, pairs: Iterable[tuple[Anchor, Anchor]]) -> Array:
    """Return (n, 2, 12): rotation row by row, then position, of each anchor in the frame of its body."""
    poses = [
        to_rotation_translation(graph.link_pose(anchor.link)[1] * anchor.x_link_anchor)
        for pair in pairs
        for anchor in pair
    ]
    return np.array([np.append(R.ravel(), p) for R, p in poses], np.float64).reshape(-1, 2, 12)
