"""Elements of a URDF: links, joints, origins, numbers. What is read back is the same number."""

from collections.abc import Iterable

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from ...algebra import DualQuaternion, to_xyz_rpy
from ...exceptions import UnsupportedModelError
from ...model import Inertial, Joint, JointType
from ...text.numbers import LARGEST_FLOAT

__all__ = ["axis", "element", "ends_of", "fixed_joint", "link", "moving_joint", "number", "numbers", "origin"]

_MOMENTS = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}


def element(tag: str, parent: etree._Element | None = None, /, **attributes: str) -> etree._Element:
    """An element with these attributes, below ``parent`` if there is one.

    Raises:
        UnsupportedModelError: a text that XML cannot contain.
    """
    try:
        if parent is None:
            return etree.Element(tag, attributes)
        return etree.SubElement(parent, tag, attributes)
    except ValueError as error:
        shown = ", ".join(f"{key}={value!r}" for key, value in attributes.items())
        raise UnsupportedModelError(f"<{tag}> with {shown} cannot be written as XML: {error}") from None


def link(name: str, inertial: Inertial) -> etree._Element:
    """A link, with <inertial> unless it has neither mass nor centre of mass."""
    own = element("link", name=name)
    if inertial.mass != 0.0 or inertial.inertia.any() or inertial.com.any():
        part = element("inertial", own)
        element("origin", part, xyz=numbers(inertial.com), rpy="0 0 0")
        element("mass", part, value=number(inertial.mass))
        element("inertia", part, **{key: number(inertial.inertia[k]) for key, k in _MOMENTS.items()})
    return own


def fixed_joint(name: str, parent: str, child: str, x_parent_child: DualQuaternion) -> etree._Element:
    """A fixed joint between two links."""
    joint = element("joint", name=name, type="fixed")
    _ends(joint, parent, child, x_parent_child)
    return joint


def moving_joint(joint: Joint, x_link_joint: DualQuaternion) -> etree._Element:
    """A moving joint, at its pose in the parent link. A revolute one without limits is continuous.

    Of spherical joints, which URDF does not have, and of armature and springs the tags speak.
    """
    limits, kind = joint.limits, joint.type
    if kind is JointType.REVOLUTE and limits.lower is None and limits.upper is None:
        kind = JointType.CONTINUOUS
    several = kind in (JointType.FLOATING, JointType.SPHERICAL)
    own = element("joint", name=joint.name, type="floating" if several else kind.value)
    _ends(own, joint.parent_link, joint.child_link, x_link_joint)
    if not several:
        element("axis", own, xyz=numbers(axis(joint.axis)))
    given = {"effort": limits.effort, "velocity": limits.velocity}
    ranged = kind in (JointType.REVOLUTE, JointType.PRISMATIC)
    if ranged:
        low = -LARGEST_FLOAT if limits.lower is None else limits.lower
        given = {"lower": low, "upper": limits.upper} | given
    if ranged or any(limit is not None for limit in given.values()):
        # URDF needs numbers where a joint has no limits
        values = {key: number(LARGEST_FLOAT if limit is None else limit) for key, limit in given.items()}
        element("limit", own, **values)
    if joint.damping or joint.friction:
        element("dynamics", own, damping=number(joint.damping), friction=number(joint.friction))
    if joint.mimic is not None:
        multiplier, offset = number(joint.mimic.multiplier), number(joint.mimic.offset)
        element("mimic", own, joint=joint.mimic.joint, multiplier=multiplier, offset=offset)
    return own


def _ends(joint: etree._Element, parent: str, child: str, x_parent_joint: DualQuaternion) -> None:
    element("parent", joint, link=parent)
    element("child", joint, link=child)
    joint.append(origin(x_parent_joint))


def ends_of(joint: etree._Element) -> tuple[str, str]:
    """Names of the parent and the child link."""
    parent, child = (str(end.get("link")) for tag in ("parent", "child") for end in joint.findall(tag))
    return parent, child


def origin(x: DualQuaternion, tag: str = "origin", **attributes: str) -> etree._Element:
    """A pose as xyz and rpy."""
    xyz, rpy = to_xyz_rpy(x)
    return element(tag, **attributes, xyz=numbers(xyz), rpy=numbers(rpy))


def axis(unit: NDArray[np.float64]) -> NDArray[np.float64]:
    """A direction that readers, who divide it by its length, take as exactly this unit vector.

    Where there is none, the vector itself, which they take as one that differs by rounding.

    (1, 1, 0) is one for (0.7071067811865475, 0.7071067811865475, 0), which itself is not.
    """
    for candidate in (unit, unit / np.abs(unit).max()):
        if np.array_equal(candidate / np.linalg.norm(candidate), unit):
            return candidate
    return unit


def numbers(values: Iterable[float]) -> str:
    """Numbers separated by spaces."""
    return " ".join(map(number, values))


def number(value: float) -> str:
    """The shortest text that is read back as the same number."""
    return repr(float(value) + 0.0)  # no -0.0
