"""Checks of launch arguments: a node that ended because of them would be started again and again."""

from dataclasses import fields
from typing import Any

from rclpy.exceptions import InvalidNamespaceException, InvalidTopicNameException
from rclpy.validate_namespace import validate_namespace
from rclpy.validate_topic_name import validate_topic_name

from modular_dynamics_ros.exceptions import NoSectionError, ParameterError
from modular_dynamics_ros.parameters.nodes import (
    AssemblyParameters,
    DynamicsParameters,
    PlayerParameters,
    ReactionParameters,
    SubsystemParameters,
)
from modular_dynamics_ros.parameters.table import checked, parameters_in_file

#: Parameters of the executables that launch files start.
TABLES: dict[str, Any] = {
    "assembly_node": AssemblyParameters,
    "dynamics_node": DynamicsParameters,
    "joint_state_player": PlayerParameters,
    "subsystem_node": SubsystemParameters,
    "torso_reaction_node": ReactionParameters,
}


def checked_topic(argument: str, name: str) -> str:
    """Return the name of a topic. Raises ValueError: ROS does not allow it; names the launch argument."""
    reason = "topic name must not contain repeated '/'" if "//" in name else ""  # rclpy allows it
    try:
        validate_topic_name(name)
    except InvalidTopicNameException as error:
        reason = _reason(error)
    if reason:
        raise ValueError(f"launch argument {argument} is '{name}': {reason}")
    return name


def checked_namespace(name: str, argument: str = "launch argument namespace") -> str:
    """Return a namespace as a full name: "" or /left/arm.

    Raises:
        ValueError: ROS does not allow it.
    """
    full = "/" + name.strip("/") if name.strip("/") else ""
    try:
        validate_namespace(full or "/")
    except InvalidNamespaceException as error:
        raise ValueError(f"{argument} is '{name}': {_reason(error)}") from None
    return full


def check_parameters(path: str, node: str, executable: str) -> None:
    """Check what a parameter file sets for a node; a file without a section for the node sets nothing.

    Args:
        node: its full name, such as /left/dynamics_node.

    Raises:
        ParameterError: the file cannot be read, or the node would refuse a value; names file and parameter.
    """
    try:
        given = parameters_in_file(path, node)
    except NoSectionError:
        return
    except ParameterError as error:
        raise ParameterError(f"launch argument params_file: {error}") from error
    table = {entry.name: entry for entry in fields(TABLES[executable])}
    try:
        for name, value in given.items():
            if isinstance(value, list) and len({type(item) for item in value}) > 1:
                raise ParameterError(f"{name} is {value}: ROS takes values of one type, such as 0.0 for 0")
            if name in table:
                checked(table[name], value)
    except ParameterError as error:
        raise ParameterError(f"launch argument params_file: '{path}': {error}") from error


def _reason(error: Exception) -> str:
    """Return rclpy's reason without the text before it and the pointer below it."""
    return str(error).splitlines()[0].rpartition(": ")[2].rstrip(":")
