"""<drake:joint> as joints of URDF: ball, planar, universal. Others are not in the model."""

from collections.abc import Iterator
from copy import copy

from lxml import etree

from ...exceptions import UrdfError
from ...model import Finding
from ..checks.values import LINE, Entry
from ..source import line_of
from .words import Record, children

__all__ = ["replace_drake_joints"]

_AS_URDF = {"ball": "floating", "planar": "planar", "universal": "continuous"}
_STANDARD = ("revolute", "continuous", "prismatic", "fixed", "floating")


def replace_drake_joints(root: etree._Element) -> tuple[list[Record], list[Finding]]:
    """Change the tree so that joints of Drake are URDF's; returns those of types that URDF lacks.

    And findings of what is not read of them.

    A ball joint becomes a floating one that <spherical> makes a ball joint. A universal joint becomes two
    about x and y, NAME_x and NAME_y, with a link without mass between: Drake's turns about these axes.

    Raises:
        UrdfError: a joint without name, or of a type that is not in the model, such as screw.
    """
    replaced, findings = list[Record](), list[Finding]()
    for joint in list(children(root, "drake:joint")):
        line, name = line_of(joint), Entry.of(joint, "<drake:joint>").name("name")
        kind = joint.get("type")
        if kind not in (*_AS_URDF, *_STANDARD):
            known = ", ".join((*_AS_URDF, *_STANDARD))
            raise UrdfError(f"<drake:joint> '{name}' has the type '{kind}'; {known} are read", line)
        joint.tag = "joint"
        joint.set("type", _AS_URDF.get(kind, kind))
        if kind in _AS_URDF:
            section = "spherical" if kind == "ball" else kind
            replaced.append(Record(section, {"joint": name, LINE: line}, "<drake:joint>"))
        if kind == "universal":
            findings += _split(joint, name)
    return replaced, findings


def _split(joint: etree._Element, name: str) -> Iterator[Finding]:
    """A universal joint as two, with a link between; what it has of one axis is not read, as in Drake."""
    parts = {str(own.tag): own for own in joint}
    between = f"{name}_x_link"
    second = etree.Element("joint", name=f"{name}_y", type="continuous")
    link = etree.Element("link", name=between)
    for own in list(joint):
        if own.tag in ("axis", "mimic"):
            joint.remove(own)
            text = f"<{own.tag}> of the universal joint '{name}' is not read: it turns about x and then y"
            hint = "; write two joints, with a link without mass between"
            yield Finding(f"{own.tag} of a universal joint", "joint", name, text, line_of(own), "", hint)
    etree.SubElement(second, "parent", link=between)
    for tag in ("child", "dynamics", "limit"):
        if tag in parts:
            second.append(copy(parts[tag]))
    etree.SubElement(second, "axis", xyz="0 1 0")
    joint.set("name", f"{name}_x")
    if "child" in parts:
        parts["child"].set("link", between)
    etree.SubElement(joint, "axis", xyz="1 0 0")
    for new in (link, second):
        new.sourceline = joint.sourceline
        joint.addnext(new)
