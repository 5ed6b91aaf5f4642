"""Names of subsystems and joints as parts of topics, and as names of nodes."""

from collections.abc import Iterable

import modular_dynamics as md
from modular_dynamics_ros.computation.subsystem.part import refuse_shared_elements
from modular_dynamics_ros.exceptions import RobotError

#: Of 247 characters of a topic; the rest is for namespace, node and the other parts.
LONGEST_PART = 150


def topic_name(name: str) -> str:
    """Return the name of a subsystem or a joint as part of a topic: letters, digits and underscores only.

    A letter beyond ASCII becomes its code point, "u5de6"; all else becomes "_".
    """
    part = "".join(map(_allowed, name))
    return f"_{part}" if part[:1].isdigit() else part


def _allowed(character: str) -> str:
    if character.isascii():
        return character if character.isalnum() else "_"
    return f"u{ord(character):04x}"


def topic_names(kind: str, names: Iterable[str]) -> dict[str, str]:
    """Return parts of topics by name, one for each.

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


def subsystem_nodes(graph: md.SubsystemGraph) -> dict[str, str]:
    """Return the name of each subsystem's node, by subsystem; black boxes have none.

    Raises:
        RobotError: the robot cannot be computed by one node per subsystem; it has only black boxes; two
            subsystems would have nodes of the same name.
    """
    refuse_shared_elements(graph)
    names = topic_names("subsystem", [one.name for one in graph.subsystems])
    nodes = {one.name: names[one.name] for one in graph.subsystems if not one.black_box}
    if not nodes:
        raise RobotError(f"'{graph.name}' has only black boxes: other programs must compute them")
    return nodes
