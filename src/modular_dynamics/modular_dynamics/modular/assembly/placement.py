"""One module of an assembly as joints and bodies of the robot: made when it docks, kept until it undocks."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...algebra import DualQuaternion, Quaternion, pose, rotation_matrix
from ...model import Body, Inertial, Joint, JointType, Link, merged
from ..modules.module_type import ModuleType, Step
from ..modules.port import Port, docked_pose
from .docking import Docking, Mount

__all__ = ["WORLD", "PlacedModule", "Site", "place"]

WORLD = "world"
_TURNLESS = Quaternion(1.0)
_FREE_AXIS = np.array([0.0, 0.0, 1.0])


class Site(NamedTuple):
    """A pose fixed in a body of the robot: body ``body`` of module ``module``, or the ground (None).

    ``link``: the link at which it is, which belongs to that body.
    """

    module: str | None
    body: int
    link: str
    x: DualQuaternion


class PlacedModule(NamedTuple):
    """The joints and bodies that a module adds to the robot.

    Attributes:
        site: the module's frame in the body that carries it.
        joints: in order. parents: body that carries each: an index into this module's, or None: the site's.
        bodies: one for each joint, as if nothing were fixed to them.
        fixed: the link that becomes part of the carrying body; None where a joint leads to every body.
        sites: the module's frame in the robot's body that each body of the module belongs to.
        x_base_module: pose in the base module's frame at zero joint positions.
    """

    type: ModuleType
    docking: Docking | None
    site: Site
    joints: tuple[Joint, ...]
    parents: tuple[int | None, ...]
    bodies: tuple[Body, ...]
    fixed: Link | None
    sites: Mapping[str, Site]
    x_base_module: DualQuaternion


def place(
    name: str, kind: ModuleType, docking: Docking | None, parent: PlacedModule | None, mount: Mount
) -> PlacedModule:
    """Return the module ``name`` docked at ``parent``, or, without a docking, the base on its mount."""
    if docking is None or parent is None:
        ground = f"{name}/{kind.root}" if mount == Mount() else WORLD
        site, entered, steps = (
            Site(None, 0, ground, DualQuaternion.identity),
            kind.root,
            mount.steps(kind.root),
        )
        x_base, normal = DualQuaternion.identity, _FREE_AXIS
    else:
        port, own = parent.type.ports[docking.parent_port], kind.ports[docking.port]
        x_parent_module = docked_pose(port, own, docking.turn)
        carrier = parent.sites[port.body]
        site = Site(carrier.module, carrier.body, carrier.link, carrier.x * x_parent_module)
        entered, steps = (kind.root, kind.entry_steps) if kind.entry_steps else (own.body, ())
        x_base, normal = parent.x_base_module * x_parent_module, _normal(own)
    built = _Builder(name, kind, site, normal, docking is None)
    if docking is None and mount.floating:
        built.add_floating(entered)
    elif steps:
        for step in steps:
            built.add(step, virtual=docking is None)
    else:
        built.fix(entered)
    if docking is None:
        built.sites.update((step.child, built.sites[kind.root]) for step in kind.entry_steps)
    for step in kind.steps_from(entered):
        built.add(step)
    return PlacedModule(
        kind,
        docking,
        site,
        tuple(built.joints),
        tuple(built.parents),
        tuple(built.bodies),
        built.fixed,
        built.sites,
        x_base,
    )


def _normal(port: Port) -> NDArray[np.float64]:
    return rotation_matrix(port.x_module_port.primary)[:, 2]


class _Builder:
    """Builder of one module's joints and bodies, from its site outwards."""

    def __init__(
        self, name: str, kind: ModuleType, site: Site, normal: NDArray[np.float64], is_base: bool
    ) -> None:
        self.name, self.kind, self.site, self.normal, self.is_base = name, kind, site, normal, is_base
        self.joints: list[Joint] = []
        self.parents: list[int | None] = []
        self.bodies: list[Body] = []
        self.sites: dict[str, Site] = {}
        self.fixed: Link | None = None

    def fix(self, body: str) -> None:
        """Make the body part of the one that carries the module."""
        link = f"{self.name}/{body}"
        parent = None if link == self.site.link else self.site.link
        joint = None if parent is None else f"{self.name}/dock"
        self.fixed = Link(link, self._inertial(body, np.zeros(3)), parent, joint)
        self.sites[body] = self.site._replace(link=link)

    def add_floating(self, body: str) -> None:
        """Connect the body with the world by a floating joint."""
        self._append(
            Joint(
                f"{self.name}/floating",
                JointType.FLOATING,
                self.site.link,
                f"{self.name}/{body}",
                self.site.x,
                _FREE_AXIS,
            ),
            None,
            body,
            np.zeros(3),
        )

    def add(self, step: Step, virtual: bool = False) -> None:
        """Append a joint and the body that it moves. The name of a virtual joint is its own."""
        joint = step.joint
        carrier = self.sites.get(step.parent)  # no site: the joint starts at the entry
        moved = pose(_TURNLESS, joint.origin)
        axis = self.normal if joint.axis is None else joint.axis
        inside = carrier is not None and carrier.module == self.name
        made = Joint(
            joint.name if virtual else f"{self.name}/{joint.name}",
            joint.type,
            self.site.link if carrier is None else carrier.link,
            f"{self.name}/{step.child}",
            (self.site.x if carrier is None else carrier.x) * moved,
            -axis if step.reversed else axis,
            joint.limits,
            joint.damping,
            joint.friction,
            armature=joint.armature,
        )
        self._append(made, carrier.body if inside and carrier is not None else None, step.child, joint.origin)

    def _append(self, joint: Joint, parent: int | None, body: str, origin: NDArray[np.float64]) -> None:
        link = joint.child_link
        inertial = self._inertial(body, origin)
        self.joints.append(joint)
        self.parents.append(parent)
        self.sites[body] = Site(self.name, len(self.bodies), link, pose(_TURNLESS, -origin))
        links = {link: DualQuaternion.identity}
        self.bodies.append(
            Body(link, inertial.mass, inertial.com, inertial.inertia, links, (Link(link, inertial),))
        )

    def _inertial(self, body: str, origin: NDArray[np.float64]) -> Inertial:
        """Return a body's inertia (massless for virtual joints) about a frame at ``origin``."""
        if body not in self.kind.bodies:
            return Inertial.none
        # a base has no entry joints: what these would move is part of its root body
        parts = [self.kind.bodies[body]]
        if self.is_base and body == self.kind.root:
            parts += [self.kind.bodies[step.child] for step in self.kind.entry_steps if step.child != body]
        own = [(Inertial(p.mass, p.com - origin, p.inertia), DualQuaternion.identity) for p in parts]
        return own[0][0] if len(own) == 1 else merged(own)
