"""Random assemblies by a seed: all shipped kinds, kinds of several bodies, mounts, turns, rings."""

from itertools import combinations

import numpy as np

from helpers.robots.module_types import own_types
from modular_dynamics import modular
from modular_dynamics.algebra import from_xyz_rpy, to_rotation_translation
from modular_dynamics.exceptions import AssemblyError
from modular_dynamics.modular.modules.module_type import mating

#: The largest assembly.
MOST_MODULES = 40
#: Kinds that a random assembly is made of: all; those in a grid, which make rings; those without slides.
KINDS = (
    ("backbone", "scout", "slider", "block", "telescope", "arm"),
    ("backbone", "scout", "slider", "block"),
    ("backbone", "scout"),
)


def random_mount(rng):
    """Fixed, floating, or one to three virtual joints."""
    kind = rng.choice(["fixed", "floating", "virtual"])
    if kind != "virtual":
        return str(kind)
    types = rng.choice(["prismatic", "revolute", "continuous"], rng.integers(1, 4))
    return [modular.virtual_joint(f"base_{k}", str(t), rng.normal(size=3)) for k, t in enumerate(types)]


def random_assembly(seed, rings=None, kinds=None):
    """An assembly of 1 to 40 modules, the same for the same seed.

    Args:
        rings: how many rings are closed at most, at ports that meet at zero positions; None: in every second
            assembly up to three. kinds: of its modules; None: one of ``KINDS``.
    """
    rng = np.random.default_rng(seed)
    kinds = kinds or KINDS[rng.integers(len(KINDS))]
    count = int(rng.integers(1, MOST_MODULES + 1))
    assembly = modular.Assembly(
        ("v0", str(rng.choice(kinds))), mount=random_mount(rng), types=own_types(), name=f"random_{seed}"
    )
    while len(assembly) < count:
        assembly = docked_at_random(assembly, rng, kinds) or assembly
    most = (3 if rng.random() < 0.5 else 0) if rings is None else rings
    for a, port_a, b, port_b, turn in meeting_ports(assembly)[:most]:
        assembly = assembly.dock(a, port_a, b, port_b, turn=turn)
    return assembly


def docked_at_random(assembly, rng, kinds=KINDS[0]):
    """With one module more, at a random free port; None where it collides with another one."""
    free = free_ports(assembly)
    module, port = free[rng.integers(len(free))]
    kind = assembly.types[str(rng.choice(kinds))]
    own = str(rng.choice(list(kind.ports)))
    name = next(f"v{k}" for k in range(len(assembly) + 1) if f"v{k}" not in assembly)
    try:
        return assembly.dock(module, port, name, own, kind=kind, turn=int(rng.integers(4)))
    except AssemblyError as error:
        if "cell" not in str(error):
            raise
        return None


def free_ports(assembly):
    """Modules and ports at which nothing is docked."""
    return [
        (module, port)
        for module, kind in assembly.kinds.items()
        for port in kind.ports
        if assembly.docked_at(module, port) is None
    ]


def meeting_ports(assembly):
    """Dockings that would close a ring: free ports of two modules that are at each other at zero positions.

    A port is in at most one of them.
    """
    x_base = {assembly.base: from_xyz_rpy(np.zeros(3), np.zeros(3))}
    for docking in assembly.dockings:
        a, b = assembly.kinds[docking.parent], assembly.kinds[docking.module]
        x = a.ports[docking.parent_port].x_module_port * mating(docking.turn)
        x = x * b.ports[docking.port].x_module_port.conjugate()
        x_base[docking.module] = x_base[docking.parent] * x
    poses = {
        (module, port): x_base[module] * assembly.kinds[module].ports[port].x_module_port
        for module, port in free_ports(assembly)
    }
    places = {key: to_rotation_translation(x)[1] for key, x in poses.items()}
    found, used = [], set()
    for one, other in combinations(poses, 2):
        meet = one[0] != other[0] and np.abs(places[one] - places[other]).max() < 1e-9
        if meet and not {one, other} & used:
            for turn in range(4):
                rotation, _ = to_rotation_translation((poses[one] * mating(turn)).conjugate() * poses[other])
                if np.abs(rotation - np.eye(3)).max() < 1e-9:
                    found.append((*one, *other, turn))
                    used |= {one, other}
    return found
