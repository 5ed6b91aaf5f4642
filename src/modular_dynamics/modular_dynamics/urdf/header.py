"""What <robot> and <modular_dynamics> state of the whole file: version, conditions, stamp."""

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from ..exceptions import UrdfError
from ..model import Finding
from .schema import LATEST, OLDEST, ROBOT, Version
from .source import Source, line_of
from .values import Entry
from .xacro_files import read_plain

# The version of URDF that <robot> states, and what a file of that version does not know.

_VERSION = re.compile(r"([0-9]{1,9})\.([0-9]{1,9})")
_KNOWN = [Version(1, minor) for minor in range(LATEST.minor + 1)]
_OF_JOINT = ROBOT.children["joint"].children
_SINCE = {tag: _OF_JOINT[tag].since for tag in ("origin", "limit")}


class Stated(NamedTuple):
    """The version in which a file is read, with a finding where the file states an unknown one."""

    version: Version
    findings: tuple[Finding, ...] = ()


def stated_version(root: etree._Element) -> Stated:
    """The version that <robot> states; 1.0 without one, the newest known one in place of an unknown one."""
    text = root.get("version")
    if text is None:
        return Stated(OLDEST)
    parts = _VERSION.fullmatch(text.strip())
    version = None if parts is None else Version(int(parts[1]), int(parts[2]))
    if version in _KNOWN:
        return Stated(version)
    known = ", ".join(map(str, _KNOWN[:-1]))
    what = f"<robot version='{text[:20]}'> is no known version of URDF; known are {known} and {LATEST}"
    name, assumed = root.get("name", ""), f"; it is read as {LATEST}"
    return Stated(LATEST, (Finding("unknown version", "robot", name, what, line_of(root), assumed),))


def without_later_attributes(root: etree._Element, version: Version) -> list[Finding]:
    """Remove attributes that this version does not have; findings of the poses that they say.

    Other readers ignore them, too. Nothing here needs the limits that came later.
    """
    findings = list[Finding]()
    for kind in ("link", "joint"):
        for owner in root.findall(kind):
            for element in owner.iter("origin", "limit"):
                for key, first in _SINCE[str(element.tag)].items():
                    if version < first and key in element.attrib:
                        element.attrib.pop(key)
                        findings += _ignored(element, key, kind, owner.get("name", ""), version)
    return findings


def _ignored(element: etree._Element, key: str, kind: str, name: str, version: Version) -> Iterator[Finding]:
    parent = element.getparent()
    if element.tag == "origin" and parent is not None and parent.tag in ("joint", "inertial"):
        text = f"<origin> of {kind} '{name}' has the attribute '{key}', which URDF {version} does not have"
        hint = f'; write <robot version="{_SINCE["origin"][key]}"> if it is to count'
        yield Finding(
            "attribute of a later version", kind, name, text, line_of(element), "; it is ignored", hint
        )


# Gravity and floating base: attributes of <modular_dynamics>, used where load_urdf is not given them.

#: The gravitational acceleration without any other statement [m/s^2].
EARTH = (0.0, 0.0, -9.81)
#: Their names, as in Conditions.
ATTRIBUTES = ("gravity", "floating_base")


class Conditions(NamedTuple):
    """Under which conditions a robot is described.

    Attributes:
        gravity: in the root link's frame [m/s^2], shape (3,).
        floating_base: whether the root link floats.
    """

    gravity: NDArray[np.float64]
    floating_base: bool


def is_stated(robot: etree._Element, name: str) -> bool:
    """Return whether the tags of a <robot> element state one of ATTRIBUTES."""
    wrapper = robot.find("modular_dynamics")
    return wrapper is not None and wrapper.get(name) is not None


def conditions_of(robot: etree._Element) -> Conditions:
    """Those of a <robot> element; on earth and fixed where its tags do not say so.

    Raises:
        UrdfError: not three numbers; neither true nor false.
    """
    wrapper = robot.find("modular_dynamics")
    if wrapper is None:
        return Conditions(np.array(EARTH), False)
    entry = Entry.of(wrapper, "<modular_dynamics>")
    return Conditions(np.array(entry.numbers("gravity", 3, list(EARTH))), entry.truth("floating_base"))


# Since when a description is valid: attribute ``stamp`` of <modular_dynamics>.

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
