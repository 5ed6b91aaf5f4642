"""Equilibrium of every body of the care robot, one by one: what acts on it against Newton's and Euler's laws.

Forces and moments are those of the library; where they act, and what each body's motion asks for, comes from
MuJoCo (mujoco_loops.py), which reads the URDF and closes its loops by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from lxml import etree
from numpy.typing import NDArray

import modular_dynamics as md
from benchmark.peers.mujoco_loops import MujocoLoops
from modular_dynamics.closure.reactions.joint_reactions import joint_reactions
from modular_dynamics.closure.reactions.load_case import load_case_of
from modular_dynamics.closure.reactions.sharing import ReactionSharing
from modular_dynamics.closure.reactions.sharing_rules import Rules

__all__ = ["Push", "out_of_balance", "pushes", "standing_mounts"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Push:
    """Force [N] and moment [N m] of ``by`` on ``on`` at a point, in world axes."""

    by: str
    on: str
    point: Array
    force: Array
    moment: Array


def standing_mounts(urdf: str) -> str:
    """The same robot with each fixed joint as one that stands still: so its reaction is told, too."""
    robot = etree.fromstring(urdf.encode())
    for joint in robot.iterfind("joint[@type='fixed']"):
        joint.set("type", "continuous")
        etree.SubElement(joint, "axis", {"xyz": "0 0 1"})
    return etree.tostring(robot, encoding="unicode")


def pushes(
    graph: md.SubsystemGraph, dynamics: md.ClosedLoopDynamics, sharing: ReactionSharing, peer: MujocoLoops
) -> dict[str, list[Push]]:
    """All that bodies exert on each other, in three ways: by rules, of the least norm, as the loops are cut.

    In the last one the tubes, rods and blocks, without mass, are bodies of their own.
    """
    cut = {
        name: Push(
            found.predecessor,
            found.successor,
            peer.point(name, found.successor),
            found.force,
            found.moment,
        )
        for name, found in joint_reactions(graph, dynamics).items()
    }
    rules = sharing.rules
    shared = {str(place) for joint in rules.joints.values() for place in (joint.at, joint.start)}
    rest = [
        push
        for name, push in cut.items()
        if name not in shared and all(link.startswith(("body_", "world")) for link in (push.by, push.on))
    ]
    situation = load_case_of(graph, dynamics, rules)
    return {
        "rules": rest + _by_rules(rules, sharing(situation).wrenches, peer),
        "all": rest + _by_rules(rules, sharing.least_norm(situation).wrenches, peer),
        "cut": list(cut.values()),
    }


def _by_rules(rules: Rules, wrenches: Mapping[str, Array], peer: MujocoLoops) -> list[Push]:
    found = []
    for name, joint in rules.joints.items():
        force, moment = (peer.rotation(joint.axes) @ part for part in np.split(wrenches[name], 2))
        found.append(Push(joint.by, joint.on, peer.point(str(joint.at), joint.on), force, moment))
    return found


def out_of_balance(peer: MujocoLoops, acting: Iterable[Push]) -> dict[str, Array]:
    """By link that something acts on: what lacks, [N] and [N m] about its centre of mass."""
    left: dict[str, Array] = {}
    centres: dict[str, Array] = {"world": np.zeros(3)}
    for push in acting:
        for link, sign in ((push.on, 1.0), (push.by, -1.0)):
            if link not in centres:
                centres[link], force, moment = peer.needed(link)
                left[link] = np.concatenate([force, moment])
            if link != "world":
                about = push.moment + np.cross(push.point - centres[link], push.force)
                left[link] -= sign * np.concatenate([push.force, about])
    return left
