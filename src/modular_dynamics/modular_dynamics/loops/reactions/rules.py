"""Rules that share reactions in over-constrained mechanisms, as data; errors in a file name the element.

A file of rules (YAML, or the same as a mapping) names bodies, the joints that hold them, and ordered steps:

    name: a door on three hinges
    bodies: [door]
    joints:
      top:  {holds: door, by: frame, transmits: [Fx, Fy], at: [0, 0, 1.8]}
      low:  {holds: door, by: frame, transmits: [Fx, Fy, Fz], at: [0, 0, 0.2]}
      stay: {holds: door, by: frame, transmits: [pull], at: [0.1, 0, 1], from: [0, 0.5, 1]}
    steps:
      - {body: door, known: [stay.pull]}                     # given with the load case: a spring's tension
      - {body: door, zero: [top.Fy], because: it has play}   # assumed
      - {body: door, balance: My about low, takes: top.Fx}   # one equation, one joint
      # several joints can share one balance: `takes: [top.Fx, low.Fx]` equally, or
      # `takes: {top.Fx: 2, low.Fx: 1}` by weight
      - {body: door, rest: low}                              # takes the remaining equations

A joint holds a body (here ``on``) by another one, which exerts the reaction. It transmits forces Fx, Fy, Fz
and moments Mx, My, Mz at its point ``at`` (fixed in ``on``) along the axes of ``axes`` (``on`` by default);
push and pull are a force along the line from ``from`` (fixed in ``by``) to ``at``, and back. ``at`` and
``from`` are coordinates [m], or names of joints, loop joints and springs of a URDF. A balance is written
along the axes of the joint that receives its share; moments are about that joint's point unless ``about``
names another. Each component of each joint is given by exactly one step.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...text.element import Element, nearest
from ...text.files import path_of, text_of
from ...text.sizes import MAX_YAML_BYTES
from ...text.yaml_text import documents

COMPONENTS = ("Fx", "Fy", "Fz", "Mx", "My", "Mz", "push", "pull")
KINDS = ("known", "zero", "balance", "rest")
#: Where a joint's point lies: coordinates, or the name of a URDF's joint, loop joint or spring.
Location = str | tuple[float, float, float]


@dataclass(frozen=True)
class JointRule:
    """The components that ``by`` may exert on ``on`` (see the top of this file)."""

    name: str
    on: str
    by: str
    transmits: tuple[str, ...]
    axes: str
    at: Location
    start: Location | None = None


@dataclass(frozen=True)
class Step:
    """One step of the rules.

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
        equations = f"eq. {self.equations}" if self.equations else ""
        head = ". ".join(filter(None, (self.number, equations)))
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
        """Names (joint, component) of all transmitted components, joint by joint."""
        return tuple((joint.name, c) for joint in self.joints.values() for c in joint.transmits)

    def __str__(self) -> str:
        return "\n".join([self.name, *(f"  {step}" for step in self.steps)])


def read_rules(path: str | Path) -> Rules:
    """Read rules from a YAML file. Raises DescriptionError: names file, line and element."""
    contents = documents(text_of(path_of(path), "file of rules", MAX_YAML_BYTES), str(path))
    return _rules(contents[0] if len(contents) == 1 else contents, str(path))


def rules_from(content: Any) -> Rules:
    """Return the rules in a mapping as YAML gives it. Raises DescriptionError."""
    return _rules(content, "")


def _rules(content: Any, file: str) -> Rules:
    """Return the rules in a file's content. Raises DescriptionError."""
    top = Element.top(content, file, "a mapping of name, bodies, joints and steps")
    top.require(("name", "bodies", "joints", "steps"))
    bodies = top.texts("bodies")
    if not bodies or len(set(bodies)) < len(bodies):
        raise top.wrong("bodies", "a list of different names")
    joints = {name: _joint(name, entry, bodies) for name, entry in top.named("joints").items()}
    steps, given = list[Step](), set[tuple[str, str]]()
    for entry in top.elements("steps"):
        steps.append(_step(entry, bodies, joints))
        for taker in steps[-1].shares:
            if taker in given:
                raise entry.failure("", f": {'.'.join(taker)} is given by an earlier step already")
        given.update(steps[-1].shares)
    rules = Rules(str(top.item["name"]), bodies, joints, tuple(steps))
    if missing := [".".join(taker) for taker in rules.unknowns if taker not in given]:
        raise top.failure("steps", f": none gives {', '.join(missing)}; a step 'zero' sets them to zero")
    return rules


