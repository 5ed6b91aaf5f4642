"""Names that parts of modular robots may have, how many there may be, and how messages show them.

A module's name becomes part of names of joints, links and topics: "v1/bend".
"""

from collections.abc import Collection
from itertools import islice
from reprlib import Repr
from typing import TypeGuard

#: Characters of a name: of a module, a kind, a port, a body, a joint, a robot.
LONGEST_NAME = 100
#: Modules of an assembly, whose incidence matrix has as many rows and about as many columns.
MOST_MODULES = 2_000
#: Bodies, joints, or ports of one kind of module.
MOST_PARTS = 1_000
#: What :func:`is_name` accepts, for messages.
NAME = f"text of at most {LONGEST_NAME} characters, without '/' and white space,"

_short = Repr()
_short.maxlevel, _short.maxlist, _short.maxtuple, _short.maxdict = 2, 9, 9, 4
_short.maxstring = _short.maxother = _short.maxlong = 80


def is_label(name: object) -> TypeGuard[str]:
    """Return whether ``name`` is short printable text, spaces allowed, as in a robot's name."""
    return isinstance(name, str) and bool(name.strip()) and name.isprintable() and len(name) <= LONGEST_NAME


def is_name(name: object) -> TypeGuard[str]:
    """Return whether ``name`` is a label without '/' and white space."""
    return is_label(name) and "/" not in name and name.split() == [name]


def shown(value: object) -> str:
    """Return a value as messages show it: shortened in the middle if it is long."""
    return _short.repr(value)


def listed(names: Collection[str], most: int = 20) -> str:
    """Return names for the end of a sentence; beyond ``most`` only their number."""
    text = ", ".join(islice(names, most))
    return text if len(names) <= most else f"{text} and {len(names) - most} more"
