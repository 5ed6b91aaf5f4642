"""The version of URDF that <robot> states, and what a file of that version does not know."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from lxml import etree

from ..model import Finding
from .schema import LATEST, OLDEST, ROBOT, Version
from .source import line_of

__all__ = ["Stated", "stated_version", "without_later_attributes"]

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
