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
    """Gears; and the positions [rad or m] of joints that relations hold, by MuJoCo's index of the joint."""

    gears: tuple[Gear, ...] = ()
    locked: dict[int, float] = field(default_factory=dict)


@dataclass
class _Relation:
    """Sum of coefficient * qpos of joints (by index) = value."""

    name: str
    coefficients: dict[int, float]
    value: float


def read_relations(
    model: Any, names: Names, equalities: list[tuple[int, str]], driven: Sequence[bool]
) -> Relations:
    """Gears and locked joints of the equality constraints of joints and fixed tendons.

    MuJoCo: y - y_ref = c_0 + c_1 (x - x_ref), where y and x are positions of joints or lengths of tendons. A
    gear determines a joint that no actuator drives, if there is one.

    Raises:
        UnsupportedModelError: a polynomial of higher degree, a spatial tendon, or more relations than joints.
        MjcfError: relations that contradict each other.
    """
    between_joints = (Equality.JOINT, Equality.TENDON)
    pending = [_relation(model, k, name) for k, name in equalities if model.eq_type[k] in between_joints]
    locked: dict[int, float] = {}
    while single := next((r for r in pending if len(_reduced(r, locked).coefficients) <= 1), None):
        pending.remove(single)
        left = _reduced(single, locked)
        for joint, coefficient in left.coefficients.items():
            locked[joint] = left.value / coefficient
        if not left.coefficients and abs(left.value) > _CONTRADICTION:
            raise MjcfError(f"equality '{single.name}' contradicts others: they leave {left.value:g}, not 0")
    gears: dict[int, Gear] = {}
    for relation in (_reduced(r, locked) for r in pending):
        free = [joint for joint in relation.coefficients if joint not in gears]
        if not free:
            raise UnsupportedModelError(
                f"equality '{relation.name}' relates joints that other equalities determine already: "
                + ", ".join(names.joints[k] for k in relation.coefficients)
            )
        own = next((joint for joint in free if not driven[joint]), free[0])
        gears[own] = _gear(relation, names, own)
    return Relations(tuple(gears.values()), locked)


def held_positions(model: Any) -> dict[int, float]:
    """Positions [rad or m] of the joints that equality constraints hold, by MuJoCo's index of the joint.

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
    return _Relation(name, coefficients, value)


def _reduced(relation: _Relation, locked: dict[int, float]) -> _Relation:
    """The relation without locked joints, whose terms move to its value, and without zero coefficients."""
    largest = max(map(abs, relation.coefficients.values()), default=0.0)
    moving = {
        joint: coefficient
        for joint, coefficient in relation.coefficients.items()
        if joint not in locked and abs(coefficient) > _ROUNDING * largest
    }
    value = relation.value - sum(c * locked[k] for k, c in relation.coefficients.items() if k in locked)
    return _Relation(relation.name, moving, value)


def _gear(relation: _Relation, names: Names, own: int) -> Gear:
    scale = relation.coefficients[own]
    (driver, ratio), *further = [
        (names.joints[joint], -coefficient / scale)
        for joint, coefficient in relation.coefficients.items()
        if joint != own
    ]
    return Gear(names.joints[own], driver, ratio, relation.value / scale, tuple(further))
