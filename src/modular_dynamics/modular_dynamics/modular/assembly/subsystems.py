"""Which modules of an assembly form a subsystem."""

from collections.abc import Mapping, Sequence

from ...exceptions import AssemblyError
from ..names import LONGEST_NAME, is_label, listed, shown
from .structure import Structure

__all__ = ["groups_of"]


def groups_of(
    structure: Structure, subsystems: str | Mapping[str, Sequence[str]]
) -> Mapping[str, Sequence[str]]:
    """Return modules by subsystem; carriers before what they carry, parents before children.

    Raises:
        AssemblyError: as :meth:`.Assembly.graph`.
    """
    if isinstance(subsystems, Mapping):
        return _in_order(structure, _checked(structure, subsystems))
    if not isinstance(subsystems, str):
        raise AssemblyError(
            f"subsystems is {shown(subsystems)}; needed is 'module', 'chain', or modules by subsystem"
        )
    if subsystems == "module":
        return {module: (module,) for module in structure.placed}
    if subsystems == "chain":
        return _in_order(structure, _chains(structure))
    raise AssemblyError(
        f"subsystems is {shown(subsystems)}; needed is 'module', 'chain', or modules by subsystem"
    )


def _chains(structure: Structure) -> dict[str, list[str]]:
    """Return chains by their first module: a module extends its carrier's chain if alone docked there."""
    carried: dict[str, int] = {}
    for placed in structure.placed.values():
        if placed.docking is not None:
            carried[placed.docking.parent] = carried.get(placed.docking.parent, 0) + 1
    chain_of: dict[str, str] = {}
    chains: dict[str, list[str]] = {}
    for module, placed in structure.placed.items():
        docking = placed.docking
        continues = docking is not None and carried[docking.parent] == 1
        chain = chain_of[docking.parent] if continues and docking is not None else module
        chain_of[module] = chain
        chains.setdefault(chain, []).append(module)
    return chains


def _checked(structure: Structure, given: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the given subsystems, after checking that each is connected and together they are complete."""
    group_of: dict[str, str] = {}
    for name, modules in given.items():
        if not is_label(name):
            raise AssemblyError(
                f"a subsystem's name is {shown(name)}; text of at most {LONGEST_NAME} characters is needed"
            )
        if isinstance(modules, str) or not isinstance(modules, Sequence) or not modules:
            raise AssemblyError(f"subsystem '{name}' is {shown(modules)}; a list of modules is needed")
        for module in modules:
            if not isinstance(module, str) or module not in structure.placed:
                raise AssemblyError(
                    f"subsystem '{name}' names module {shown(module)}; "
                    f"the modules: {listed(structure.placed)}"
                )
            if module in group_of:
                raise AssemblyError(
                    f"module '{module}' is in the subsystems '{group_of[module]}' and '{name}'"
                )
            group_of[module] = name
    if missing := [module for module in structure.placed if module not in group_of]:
        raise AssemblyError(f"no subsystem contains {listed(missing)}")
    groups: dict[str, list[str]] = {}
    for module, placed in structure.placed.items():
        name = group_of[module]
        inside = placed.docking is not None and group_of[placed.docking.parent] == name
        if name in groups and not inside:
            raise AssemblyError(
                f"subsystem '{name}' is not connected: "
                f"'{groups[name][0]}' and '{module}' are not docked through its modules"
            )
        groups.setdefault(name, []).append(module)
    return groups


def _in_order(structure: Structure, groups: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Return the groups, each after the one that carries its first module."""
    # a group's first module comes before its others, and after its carrier, in the order of docking
    order = {module: k for k, module in enumerate(structure.placed)}
    return dict(sorted(groups.items(), key=lambda item: order[item[1][0]]))
