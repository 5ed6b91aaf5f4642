"""Attributes of <robot> and <modular_dynamics>: version, gravity, floating base, stamp."""

import re
from dataclasses import replace
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

# The version of URDF, and attributes that only later versions have.

_VERSION = re.compile(r"([0-9]{1,9})\.([0-9]{1,9})")
_KNOWN = [Version(1, minor) for minor in range(LATEST.minor + 1)]
_OF_JOINT = ROBOT.children["joint"].children
_SINCE = {tag: _OF_JOINT[tag].since for tag in ("origin", "limit")}


def in_its_version(root: etree._Element) -> tuple[Version, list[Finding]]:
    """Return the version of <robot>, and findings; remove attributes of later versions from the tree.

    The version is 1.0 if none is stated, and the newest known one in place of an unknown one. Other readers
    ignore attributes of later versions, too. Those that are part of a pose are findings; limits of later
    versions (acceleration, jerk) are not, because the model does not use them.
    """
    version, findings = OLDEST, list[Finding]()
    if (text := root.get("version")) is not None:
        parts = _VERSION.fullmatch(text.strip())
        version = LATEST if parts is None else Version(int(parts[1]), int(parts[2]))
        if parts is None or version not in _KNOWN:
            version, known = LATEST, ", ".join(map(str, _KNOWN[:-1]))
            what = (
                f"<robot version='{text[:20]}'> is no known version of URDF; known are {known} and {LATEST}"
            )
            name, assumed = root.get("name", ""), f"; it is read as {LATEST}"
            findings.append(Finding("unknown version", "robot", name, what, line_of(root), assumed))
    for owner in (*root.findall("link"), *root.findall("joint")):
        for element in owner.iter("origin", "limit"):
            for key, first in _SINCE[str(element.tag)].items():
                if first <= version or key not in element.attrib:
                    continue
                element.attrib.pop(key)
                parent, kind, name = element.getparent(), str(owner.tag), owner.get("name", "")
                if element.tag == "origin" and parent is not None and parent.tag in ("joint", "inertial"):
                    text = (
                        f"<origin> of {kind} '{name}' has the attribute '{key}', which URDF {version} does "
                    )
                    hint = f'; write <robot version="{first}"> if it is to count'
                    finding = Finding("attribute of a later version", kind, name, f"{text}not have")
                    line, assumed = line_of(element), "; it is ignored"
                    findings.append(replace(finding, line=line, assumed=assumed, hint=hint))
    return version, findings


# Gravity and floating base: attributes of <modular_dynamics>, defaults of load_urdf's arguments.

#: Gravitational acceleration where neither file nor caller gives one [m/s^2].
EARTH = (0.0, 0.0, -9.81)
#: Names of these attributes.
ATTRIBUTES = ("gravity", "floating_base")


def conditions_of(robot: etree._Element) -> tuple[NDArray[np.float64], bool]:
    """Return gravity (3,) in the root link's frame [m/s^2], and whether the root link floats.

    Defaults without the attributes: :data:`EARTH`, and a fixed root link.

    Raises:
        UrdfError: gravity is not three numbers, or floating_base is neither true nor false.
    """
    wrapper = robot.find("modular_dynamics")
    if wrapper is None:
        return np.array(EARTH), False
    entry = Entry.of(wrapper, "<modular_dynamics>")
    return np.array(entry.numbers("gravity", 3, list(EARTH))), entry.truth("floating_base")


# The time from which a description is valid: attribute ``stamp`` of <modular_dynamics>.

#: Seconds since a clock's epoch, with nine decimals.
_SECONDS = re.compile(r"([0-9]{1,10})\.([0-9]{9})")


class DescriptionHeader(NamedTuple):
    """The robot's name and the stamp of a description.

    Attributes:
        stamp: time [ns] from which the description is valid; None if it has no stamp.
    """

    name: str
    stamp: int | None


def description_header(source: Source) -> DescriptionHeader:
    """Return name and stamp of a description, without reading links and joints.

    Raises:
        UrdfError: not a URDF, or an invalid stamp; names its line.
    """
    root = read_plain(source).root
    wrapper = root.find("modular_dynamics")
    return DescriptionHeader(root.get("name", ""), None if wrapper is None else stamp_of(wrapper))


def stamp_of(wrapper: etree._Element) -> int | None:
    """Return the stamp [ns] of <modular_dynamics>; None without one. Raises UrdfError: an invalid stamp."""
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
    """Return a stamp [ns] as the text of the attribute: seconds with nine decimals."""
    seconds, rest = divmod(stamp, 1_000_000_000)
    return f"{seconds}.{rest:09d}"


def stamped(urdf: str, stamp: int) -> str:
    """Return a plain URDF's text with this stamp [ns] in <modular_dynamics>, which is added if missing.

    Raises:
        UrdfError: not a URDF.
    """
    root = read_plain(urdf).root
    wrapper = root.find("modular_dynamics")
    if wrapper is None:
        wrapper = etree.SubElement(root, "modular_dynamics", version="1")
    wrapper.set("stamp", stamp_text(stamp))
    return etree.tostring(root, encoding="unicode")
