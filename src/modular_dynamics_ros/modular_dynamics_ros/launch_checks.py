"""Checks of launch arguments before anything starts.

A node that ends because of a bad one would be started again and again (`respawn`).
"""

from collections.abc import Mapping
from dataclasses import Field, fields
from typing import Any

from rclpy.exceptions import InvalidNamespaceException, InvalidTopicNameException
from rclpy.validate_namespace import validate_namespace
from rclpy.validate_topic_name import validate_topic_name

from modular_dynamics_ros.exceptions import ParameterError
from modular_dynamics_ros.parameters.assembly import AssemblyParameters
from modular_dynamics_ros.parameters.dynamics import DynamicsParameters
from modular_dynamics_ros.parameters.parameter_file import NoSectionError, sections_for
from modular_dynamics_ros.parameters.player import PlayerParameters
from modular_dynamics_ros.parameters.reactions import ReactionParameters
from modular_dynamics_ros.parameters.subsystem import SubsystemParameters
from modular_dynamics_ros.parameters.table import checked

__all__ = ["checked_namespace", "checked_topic", "require_parameters"]

TABLES: dict[str, Any] = {
    "assembly_node": AssemblyParameters,
    "dynamics_node": DynamicsParameters,
    "joint_state_player": PlayerParameters,
    "subsystem_node": SubsystemParameters,
    "torso_reaction_node": ReactionParameters,
}


def checked_topic(argument: str, name: str) -> str:
    """Return the name of a topic.

    Raises:
        ValueError: ROS does not allow it; names the launch argument.
    """
    reason = "topic name must not contain repeated '/'" if "//" in name else ""  # rclpy allows it
    try:
        validate_topic_name(name)
    except InvalidTopicNameException as error:
        reason = _reason(error)
    if reason:
        raise ValueError(f"launch argument {argument} is '{name}': {reason}")
    return name


def checked_namespace(name: str) -> str:
    """Return a namespace as a full name: "" or /left/arm.

    Raises:
        ValueError: ROS does not allow it.
    """
    full = "/" + name.strip("/") if name.strip("/") else ""
    try:
        validate_namespace(full or "/")
    except InvalidNamespaceException as error:
        raise ValueError(f"launch argument namespace is '{name}': {_reason(error)}") from None
    return full


def _reason(error: Exception) -> str:
    """Return rclpy's reason without the text before it and the pointer below it."""
    return str(error).splitlines()[0].rpartition(": ")[2].rstrip(":")


def require_parameters(path: str, node: str, executable: str, same: Mapping[str, Any]) -> str:
    """Refuse a parameter file that the node would end at, or that contradicts launch arguments.

    Args:
        node: its full name. same: parameters by name that are launch arguments, by which other nodes go, too.

    Returns:
        why the node takes nothing from the file; else empty.

    Raises:
        ParameterError: it cannot be read, or a value is refused; names the file and the parameter.
    """
    table = {entry.name: entry for entry in fields(TABLES[executable])}
    try:
        sections = sections_for(path, node)
    except NoSectionError as error:
        return f"launch argument params_file: {error}; a section /**: is for all nodes"
    except ParameterError as error:
        raise ParameterError(f"launch argument params_file: {error}") from error
    for name, given in ((str(name), given) for one in sections for name, given in one.values.items()):
        entry = table.get(name)
        value = given if entry is None else _as_ros_reads(given, entry)
        if isinstance(value, list) and len({type(item) for item in value}) > 1:
            text = f"{name} is {value}: ROS takes numbers of one kind in a list, such as 0.0 for 0"
            raise ParameterError(f"launch argument params_file: '{path}': {text}")
        if name in same and value != same[name]:
            raise ParameterError(
                f"launch argument params_file: '{path}' sets {name} to {value!r} for {node}, and the launch "
                f"argument {name} is {same[name]!r}: set only the argument, which counts for all nodes"
            )
        if entry is not None:
            try:
                checked(entry, value)
            except ParameterError as error:
                raise ParameterError(f"launch argument params_file: '{path}': {error}") from error
    return ""


def _as_ros_reads(value: Any, entry: Field[Any]) -> Any:
    """Return a number such as 1e3, a text in YAML 1.1, as the number that ROS reads."""
    of_numbers = isinstance(entry.default, float) or entry.metadata["spec"].length is not None
    if isinstance(value, list):
        return [_as_ros_reads(item, entry) for item in value]
    try:
        return float(value) if of_numbers and isinstance(value, str) else value
    except ValueError:
        return value
