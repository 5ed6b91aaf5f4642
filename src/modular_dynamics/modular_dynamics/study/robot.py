"""The robot of a design, and its URDF."""

import numpy as np
from numpy.typing import NDArray

from ..exceptions import ModularDynamicsError, StudyError
from ..model import SubsystemGraph
from .evaluation import Evaluator

__all__ = ["design_graph", "design_urdf"]


def design_graph(evaluator: Evaluator, numbers: NDArray[np.float64]) -> SubsystemGraph:
    """Return the robot with a design's numbers (inputs,). Raises StudyError: no robot can have them."""
    columns = evaluator.parameters(numbers[None])
    try:
        return evaluator.study.graph.with_parameters({name: float(one[0]) for name, one in columns.items()})
    except ModularDynamicsError as error:
        raise StudyError(f"this design is no robot: {error}") from error


def design_urdf(evaluator: Evaluator, numbers: NDArray[np.float64]) -> str:
    """Return its URDF with tags (``graph.to_urdf``), checked by reading it back.

    Raises:
        StudyError: as `design_graph`, or the robot has what cannot be written; names it.
    """
    graph = design_graph(evaluator, numbers)
    try:
        return graph.to_urdf()
    except ModularDynamicsError as error:
        raise StudyError(f"the design cannot be written: {error}") from error
