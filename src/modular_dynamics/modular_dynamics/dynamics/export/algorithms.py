"""The recursions that exported code is made from: of kernels/, traced with symbols for numbers."""

from collections.abc import Callable
from dataclasses import dataclass

from ...kernels import layout
from ...kernels.recursions import articulated_body, composite_body, derivatives
from ...kernels.recursions.torques.recursion import recursion as torques
from ...model import SubsystemGraph
from ..arrays.arguments import Array, Topology
from ..arrays.body_frames import frames_of
from ..arrays.model_arrays import Arrays
from ..arrays.motion_places import with_motion_places
from ..arrays.regrouping import regrouped

__all__ = [
    "DERIVATIVES",
    "FORWARD_DYNAMICS",
    "INVERSE_DYNAMICS",
    "MASS_MATRIX",
    "Algorithm",
    "reason_for_matrix",
]


@dataclass(frozen=True)
class Algorithm:
    """A recursion.

    Attributes:
        results: (nv) -> how many numbers it writes.
        prepared: makes the (topology, constants) that it needs of those of arrays/model_arrays.py.
    """

    recursion: Callable[..., object]
    results: Callable[[int], int]
    prepared: Callable[[Topology, Array], Arrays]

    def outputs(self, topology: Topology) -> int:
        """Return how many numbers the recursion writes for a topology."""
        return self.results(int(topology[-1, layout.V]))


def _regrouped(topology: Topology, constants: Array) -> Arrays:
    return topology, regrouped(topology, constants)


def _in_own_frames(topology: Topology, constants: Array) -> Arrays:
    frames = frames_of(topology, constants)
    return frames.topology, frames.constants


def _for_torques(topology: Topology, constants: Array) -> Arrays:
    frames = frames_of(topology, regrouped(topology, constants))
    return with_motion_places(frames.topology), frames.constants


INVERSE_DYNAMICS = Algorithm(torques, lambda nv: nv, _for_torques)
MASS_MATRIX = Algorithm(composite_body.recursion, lambda nv: nv * nv, _regrouped)
DERIVATIVES = Algorithm(derivatives.recursion, lambda nv: 3 * nv * nv, _regrouped)
#: Its pivots, which must be positive, stand behind the accelerations.
FORWARD_DYNAMICS = Algorithm(articulated_body.recursion, lambda nv: 2 * nv, _in_own_frames)


def reason_for_matrix(graph: SubsystemGraph) -> str | None:
    """Return why a graph's forward dynamics is computed by its mass matrix; None where it is not."""
    if any(joint.mimic is not None for joint in graph.joints):
        return "joints mimic others"
    for joint, parent in zip(graph.joints, graph.parents, strict=True):
        if joint.type.nv > 1 and parent is not None and joint.armature != 0.0:
            return f"the {joint.type.value} joint '{joint.name}' stands on a moving body and has an armature"
    return None
