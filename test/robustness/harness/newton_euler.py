"""Newton-Euler in the axes of the world, from the text of a URDF: for trees that are too large for Pinocchio.

Its Data grows with the cube of the joints: 1,000 take more than 20 GB.
"""

from typing import NamedTuple
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

__all__ = ["LargeTree"]

Array = NDArray[np.float64]


class _Joint(NamedTuple):
    """``parent``: index of the joint before, -1 at the root; ``rotation``, ``translation``: of the origin."""

    name: str
    parent: int
    prismatic: bool
    axis: Array
    rotation: Array
    translation: Array
    mass: float
    com: Array
    inertia: Array


class LargeTree:
    """Torques of a tree of revolute, continuous and prismatic joints.

    Attributes:
        names: of the joints, parents first.
    """

    def __init__(self, robot: Element) -> None:
        links = {link.get("name"): link for link in robot.iter("link")}
        children: dict[str, list[Element]] = {}
        for joint in robot.findall("joint"):
            children.setdefault(_of(joint, "parent", "link"), []).append(joint)
        roots = set(children) - {_of(joint, "child", "link") for joint in robot.findall("joint")}
        waiting = [(joint, -1) for root in roots for joint in children[root]]
        self._joints: list[_Joint] = []
        for joint, parent in waiting:
            child = _of(joint, "child", "link")
            waiting += [(one, len(self._joints)) for one in children.get(child, ())]
            self._joints.append(_read(joint, parent, links[child]))
        self.names = [joint.name for joint in self._joints]

    def torques(self, q: Array, v: Array, gravity: Array) -> Array:
        """Torques [N m or N] without accelerations."""
        rotations, origins, axes = [np.eye(3)], [np.zeros(3)], []
        w, alpha, a = [np.zeros(3)], [np.zeros(3)], [-np.asarray(gravity)]
        for k, joint in enumerate(self._joints):
            p = joint.parent + 1
            rotation = rotations[p] @ joint.rotation
            axis = rotation @ joint.axis
            moved = joint.prismatic
            r = rotations[p] @ joint.translation + (axis * q[k] if moved else 0.0)
            rotations.append(rotation if moved else rotation @ _rotation(joint.axis, q[k]))
            origins.append(origins[p] + r)
            axes.append(axis)
            turn = np.zeros(3) if moved else axis * v[k]
            w.append(w[p] + turn)
            alpha.append(alpha[p] + np.cross(w[p], turn))
            slide = 2.0 * np.cross(w[p], axis * v[k]) if moved else 0.0
            a.append(a[p] + np.cross(alpha[p], r) + np.cross(w[p], np.cross(w[p], r)) + slide)
        forces, moments = np.zeros((2, len(self._joints) + 1, 3))  # moments about the origin of the world
        tau = np.zeros(len(self._joints))
        for k in reversed(range(len(self._joints))):
            joint, i = self._joints[k], k + 1
            com = rotations[i] @ joint.com
            inertia = rotations[i] @ joint.inertia @ rotations[i].T
            force = joint.mass * (a[i] + np.cross(alpha[i], com) + np.cross(w[i], np.cross(w[i], com)))
            forces[i] += force
            moments[i] += (
                inertia @ alpha[i] + np.cross(w[i], inertia @ w[i]) + np.cross(origins[i] + com, force)
            )
            about_joint = moments[i] - np.cross(origins[i], forces[i])
            tau[k] = axes[k] @ (forces[i] if joint.prismatic else about_joint)
            forces[joint.parent + 1] += forces[i]
            moments[joint.parent + 1] += moments[i]
        return tau


def _read(joint: Element, parent: int, link: Element) -> _Joint:
    inertial = link.find("inertial")
    assert inertial is not None
    moments = inertial.find("inertia")
    assert moments is not None
    xx, xy, xz, yy, yz, zz = (float(moments.get(f"i{k}", 0.0)) for k in ("xx", "xy", "xz", "yy", "yz", "zz"))
    turned = _rpy(inertial)
    inertia = turned @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ turned.T
    axis = np.array([float(x) for x in _of(joint, "axis", "xyz").split()])
    return _Joint(
        str(joint.get("name")), parent, joint.get("type") == "prismatic", axis / np.linalg.norm(axis),
        _rpy(joint), _xyz(joint), float(_of(inertial, "mass", "value")), _xyz(inertial), inertia,
    )  # fmt: skip


def _of(element: Element, tag: str, attribute: str) -> str:
    child = element.find(tag)
    assert child is not None
    return str(child.get(attribute))


def _xyz(element: Element, attribute: str = "xyz") -> Array:
    origin = element.find("origin")
    text = "0 0 0" if origin is None else origin.get(attribute, "0 0 0")
    return np.array([float(x) for x in text.split()])


def _rpy(element: Element) -> Array:
    roll, pitch, yaw = _xyz(element, "rpy")
    x, y, z = np.eye(3)
    return _rotation(z, yaw) @ _rotation(y, pitch) @ _rotation(x, roll)


def _rotation(axis: Array, angle: float) -> Array:
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross)
