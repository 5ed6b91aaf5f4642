"""Whether two modules can dock; errors name modules and ports."""

from collections.abc import Mapping, Sized

import numpy as np
from numpy.typing import NDArray

from ...exceptions import AssemblyError, UnknownNameError
from ..modules.module_type import ModuleType
from ..modules.port import Port, why_not_mating
from ..names import LONGEST_NAME, MOST_MODULES, NAME, is_label, is_name, listed, shown

__all__ = [
    "checked_gravity",
    "checked_kind",
    "checked_name",
    "checked_port",
    "checked_robot",
    "checked_turn",
    "require_free",
    "require_mating",
    "require_room",
]

PortKey = tuple[str, str]


def checked_name(name: object) -> str:
    """Return a name for a module: see :func:`.is_name`. Raises AssemblyError."""
    if not isinstance(name, str) or not is_name(name):
        raise AssemblyError(f"a module's name is {shown(name)}; {NAME} is needed")
    return name


def checked_robot(name: object) -> str:
    """Return a name for a robot: see :func:`.is_label`. Raises AssemblyError."""
    if not isinstance(name, str) or not is_label(name):
        raise AssemblyError(
            f"the robot's name is {shown(name)}; text of at most {LONGEST_NAME} characters is needed"
        )
    return name


def checked_types(types: object) -> dict[str, ModuleType]:
    """Return kinds by name, as a mapping. Raises AssemblyError."""
    if not isinstance(types, Mapping):
        raise AssemblyError(f"types is {shown(types)}; a mapping of names to ModuleTypes is needed")
    for name, kind in types.items():
        if not isinstance(kind, ModuleType) or kind.name != name:
            raise AssemblyError(
                f"types has {shown(kind)} as {shown(name)}; a ModuleType of that name is needed"
            )
    return dict(types)


def checked_kind(kind: object, module: str, types: Mapping[str, ModuleType]) -> ModuleType:
    """Return the module type of that name, or the type itself. Raises UnknownNameError, AssemblyError."""
    if isinstance(kind, ModuleType):
        known = types.get(kind.name)
        if known is not None and known != kind:
            raise AssemblyError(
                f"the assembly knows another kind '{kind.name}' than that of module '{module}'"
            )
        return kind
    if not isinstance(kind, str):
        raise AssemblyError(
            f"the kind of module '{module}' is {shown(kind)}; its name or a ModuleType is needed"
        )
    if kind not in types:
        raise UnknownNameError(f"unknown kind {shown(kind)} of module '{module}'; known: {listed(types)}")
    return types[kind]


def checked_port(module: str, kind: ModuleType, port: object) -> Port:
    """Return the port of that name or number.

    Raises:
        UnknownNameError: there is none; names the module and the ports that it has.
        AssemblyError: neither a name nor a number.
    """
    key = port if isinstance(port, str) else _integer(port)
    found = None if key is None else kind.port(key)
    if found is None:
        error = AssemblyError if key is None else UnknownNameError
        raise error(
            f"port {shown(port)} of module '{module}' cannot dock; "
            f"the ports of a {kind.name}: {listed(kind.ports) or 'none'}"
        )
    return found


def require_room(modules: Sized) -> None:
    """Raise AssemblyError if no more modules are supported."""
    if len(modules) >= MOST_MODULES:
        raise AssemblyError(f"the assembly has {len(modules)} modules; at most {MOST_MODULES} are supported")


def checked_turn(turn: object, where: str) -> int:
    """Return quarter turns as 0 to 3; ``where``: name of the docking in errors. Raises AssemblyError."""
    quarters = _integer(turn)
    if quarters is None or not 0 <= quarters <= 3:
        raise AssemblyError(f"the turn {where} is {shown(turn)}; needed are 0, 1, 2 or 3 quarter turns")
    return quarters


def _integer(value: object) -> int | None:
    """Return an integer, of Python or NumPy, as int; None for anything else."""
    if type(value) is bool or not isinstance(value, (int, np.integer)):
        return None
    return int(value)


def checked_gravity(gravity: object) -> NDArray[np.float64]:
    """Return gravitational acceleration (3,) [m/s^2]. Raises AssemblyError."""
    try:
        vector = np.array(gravity, float)
    except (TypeError, ValueError):
        vector = np.empty(0)
    if vector.shape != (3,) or not np.isfinite(vector).all():
        raise AssemblyError(f"gravity is {shown(gravity)}; three finite numbers [m/s^2] are needed")
    return vector


def require_free(module: str, port: Port, used: Mapping[PortKey, PortKey]) -> None:
    """Raise AssemblyError if something is docked at the port; names both."""
    other = used.get((module, port.name))
    if other is not None:
        raise AssemblyError(
            f"port {port.name} of module '{module}' is used: "
            f"port {other[1]} of module '{other[0]}' is docked there"
        )


def require_mating(a: str, port_a: Port, b: str, port_b: Port) -> None:
    """Raise AssemblyError unless the two ports fit each other."""
    if why := why_not_mating(port_a, port_b):
        raise AssemblyError(
            f"port {port_a.name} of module '{a}' and port {port_b.name} of module '{b}' do not fit: {why}"
        )
