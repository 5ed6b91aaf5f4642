"""The bodies of an assembly: those of its modules, with the modules that are rigidly docked to them."""

from collections.abc import Mapping

import numpy as np

from ...algebra import DualQuaternion
from ...model import Body, Link
from ...model.changes.bodies import body_of, parts_of
from .placement import WORLD, PlacedModule, Site

__all__ = ["Bodies", "with_fixed", "without_fixed"]

#: Bodies of each module; under None only the ground.
Bodies = Mapping[str | None, tuple[Body, ...]]


def with_fixed(bodies: Bodies, module: str, placed: PlacedModule) -> Bodies:
    """Return the bodies with those of a new module; fixed parts merge into the body that carries it."""
    result = {**bodies, module: placed.bodies}
    if placed.fixed is not None and placed.site.module is None and None not in bodies:
        own = placed.fixed.inertial
        links = {placed.fixed.name: DualQuaternion.identity}
        result[None] = (Body(placed.fixed.name, own.mass, own.com, own.inertia, links, (placed.fixed,)),)
    elif placed.fixed is not None:
        _fix(result, placed.site, placed.fixed)
    elif None not in bodies:
        result[None] = (Body(WORLD, 0.0, np.zeros(3), np.zeros((3, 3)), {WORLD: DualQuaternion.identity}),)
    return result


def without_fixed(bodies: Bodies, leaving: Mapping[str, PlacedModule]) -> Bodies:
    """Return the bodies without those of removed modules and without the parts merged from these."""
    result = {module: of_module for module, of_module in bodies.items() if module not in leaving}
    for gone in leaving.values():
        if gone.fixed is not None and gone.site.module not in leaving:
            _unfix(result, gone.site, gone.fixed)
    return result


def _fix(bodies: dict[str | None, tuple[Body, ...]], site: Site, link: Link) -> None:
    old = bodies[site.module][site.body]
    new = body_of(old.name, (*parts_of(old), link), {**old.links, link.name: site.x}, {})
    _replace(bodies, site, new)


def _unfix(bodies: dict[str | None, tuple[Body, ...]], site: Site, link: Link) -> None:
    old = bodies[site.module][site.body]
    parts = tuple(part for part in old.parts if part.name != link.name)
    links = {name: x for name, x in old.links.items() if name != link.name}
    _replace(bodies, site, body_of(old.name, parts, links, {}))


def _replace(bodies: dict[str | None, tuple[Body, ...]], site: Site, new: Body) -> None:
    own = bodies[site.module]
    bodies[site.module] = (*own[: site.body], new, *own[site.body + 1 :])
