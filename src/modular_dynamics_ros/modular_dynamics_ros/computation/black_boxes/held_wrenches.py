"""Wrenches of black boxes on a robot that is held at rest."""

from collections.abc import Callable, Mapping

import numpy as np

from modular_dynamics_ros.computation.black_boxes.static_load import Load
from modular_dynamics_ros.computation.black_boxes.stillness import FASTEST
from modular_dynamics_ros.computation.computation import Answer
from modular_dynamics_ros.computation.values import Array, BaseState, State, Wrenches
from modular_dynamics_ros.exceptions import BadMessage, listed

__all__ = ["held_wrenches"]

FARTHEST = 0.01  # [rad or m] between two positions, and of a base, at which a wrench is the same


def held_wrenches(
    state: State, previous: Answer, loads: Mapping[str, Load], gravity_at: Callable[[str], Array]
) -> Wrenches:
    """Return by black box [force, moment] (6,) at and in the frame of its connection point.

    Where the load is known, its weight. Else the wrench of an answer, which is the one at rest only if it was
    measured then, while the robot stood still where it is held.

    Args:
        state: at rest, where the robot is held. previous: an answer to a joint state.
        loads: by black box. gravity_at: (3,) in the frame of a box's connection point [m/s^2].

    Raises:
        BadMessage: the robot moved when a wrench came, or was elsewhere, and the load is not known.
    """
    last = previous.wrenches.black_box
    if last is None:
        return None
    unknown = [name for name in last if name not in loads]
    measured = not any(name in previous.wrenches.stopped for name in unknown)
    if unknown and not (measured and _stood_there(previous.state, state)):
        text = (
            f"no wrench of black box {listed(unknown)} was measured while the robot was known to stand still "
            "there: black_box_loads can name what is to be held"
        )
        raise BadMessage("load not known", text)
    return {
        name: loads[name].wrench(gravity_at(name)) if name in loads else wrench
        for name, wrench in last.items()
    }


def _stood_there(before: State, now: State) -> bool:
    """Return whether the robot was at rest at a state, where it is now."""
    still = before.all_velocities and np.abs(before.v).max(initial=0.0) <= FASTEST
    near = np.abs(before.q - now.q).max(initial=0.0) <= FARTHEST
    return bool(still and near and _base_stood(before.base, now.base))


def _base_stood(before: BaseState | None, now: BaseState | None) -> bool:
    if before is None or now is None:
        return before is now
    turned = np.abs((before.orientation.conjugate() * now.orientation).vector).max()  # sine of half the angle
    return bool(np.abs(before.twist).max() <= FASTEST and 2.0 * turned <= FARTHEST)
