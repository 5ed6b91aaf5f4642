"""The state that a request means: what it names, and where everything else was answered last."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from modular_dynamics.algebra import Quaternion
from modular_dynamics.text.numbers import LARGEST
from modular_dynamics_ros.computation.computation import Answer
from modular_dynamics_ros.computation.queries.errors import QueryError
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.computation.values import TWIST_NAMES, Array, BaseState, State
from modular_dynamics_ros.exceptions import listed, repeated

__all__ = ["RequestedState", "require_actuators", "require_known", "require_usable", "state_of"]

SAME = 1e-6  # [rad or m, rad/s or m/s] within which the state of a mimic joint is that of its driver


def _zeros() -> Array:
    return np.zeros(0)


@dataclass(frozen=True, eq=False)
class RequestedState:
    """The state given in a request.

    Attributes:
        names: joints; none: the state answered last. positions, velocities, accelerations: theirs
        [rad or m, per s, per s^2]; the last two may be empty: zero.
        base: orientation of a floating base in the world; None: as in the last answer.
        twist, base_acceleration: (6,) [linear, angular] as of `BaseState`; zero where they are not given.
    """

    names: Sequence[str] = ()
    positions: Array = field(default_factory=_zeros)
    velocities: Array = field(default_factory=_zeros)
    accelerations: Array = field(default_factory=_zeros)
    base: Quaternion | None = None
    twist: Array = field(default_factory=lambda: np.zeros(6))
    base_acceleration: Array = field(default_factory=lambda: np.zeros(6))


def state_of(robot: Robot, requested: RequestedState, last: Answer | None) -> State:
    """Return the state of all needed joints; joints not named stand still at their last position.

    Args:
        last: what was answered last; None: nothing was.

    Raises:
        QueryError: an unknown joint, one that is named twice or missing, numbers that are missing, not
        finite or huge, a mimic joint elsewhere than its driver takes it, or a base's state that is unknown.
    """
    names, base = requested.names, _base(robot, requested, last)
    numbers = {
        "positions": requested.positions,
        "velocities": requested.velocities,
        "accelerations": requested.accelerations,
    }
    for what, values in numbers.items():
        if len(values) != len(names) and (len(values) or what == "positions"):
            optional = "" if what == "positions" else ", or none at all, which means zero"
            text = f"{what} has {len(values)} values for {len(names)} joint_names; one for each is needed"
            raise QueryError("BAD_STATE", f"{text}{optional}")
        require_usable(what, values, names)
    if not names:
        if last is None:
            raise QueryError("BAD_STATE", _unanswered("joint_names is empty, which means that state"))
        state = last.state
        # passive joints as in that answer, not as measured
        unknown = np.full_like(state.measured, np.nan)
        return State(state.stamp, state.q, state.v, state.a, unknown, base=state.base)
    require_known(robot, names)
    q, v, a = (
        dict(zip(names, values if len(values) else np.zeros(len(names)), strict=True))
        for values in numbers.values()
    )
    _require_as_driven(robot, q, v, a)
    known = {} if last is None else dict(zip(robot.state_names, last.state.q.tolist(), strict=True))
    if missing := [name for name in robot.state_names if name not in q and name not in known]:
        raise QueryError("BAD_STATE", _unanswered(f"positions of {listed(missing)} are missing"))
    return State(
        0 if last is None else last.state.stamp,
        np.array([q.get(name, known.get(name, 0.0)) for name in robot.state_names], dtype=float),
        np.array([v.get(name, 0.0) for name in robot.state_names], dtype=float),
        np.array([a.get(name, 0.0) for name in robot.state_names], dtype=float),
        np.array([q.get(name, np.nan) for name in robot.passive_names], dtype=float),
        base=base,
    )


def require_known(robot: Robot, names: Sequence[str]) -> None:
    """Refuse names that are no joints of the robot, are locked, or there twice.

    Raises:
        QueryError: naming them.
    """
    if twice := repeated(names):
        raise QueryError("BAD_STATE", f"{listed(twice)} named more than once")
    known = {joint.name for joint in robot.graph.joints}
    absent = [name for name in names if name not in known]
    if unknown := [name[:80] for name in absent if name not in robot.locked]:
        has = f"whose joints are {listed(robot.state_names, 8)}"
        raise QueryError("UNKNOWN_NAME", f"no joint {listed(unknown)} in '{robot.graph.name}', {has}")
    if absent:
        at = ", ".join(f"'{name}' is locked at {robot.locked[name]:.6g}" for name in absent)
        raise QueryError("REFUSED", f"{at}: leave out what is locked, or unlock it (lock_joints)")


def require_actuators(robot: Robot, names: Sequence[str]) -> None:
    """Refuse joints that have no effort of their own.

    Raises:
        QueryError: also as of `require_known`; it says why one has none.
    """
    require_known(robot, names)
    for name in names:
        if name in robot.joint_names:
            continue
        driver = robot.graph.driver(robot.graph.joint(name))
        if driver != name:
            why = f"mimics '{driver}', which has the effort of both: name that one instead"
        elif name in robot.passive_names:
            why = "is moved by loops or gears and has no actuator: leave it out"
        else:
            why = "is inside a black box, or the base, and takes no effort: leave it out"
        raise QueryError("REFUSED", f"'{name}' {why}")


def require_usable(what: str, values: Array, names: Sequence[str]) -> None:
    """Raise QueryError where one of the values (..., n) of names is not finite, or beyond what robots reach.

    The largest size is that of descriptions and changes: beyond it results are numbers without a right digit.
    """
    if (usable := np.abs(values) <= LARGEST).all():  # False for NaN
        return
    place = tuple(np.argwhere(~usable)[0])
    point = f" at point {place[0]}" if values.ndim > 1 else ""
    value = float(values[place])
    fault = f"{value:g}; sizes of at most {LARGEST:g} are taken" if np.isfinite(value) else "NaN or infinite"
    raise QueryError("BAD_STATE", f"{what}{point}: that of '{names[place[-1]]:.80}' is {fault}")


def _require_as_driven(robot: Robot, *values: dict[str, float]) -> None:
    """Raise QueryError if a mimic joint is named with a value other than its driver causes."""
    for joint in robot.graph.joints:
        mimic = joint.mimic
        if mimic is None or joint.name not in values[0]:
            continue
        if mimic.joint not in values[0]:
            text = f"'{joint.name}' mimics '{mimic.joint}', which is not named: name that one instead"
            raise QueryError("BAD_STATE", text)
        for of, offset in zip(values, (mimic.offset, 0.0, 0.0), strict=True):
            expected = mimic.multiplier * of[mimic.joint] + offset
            if abs(of[joint.name] - expected) > SAME * max(1.0, abs(expected)):
                text = f"'{joint.name}' mimics '{mimic.joint}', which takes it to {expected:.6g}"
                raise QueryError("BAD_STATE", f"{text}, not {of[joint.name]:.6g}; leave it out")


def _base(robot: Robot, requested: RequestedState, last: Answer | None) -> BaseState | None:
    moves = bool(requested.twist.any() or requested.base_acceleration.any())
    for what, values in (("base_twist", requested.twist), ("base_acceleration", requested.base_acceleration)):
        require_usable(what, values, TWIST_NAMES)
    if robot.base is None or robot.base.source == "imu":
        given = robot.base is None and requested.base is not None and abs(requested.base.w) != 1.0
        if moves or given:
            what = "base_twist and base_acceleration are" if moves else "base_pose is"
            text = f"{what} given, but '{robot.graph.name}' has a fixed root: {robot.mounting}"
            raise QueryError("REFUSED", text)
        if robot.base is None:
            return None
    if not requested.names and (requested.base is not None or moves):
        text = "joint_names is empty, which means the state answered last, but a state of the base is given"
        raise QueryError("BAD_STATE", f"{text}; name the joints, too, or leave the base out")
    if requested.base is not None:
        orientation = robot.base.root * requested.base
    elif last is not None and last.state.base is not None:
        orientation = last.state.base.orientation
    else:
        raise QueryError("BAD_STATE", _unanswered("base_pose is zero, which means that of the last answer"))
    return BaseState(orientation, requested.twist, requested.base_acceleration)


def _unanswered(what: str) -> str:
    return f"{what}, but no joint state of this robot has been answered yet: give all of them"
