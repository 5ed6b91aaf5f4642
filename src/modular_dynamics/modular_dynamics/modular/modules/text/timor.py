"""Modules in the JSON of timor-python (Kuelz, Mayer & Althoff 2023) as module types.

What the format says, and what becomes of it:

- Poses are 4 x 4 matrices, H_body_connector and H_body_shape. Inertias are about the centre of mass, in the
  body's axes.
- A joint places its child body by H(q) = poseParent T(q) poseChild, with T(q) about, or along, z.
- Mated connectors see each other at R_x(pi), z opposite and x equal, as our ports do. The ID of a connector
  is the name of a port, its type the kind.
- The base connector, of type "base", mates with the ground: its pose in the world is R_x(pi), and so is its
  pose in the module's frame. Other modules have the frame of the first body that is no joint's child.
- Fixed joints make one body of two. A motor behind a gear has the armature ratio^2 inertia.
"""

import json
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from ....algebra import DualQuaternion, Quaternion, pose, rotation_matrix, translation
from ....exceptions import DescriptionError, UnsupportedModelError
from ....model import Inertial, JointType
from ....model.changes.bodies import checked_inertial
from ....model.subsystem import merged
from ....text.files import given_text
from ....text.numbers import LARGEST, STIFFEST
from ..module_type import ModuleType
from ..parts import ModuleBody, ModuleJoint
from ..port import GENDERS, Port
from ..shape import Shape
from .element import Element
from .numbering import port_numbers
from .timor_values import identifier, limits_of, matrix, pose_of, size_of

__all__ = ["read_timor_modules"]

# Geometries in timor-python's JSON as shapes for pictures.

#: Parameters in the order of the sizes of a :class:`.Shape`.
_PARAMETERS = {"box": ("x", "y", "z"), "cylinder": ("r", "z"), "sphere": ("r",)}


def shapes_of(body: Element, x_module_body: DualQuaternion) -> tuple[Shape, ...]:
    """Return a body's visible boxes, cylinders and spheres, else its collision shapes, without meshes."""
    for key in ("visual", "collision"):
        if key not in body.item:
            continue
        given = body.item[key]
        listed = [given] if isinstance(given, Mapping) else given
        elements = Element({key: listed}, body.file, body.path).elements(key)
        if found := [
            _shape(each, x_module_body) for each in elements if each.item.get("type") in _PARAMETERS
        ]:
            return tuple(found)
    return ()


def _shape(element: Element, x_module_body: DualQuaternion) -> Shape:
    kind = str(element.item["type"])
    names = _PARAMETERS[kind]
    parameters = element.element("parameters", {})
    for name in names:
        if name not in parameters.item:
            raise parameters.failure(name, " is missing")
    sizes = np.array([parameters.number(name) for name in names])
    with element.located("parameters"):
        return Shape(kind, tuple(sizes.tolist()), x_module_body * pose_of(element, "pose"))


# Bodies and joints in timor-python's JSON, placed in the module's frame at zero joint positions.

_TYPES = ("revolute", "continuous", "prismatic", "fixed")
_NEEDED = ("ID", "parent", "child", "type")
_NUMBERS = ("gearRatio", "motorInertia", "frictionCoulomb", "frictionViscous")
_OPTIONAL = ("passive", "poseParent", "poseChild", "limits", *_NUMBERS)


class Tree(NamedTuple):
    """The poses of a module's bodies, and the bodies into which fixed joints merge them.

    Attributes:
        x_module: pose of each body at zero joint positions.
        body_of: the body of the module type that each becomes part of: itself, or one that it is fixed to.
    """

    root: str
    x_module: Mapping[str, DualQuaternion]
    body_of: Mapping[str, str]


def tree_of(
    bodies: Mapping[str, Element], joints: Mapping[str, Element], root: str, x_root: DualQuaternion
) -> Tree:
    """Return the bodies that joints connect with the root body.

    Raises:
        DescriptionError: an unknown body or type, or a body that no joint connects.
    """
    for joint in joints.values():
        _check(joint, bodies)
    x_module, body_of, queue = {root: x_root}, {root: root}, [root]
    while queue:
        body = queue.pop(0)
        for joint in joints.values():
            parent, child = str(joint.item["parent"]), str(joint.item["child"])
            if (body == parent) == (body == child):
                continue
            other = child if body == parent else parent
            if other in x_module:
                continue
            step = pose_of(joint, "poseParent") * pose_of(joint, "poseChild")
            x_module[other] = x_module[body] * (step if body == parent else step.conjugate())
            body_of[other] = body_of[body] if joint.item["type"] == "fixed" else other
            queue.append(other)
    for name, element in bodies.items():
        if name not in x_module:
            raise element.failure("", f": no joint connects this body with body '{root}'")
    return Tree(root, x_module, body_of)


