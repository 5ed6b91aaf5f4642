"""Elements and attributes that no reader of URDF knows, but that look like those which it knows.

What is misspelt is ignored, and a default takes its place: <Axis xyz="0 1 0"/> leaves the axis at 1 0 0. What
resembles nothing belongs to another tool and is not reported.
"""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from lxml import etree

from ...model import Finding
from ..source import line_of

__all__ = ["misspelt"]

#: Sub-elements by element. Dynamics reads none of _UNREAD.
_UNREAD = {"material", "transmission", "gazebo", "visual", "collision", "calibration", "safety_controller"}
_CHILDREN = {
    "robot": ("link", "joint", "material", "transmission", "gazebo", "modular_dynamics"),
    "link": ("inertial", "visual", "collision"),
    "inertial": ("origin", "mass", "inertia"),
    "joint": (
        "parent",
        "child",
        "origin",
        "axis",
        "limit",
        "dynamics",
        "mimic",
        "calibration",
        "safety_controller",
    ),
}
#: Attributes of the elements that are read.
_ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "origin": ("xyz", "rpy"),
    "axis": ("xyz",),
    "limit": ("lower", "upper", "effort", "velocity"),
    "dynamics": ("damping", "friction"),
    "mimic": ("joint", "multiplier", "offset"),
    "inertia": ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"),
}
#: Some exporters write all nine entries of the inertia, which is symmetric.
_REPEATED = ("iyx", "izx", "izy")
#: How alike two names must be, as difflib measures it, and by how many letters they may differ in length:
#: "jiont" and "orgin" are found; "k_velocity" and "reflink", which published robots have, are not.
_ALIKE, _LENGTHS = 0.75, 1


def misspelt(root: etree._Element) -> Iterator[Finding]:
    """What is ignored below <robot>, in links, joints and inertials, but was probably meant to count."""
    yield from _children(root, "robot", root.get("name", ""))
    for kind in ("link", "joint"):
        for element in root.findall(kind):
            name = element.get("name", "")
            yield from _children(element, kind, name)
            for inertial in element.findall("inertial") if kind == "link" else ():
                yield from _children(inertial, kind, name)


def _children(parent: etree._Element, owner: str, name: str) -> Iterator[Finding]:
    """Findings about sub-elements of one element of link or joint ``name``, and about their attributes."""
    known = _CHILDREN[str(parent.tag)]
    where = f"<{parent.tag}> of {owner} '{name}'" if parent.tag != owner else f"{owner} '{name}'"
    for child in parent.iterchildren(etree.Element):
        tag = str(child.tag)
        if tag not in known:
            if (meant := _meant(tag, known)) is not None and meant not in _UNREAD:
                text, hint = f"{where} has an element <{tag}>, which is unknown", f"; is <{meant}> meant?"
                yield Finding("misspelt element", owner, name, text, line_of(child), " and ignored", hint)
        elif owner != "robot":
            yield from _attributes(child, owner, name)


def _attributes(element: etree._Element, owner: str, name: str) -> Iterator[Finding]:
    known = _ATTRIBUTES.get(str(element.tag), ())
    for key in map(str, element.attrib):
        absent = [one for one in known if one not in element.attrib]  # what is there was not misspelt
        if key not in known and key not in _REPEATED and (meant := _meant(key, absent)) is not None:
            text = f"<{element.tag}> of {owner} '{name}' has an attribute '{key}', which is unknown"
            hint = f"; is '{meant}' meant?"
            yield Finding("misspelt attribute", owner, name, text, line_of(element), " and ignored", hint)


def _meant(name: str, known: Sequence[str]) -> str | None:
    """The known name that this one resembles: other case, the same letters in another order, or nearly so."""
    if "{" in name or ":" in name:  # of another tool's namespace
        return None
    folded = name.casefold()
    for one in known:
        if sorted(folded) == sorted(one):
            return one
    near = [one for one in known if abs(len(one) - len(folded)) <= _LENGTHS]
    return next(iter(get_close_matches(folded, near, 1, _ALIKE)), None)
