"""Module types from YAML files and mappings (docs/reference/module_types.md), and those of the library."""

from collections.abc import Mapping
from functools import cache
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from ...algebra import from_xyz_rpy
from ...exceptions import DescriptionError
from ...model import JointType, Limits
from ...text.element import Element
from ...text.files import given_text
from ...text.numbers import LARGEST, STIFFEST
from ...text.sizes import MAX_YAML_BYTES
from ...text.yaml_text import documents
from ..names import NAME, is_name
from .module_type import (
    ENTRY,
    GENDERS,
    GREY,
    MOVING,
    SIZES,
    ModuleBody,
    ModuleJoint,
    ModuleType,
    Port,
    Shape,
    facing,
)

#: Edge of a cell [m].
SMALLEST_CELL = 1e-6
_ZERO = (0.0, 0.0, 0.0)
#: Terms of a joint, at least 0.
_DRIVE = ("damping", "friction", "armature")
_BOUNDS = {"lower": -LARGEST, "upper": -LARGEST, "effort": 0.0, "velocity": 0.0}


def read_module_type(source: str | PathLike[str] | Mapping[str, Any]) -> ModuleType:
    """Return the module type of a YAML file (docs/reference/module_types.md).

    Args:
        source: the path of a file, YAML text of several lines, or a mapping of the same form.

    Raises:
        DescriptionError: no such file, not YAML, or no module type; names the file, the line, the element as
            'bodies/cube/mass', its value, and what would be right.
    """
    if isinstance(source, Mapping):
        return _module_type(source, "module type")
    name, text = given_text(source, "file of a module type", MAX_YAML_BYTES)
    found = documents(text, name)
    if len(found) > 1:
        raise DescriptionError(f"{len(found)} module types; one for each file is needed", name)
    return _module_type(found[0] if found else None, name)


@cache
def shipped_types() -> Mapping[str, ModuleType]:
    """Return Backbone and Scout of Meister & Gutenkunst, a slider and a passive block, by name."""
    files = sorted((Path(__file__).parent / "shipped").glob("*.yaml"))
    return MappingProxyType({kind.name: kind for kind in map(read_module_type, files)})


def _module_type(content: object, file: str) -> ModuleType:
    """Return the module type that a mapping describes. Raises DescriptionError: names file and element."""
    top = Element.top(content, file, "a mapping (name, root, bodies, ports, ...)")
    top.require(("name", "root", "bodies", "ports"), ("joints", "cells"))
    name = top.text("name")
    for outer in (top.element(key, {}) for key in ("bodies", "joints", "ports")):
        for key in outer.item:
            if not is_name(str(key)):
                raise outer.failure(key, f" is no name; {NAME} is needed")
    bodies = {body: _body(body, element) for body, element in top.named("bodies").items()}
    if not bodies:
        raise top.wrong("bodies", "at least one body")
    joints = tuple(_joint(joint, element) for joint, element in top.named("joints", {}).items())
    elements = top.named("ports")
    numbers = _port_numbers(elements)
    ports = {port: _port(port, numbers[port], tuple(bodies), element) for port, element in elements.items()}
    root = top.choice("root", tuple(bodies))
    cells, size = _cells(top)
    with top.located():
        return ModuleType(name, bodies, joints, ports, root, cells, size)


def _cells(top: Element) -> tuple[tuple[tuple[int, int, int], ...], float]:
    """Return the filled cells of a module type and their edge [m]; none if it has no cells."""
    if "cells" not in top.item:
        return (), 0.0
    element = top.element("cells").require(("size", "filled"))
    filled = element.item["filled"]
    is_list = isinstance(filled, list | tuple) and len(filled) > 0
    if not is_list or not all(
        isinstance(cell, list | tuple) and [*map(type, cell)] == [int] * 3 for cell in filled
    ):
        raise element.wrong("filled", "a list of cells, each three whole numbers,")
    return tuple((i, j, k) for i, j, k in filled), element.number("size", None, SMALLEST_CELL)


def _body(name: str, element: Element) -> ModuleBody:
    """Return the body of an element."""
    element.require(("mass",), ("com", "inertia", "shapes"))
    mass, com = element.number("mass", least=0.0), element.numbers("com", 3, _ZERO)
    xx, yy, zz, xy, xz, yz = element.numbers("inertia", 6, (0.0,) * 6)
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    shapes = tuple(map(_shape, element.elements("shapes")))
    with element.located("inertia"):
        return ModuleBody(name, mass, np.array(com), inertia, shapes)


def _shape(element: Element) -> Shape:
    """Return the shape of an element."""
    element.require((), (*SIZES, "xyz", "rpy", "color"))
    kinds = [kind for kind in SIZES if kind in element.item]
    if len(kinds) != 1:
        has = " and ".join(kinds) or "no kind"
        raise element.failure("", f" has {has}; one of {', '.join(SIZES)} is needed")
    (kind,) = kinds
    size = element.numbers(kind, SIZES[kind], least=0.0)
    x = from_xyz_rpy(element.numbers("xyz", 3, _ZERO), element.numbers("rpy", 3, _ZERO))
    red, green, blue, opacity = element.numbers("color", 4, GREY)
    with element.located(kind):
        return Shape(kind, tuple(size), x, (red, green, blue, opacity))


def _joint(name: str, element: Element) -> ModuleJoint:
    """Return the joint of an element."""
    element.require(("type", "parent", "child", "axis"), ("origin", "limits", *_DRIVE))
    limits = element.element("limits", {}).require((), tuple(_BOUNDS))
    kind = JointType(element.choice("type", [kind.value for kind in MOVING]))
    axis = None
    if element.item["axis"] != "normal":
        axis = np.array(element.numbers("axis", 3))
    elif element.item["parent"] != ENTRY:
        raise element.wrong("axis", "a vector (only a joint whose parent is 'entry' has the axis 'normal')")
    bounds = {key: limits.number(key, least=least) for key, least in _BOUNDS.items() if key in limits.item}
    with element.located():
        return ModuleJoint(
            name,
            kind,
            element.text("parent"),
            element.text("child"),
            axis,
            np.array(element.numbers("origin", 3, _ZERO)),
            Limits(**bounds),
            **{key: element.number(key, least=0.0, largest=STIFFEST) for key in _DRIVE},
        )


def _port_numbers(ports: Mapping[str, Element]) -> dict[str, int]:
    """Return a number for each port: the given one, else that of a name of digits, else the smallest free."""
    own: dict[str, int | None] = {}
    for name, element in ports.items():
        is_number = name.isascii() and name.isdecimal() and not name.startswith("0")
        default = int(name) if is_number else None
        own[name] = element.whole("number", None, 1) if "number" in element.item else default
    taken = {*own.values()}
    free = (number for number in range(1, 2 * len(own) + 1) if number not in taken)
    return {name: next(free) if number is None else number for name, number in own.items()}


def _port(name: str, number: int, bodies: tuple[str, ...], element: Element) -> Port:
    """Return the port of an element."""
    element.require(("body", "xyz", "normal", "up"), ("number", "gender", "kind"))
    with element.located():
        x = facing(*(element.numbers(key, 3) for key in ("xyz", "normal", "up")))
    body, kind = element.choice("body", bodies), element.text("kind")
    return Port(name, number, body, x, element.choice("gender", GENDERS, "h"), kind)
