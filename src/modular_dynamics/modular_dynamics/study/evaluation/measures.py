"""Objectives of designs from their loads, and violated requirements."""

from collections.abc import Mapping
from enum import IntFlag

import numpy as np
from numpy.typing import NDArray

from ...loops import StateStatus
from ..description.study import Bound, Study
from .loads import Loads

__all__ = ["Violation", "columns_of", "measured", "objectives_of"]

Array = NDArray[np.float64]


class Violation(IntFlag):
    """Flags of the requirements that a design violates, added up."""

    NO_MODEL = 1  #: numbers that no robot can have
    CANNOT_CLOSE = 2  #: a state at which the loops cannot close
    DEAD_POINT = 4  #: a state at a dead point
    NO_STATE = 8  #: a state that is not finite
    STROKE = 16  #: a joint beyond its limits
    SINE = 32  #: a state too near to a dead point
    SLACK = 64  #: a spring with too little tension
    OVERLOAD = 128  #: a spring with too much tension
    EFFORT = 256  #: an actuator beyond its effort limit


#: Violation of a design for each status of its states.
_OF_STATUS = {
    StateStatus.NO_MODEL: Violation.NO_MODEL,
    StateStatus.CANNOT_CLOSE: Violation.CANNOT_CLOSE,
    StateStatus.DEAD_POINT: Violation.DEAD_POINT,
    StateStatus.NO_STATE: Violation.NO_STATE,
}
#: Columns of a design's margins, negative where it violates a requirement.
_KEPT = {
    "stroke_margin": Violation.STROKE,
    "sine_margin": Violation.SINE,
    "tension_margin": Violation.SLACK,
    "overload_margin": Violation.OVERLOAD,
    "effort_margin": Violation.EFFORT,
}


def objectives_of(study: Study) -> tuple[str, ...]:
    """Return names of the columns of objectives: both weighted ones, and each actuator's."""
    return (
        "largest",
        "mean",
        *(f"{what} {name}" for name in study.actuators for what in ("largest", "mean")),
    )


def columns_of(study: Study) -> tuple[str, ...]:
    """Return names of the measured columns, without "violations"."""
    return (*objectives_of(study), *_KEPT)


def measured(
    study: Study, loads: Loads, numbers: Array | None, parameters: Mapping[str, Array]
) -> dict[str, NDArray[np.generic]]:
    """Return columns (n,) of n designs: those of `columns_of`, and "violations".

    largest = max over actuators of w max_t |f|, mean = sum of w mean_t |f| over the sum of w, for the force
    or torque f and the weight w of each actuator; NaN where a state has no answer. Margins are the smallest
    over the states: of strokes [rad or m], of the sine, of tensions [N], of efforts as share of the limit.
    They are infinite where nothing is to be kept, and negative where it is not. Without ``numbers``, those of
    the designs, limits that are a catalogue's are not known.
    """
    graph, keep = study.graph, study.keep
    answered = (loads.statuses == StateStatus.ANSWERED).all(axis=1)
    independent = graph.independent_joint_names
    forces = np.abs(loads.tau[:, :, [independent.index(name) for name in study.actuators]])
    largest, mean = forces.max(axis=1), forces.mean(axis=1)  # (n, actuators), NaN where one is
    weights = np.array(list(study.actuators.values()))
    columns: dict[str, NDArray[np.generic]] = {
        "largest": (largest * weights).max(axis=1),
        "mean": (mean @ weights) / weights.sum(),
    }
    for k, name in enumerate(study.actuators):
        columns[f"largest {name}"], columns[f"mean {name}"] = largest[:, k], mean[:, k]
    columns = {name: np.where(answered, values, np.nan) for name, values in columns.items()}
    margins = {name: np.full(len(answered), np.inf) for name in _KEPT}

    def keeps(name: str, margin: Array) -> None:
        margins[name] = np.fmin(margins[name], np.where(answered, margin, np.inf))

    def limit(parameter: str, value: float | None) -> Array | float | None:
        return parameters.get(parameter, value)

    for name in keep.strokes:
        joint = graph.joint(name)
        path = loads.coordinates[:, :, graph.q_slice(name).start]
        if (low := limit(f"joint {name} lower limit", joint.limits.lower)) is not None:
            keeps("stroke_margin", path.min(axis=1) - low)
        if (high := limit(f"joint {name} upper limit", joint.limits.upper)) is not None:
            keeps("stroke_margin", high - path.max(axis=1))
    if keep.sine is not None:
        # no sine: the state is near a dead point
        keeps("sine_margin", np.nan_to_num(loads.sines.min(axis=1), nan=0.0) - keep.sine)
    springs = [spring.name for spring in graph.springs]
    for one in keep.tensions:
        tension = loads.tensions[:, :, springs.index(one.spring)]
        keeps("tension_margin", tension.min(axis=1) - _bound(study, one.least, numbers, -np.inf))
        keeps("overload_margin", _bound(study, one.largest, numbers, np.inf) - tension.max(axis=1))
    for k, name in enumerate(study.actuators):
        effort = limit(f"joint {name} effort limit", graph.joint(name).limits.effort)
        if name in keep.efforts and effort is not None:
            keeps("effort_margin", 1.0 - largest[:, k] / effort)
    violations = np.zeros(len(answered), np.uint16)
    for status, violation in _OF_STATUS.items():
        violations |= np.where((loads.statuses == status).any(axis=1), violation, 0).astype(np.uint16)
    for name, margin in margins.items():
        violations |= np.where(margin < 0.0, _KEPT[name], 0).astype(np.uint16)
    return {**columns, **margins, "violations": violations}


def _bound(study: Study, bound: Bound | None, numbers: Array | None, none: float) -> Array | float:
    """Return a limit of designs; ``none`` if there is none or it is unknown."""
    if isinstance(bound, float):
        return bound
    if bound is None or numbers is None:
        return none
    name, column = bound
    k = [one.name for one in study.inputs].index(name)
    return study.inputs[k].column(column, numbers[:, k])
