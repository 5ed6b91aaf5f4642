"""A module type as YAML; what has its default is left out."""

from collections.abc import Mapping, Sequence
from typing import Any

from ....text.yaml_text import dumped
from ..parts import ModuleBody, ModuleJoint
from ..port import Port
from ..poses import port_pose, shape_pose
from ..shape import GREY, Shape

__all__ = ["yaml_of"]


def yaml_of(
    name: str,
    root: str,
    bodies: Mapping[str, ModuleBody],
    joints: Sequence[ModuleJoint],
    ports: Mapping[str, Port],
    cells: tuple[Sequence[tuple[int, int, int]], float],
) -> str:
    """Return YAML: see :meth:`.ModuleType.to_yaml`; the arguments are its fields."""
    filled, size = cells
    data: dict[str, Any] = {"name": name}
    if filled:
        data["cells"] = {"size": size, "filled": [list(cell) for cell in filled]}
    data["root"] = root
    data["bodies"] = {body.name: _body(body) for body in bodies.values()}
    if joints:
        data["joints"] = {joint.name: _joint(joint) for joint in joints}
    data["ports"] = {port.name: _port(port) for port in ports.values()}
    return dumped(data)


def _body(body: ModuleBody) -> dict[str, Any]:
    data: dict[str, Any] = {"mass": body.mass}
    if body.com.any():
        data["com"] = body.com.tolist()
    if body.inertia.any():
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.inertia.tolist()
        data["inertia"] = [xx, yy, zz, xy, xz, yz]
    if body.shapes:
        data["shapes"] = [_shape(shape) for shape in body.shapes]
    return data


def _shape(shape: Shape) -> dict[str, Any]:
    data: dict[str, Any] = {shape.kind: [*map(float, shape.size)], **shape_pose(shape.x_module_shape)}
    if tuple(shape.color) != GREY:
        data["color"] = [*map(float, shape.color)]
    return data


def _joint(joint: ModuleJoint) -> dict[str, Any]:
    axis = "normal" if joint.axis is None else joint.axis.tolist()
    data: dict[str, Any] = {
        "type": joint.type.value,
        "parent": joint.parent,
        "child": joint.child,
        "axis": axis,
    }
    if joint.origin.any():
        data["origin"] = joint.origin.tolist()
    limits = {key: getattr(joint.limits, key) for key in ("lower", "upper", "effort", "velocity")}
    if given := {key: float(value) for key, value in limits.items() if value is not None}:
        data["limits"] = given
    terms = {key: getattr(joint, key) for key in ("damping", "friction", "armature")}
    return data | {key: value for key, value in terms.items() if value != 0.0}


def _port(port: Port) -> dict[str, Any]:
    data: dict[str, Any] = {} if port.name == str(port.number) else {"number": port.number}
    data |= {"body": port.body, **port_pose(port.x_module_port)}
    if port.size:
        data["size"] = [*map(float, port.size)]
    if port.gender != "h":
        data["gender"] = port.gender
    return data | ({"kind": port.kind} if port.kind else {})
