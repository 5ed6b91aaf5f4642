"""A mapping of the form of docs/modular_modules.md as a module type."""

import numpy as np

from ....algebra import DualQuaternion, Quaternion, from_xyz_rpy
from ....model import JointType, Limits
from ....text.numbers import LARGEST, STIFFEST
from ..module_type import ModuleType
from ..parts import ENTRY, ModuleBody, ModuleJoint, unit
from ..port import GENDERS, Port
from ..poses import facing
from ..shape import GREY, SIZES, Shape
from .element import Element
from .numbering import port_numbers

__all__ = ["module_type_from"]

_NEEDED = ("name", "root", "bodies", "ports")
_ZERO, _NONE = (0.0, 0.0, 0.0), (0.0,) * 6
_BOUNDS = {"lower": -LARGEST, "upper": -LARGEST, "effort": 0.0, "velocity": 0.0}
_MOVING = ("revolute", "continuous", "prismatic")


def module_type_from(top: Element) -> ModuleType:
    """Return the module type that a mapping describes. Raises DescriptionError: names file and element."""
    top.require(_NEEDED, ("joints", "cells"))
    name = top.text("name")
    bodies = {body: _body(body, element) for body, element in top.named("bodies").items()}
    if not bodies:
        raise top.wrong("bodies", "at least one body")
    joints = tuple(_joint(joint, element) for joint, element in top.named("joints", {}).items())
    elements = top.named("ports")
    numbers = port_numbers({port: _number(element) for port, element in elements.items()})
    ports = {port: _port(port, numbers[port], tuple(bodies), element) for port, element in elements.items()}
    root = top.choice("root", tuple(bodies))
    cells, size = _cells(top)
    with top.located():
        return ModuleType(name, bodies, joints, ports, root, cells, size)


def _cells(top: Element) -> tuple[tuple[tuple[int, int, int], ...], float]:
    if "cells" not in top.item:
        return (), 0.0
    element = top.element("cells").require(("size", "filled"))
    size, filled = element.number("size", least=0.0), element.item["filled"]
    if size == 0.0:
        raise element.wrong("size", "a positive number [m]")
    if not isinstance(filled, list | tuple) or not filled or not all(map(_is_cell, filled)):
        raise element.wrong("filled", "a list of cells, each three whole numbers,")
    return tuple((int(i), int(j), int(k)) for i, j, k in filled), size


def _is_cell(cell: object) -> bool:
    return isinstance(cell, list | tuple) and len(cell) == 3 and all(type(part) is int for part in cell)


def _body(name: str, element: Element) -> ModuleBody:
    element.require(("mass",), ("com", "inertia", "shapes"))
    mass, com = element.number("mass", least=0.0), element.numbers("com", 3, _ZERO)
    xx, yy, zz, xy, xz, yz = element.numbers("inertia", 6, _NONE)
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    shapes = tuple(map(_shape, element.elements("shapes")))
    with element.located("inertia"):
        return ModuleBody(name, mass, np.array(com), inertia, shapes)


def _shape(element: Element) -> Shape:
    element.require((), (*SIZES, "xyz", "rpy", "pose", "color"))
    kinds = [kind for kind in SIZES if kind in element.item]
    if len(kinds) != 1:
        raise element.failure(
            "", f" has {' and '.join(kinds) or 'no kind'}; one of {', '.join(SIZES)} is needed"
        )
    (kind,) = kinds
    size = element.numbers(kind, SIZES[kind], least=0.0)
    if "pose" in element.item:
        x = _dual_quaternion(element, ("xyz", "rpy"))
    else:
        x = from_xyz_rpy(element.numbers("xyz", 3, _ZERO), element.numbers("rpy", 3, _ZERO))
    red, green, blue, opacity = element.numbers("color", 4, GREY)
    with element.located(kind):
        return Shape(kind, tuple(size), x, (red, green, blue, opacity))


def _joint(name: str, element: Element) -> ModuleJoint:
    optional = ("origin", "limits", "damping", "friction", "armature", "gear_ratio", "rotor_inertia")
    element.require(("type", "parent", "child", "axis"), optional)
    limits = element.element("limits", {}).require((), ("lower", "upper", "effort", "velocity"))
    kind = JointType(element.choice("type", _MOVING))
    axis = None
    if element.item["axis"] != "normal":
        with element.located("axis"):
            axis = unit("this axis", element.numbers("axis", 3))
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
            element.number("damping", least=0.0, largest=STIFFEST),
            element.number("friction", least=0.0, largest=STIFFEST),
            _armature(element),
        )


def _armature(element: Element) -> float:
    """Return a joint's armature: given, or its rotor's inertia behind a gear, ratio^2 inertia."""
    own, ratio = element.number("armature", least=0.0, largest=STIFFEST), element.number("gear_ratio", 1.0)
    rotor = element.number("rotor_inertia", least=0.0)
    for key in ("gear_ratio", "rotor_inertia"):
        if "armature" in element.item and key in element.item:
            raise element.failure(key, f" stands beside armature {own:g}; needed is that, or ratio and rotor")
    if "gear_ratio" in element.item and "rotor_inertia" not in element.item:
        raise element.failure("gear_ratio", " stands without rotor_inertia [kg m^2 or kg]")
    return own + ratio**2 * rotor


def _number(element: Element) -> int | None:
    if "number" not in element.item:
        return None
    value = element.item["number"]
    if type(value) is not int or value < 1:
        raise element.wrong("number", "a whole number from 1 on")
    return value


def _port(name: str, number: int, bodies: tuple[str, ...], element: Element) -> Port:
    optional = ("number", "size", "gender", "kind")
    if "pose" in element.item:
        element.require(("body", "pose"), optional)
        x = _dual_quaternion(element, ())
    else:
        element.require(("body", "xyz", "normal", "up"), optional)
        x = _facing(element)
    size, gender = element.numbers("size", None, ()), element.choice("gender", GENDERS, "h")
    body, kind = element.choice("body", bodies), element.text("kind")
    with element.located("size"):
        return Port(name, number, body, x, tuple(size), gender, kind)


def _facing(element: Element) -> DualQuaternion:
    """Return the pose of a port with z axis ``normal`` and x axis ``up``, both normalized."""
    xyz, normal = element.numbers("xyz", 3), element.numbers("normal", 3)
    with element.located("normal"):
        unit("this vector", normal)
    with element.located("up"):
        return facing(xyz, normal, element.numbers("up", 3))


def _dual_quaternion(element: Element, instead: tuple[str, ...]) -> DualQuaternion:
    """Return the pose of the eight numbers of a unit dual quaternion, as :func:`.to_yaml` writes it."""
    for key in instead:
        if key in element.item:
            raise element.failure(key, " stands beside pose; needed is that, or xyz and rpy")
    numbers = element.numbers("pose", 8)
    x = DualQuaternion(Quaternion(*numbers[:4]), Quaternion(*numbers[4:]))
    if not x.is_unit(1e-9):
        raise element.wrong("pose", "a unit dual quaternion")
    return x
