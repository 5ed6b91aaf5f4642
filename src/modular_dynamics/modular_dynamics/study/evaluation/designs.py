"""Designs, from their numbers to what is measured of them."""

import numpy as np
from numpy.typing import NDArray

from ...loops import StateStatus
from ..description.checks import task_graph
from ..description.study import Study
from ..sampling import designs_between
from .loads import Loads, loads_of
from .measures import columns_of, measured
from .motion import Path, States, path_of, states_of

__all__ = ["Evaluator", "evaluated_rows"]

Array = NDArray[np.float64]
#: States, and designs, that are computed in one call at most. A block begins at a multiple of its size, so
#: that a design is computed beside the same others, whatever chunk it is in, and its bits are the same.
BLOCK_STATES, BLOCK_DESIGNS = 240_000, 1000
#: Difference of a task's joints from what the trajectory asks for that is rounding [rad or m].
_ROUNDING = 1e-7


class Evaluator:
    """Computes designs of one study; keeps what all of them share."""

    def __init__(self, study: Study) -> None:
        self.study, self.task = study, task_graph(study)
        names = self.task.independent_joint_names
        motions = study.trajectories
        self.states = {name: states_of(one, study.rate, names) for name, one in motions.items()}
        self.paths = {name: path_of(one, study.rate, names) for name, one in motions.items() if study.instead}
        longest = max(len(one.times) for one in self.states.values())
        self.block = min(BLOCK_DESIGNS, max(1, BLOCK_STATES // longest))

    def parameters(self, numbers: Array) -> dict[str, Array]:
        """Return the robot's parameters (n,) by name, for the numbers (n, inputs) of designs."""
        return {
            target.parameter: target.factor * one.column(column, numbers[:, k]) + target.offset
            for k, one in enumerate(self.study.inputs)
            for column, targets in one.targets
            for target in targets
        }

    def trajectories(self, numbers: Array) -> list[tuple[str, NDArray[np.intp]]]:
        """Return each trajectory with the rows of the designs that follow it."""
        for k, one in enumerate(self.study.inputs):
            if one.is_trajectory:
                chosen = numbers[:, k].astype(np.int64)
                return [(name, np.flatnonzero(chosen == row)) for row, name in enumerate(one.labels)]
        return [(next(iter(self.states)), np.arange(len(numbers)))]

    def measure(self, numbers: Array) -> dict[str, NDArray[np.generic]]:
        """Return measured columns (n,) of designs (n, inputs): those of `columns_of`, and "violations"."""
        count = len(numbers)
        result: dict[str, NDArray[np.generic]] = {
            name: np.full(count, np.nan) for name in columns_of(self.study)
        }
        result["violations"] = np.zeros(count, np.uint16)
        for name, rows in self.trajectories(numbers):
            if len(rows):
                loads = self.loads(name, self.parameters(numbers[rows]), len(rows))
                own = measured(self.study, loads, numbers[rows], self.parameters(numbers[rows]))
                for column, values in own.items():
                    result[column][rows] = values
        return result

    def published(self, trajectory: str | None = None) -> dict[str, NDArray[np.generic]]:
        """Return one row of measured columns for the unchanged robot, by default on the first trajectory."""
        loads = self.loads(trajectory or next(iter(self.states)), {}, 1)
        return measured(self.study, loads, None, {})

    def loads(self, trajectory: str, parameters: dict[str, Array], count: int) -> Loads:
        """Return the loads of ``count`` designs on one trajectory."""
        states = self.states[trajectory]
        if not self.study.instead:
            q, v, a = (np.repeat(x[None], count, axis=0) for x in states[1:])
            return loads_of(self.study.graph, q, v, a, parameters)
        path = self.paths[trajectory]
        q = np.repeat(path.q[None], count, axis=0)
        rest = np.zeros_like(q)
        nodes = loads_of(self.task, q, rest, rest, parameters)
        return self._along(path, states, nodes, parameters)

    def _along(self, path: Path, states: States, nodes: Loads, parameters: dict[str, Array]) -> Loads:
        """Return loads along a path of designs whose loops were closed at its nodes."""
        graph, task, instead = self.study.graph, self.task, self.study.instead
        at = [graph.q_slice(name).start for name in instead]
        asked, driven = task.independent_joint_names, graph.independent_joint_names
        # other joints are at their set points
        led = [k for k, name in enumerate(asked) if name not in driven]
        moved = [graph.q_slice(asked[k]).start for k in led]
        closed = (nodes.statuses == StateStatus.ANSWERED).all(axis=1)
        usable = np.where(closed[:, None, None], nodes.coordinates[:, :, at], 0.0)
        q, v, a = (np.repeat(x[None], len(usable), axis=0) for x in states[1:])
        others = [driven.index(name) for name in instead]
        q[:, :, others], v[:, :, others], a[:, :, others] = path.moved(usable)
        loads = loads_of(graph, q, v, a, parameters)
        loads.statuses[~closed] = nodes.statuses[~closed].max(axis=1)[:, None]
        with np.errstate(invalid="ignore"):
            distance = np.abs(loads.coordinates[:, :, moved] - states.q[:, led])
            off = distance.max(axis=2, initial=0.0) > _ROUNDING
        loads.statuses[off & (loads.statuses == StateStatus.ANSWERED)] = StateStatus.DEAD_POINT  # passed by
        return loads


def evaluated_rows(evaluator: Evaluator, first: int, last: int) -> dict[str, NDArray[np.generic]]:
    """Return columns of designs first ... last - 1: "index", inputs by name, measured ones.

    ``first`` is the beginning of a block.
    """
    study = evaluator.study
    parts = []
    for start in range(first, last, evaluator.block):
        stop = min(start + evaluator.block, last)
        numbers = designs_between(study.inputs, study.sampling, start, stop)
        inputs = {f"input {one.name}": numbers[:, k] for k, one in enumerate(study.inputs)}
        parts.append({"index": np.arange(start, stop), **inputs, **evaluator.measure(numbers)})
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
