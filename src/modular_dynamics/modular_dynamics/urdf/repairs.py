"""Repairs of files that lack or repeat elements; each assumption is a finding.

The XML tree is changed before it is read, so that its reader needs to know complete files only.
"""

from collections.abc import Iterator

from lxml import etree

from ..model import Finding
from ..text.numbers import decimals
from ..text.sizes import shown
from .schema import ROBOT
from .source import line_of

__all__ = ["repair"]

_OF_INERTIAL, _OF_JOINT = (
    tuple(tag for tag, rule in owner.children.items() if rule.is_read)
    for owner in (ROBOT.children["link"].children["inertial"], ROBOT.children["joint"])
)
_NO_INERTIA = dict.fromkeys(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), "0")


def repair(root: etree._Element) -> list[Finding]:
    """Change the tree where a file is incomplete but its meaning is clear; returns what was assumed.

    A missing <inertia> becomes zero: the link is a point mass. An element that is repeated word by word
    counts once. Elements with an undeclared prefix count as words of another tool, as those with a declared
    one do. Three dampings of a planar joint, which Drake has, are removed.
    """
    return [
        *_undeclared_prefixes(root),
        *_repeated_elements(root),
        *_missing_inertias(root),
        *_dampings_of_planar_joints(root),
    ]


def _undeclared_prefixes(root: etree._Element) -> Iterator[Finding]:
    """Findings of prefixes without a declaration; lxml writes declared ones as {namespace}name."""
    first: dict[str, etree._Element] = {}
    for element in root.iter(etree.Element):
        for name in (str(element.tag), *map(str, element.attrib)):
            if ":" in name and not name.startswith("{"):
                first.setdefault(name.partition(":")[0], element)
    for prefix, element in first.items():
        text = f"no xmlns attribute declares the prefix '{prefix}'"
        assumed = "; what carries it counts as words of another tool"
        yield Finding("undeclared prefix", "prefix", prefix, text, line_of(element), assumed)


def _repeated_elements(root: etree._Element) -> Iterator[Finding]:
    for kind, owner in _owners(root):
        parts = owner if kind == "joint" else owner.find("inertial")
        for tag in _OF_JOINT if kind == "joint" else _OF_INERTIAL:
            same = [] if parts is None else parts.findall(tag)
            if parts is not None and len(same) > 1 and all(_equal(one, same[0]) for one in same):
                for one in same[1:]:
                    parts.remove(one)
                name = owner.get("name", "")
                text, assumed = (
                    f"{kind} '{name}' has {len(same)} equal <{tag}> elements",
                    "; one of them is used",
                )
                yield Finding("repeated element", kind, name, text, line_of(same[1]), assumed)


def _equal(one: etree._Element, other: etree._Element) -> bool:
    return sorted(one.attrib.items()) == sorted(other.attrib.items()) and len(one) == len(other) == 0


def _missing_inertias(root: etree._Element) -> Iterator[Finding]:
    for kind, link in _owners(root):
        inertial = link.find("inertial") if kind == "link" else None
        if inertial is not None and inertial.find("mass") is not None and inertial.find("inertia") is None:
            etree.SubElement(inertial, "inertia", _NO_INERTIA)
            name = link.get("name", "")
            text, assumed = (
                f"<inertial> of link '{name}' lacks <inertia>",
                "; the link is taken as a point mass",
            )
            yield Finding("missing inertia", "link", name, text, line_of(inertial), assumed)


def _dampings_of_planar_joints(root: etree._Element) -> Iterator[Finding]:
    for kind, joint in _owners(root):
        dynamics = joint.find("dynamics") if kind == "joint" and joint.get("type") == "planar" else None
        damping = None if dynamics is None else dynamics.get("damping")
        if dynamics is None or damping is None or not _are_three(damping):
            continue
        del dynamics.attrib["damping"]
        name = joint.get("name", "")
        text = (
            f"joint '{name}', <dynamics>: damping={shown(damping)} has a number for each of {name}_x, "
            f"{name}_y and {name}_theta, as Drake has it, and is not read"
        )
        hint = "; one number counts for all three"
        yield Finding(
            "several dampings", "joint", name, text, line_of(dynamics), "; their damping is zero", hint
        )


def _are_three(text: str) -> bool:
    try:
        return len(decimals(text)) == 3
    except ValueError:
        return False


def _owners(root: etree._Element) -> Iterator[tuple[str, etree._Element]]:
    for kind in ("link", "joint"):
        for element in root.findall(kind):
            yield kind, element
