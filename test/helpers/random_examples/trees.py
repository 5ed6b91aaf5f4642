"""Random robots for hypothesis: URDF text of a tree, and partitions of it into connected subsystems."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from numpy.random import default_rng

from benchmark.setting.robots import random_inertial
from helpers.robots.urdf_text import joint, robot

TYPES = ("revolute", "continuous", "prismatic", "mimic", "fixed")
COORDINATE_AXES = ((1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, -1))


@dataclass(frozen=True)
class RandomTree:
    """A robot's URDF text, the joint above each moving joint (None: the ground), and a seed for states."""

    urdf: str
    above: dict[str, str | None]
    seed: int

    def state(self, graph) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Random q (unit quaternion included), v, a."""
        rng = default_rng(self.seed)
        q = rng.uniform(-3.0, 3.0, graph.nq)
        return q, rng.uniform(-2.0, 2.0, graph.nv), rng.uniform(-2.0, 2.0, graph.nv)


@st.composite
def random_trees(draw, largest: int = 60) -> RandomTree:
    """Trees of 1 to ``largest`` moving joints: all joint types, oblique axes, branching from any link."""
    count = draw(st.integers(1, largest))
    kinds = ["revolute", *draw(st.lists(st.sampled_from(TYPES), min_size=count - 1, max_size=count - 1))]
    carriers = [draw(st.integers(0, k)) for k in range(count)]  # joint k sits on link_0 ... link_k
    floating = draw(st.booleans())
    seed = draw(st.integers(0, 2**32 - 1))
    rng = default_rng(seed)
    links, joints = ['<link name="ground"/>'], []
    above: dict[str, str | None] = {}
    moved_by: dict[int, str | None] = {0: None}
    base = "ground"
    if floating:
        base = "link_0"
        links.append(f'<link name="link_0">{random_inertial(rng)}</link>')
        place, turn = rng.uniform(-1.0, 1.0, 3), rng.uniform(-2.0, 2.0, 3)
        joints.append(joint("float", "floating", "ground", "link_0", place, turn))
        above["float"] = None
        moved_by[0] = "float"
    drivers: list[str] = []
    for k, (drawn, carrier) in enumerate(zip(kinds, carriers, strict=True)):
        name, child = f"joint_{k}", k + 1
        kind, mimic = drawn, ""
        if drawn == "mimic":
            kind = str(rng.choice(["revolute", "prismatic"]))
            driver, ratio = rng.choice(drivers), rng.uniform(-2, 2)
            mimic = f'<mimic joint="{driver}" multiplier="{ratio:.4f}" offset="0.3"/>'
        elif kind != "fixed":
            drivers.append(name)
        axis = rng.choice(COORDINATE_AXES) if rng.random() < 0.5 else rng.normal(size=3) + 0.01
        place, turn = rng.uniform(-1.0, 1.0, 3), rng.uniform(-2.0, 2.0, 3)
        parent = base if carrier == 0 else f"link_{carrier}"
        links.append(f'<link name="link_{child}">{random_inertial(rng)}</link>')
        joints.append(joint(name, kind, parent, f"link_{child}", place, turn, axis, more=mimic, effort=9000))
        moved_by[child] = moved_by[carrier] if kind == "fixed" else name
        if kind != "fixed":
            above[name] = moved_by[carrier]
    # document order need not be topological
    order = rng.permutation(len(joints)) if rng.random() < 0.3 else range(len(joints))
    return RandomTree(robot("random", [*links, *(joints[k] for k in order)]), above, seed)


@st.composite
def partitions(draw, tree: RandomTree) -> dict:
    """A partition into connected subsystems: each joint joins the one above it, or starts its own."""
    cut = draw(st.floats(0.0, 1.0))
    rng = default_rng(draw(st.integers(0, 2**32 - 1)))
    group: dict[str, str] = {}
    waiting = dict(tree.above)
    while waiting:
        for name, before in list(waiting.items()):
            if before is None or before in group:
                siblings = [group[n] for n, b in tree.above.items() if b == before and n in group]
                joined = before is not None and rng.random() > cut
                beside = bool(siblings) and rng.random() < 0.2
                group[name] = group[before] if joined else (siblings[0] if beside else f"from_{name}")
                del waiting[name]
    members: dict[str, list[str]] = {}
    for name in tree.above:
        members.setdefault(group[name], []).append(name)
    names = list(members)
    rng.shuffle(names)
    return {"version": 1, "subsystems": [{"name": name, "joints": members[name]} for name in names]}
