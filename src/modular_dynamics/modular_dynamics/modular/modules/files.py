"""Module types from YAML files."""

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from ...algebra import from_rotation_translation
from ...model import JointType, Limits
from .module_type import ModuleBody, ModuleJoint, ModuleType
from .port import Port
from .shape import Shape

__all__ = ["read_module_type"]


def read_module_type(path: str | PathLike[str]) -> ModuleType:
    """The module type in a YAML file."""
    data = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    cells = data.get("cells", {})
    bodies = [_body(name, values) for name, values in data["bodies"].items()]
    ports = [_port(str(name), k + 1, values) for k, (name, values) in enumerate(data["ports"].items())]
    return ModuleType(
        data["name"],
        {body.name: body for body in bodies},
        tuple(_joint(name, values) for name, values in data.get("joints", {}).items()),
        {port.name: port for port in ports},
        data["root"],
        tuple((int(i), int(j), int(k)) for i, j, k in cells.get("filled", ())),
        float(cells.get("size", 0.0)),
    )


def _body(name: str, values: Mapping[str, Any]) -> ModuleBody:
    xx, yy, zz, xy, xz, yz = values.get("inertia", [0.0] * 6)
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], float)
    shapes = tuple(Shape("box", tuple(shape["box"])) for shape in values.get("shapes", ()))
    return ModuleBody(
        name, float(values["mass"]), np.array(values.get("com", [0.0] * 3), float), inertia, shapes
    )


def _joint(name: str, values: Mapping[str, Any]) -> ModuleJoint:
    axis = None if values["axis"] == "normal" else np.array(values["axis"], float)
    origin = np.array(values.get("origin", [0.0] * 3), float)
    limits = Limits(**values.get("limits", {}))
    return ModuleJoint(
        name,
        JointType(values["type"]),
        values["parent"],
        values["child"],
        axis,
        origin,
        limits,
        values.get("damping", 0.0),
        values.get("friction", 0.0),
        values.get("armature", 0.0),
    )


def _port(name: str, position: int, values: Mapping[str, Any]) -> Port:
    z, x = np.array(values["normal"], float), np.array(values["up"], float)
    rotation = np.column_stack([x, np.cross(z, x), z])
    number = int(name) if name.isdigit() else position
    return Port(
        name,
        number,
        values["body"],
        from_rotation_translation(rotation, values["xyz"]),
        tuple(values.get("size", ())),
        values.get("gender", "h"),
        values.get("kind", ""),
    )
