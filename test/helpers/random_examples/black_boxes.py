"""Random robots for hypothesis with black boxes: with and without joints, at fixed and at moving links."""

from dataclasses import dataclass, field
from xml.etree import ElementTree

from hypothesis import strategies as st
from numpy.random import default_rng

import modular_dynamics as md
from helpers.random_examples.trees import random_trees

#: Share of links below the root at which a black box begins, and of links in one at which it ends.
BEGINS, ENDS = 0.25, 0.15


@dataclass(frozen=True)
class BoxedTree:
    """A robot's URDF text without tags, and its subsystems.

    Attributes:
        joints: of each subsystem that is no black box. roots: the link at which each black box begins.
        ends: links at which each of them ends. inside: the links of each one.
    """

    urdf: str
    joints: dict[str, list[str]] = field(default_factory=dict)
    roots: dict[str, str] = field(default_factory=dict)
    ends: dict[str, list[str]] = field(default_factory=dict)
    inside: dict[str, set[str]] = field(default_factory=dict)

    def load(self, urdf: str | None = None, prefix: str = "") -> md.SubsystemGraph:
        """The graph of this text, or another one: what the partition names and the text lacks is left out."""
        text = self.urdf if urdf is None else urdf
        return md.load_urdf(text, {"version": 1, "subsystems": self.subsystems(text, prefix)})

    def subsystems(self, urdf: str, prefix: str = "") -> list[dict]:
        """The subsystems of the partition of a text with this prefix before the tree's names."""
        root = ElementTree.fromstring(urdf)
        links = {element.get("name") for element in root.findall("link")}
        moving = {one.get("name") for one in root.findall("joint") if one.get("type") != "fixed"}
        listed: list[dict] = []
        for name, joints in self.joints.items():
            if left := [prefix + one for one in joints if prefix + one in moving]:
                listed.append({"name": prefix + name, "joints": left})
        for name, link in self.roots.items():
            if prefix + link in links:
                ends = [prefix + end for end in self.ends[name] if prefix + end in links]
                box = {"name": prefix + name, "root_link": prefix + link, "black_box": True}
                listed.append({**box, "end_links": ends} if ends else box)
        return listed

    def boxed(self, link: str) -> bool:
        """Whether a link belongs to a black box."""
        return any(link in links for links in self.inside.values())


@st.composite
def boxed_trees(draw) -> BoxedTree:
    """Trees with black boxes at a quarter of the links, some of them in others or beyond the end of others.

    Every other joint is in the subsystem of the joint that carries it or of one beside it, or begins its own.
    """
    drawn = draw(random_trees(12))
    rng = default_rng(draw(st.integers(0, 2**32 - 1)))
    tree = BoxedTree(drawn.urdf)
    below: dict[str, list[ElementTree.Element]] = {}
    for element in ElementTree.fromstring(tree.urdf).findall("joint"):
        below.setdefault(element.find("parent").get("link"), []).append(element)
    # subsystems that begin on a body, by the link that its joint moves; those on a black box link by link
    beginning: dict[str, list[str]] = {}
    # link; that of its body; the black box that it belongs to; the one that takes joints on it; else their
    # subsystem
    waiting: list[tuple[str, str, str | None, str | None, str | None]]
    waiting = [("ground", "ground", None, None, None)]
    while waiting:
        link, body, owner, box, group = waiting.pop()
        for element in below.get(link, ()):
            name, child, moves = element.get("name"), element[1].get("link"), element.get("type") != "fixed"
            begins = bool(rng.random() < BEGINS)
            own_box = f"box_{child}" if begins else box
            if begins:
                tree.roots[f"box_{child}"] = child
                tree.ends[f"box_{child}"], tree.inside[f"box_{child}"] = [], set()
            own_owner = own_box if moves or begins else owner
            own_group = group if owner is None else None
            if moves and own_box is None:
                if own_group is None or rng.random() < 0.5:
                    beside = beginning.setdefault(body if owner is None else link, [])
                    own_group = beside[0] if beside and rng.random() < 0.3 else f"from_{name}"
                    beside.append(own_group)
                tree.joints.setdefault(own_group, []).append(name)
            elif moves:
                own_group = None
            if own_owner is not None:
                tree.inside[own_owner].add(child)
            if own_box is not None and rng.random() < ENDS:
                tree.ends[own_box].append(child)
                own_box = None
            waiting.append((child, child if moves else body, own_owner, own_box, own_group))
    return tree
