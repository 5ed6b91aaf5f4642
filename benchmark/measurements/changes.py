"""Changes of a robot: milliseconds until the new graph is there, and until its first torques."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

import modular_dynamics as md
from benchmark.setting.timing import Timed, interleaved
from modular_dynamics import modular
from modular_dynamics.exceptions import AssemblyError

#: Milliseconds that a change may take, of those of modules with the first torques.
TARGETS = {"with_payload": 1.0, "attach": 5.0, "dock, 100 modules": 5.0, "dock, 1000 modules": 50.0}
MODULES = 10, 100, 1000
NEWEST = 20  # a module docks at one of so many before it


@dataclass(frozen=True)
class ChangeFigures:
    """Medians [ms] by change. ``first_torque``: of the change and the first torques of the new graph."""

    change: dict[str, float]
    first_torque: dict[str, float]


def measure_changes(urdf: Path, arm: Path, rounds: int, tick: Callable[[str], None]) -> ChangeFigures:
    """Measure each change of the robot at ``urdf``, to which the robot at ``arm`` is attached.

    Then of modules that dock at random trees of Backbones, and leave them.
    """
    graph, other = md.load_urdf(urdf), md.load_urdf(arm)
    link, joint = graph.bodies[-1].name, graph.joint_names[-1]
    changes: dict[str, Callable[[], md.SubsystemGraph]] = {
        "with_payload": lambda: graph.with_payload(
            link, mass=2.0, com=[0.0, 0.0, 0.1], inertia=0.01 * np.eye(3)
        ),
        "attach": lambda: graph.attach(other, link, prefix="arm_"),
        "without": lambda: graph.without(link),
        "lock": lambda: graph.lock({joint: 0.3}),
        "with_parameters": lambda: graph.with_parameters({f"joint {joint} origin z": 0.1}),
    }
    for count in MODULES:
        tick(f"an assembly of {count} modules")
        before, after = grown(count), grown(count + 1)
        new = after.dockings[-1]
        dock = partial(before.dock, *new[:4], kind="backbone")
        changes[f"dock, {count} modules"] = lambda dock=dock: dock().graph()
        changes[f"undock, {count} modules"] = lambda of=after, name=new.module: of.undock(name).graph()

    def used(change: Callable[[], md.SubsystemGraph]) -> Callable[[], object]:
        def call() -> object:
            new = change()
            rest = np.zeros(new.nv)
            return md.inverse_dynamics(new, new.neutral(), rest, rest)

        return call

    timed: Timed = {name: (change, 1) for name, change in changes.items()}
    timed |= {f"{name}, used": (used(change), 1) for name, change in changes.items()}
    times = {name: float(np.median(one)) / 1e3 for name, one in interleaved(timed, rounds, tick).items()}
    return ChangeFigures(
        {name: times[name] for name in changes}, {name: times[f"{name}, used"] for name in changes}
    )


def grown(count: int) -> modular.Assembly:
    """Return a tree of Backbones, each docked at random at one of the newest; larger ones begin alike."""
    rng, names = np.random.default_rng(0), ["v0"]
    assembly = modular.Assembly(base=("v0", "backbone"))
    while len(names) < count:
        at, port, own = rng.choice(names[-NEWEST:]), int(rng.integers(2, 6)), int(rng.integers(2, 6))
        try:
            assembly = assembly.dock(str(at), port, f"v{len(names)}", own, kind="backbone")
        except AssemblyError:  # the port is used, or the cell is filled
            continue
        names.append(f"v{len(names)}")
    return assembly
