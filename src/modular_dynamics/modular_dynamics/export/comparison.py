"""Comparison of exported functions with the library before they are written, of trees and closed loops."""

from collections.abc import Iterable, Sequence

import numpy as np

from ..algebra import translation
from ..codegen.c_files import Recording
from ..dynamics.arguments import Array
from ..exceptions import StateError, UnsupportedModelError
from ..model import JointType, SubsystemGraph

__all__ = ["STATES", "TOLERANCE", "function_names", "verify", "weights"]

#: States that the test program compares.
STATES = 5
#: Largest difference from the library, relative to the terms that are added up.
TOLERANCE = 1e-14
#: Largest such difference that is rounding.
LARGEST_DIFFERENCE = 1e-11


def function_names(functions: Sequence[str]) -> tuple[str, ...]:
    """Return the names; one may stand for itself. Raises StateError: no names."""
    if isinstance(functions, str):
        return (functions,)
    names = tuple(functions) if isinstance(functions, Iterable) else (functions,)
    if not all(isinstance(name, str) for name in names):
        raise StateError(f"functions is {functions!r}; a sequence of names is needed")
    return names


def verify(graph: SubsystemGraph, recording: Recording) -> None:
    """Raise UnsupportedModelError where a program computes something else than the library."""
    values = recording.program.values(recording.inputs)
    for ours, expected, scale in zip(values, recording.results, recording.scales, strict=True):
        difference = float(np.abs(ours - expected).max()) / scale
        if not difference <= LARGEST_DIFFERENCE:
            raise UnsupportedModelError(
                f"the program of {recording.program.name} of '{graph.name}' differs from the library by "
                f"{difference:.1e}: the robot has a joint or a term that cannot be exported"
            )


def weights(graph: SubsystemGraph) -> Array:
    """Return the size (nv,) of terms of gravity's torques: weight times lever, or weight of what slides."""
    levers = [
        body.mass * (np.linalg.norm(body.com) + np.linalg.norm(translation(joint.x_parent_joint)))
        for body, joint in zip(graph.bodies, graph.joints, strict=True)
    ]
    sizes = np.full(graph.nv, float(max(levers)))
    for name in graph.joint_names:
        if graph.joint(name).type == JointType.PRISMATIC:
            sizes[graph.v_slice(name)] = max(body.mass for body in graph.bodies)
    weights: Array = np.linalg.norm(graph.gravity) * sizes
    return weights
