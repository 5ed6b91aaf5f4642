"""Random robots for hypothesis with joints of every type, and with armature, springs and friction."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from numpy.random import default_rng

import modular_dynamics as md
from benchmark.setting.robots import random_inertial
from helpers.oracles.rigid_bodies import moved
from helpers.robots.urdf_text import joint, robot

__all__ = ["JointTree", "joint_trees", "moved", "passive_torques"]

TYPES = ("revolute", "continuous", "prismatic", "spherical", "floating", "planar", "mimic")


@dataclass(frozen=True)
class JointTree:
    """A robot's URDF text with tags, and a seed for states."""

    urdf: str
    seed: int

    @property
    def graph(self) -> md.SubsystemGraph:
        return md.load_urdf(self.urdf)

    def state(self, graph) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Random q, whose quaternions are not of unit length, v, and accelerations or torques."""
        rng = default_rng(self.seed)
        return rng.normal(size=graph.nq), rng.normal(size=graph.nv), rng.normal(size=graph.nv)


def _dynamics(rng, kind, name):
    """<dynamics> of a joint, and the tag <joint_dynamics>; floating joints get no armature."""
    friction = f'<dynamics damping="{rng.random():.4f}" friction="{rng.random():.4f}"/>'
    armature = 0.0 if kind == "floating" else rng.random()
    values = f'armature="{armature:.4f}"'
    if kind not in ("floating", "spherical"):
        values += f' stiffness="{10 * rng.random():.4f}" rest_position="{rng.normal():.4f}"'
    return friction, f'<joint_dynamics joint="{name}" {values}/>'


@st.composite
def joint_trees(
    draw, largest: int = 60, types: tuple[str, ...] = TYPES, more_tags: tuple[str, ...] = ()
) -> JointTree:
    """Trees of 1 to ``largest`` joints of these types, chains among them; some of them with all terms.

    ``more_tags``: may name {last}, the link of the last joint.
    """
    count = draw(st.integers(1, largest))
    kinds = draw(st.lists(st.sampled_from(types), min_size=count, max_size=count))
    branching, with_terms = draw(st.sampled_from([0.0, 0.3, 1.0])), draw(st.booleans())
    seed = draw(st.integers(0, 2**32 - 1))
    rng = default_rng(seed)
    links, joints, tags = ['<link name="link_0"/>'], [], list[str]()
    drivers: list[str] = []
    for k, drawn in enumerate(kinds, 1):
        name, kind, more = f"joint_{k}", drawn, ""
        if drawn == "mimic":
            kind = str(rng.choice(["revolute", "prismatic"]))
            if drivers:
                driver, multiplier = rng.choice(drivers), rng.uniform(-2.0, 2.0)
                more = f'<mimic joint="{driver}" multiplier="{multiplier:.4f}" offset="0.3"/>'
        if kind in ("revolute", "prismatic", "continuous") and not more:
            drivers.append(name)
        if kind == "spherical":
            tags.append(f'<spherical joint="{name}"/>')
        if with_terms:
            friction, tag = _dynamics(rng, kind, name)
            more += friction
            tags += [tag] if kind != "planar" and rng.random() < 0.7 else []
        before = int(rng.integers(0, k)) if rng.random() < branching else k - 1
        place, turn, axis = rng.uniform(-0.5, 0.5, 3), rng.uniform(-2.0, 2.0, 3), rng.normal(size=3)
        ends = f"link_{before}", f"link_{k}"
        in_urdf = "floating" if kind == "spherical" else kind
        links.append(f'<link name="{ends[1]}">{random_inertial(rng)}</link>')
        joints.append(
            joint(name, in_urdf, *ends, place, turn, axis / np.linalg.norm(axis), more=more, effort=9000)
        )
    tags += [tag.format(last=f"link_{count}") for tag in more_tags]
    return JointTree(robot("random", [*links, *joints], tags), seed)


def passive_torques(graph, q, v, friction="none"):
    """What springs and, with friction "urdf", friction of the joints take (nv,), joint by joint."""
    tau = np.zeros(graph.nv)
    for one in graph.joints:
        rate, multiplier = graph.joint_rate(one, v), 1.0 if one.mimic is None else one.mimic.multiplier
        own = np.zeros(one.type.nv)
        if one.stiffness != 0.0:
            own = own + one.stiffness * (graph.joint_position(one, q) - one.rest_position)
        if friction == "urdf":
            own = own + one.damping * rate + one.friction * np.sign(rate)
        tau[graph.v_slice(graph.driver(one))] += multiplier * own
    return tau
