"""What body 2 exerts on body 3 along the published motion: ours, and MuJoCo's on the same URDF."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from lxml import etree
from numpy.typing import NDArray

import modular_dynamics as md
from benchmark.peers.mujoco_loops import MujocoLoops
from benchmark.studies.torso_reactions import motion_at
from modular_dynamics.closure.reactions.load_case import load_case_of
from modular_dynamics.closure.reactions.sharing import ReactionSharing
from modular_dynamics.closure.reactions.sharing_rules import Rules

__all__ = ["COMPONENTS", "Curves", "curves", "instants", "without_inertia"]

Array = NDArray[np.float64]
COMPONENTS = ("Fx", "Fy", "Fz", "Mx", "My", "Mz")


@dataclass(frozen=True, eq=False)
class Curves:
    """Over n instants, ours and MuJoCo's.

    Attributes:
        wrenches, their_wrenches (n, 6): [force N, moment N m] of body 2 on body 3, at body 3's origin along
            its axes; ours as the last of the rules' steps gives it.
        torques, their_torques: independent joint -> (n,) [N m or N].
        weight: of all that moves [N]: what body 2 bears at rest.
    """

    times: Array
    weight: float
    wrenches: Array
    their_wrenches: Array
    torques: Mapping[str, Array]
    their_torques: Mapping[str, Array]


def curves(
    urdf: str,
    rules: Rules,
    motion: Mapping[str, Any],
    times: Array,
    tick: Callable[[], object] = lambda: None,
) -> Curves:
    """Solve twice at each instant; ``tick`` is called after each."""
    graph, sharing = md.load_urdf(urdf), ReactionSharing(rules)
    names = graph.independent_joint_names
    peer = MujocoLoops(urdf, names)
    wrenches, torques = np.empty((2, len(times), 6)), np.empty((2, len(times), len(names)))
    base, guess = rules.joints["j3"], None
    for k, time in enumerate(times):
        state = motion_at(motion, graph, float(time))
        dynamics = md.closed_loop_inverse_dynamics(graph, *state, guess=guess)
        guess = dynamics.coordinates
        wrenches[0, k] = sharing(load_case_of(graph, dynamics, rules)).wrenches[base.name]
        torques[0, k] = dynamics.tau
        peer(*state)
        wrenches[1, k], torques[1, k] = peer.reaction(base.on), peer.tau
        tick()
    ours, theirs = (dict(zip(names, found.T, strict=True)) for found in torques)
    weight = sum(body.mass for body in graph.bodies) * float(np.linalg.norm(graph.gravity))
    return Curves(times, weight, *wrenches, ours, theirs)


def instants(motion: Mapping[str, Any], count: int) -> Array:
    """``count`` of each segment; where accelerations jump, the last before and the first after."""
    ends = [0.0, *(float(segment["until"]) for segment in motion["segments"])]
    parts = [np.linspace(start, end, count) for start, end in pairwise(ends)]
    for part in parts[1:]:
        part[0] = np.nextafter(part[0], np.inf)
    return np.concatenate(parts)


def without_inertia(urdf: str, link: str) -> str:
    """The same robot with a link of the same mass whose six moments and products of inertia are 0."""
    robot = etree.fromstring(urdf.encode())
    inertia = robot.find(f"link[@name='{link}']/inertial/inertia")
    inertia.attrib.update(dict.fromkeys(inertia.attrib, "0"))
    return etree.tostring(robot, encoding="unicode")
