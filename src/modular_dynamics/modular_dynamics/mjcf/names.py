"""Names of bodies and joints. MJCF allows elements without a name; these get one."""

from collections.abc import Container
from dataclasses import dataclass
from typing import Any

__all__ = ["Names", "free_name", "model_name", "name_of", "names_of"]


@dataclass(frozen=True)
class Names:
    """Names by MuJoCo's index; all different.

    Attributes:
        bodies: (nbody,); body 0 is the world. joints: (njnt,); an unnamed joint is named after its body.
    """

    bodies: tuple[str, ...]
    joints: tuple[str, ...]


def names_of(model: Any) -> Names:
    """Return the names of a compiled model's bodies and joints."""
    given = [name_of(model, model.name_bodyadr[k]) for k in range(model.nbody)]
    bodies = _unique(given, [f"body_{k}" for k in range(model.nbody)])
    joints = [name_of(model, model.name_jntadr[k]) for k in range(model.njnt)]
    return Names(bodies, _unique(joints, [f"{bodies[k]}_joint" for k in model.jnt_bodyid]))


def name_of(model: Any, address: int) -> str:
    """The name that begins at an address of the model's table of names; empty if the element has none."""
    table: bytes = model.names
    return table[address : table.index(b"\0", address)].decode()


def model_name(model: Any) -> str:
    """Return the name of the whole model: the first of its table of names."""
    return name_of(model, 0)


def free_name(name: str, *taken: Container[str]) -> str:
    """Return the name, followed by apostrophes until it is not taken."""
    while any(name in names for names in taken):
        name += "'"
    return name


def _unique(given: list[str], otherwise: list[str]) -> tuple[str, ...]:
    """Return the given names; an empty one is replaced by ``otherwise``, numbered if that is taken."""
    taken, names = set(given), list[str]()
    for name, other in zip(given, otherwise, strict=True):
        chosen, count = name or other, 2
        while not name and chosen in taken:
            chosen, count = f"{other}_{count}", count + 1
        taken.add(chosen)
        names.append(chosen)
    return tuple(names)
