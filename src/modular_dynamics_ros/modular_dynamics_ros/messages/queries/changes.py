"""Requests of changes as numbers: loads and poses."""

from typing import Any

from geometry_msgs.msg import Inertia, Pose

__all__ = ["load_numbers", "pose_numbers"]


def load_numbers(message: Inertia) -> tuple[float, tuple[float, ...], tuple[float, ...]]:
    """Return mass [kg], centre of mass [m], and ixx, ixy, ixz, iyy, iyz, izz about it [kg m^2]."""
    com, m = message.com, message
    return m.m, (com.x, com.y, com.z), (m.ixx, m.ixy, m.ixz, m.iyy, m.iyz, m.izz)


def pose_numbers(message: Pose) -> tuple[float, ...]:
    """Return position x, y, z [m] and quaternion w, x, y, z of a pose."""
    p, r = message.position, message.orientation
    numbers: tuple[Any, ...] = (p.x, p.y, p.z, r.w, r.x, r.y, r.z)
    return numbers
