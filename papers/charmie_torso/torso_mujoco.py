"""The care robot's torso along its published motion: this library's reactions beside MuJoCo's.

Two comparisons: what body 2 exerts on body 3; and the equilibrium of every body, all that acts on it against
the Newton-Euler equations. For the latter, forces and moments are those of the library; the points where they
act and each body's inertial load come from MuJoCo (mujoco_loops.py), which closes the loops
by itself.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from lxml import etree

import modular_dynamics as md
from benchmark.setting.robots import Array
from modular_dynamics.loops import Reaction, ReactionArrays, RobotReactions, Rules, joint_reactions
from papers.charmie_torso.mujoco_loops import MujocoLoops
from papers.charmie_torso.reactions import motion_at

COMPONENTS = ("Fx", "Fy", "Fz", "Mx", "My", "Mz")


@dataclass(frozen=True, eq=False)
class Curves:
    """Over n instants, ours and MuJoCo's.

    Attributes:
        wrenches, their_wrenches (n, 6): [force N, moment N m] of body 2 on body 3, at body 3's origin along
            its axes; ours from the last step of the rules.
        torques, their_torques: independent joint -> (n,) [N m or N].
        weight: of all moving bodies [N], which body 2 bears at rest.
    """

    times: Array
    weight: float
    wrenches: Array
    their_wrenches: Array
    torques: Mapping[str, Array]
    their_torques: Mapping[str, Array]


def curves(urdf: str, rules: Rules, motion: Mapping[str, Any], times: Array) -> Curves:
    """Return the curves of both codes at these times."""
    graph = md.load_urdf(urdf)
    sharing = RobotReactions(graph, rules)
    names = graph.independent_joint_names
    peer = MujocoLoops(urdf, names)
    wrenches, torques = np.empty((2, len(times), 6)), np.empty((2, len(times), len(names)))
    base, guess = rules.joints["j3"], None
    for k, time in enumerate(times):
        dynamics = solve_both(graph, peer, motion_at(motion, graph, float(time)), guess)
        guess = dynamics.coordinates
        wrenches[0, k] = sharing(dynamics).by_name(rules).wrenches[base.name]
        torques[0, k] = dynamics.tau
        wrenches[1, k], torques[1, k] = peer.reaction(base.on), peer.tau
    ours, theirs = (dict(zip(names, values.T, strict=True)) for values in torques)
    weight = sum(body.mass for body in graph.bodies) * float(np.linalg.norm(graph.gravity))
    return Curves(times, weight, *wrenches, ours, theirs)


def solve_both(
    graph: md.SubsystemGraph, peer: MujocoLoops, state: Sequence[Array], guess: Array | None = None
) -> md.ClosedLoopResult:
    """Solve both at independent q, v, a; return ours. MuJoCo's solution is in ``peer`` afterwards."""
    peer(*state)
    return md.InverseDynamics(graph).solve(*state, guess=guess)


def instants(motion: Mapping[str, Any], count: int) -> Array:
    """Return ``count`` times in each segment; at a jump, the last before and the first after it."""
    ends = [0.0, *(float(segment["until"]) for segment in motion["segments"])]
    parts = [np.linspace(start, end, count) for start, end in pairwise(ends)]
    for part in parts[1:]:
        part[0] = np.nextafter(part[0], np.inf)
    return np.concatenate(parts)


def without_inertia(urdf: str, link: str) -> str:
    """Return the URDF with the six moments and products of inertia of a link set to 0."""
    robot = etree.fromstring(urdf.encode())
    inertia = robot.find(f"link[@name='{link}']/inertial/inertia")
    inertia.attrib.update(dict.fromkeys(inertia.attrib, "0"))
    return etree.tostring(robot, encoding="unicode")


def with_mounts_at_rest(urdf: str) -> str:
    """Return the URDF with joints at rest instead of fixed ones, so that their reactions are computed."""
    robot = etree.fromstring(urdf.encode())
    for joint in robot.iterfind("joint[@type='fixed']"):
        joint.set("type", "continuous")
        etree.SubElement(joint, "axis", {"xyz": "0 0 1"})
    return etree.tostring(robot, encoding="unicode")


def reactions_in_three_ways(
    graph: md.SubsystemGraph, dynamics: md.ClosedLoopResult, sharing: RobotReactions, peer: MujocoLoops
) -> dict[str, list[Reaction]]:
    """Return all reactions between bodies in three ways: by rules, of least norm, as the loops are cut.

    In the last one the tubes, rods and blocks, without mass, are bodies of their own.
    """
    cut = {
        name: replace(reaction, point=peer.point(name, reaction.successor))
        for name, reaction in joint_reactions(graph, dynamics).items()
    }
    rules = sharing.rules
    shared = {str(place) for joint in rules.joints.values() for place in (joint.at, joint.start)}
    rest = [
        one
        for name, one in cut.items()
        if name not in shared
        and all(link.startswith(("body_", "world")) for link in (one.predecessor, one.successor))
    ]
    return {
        "rules": rest + _by_rules(rules, sharing(dynamics), peer),
        "all": rest + _by_rules(rules, sharing.least_norm(dynamics), peer),
        "cut": list(cut.values()),
    }


def _by_rules(rules: Rules, reactions: ReactionArrays, peer: MujocoLoops) -> list[Reaction]:
    acting = []
    for joint, wrench in zip(rules.joints.values(), reactions.wrenches, strict=True):
        force, moment = (peer.rotation(joint.axes) @ part for part in np.split(wrench, 2))
        point = peer.point(str(joint.at), joint.on)
        acting.append(Reaction(joint.by, joint.on, point, point, force, moment))
    return acting


def equilibrium_residuals(peer: MujocoLoops, acting: Iterable[Reaction]) -> dict[str, Array]:
    """Return the equilibrium residual of each link, [N] and [N m] about its centre of mass."""
    residuals: dict[str, Array] = {}
    centres: dict[str, Array] = {"world": np.zeros(3)}
    for one in acting:
        for link, sign in ((one.successor, 1.0), (one.predecessor, -1.0)):
            if link not in centres:
                centres[link], force, moment = peer.inertial_load(link)
                residuals[link] = np.concatenate([force, moment])
            if link != "world":
                about = one.moment + np.cross(one.point - centres[link], one.force)
                residuals[link] -= sign * np.concatenate([one.force, about])
    return residuals


def largest_residuals(urdf: str, rules: Rules, motion: Mapping[str, Any], times: Array) -> dict[str, Array]:
    """Return a body's largest residual, force [N] and moment [N m], by way: rules, least norm, cut."""
    robot = with_mounts_at_rest(urdf)
    graph = md.load_urdf(robot)
    sharing = RobotReactions(graph, rules)
    peer = MujocoLoops(robot, graph.independent_joint_names)
    worst = {}
    for time in times:
        dynamics = solve_both(graph, peer, motion_at(motion, graph, float(time)))
        for name, acting in reactions_in_three_ways(graph, dynamics, sharing, peer).items():
            residuals = np.abs(list(equilibrium_residuals(peer, acting).values())).reshape(-1, 2, 3)
            worst[name] = np.maximum(worst.get(name, 0.0), residuals.max(axis=(0, 2)))
    return worst
