"""What a changed robot takes over from the one before: values by joint, and where its loops stand."""

from collections.abc import Callable

import numpy as np

from modular_dynamics_ros.computation.accelerations.places import places, values_at
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.computation.values import Configuration, State

__all__ = ["carried_configuration", "carried_state"]


def carried_state(robot: Robot, before: Robot, state: State) -> State | None:
    """Return a state of the robot before its change as one of this robot; None if it has new joints."""
    where = places(robot.state_names, before.state_names)
    if (where < 0).any():
        return None
    measured = values_at(places(robot.passive_names, before.passive_names), state.measured, np.nan)
    q, v, a = state.q[where], state.v[where], state.a[where]
    return State(state.stamp, q, v, a, measured, state.coverage, state.base)


def carried_configuration(
    robot: Robot, before: Robot, last: Configuration, state: State, anew: Callable[[], Configuration]
) -> Configuration:
    """Return the loops' configuration of the robot before as one of this robot, for `state` to follow.

    Args:
        anew: closes the loops at the state without a configuration to follow: joints that are new are taken
            from there.
    """
    where = places(robot.state_names, before.state_names)
    names, known = robot.graph.joint_names, {*before.graph.joint_names}
    coordinates = np.zeros(robot.graph.nq) if known.issuperset(names) else anew().coordinates.copy()
    for name in known.intersection(names):
        coordinates[robot.graph.q_slice(name)] = last.coordinates[before.graph.q_slice(name)]
    q = values_at(where, last.state.q, state.q)
    return Configuration(state._replace(stamp=last.state.stamp, q=q), coordinates)