def _check(joint: Element, bodies: Mapping[str, Element]) -> None:
    """Check a joint's keys and values; also those of a fixed one, which have no effect."""
    joint.require(_NEEDED, _OPTIONAL)
    for end in ("parent", "child"):
        if str(joint.item[end]) not in bodies:
            raise joint.wrong(end, f"one of {', '.join(bodies)}")
    if str(joint.item["parent"]) == str(joint.item["child"]):
        raise joint.wrong("child", "another body than the parent")
    joint.choice("type", _TYPES)
    limits_of(joint)
    for key in _NUMBERS:
        is_ratio = key == "gearRatio"
        joint.number(key, least=-LARGEST if is_ratio else 0.0, largest=LARGEST if is_ratio else STIFFEST)
    if (passive := joint.item.get("passive", False)) is True:
        what = joint.failure("passive", " is true; passive joints are not supported")
        raise UnsupportedModelError(str(what))
    if passive is not False:
        raise joint.wrong("passive", "true or false")


def bodies_of(bodies: Mapping[str, Element], tree: Tree) -> dict[str, ModuleBody]:
    """Return the bodies, those that fixed joints connect merged into one."""
    groups: dict[str, list[str]] = {}
    for name in tree.x_module:
        groups.setdefault(tree.body_of[name], []).append(name)
    found: dict[str, ModuleBody] = {}
    for name, members in groups.items():
        parts = [_inertial(bodies[each], alone=len(members) == 1) for each in members]
        own = merged([(part, tree.x_module[each]) for part, each in zip(parts, members, strict=True)])
        shapes = [shape for each in members for shape in shapes_of(bodies[each], tree.x_module[each])]
        with bodies[name].located("inertia"):
            found[name] = ModuleBody(name, own.mass, own.com, own.inertia, tuple(shapes))
    return found


def _inertial(body: Element, alone: bool) -> Inertial:
    """Return mass, centre and inertia; a body not merged (``alone``) is checked by :class:`.ModuleBody`."""
    body.require(("ID",), ("mass", "inertia", "r_com", "connectors", "visual", "collision"))
    mass, com = body.number("mass", least=0.0), body.numbers("r_com", 3, [0.0] * 3)
    inertia = matrix(body, "inertia", 3, 3) if "inertia" in body.item else np.zeros((3, 3))
    if alone:
        return Inertial(mass, np.array(com), inertia)
    with body.located("inertia"):
        return checked_inertial(f"{body.file}: {body.path.rstrip('/')}", mass, com, inertia)


def joints_of(joints: Mapping[str, Element], tree: Tree) -> tuple[ModuleJoint, ...]:
    """Return the joints that move."""
    return tuple(_joint(name, joint, tree) for name, joint in joints.items() if joint.item["type"] != "fixed")


def _joint(name: str, joint: Element, tree: Tree) -> ModuleJoint:
    parent, child = str(joint.item["parent"]), str(joint.item["child"])
    x = tree.x_module[parent] * pose_of(joint, "poseParent")
    ratio, rotor = joint.number("gearRatio", 1.0), joint.number("motorInertia", largest=STIFFEST)
    limits = limits_of(joint)
    with joint.located():
        return ModuleJoint(
            name,
            JointType(joint.item["type"]),
            tree.body_of[parent],
            tree.body_of[child],
            rotation_matrix(x.primary)[:, 2],
            translation(x),
            limits,
            joint.number("frictionViscous", largest=STIFFEST),
            joint.number("frictionCoulomb", largest=STIFFEST),
            armature=ratio**2 * rotor,
        )


_HEADER = ("ID", "name", "date", "author", "email", "affiliation", "cost")
_R_X_PI = pose(Quaternion(0.0, 1.0, 0.0, 0.0), np.zeros(3))


