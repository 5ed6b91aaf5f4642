"""Since when a description is valid: attribute ``stamp`` of <modular_dynamics>."""

import re
from typing import NamedTuple

from lxml import etree

from ..exceptions import UrdfError
from .source import Source, line_of
from .xacro_files import read_plain

__all__ = ["DescriptionHeader", "description_header", "stamp_of", "stamp_text", "stamped"]

#: Seconds since the epoch of a clock, with nine decimals.
_SECONDS = re.compile(r"([0-9]{1,10})\.([0-9]{9})")


class DescriptionHeader(NamedTuple):
    """Which robot a description is of, and since when.

    Attributes:
        stamp: the instant [ns] from which on the robot is as described; None where the description has none.
    """

    name: str
    stamp: int | None


def description_header(source: Source) -> DescriptionHeader:
    """Name and stamp of a description.

    Raises:
        UrdfError: not a URDF, or an invalid stamp; names its line.
    """
    root = read_plain(source).root
    wrapper = root.find("modular_dynamics")
    return DescriptionHeader(root.get("name", ""), None if wrapper is None else stamp_of(wrapper))


def stamp_of(wrapper: etree._Element) -> int | None:
    """The stamp [ns] of the element <modular_dynamics>; None where it has none."""
    if (text := wrapper.get("stamp")) is None:
        return None
    if (match := _SECONDS.fullmatch(text)) is None:
        raise UrdfError(
            f"stamp '{text}' of <modular_dynamics>; seconds with nine decimals are needed, such as "
            "'1763848677.123456789'",
            line_of(wrapper),
        )
    return int(match[1]) * 1_000_000_000 + int(match[2])


def stamp_text(stamp: int) -> str:
    """A stamp [ns] as descriptions have it."""
    seconds, rest = divmod(stamp, 1_000_000_000)
    return f"{seconds}.{rest:09d}"


def stamped(urdf: str, stamp: int) -> str:
    """A plain URDF with this stamp [ns] in its tags.

    Raises:
        UrdfError: not a URDF.
    """
    root = read_plain(urdf).root
    wrapper = root.find("modular_dynamics")
    if wrapper is None:
        wrapper = etree.SubElement(root, "modular_dynamics", version="1")
    wrapper.set("stamp", stamp_text(stamp))
    return etree.tostring(root, encoding="unicode")
