"""From the parameters of every node about a robot to the robot, and the settings of its computation."""

import re
from collections.abc import Sequence
from dataclasses import fields

import modular_dynamics as md
from modular_dynamics_ros.computation.robot import Robot, read_graph, robot_of
from modular_dynamics_ros.computation.values import ComputationSettings
from modular_dynamics_ros.exceptions import SettingError, listed
from modular_dynamics_ros.parameters.nodes import RobotParameters

_NUMBER = re.compile(r"[+-]?([0-9]{1,9}\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]{1,2})?", re.IGNORECASE)
FARTHEST = 1e6  # [rad or m] of a given position


def graph_of(description: str, parameters: RobotParameters, base_source: str = "") -> md.SubsystemGraph:
    """Read a graph from a URDF's path or text, see `read_graph`; may take long, and in any thread.

    Raises:
        RobotError: robot or parameters cannot be used.
    """
    # a text from the topic is never expanded: that reads files and evaluates expressions
    arguments = parameters.xacro_arguments if parameters.robot_description_file else ()
    partition, gravity = parameters.partition_file, parameters.gravity
    return read_graph(description, partition, gravity, arguments, base_source, strict=parameters.strict)


def read_robot(description: str, parameters: RobotParameters) -> Robot:
    """Read a robot; see `graph_of`.

    Raises:
        RobotError: robot or parameters cannot be used.
    """
    return robot_of(graph_of(description, parameters), frame_prefix=parameters.frame_prefix)


def settings_of(parameters: RobotParameters) -> ComputationSettings:
    """Return the settings of a node's computation.

    Each field has the value of the node's parameter of that name, or its default where there is none.
    """
    names = [entry.name for entry in fields(ComputationSettings) if hasattr(parameters, entry.name)]
    return ComputationSettings(**{name: getattr(parameters, name) for name in names})


def given_positions(assignments: Sequence[str], names: Sequence[str]) -> dict[str, float]:
    """Return positions [rad or m] by joint, from texts such as "finger:=0.02".

    Args:
        names: of the joints whose state is needed.

    Raises:
        SettingError: a text that is no such assignment, or of another joint.
    """
    positions: dict[str, float] = {}
    for assignment in assignments:
        name, _, text = assignment.partition(":=")
        if not _NUMBER.fullmatch(text) or name in positions:
            text = "JOINT:=POSITION is needed once for each joint, such as finger:=0.02"
            raise SettingError(f"absent_joints has '{assignment}'; {text}")
        positions[name] = float(text)
        if abs(positions[name]) > FARTHEST:
            raise SettingError(f"absent_joints has '{assignment}'; at most {FARTHEST:g} rad or m is accepted")
    if unknown := [name for name in positions if name not in names]:
        text = f"absent_joints names {listed(unknown)}; the joints of joint_states are {', '.join(names)}"
        raise SettingError(text)
    return positions
