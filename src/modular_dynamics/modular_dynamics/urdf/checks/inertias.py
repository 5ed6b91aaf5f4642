"""Masses and inertias: what no rigid body can have."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from lxml import etree

from ...exceptions import UrdfError
from ...model import Body, Finding, JointType, SubsystemGraph
from ...text.numbers import decimals
from ..description import LinkDescription, RobotDescription
from ..source import line_of

__all__ = ["asymmetric_inertias", "check_joint_inertias", "check_links"]

#: Negative moments this small against the largest one come from rounding and do no harm.
ROUNDING = 1e-9
#: Rounding to six digits, as in many files, breaks the triangle inequality of a thin plate by so much, which
#: does no harm.
SIX_DIGITS = 1e-5
#: Length [m]: moments of inertia below the link's mass times its square are rounding errors of the file.
MICROMETRE = 1e-6


def check_links(robot: RobotDescription) -> Iterator[Finding]:
    """Inertias that no rigid body has: a negative principal moment, or one above the sum of the others.

    They are used as given, because published robots have them, often where they have no effect: an antenna of
    1 mg that is fixed to a base. Numbers with which the equations of motion have no meaning are errors, here
    or in :func:`check_joint_inertias`.

    Raises:
        UrdfError: a negative mass; names the link and its line.
    """
    for link in robot.links.values():
        if link.mass < 0.0:
            raise UrdfError(f"link '{link.name}' has mass {link.mass:g} kg; it cannot be negative", link.line)
        moments = np.linalg.eigvalsh(link.inertia)
        largest = float(np.abs(moments).max())
        triangle = moments[2] <= moments[0] + moments[1] + SIX_DIGITS * largest
        if moments[0] < -ROUNDING * largest or not triangle:
            yield _impossible(link, moments, negligible=largest <= link.mass * MICROMETRE**2)


def asymmetric_inertias(root: etree._Element) -> Iterator[Finding]:
    """Inertias that state one entry of the symmetric matrix twice, with two numbers."""
    for link in root.findall("link"):
        for inertia in link.iterfind("inertial/inertia"):
            values = inertia.attrib
            for key, mirrored in (("ixy", "iyx"), ("ixz", "izx"), ("iyz", "izy")):
                given, other = values.get(key), values.get(mirrored)
                if given is None or other is None or _numbers(given) == _numbers(other):
                    continue
                name = link.get("name", "")
                what = f"{key}={given} and {mirrored}={other}, which is the same entry"
                text = f"<inertia> of link '{name}' has {what}"
                assumed, hint = f"; {key} counts", f"; leave {mirrored} out, or write the same number"
                yield Finding("contradicting inertia", "link", name, text, line_of(inertia), assumed, hint)


def _numbers(text: Any) -> list[float]:
    try:
        return decimals(str(text))
    except ValueError:
        return []


def _impossible(link: LinkDescription, moments: np.ndarray, negligible: bool) -> Finding:
    """The finding about a link with these principal moments [kg m^2]."""
    shown = ", ".join(f"{moment:.6g}" for moment in moments)
    if negligible:
        kind, what, assumed = (
            "inertia of rounding errors",
            f"has the principal moments {shown} kg m^2, zero but for rounding",
            "; they are used as given",
        )
    elif moments[0] < -ROUNDING * abs(moments[2]):
        kind, what, assumed = (
            "negative moment of inertia",
            f"has the principal moments {shown} kg m^2; no rigid body has a negative one",
            ". They are used as given: kinetic energy may be negative and forward dynamics fail",
        )
    else:
        kind, what, assumed = (
            "broken triangle inequality",
            f"breaks the triangle inequality of inertias (principal moments {shown} kg m^2: the largest "
            "exceeds the sum of the others); no rigid body has such an inertia",
            ". It is used as given",
        )
    return Finding(kind, "link", link.name, f"link '{link.name}' {what}", link.line, assumed)


def check_joint_inertias(graph: SubsystemGraph, robot: RobotDescription) -> None:
    """Raise an error for a joint about whose axis its body has a negative moment of inertia, beyond rounding.

    The moment about the axis a through the origin of the body: a^T I a + m (c^2 - (a c)^2), with c the centre
    of mass (Steiner). Were it negative, that joint alone would move with negative kinetic energy.

    Raises:
        UrdfError: names the joint, its line and the moment.
    """
    for joint, body in zip(graph.joints, graph.bodies, strict=True):
        if joint.type not in (JointType.REVOLUTE, JointType.CONTINUOUS):
            continue
        moment, scale = _moment_about(joint.axis, body)
        if moment < -ROUNDING * scale - body.mass * MICROMETRE**2:
            raise UrdfError(
                f"joint '{joint.name}' turns link '{body.name}', whose moment of inertia about the axis is "
                f"{moment:.6g} kg m^2; it cannot be negative",
                robot.joints[joint.name].line,
            )


def _moment_about(axis: np.ndarray, body: Body) -> tuple[float, float]:
    """The moment of inertia about an axis through the body's origin, and the largest of its terms."""
    terms = [axis @ body.inertia @ axis, body.mass * (body.com @ body.com - (axis @ body.com) ** 2)]
    return float(sum(terms)), float(np.abs([*terms, *body.inertia.ravel()]).max())