def _joint(name: str, entry: Element, bodies: tuple[str, ...]) -> JointRule:
    """Return one entry of ``joints``. Raises DescriptionError."""
    entry.require(("holds", "by", "transmits", "at"), ("axes", "from"))
    one = entry.item["transmits"]
    transmits = (one,) if isinstance(one, str) else entry.texts("transmits")
    if not set(transmits) <= {*COMPONENTS} or len(set(transmits)) < len(transmits):
        raise entry.wrong("transmits", f"each once of {', '.join(COMPONENTS)}")
    if {"push", "pull"} & {*transmits} and "from" not in entry.item:
        raise entry.failure("from", " is missing: push and pull are along the line from there to 'at'")
    on, by = entry.choice("holds", bodies), entry.text("by", None)
    start = _location(entry, "from") if "from" in entry.item else None
    return JointRule(name, on, by, transmits, entry.text("axes", on), _location(entry, "at"), start)


def _location(entry: Element, key: str) -> Location:
    """Return a name, or three finite coordinates. Raises DescriptionError."""
    if isinstance(name := entry.item[key], str):
        return name
    x, y, z = entry.numbers(key, 3)
    return x, y, z


def _step(entry: Element, bodies: tuple[str, ...], joints: Mapping[str, JointRule]) -> Step:
    """Return one entry of ``steps``. Raises DescriptionError."""
    notes = ("step", "equations", "because")
    entry.require(("body",), (*KINDS, "takes", *notes))
    kinds = [kind for kind in KINDS if kind in entry.item]
    if len(kinds) != 1 or (kinds == ["balance"]) != ("takes" in entry.item):
        raise entry.failure("", ": one of known, zero, rest, or balance with takes, is needed")
    body, kind, component, about = entry.choice("body", bodies), kinds[0], "", ""
    key = "takes" if kind == "balance" else kind
    takers = entry.item[key]
    if kind == "rest":
        joint = joints[entry.choice("rest", joints)]
        if {"push", "pull"} & {*joint.transmits}:
            raise entry.wrong("rest", "a joint without push and pull, which a balance gives,")
        takers = [f"{joint.name}.{component}" for component in joint.transmits]
    if kind == "balance":
        component, _, about = entry.text("balance", None).partition(" about ")
        if component not in COMPONENTS[:6] or (about and about not in joints):
            raise entry.wrong("balance", "Fy, Mx or 'Mx about JOINT'")
    shares = _shares(entry, key, takers, joints)
    for name, _ in shares:
        if body not in (joints[name].on, joints[name].by):
            raise entry.failure(key, f": joint '{name}' does not touch '{body}'")
    return Step(body, kind, shares, component, about, *(str(entry.item.get(note, "")) for note in notes))


def _shares(
    entry: Element, key: str, takers: Any, joints: Mapping[str, JointRule]
) -> dict[tuple[str, str], float]:
    """Return the weights of a step's components: see `Step.shares`. Raises DescriptionError."""
    takers = [takers] if isinstance(takers, str) else takers
    if not isinstance(takers, list | Mapping) or not takers:
        raise entry.wrong(key, "JOINT.COMPONENT, a list of them or their weights")
    weights = takers if isinstance(takers, Mapping) else dict.fromkeys(map(str, takers), 1.0)
    components = {f"{j.name}.{c}": (j.name, c) for j in joints.values() for c in j.transmits}
    shares = {}
    for taker, weight in weights.items():
        if taker not in components:
            raise entry.failure(
                key, f": '{taker}' is no component of a joint{nearest(str(taker), components)}"
            )
        if not isinstance(weight, int | float) or not math.isfinite(weight) or weight == 0.0:
            raise entry.failure(
                key, f": the weight of '{taker}' is {weight!r}; a number other than 0 is needed"
            )
        shares[components[taker]] = float(weight)
    return shares
