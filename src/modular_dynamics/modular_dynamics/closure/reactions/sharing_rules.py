"""Rules that share reactions in over-constrained mechanisms, as data.

A file of rules (YAML, or the same as a mapping) names bodies, the joints that hold them, and ordered steps:

    name: a door on three hinges
    bodies: [door]
    joints:
      top:  {holds: door, by: frame, bears: [Fx, Fy], at: [0, 0, 1.8]}
      low:  {holds: door, by: frame, bears: [Fx, Fy, Fz], at: [0, 0, 0.2]}
      stay: {holds: door, by: frame, bears: [pull], at: [0.1, 0, 1], from: [0, 0.5, 1]}
    steps:
      - {body: door, known: [stay.pull]}                     # given with the load case: a spring's tension
      - {body: door, zero: [top.Fy], because: it has play}   # assumed
      - {body: door, balance: My about low, takes: top.Fx}   # one equation, one joint
      - {body: door, balance: Fz, takes: [a.Fz, b.Fz]}       # or several, alike, or {a.Fz: 2, b.Fz: 1}
      - {body: door, rest: low}                              # takes the remaining equations

A joint holds a body (here ``on``) by another one, which exerts the reaction. It transmits forces Fx, Fy, Fz
and moments Mx, My, Mz at its point ``at`` (fixed in ``on``) along the axes of ``axes`` (``on`` by default);
push and pull are a force along the line from ``from`` (fixed in ``by``) to ``at``, and back. ``at`` and
``from`` are coordinates [m], or names of joints, loop joints and springs of a URDF. A balance is written
along the axes of the joint that receives its share; moments are about that joint's point unless ``about``
names another. Each component of each joint is given by exactly one step.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["COMPONENTS", "JointRule", "Location", "Rules", "Step"]

COMPONENTS = ("Fx", "Fy", "Fz", "Mx", "My", "Mz", "push", "pull")
#: Where a joint's point lies: coordinates, or the name of a URDF's joint, loop joint or spring.
Location = str | tuple[float, float, float]


@dataclass(frozen=True)
class JointRule:
    """The components that ``by`` may exert on ``on`` (see the top of this file)."""

    name: str
    on: str
    by: str
    bears: tuple[str, ...]
    axes: str
    at: Location
    start: Location | None = None


@dataclass(frozen=True)
class Step:
    """One step.

    Attributes:
        kind: known, zero, balance or rest.
        number, equations, because: for the reader: those of the source, and the assumption behind the share.
        component, about: of a balance: F or M with its axis; the joint about which moments are taken.
        shares: (joint, component) -> weight. Several in one balance are proportional to their weights.
    """

    body: str
    kind: str
    shares: Mapping[tuple[str, str], float]
    component: str = ""
    about: str = ""
    number: str = ""
    equations: str = ""
    because: str = ""

    def __str__(self) -> str:
        takers = [f"{j}.{c}" + ("" if w == 1.0 else f" * {w:g}") for (j, c), w in self.shares.items()]
        about = f" about {self.about}" if self.about else ""
        act = f"balance of {self.component}{about} gives" if self.kind == "balance" else self.kind
        tail = f" ({self.because})" if self.because else ""
        head = ". ".join(
            part for part in (self.number, f"eq. {self.equations}" if self.equations else "") if part
        )
        return f"{self.body}: {head + ': ' if head else ''}{act} {', '.join(takers)}{tail}"


@dataclass(frozen=True)
class Rules:
    """A mechanism's rules: the equilibrium of ``bodies`` is solved."""

    name: str
    bodies: tuple[str, ...]
    joints: Mapping[str, JointRule]
    steps: tuple[Step, ...]

    @property
    def unknowns(self) -> tuple[tuple[str, str], ...]:
        """(joint, component) of all transmitted components, joint by joint."""
        return tuple((joint.name, c) for joint in self.joints.values() for c in joint.bears)

    def __str__(self) -> str:
        return "\n".join([self.name, *(f"  {step}" for step in self.steps)])
