"""Limits of descriptions; a larger one is an error that names the limit.

They are far above every known robot, and low enough that a description at a limit is read in seconds.
"""

#: Bytes of a URDF, an MJCF, or another description that is no YAML.
MAX_BYTES = 20_000_000
#: Links, and joints, of one robot; those of planar joints count as they are read.
MAX_LINKS = MAX_JOINTS = 10_000
#: Attributes of one XML element; lxml reads n of them in a time that grows with n^2.
MAX_ATTRIBUTES = 200
#: Elements in <modular_dynamics>.
MAX_TAGS = 100_000
#: Characters of a name.
MAX_NAME = 1_000
#: Bytes of a YAML file.
MAX_YAML_BYTES = 2_000_000
#: Values in a YAML file, each alias counted as all that it stands for.
MAX_YAML_VALUES = 100_000
#: Depth of nested lists and mappings of YAML. (XML: libxml2's own limit of 256 elements.)
MAX_DEPTH = 100
#: Characters of a value that a message shows.
_SHOWN = 80


def shown(value: object) -> str:
    """Return a value in quotes, as messages show it."""
    text = str(value)
    return f"'{text}'" if len(text) <= _SHOWN else f"'{text[:_SHOWN]}...' ({len(text)} characters)"


def too_large(what: str, count: int, most: int, unit: str) -> str:
    """Return the message about something that is over its limit."""
    return f"{what} has {count} {unit}; at most {most} are accepted"
