"""Names of topics, and qualities of service and why they are what they are."""

from collections.abc import Iterable

from rclpy.event_handler import PublisherEventCallbacks, SubscriptionEventCallbacks
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from modular_dynamics_ros.exceptions import RobotError

__all__ = [
    "ANSWER_DEPTH",
    "DESCRIPTIONS",
    "JOINT_STATES",
    "LATCHED",
    "NO_PUBLISHER_EVENTS",
    "NO_SUBSCRIPTION_EVENTS",
    "SENSOR",
    "STATIC_TRANSFORMS",
    "topic_name",
    "topic_names",
]

#: SensorDataQoS keeps 5: at 500 Hz a pause of 10 ms (another process on the core) would lose messages. 500
#: last for a second; /diagnostics reports how old the answered input is.
JOINT_STATES = QoSProfile(depth=500, reliability=ReliabilityPolicy.BEST_EFFORT)
#: A sensor may publish reliably or not.
SENSOR = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
#: Published once, received by late subscribers too.
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
#: The same of robots that change: with a depth of 1 a description that is followed by the next one before it
#: is taken would be lost, and its joint states would belong to no robot.
DESCRIPTIONS = QoSProfile(depth=20, durability=DurabilityPolicy.TRANSIENT_LOCAL)
#: As tf2's listeners: every broadcaster of static transforms keeps one message.
STATIC_TRANSFORMS = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
#: Of 247 characters of a topic; the rest is for namespace, node and the other parts.
LONGEST_PART = 150
#: Answers that a reliable publisher keeps for a slow subscriber: 0.2 s at 500 Hz.
ANSWER_DEPTH = 100
#: rclpy would watch two events of each publisher at every message, a third of its time; that a subscriber is
#: incompatible is still logged by the subscriber.
NO_PUBLISHER_EVENTS = PublisherEventCallbacks(use_default_callbacks=False)
#: The same of subscriptions; best effort is compatible with every publisher.
NO_SUBSCRIPTION_EVENTS = SubscriptionEventCallbacks(use_default_callbacks=False)


def topic_name(name: str) -> str:
    """The name of a subsystem or a joint as part of a topic: letters, digits and underscores only.

    A letter beyond ASCII becomes its code point, "u5de6"; all else becomes "_".
    """
    part = "".join(map(_allowed, name))
    return f"_{part}" if part[:1].isdigit() else part


def _allowed(character: str) -> str:
    if character.isascii():
        return character if character.isalnum() else "_"
    return f"u{ord(character):04x}"


def topic_names(kind: str, names: Iterable[str]) -> dict[str, str]:
    """Parts of topics by name, one for each.

    Args:
        kind: of what the names are, for errors.

    Raises:
        RobotError: two names have the same part, or one is too long.
    """
    parts: dict[str, str] = {}
    owners: dict[str, str] = {}
    for name in names:
        part = topic_name(name)
        if not 0 < len(part) <= LONGEST_PART:
            text = f"the {kind} '{name:.40}' has a name of {len(part)} characters in topics"
            raise RobotError(f"{text}; 1 to {LONGEST_PART} are possible")
        if (other := owners.setdefault(part, name)) != name:
            raise RobotError(
                f"the {kind}s '{other}' and '{name}' would share the topics of '{part}': rename one"
            )
        parts[name] = part
    return parts
