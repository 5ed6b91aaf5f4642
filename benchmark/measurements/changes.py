"""Changes of a graph: milliseconds until the new graph is there, and until its first torques."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import modular_dynamics as md
from benchmark.setting.timing import Timed, interleaved

#: Milliseconds that a change may take.
TARGETS = {"with_payload": 1.0, "attach": 5.0}


@dataclass(frozen=True)
class ChangeFigures:
    """Medians [ms] by change. ``first_torque``: of the change and the first torques of the new graph."""

    change: dict[str, float]
    first_torque: dict[str, float]


def measure_changes(urdf: Path, arm: Path, rounds: int, tick: Callable[[str], None]) -> ChangeFigures:
    """Times of each change of the robot at ``urdf``; "attach" attaches the robot at ``arm`` to it."""
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
