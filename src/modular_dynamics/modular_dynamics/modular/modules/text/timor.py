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
from typing import Any

import numpy as np

from ....algebra import DualQuaternion, Quaternion, pose
from ....exceptions import DescriptionError
from ....text.files import given_text
from ..module_type import ModuleType
from ..port import GENDERS, Port
from .element import Element
from .numbering import port_numbers
from .timor_bodies import Tree, bodies_of, joints_of, tree_of
from .timor_values import identifier, pose_of, size_of

__all__ = ["read_timor_modules"]

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
