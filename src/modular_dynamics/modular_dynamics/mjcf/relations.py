"""Equality constraints between joints, and between fixed tendons: gears, and joints that never move."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..exceptions import MjcfError, UnsupportedModelError
from ..model import Gear
from .actuators import tendon_joints
from .codes import Equality
from .loops import active_equalities
from .names import Names, names_of

__all__ = ["Relations", "held_positions", "read_relations"]

#: Rounding: of coefficients, relative to the largest of their relation; of contradictions [rad or m].
_ROUNDING = 1e-12
_CONTRADICTION = 1e-9


@dataclass(frozen=True)
class Relations:
    """Gears; positions [rad or m] of joints that relations hold, by MuJoCo's index of the joint; notes."""

    gears: tuple[Gear, ...] = ()
    locked: dict[int, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


@dataclass
class _Relation:
    """Sum of coefficient * qpos of joints (by index) = value; index and name of the equality constraint."""

    index: int
    name: str
    coefficients: dict[int, float]
    value: float


def read_relations(
    model: Any, names: Names, equalities: list[tuple[int, str]], driven: Sequence[bool]
) -> Relations:
    """Return gears and locked joints of the equality constraints of joints and fixed tendons.

    MuJoCo: y - y_ref = c_0 + c_1 (x - x_ref), where y and x are positions of joints or lengths of tendons. A
    gear determines a joint that no actuator drives, if there is one. What follows from others is left out.

    Raises:
        UnsupportedModelError: a polynomial of higher degree, or a spatial tendon.
        MjcfError: relations that contradict each other.
    """
    between_joints = (Equality.JOINT, Equality.TENDON)
    relations = [_relation(model, k, name) for k, name in equalities if model.eq_type[k] in between_joints]
    locked: dict[int, float] = {}
    while True:
        solved, redundant = _solved([_without(r, locked) for r in relations], driven)
        held = {
            own: row.value / row.coefficients[own]
            for own, row in solved.items()
            if len(row.coefficients) == 1
        }
        if not held:
            break
        locked |= held
    gears = []
    for own, row in solved.items():
        original = _without(next(r for r in relations if r.index == row.index), locked)
        gears.append(_gear(original if own in original.coefficients else row, names, own))
    notes = [f"equalities that follow from others are ignored: {', '.join(redundant)}"] if redundant else []
    return Relations(tuple(gears), locked, notes)


def held_positions(model: Any) -> dict[int, float]:
    """Return positions [rad or m] of joints held by equality constraints, by MuJoCo's joint index.

    Errors as of :func:`read_relations`.
    """
    equalities, _ = active_equalities(model)
    return read_relations(model, names_of(model), equalities, [False] * int(model.njnt)).locked


def _relation(model: Any, k: int, name: str) -> _Relation:
    data, objects = model.eq_data[k], [int(model.eq_obj1id[k]), int(model.eq_obj2id[k])]
    constant, ratio = float(data[0]), float(data[1])
    if objects[1] < 0:
        objects, ratio = objects[:1], 0.0
    elif data[2:5].any():
        terms = ", ".join(f"{c:g}" for c in data[:5])
        raise UnsupportedModelError(
            f"equality '{name}' has the polycoef {terms}; only the first two may be other than zero: gears "
            "are linear"
        )
    coefficients: dict[int, float] = {}
    value = constant
    for sign, item in zip((1.0, -ratio), objects, strict=False):
        if model.eq_type[k] == Equality.JOINT:
            joints, reference = {item: 1.0}, float(model.qpos0[model.jnt_qposadr[item]])
        else:
            joints, reference = tendon_joints(model, item), float(model.tendon_length0[item])
            if not joints:
                raise UnsupportedModelError(
                    f"equality '{name}' holds the length of a spatial tendon, which is not supported"
                )
        value += sign * reference
        for joint, coefficient in joints.items():
            coefficients[joint] = coefficients.get(joint, 0.0) + sign * coefficient
    return _Relation(k, name, coefficients, value)


def _solved(relations: Sequence[_Relation], driven: Sequence[bool]) -> tuple[dict[int, _Relation], list[str]]:
    """Return each relation by the joint that only it determines; and names of redundant ones.

    Gauss-Jordan elimination. Raises MjcfError: a contradiction.
    """
    solved, redundant = dict[int, _Relation](), list[str]()
    for relation in relations:
        row = relation
        for own, known in solved.items():
            row = _eliminated(row, own, known)
        if not row.coefficients:
            if abs(row.value) > _CONTRADICTION:
                raise MjcfError(
                    f"equality '{relation.name}' contradicts others: they leave {row.value:g}, not 0"
                )
            if relation.coefficients:
                redundant.append(relation.name)
            continue
        pivot = next((joint for joint in row.coefficients if not driven[joint]), next(iter(row.coefficients)))
        solved = {own: _eliminated(known, pivot, row) for own, known in solved.items()} | {pivot: row}
    return solved, redundant


def _eliminated(row: _Relation, own: int, known: _Relation) -> _Relation:
    """Return ``row`` without the joint ``own``, which ``known`` determines."""
    if own not in row.coefficients:
        return row
    factor = row.coefficients[own] / known.coefficients[own]
    terms = dict(row.coefficients)
    for joint, coefficient in known.coefficients.items():
        before, change = terms.get(joint, 0.0), factor * coefficient
        terms[joint] = before - change
        if joint == own or abs(terms[joint]) <= _ROUNDING * max(abs(before), abs(change)):
            del terms[joint]
    return _Relation(row.index, row.name, terms, row.value - factor * known.value)


def _without(relation: _Relation, locked: dict[int, float]) -> _Relation:
    """Return the relation without locked joints, moved to its value, and without zero coefficients."""
    largest = max(map(abs, relation.coefficients.values()), default=0.0)
    moving = {
        joint: coefficient
        for joint, coefficient in relation.coefficients.items()
        if joint not in locked and abs(coefficient) > _ROUNDING * largest
    }
    value = relation.value - sum(c * locked[k] for k, c in relation.coefficients.items() if k in locked)
    return _Relation(relation.index, relation.name, moving, value)


def _gear(relation: _Relation, names: Names, own: int) -> Gear:
    scale = relation.coefficients[own]
    (driver, ratio), *further = [
        (names.joints[joint], -coefficient / scale)
        for joint, coefficient in relation.coefficients.items()
        if joint != own
    ]
    return Gear(names.joints[own], driver, ratio, relation.value / scale, tuple(further))