def read_timor_modules(
    source: str | PathLike[str] | Mapping[str, Any] | Sequence[Any],
) -> dict[str, ModuleType]:
    """Return the modules of a JSON file of timor-python, by their IDs.

    A connector is a :class:`.Port`, named by its ID. A module with a connector of type "base" stands in the
    world as in timor-python when it is the base of an assembly.

    Args:
        source: the path of a file, JSON text of several lines, or what such a file holds: a list of modules
            (also under the key "modules"), or one.

    Raises:
        DescriptionError: not such a file; names the file and the element, as 'J1/bodies/distal/mass'.
        UnsupportedModelError: a passive joint, or a connector whose size is no number.
    """
    if isinstance(source, Mapping | list | tuple):
        name, data = "modules", source
    else:
        name, text = given_text(source, "file of timor's modules")
        data = _parsed(text, name)
    if isinstance(data, Mapping) and "modules" in data:
        data = data["modules"]
    listed = [data] if isinstance(data, Mapping) else data
    if not isinstance(listed, list | tuple) or not listed:
        raise DescriptionError(f"the content is {listed!r:.60}; a list of modules is needed", name)
    types: dict[str, ModuleType] = {}
    for k, item in enumerate(listed):
        kind = _module(Element.top(item, f"{name}, module {k}", "a mapping (header, bodies, joints)"))
        if kind.name in types:
            raise DescriptionError(f"a second module has the ID '{kind.name}'", f"{name}, module {k}")
        types[kind.name] = kind
    return types


def _parsed(text: str, name: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        raise DescriptionError(f"this is not JSON: {error.msg}", f"{name}, line {error.lineno}") from None
    except DescriptionError as error:
        raise DescriptionError(str(error), name) from None
    except (ValueError, RecursionError) as error:  # a number of too many digits, or lists in lists in lists
        raise DescriptionError(f"this is not JSON: {error}", name) from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    for k, key in enumerate(keys):
        if key in keys[:k]:
            raise DescriptionError(f"the key '{key}' stands twice in one mapping")
    return dict(pairs)


def _module(top: Element) -> ModuleType:
    top.require(("header", "bodies"), ("joints",))
    header = top.element("header").require(("ID",), _HEADER[1:])
    name = identifier(header, "ID")
    top = top._replace(path=f"{name}/")
    bodies = _by_id(top.elements("bodies"), "bodies")
    if not bodies:
        raise top.wrong("bodies", "a list of at least one body")
    joints = _by_id(top.elements("joints"), "joints")
    connectors: dict[str, tuple[str, Element]] = {}
    for body, element in bodies.items():
        for own, connector in _by_id(element.elements("connectors"), "connectors").items():
            if own in connectors:
                raise connector.failure(
                    "ID", f" is '{own}', as that of a connector of body {connectors[own][0]}"
                )
            connectors[own] = body, connector.require(("ID",), ("pose", "gender", "type", "size"))
    tree = tree_of(bodies, joints, *_start(bodies, joints, connectors))
    numbers = port_numbers(dict.fromkeys(connectors))
    ports = {own: _port(own, numbers[own], tree, *where) for own, where in connectors.items()}
    with top.located():
        return ModuleType(
            name, bodies_of(bodies, tree), joints_of(joints, tree), ports, tree.body_of[tree.root]
        )


def _by_id(elements: Sequence[Element], key: str) -> dict[str, Element]:
    """Return the elements of a list by their IDs, which become part of their paths."""
    found: dict[str, Element] = {}
    for element in elements:
        if "ID" not in element.item:
            raise element.failure("ID", " is missing")
        name = identifier(element, "ID")
        if name in found:
            raise element.failure("ID", f" is '{name}', as that of another of the {key}")
        top = element.path.rpartition(f"{key}/")[0]
        found[name] = element._replace(path=f"{top}{key}/{name}/")
    return found


def _start(
    bodies: Mapping[str, Element],
    joints: Mapping[str, Element],
    connectors: Mapping[str, tuple[str, Element]],
) -> tuple[str, DualQuaternion]:
    """Return the root body, and its pose in the module's frame."""
    for body, connector in connectors.values():
        if connector.item.get("type") == "base":
            return body, _R_X_PI * pose_of(connector, "pose").conjugate()
    children = [str(joint.item.get("child")) for joint in joints.values()]
    return next(
        (body for body in bodies if body not in children), next(iter(bodies), "")
    ), DualQuaternion.identity


def _port(name: str, number: int, tree: Tree, body: str, connector: Element) -> Port:
    gender = connector.choice("gender", GENDERS, "h")
    kind = connector.item.get("type", "")
    if not isinstance(kind, str):
        raise connector.wrong("type", "text")
    x = tree.x_module[body] * pose_of(connector, "pose")
    with connector.located():
        return Port(name, number, tree.body_of[body], x, size_of(connector), gender, kind)
