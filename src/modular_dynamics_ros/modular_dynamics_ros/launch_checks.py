"""Checks of names in launch arguments, before a node that cannot have them is started again and again."""

from rclpy.exceptions import InvalidNamespaceException, InvalidTopicNameException
from rclpy.validate_namespace import validate_namespace
from rclpy.validate_topic_name import validate_topic_name


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


def _reason(error: Exception) -> str:
    """Return rclpy's reason without the text before it and the pointer below it."""
    return str(error).splitlines()[0].rpartition(": ")[2].rstrip(":")
