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
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...exceptions import DescriptionError
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
    """Read rules from a YAML file. Raises DescriptionError: names the element, and what would be right."""
    contents = documents(text_of(path_of(path), "file of rules", MAX_YAML_BYTES), str(path))
    try:
        return rules_from(contents[0] if len(contents) == 1 else contents)
    except DescriptionError as error:
        raise DescriptionError(str(error), str(path)) from None


def rules_from(content: Any) -> Rules:
    """Return the rules in a mapping as YAML gives it. Raises DescriptionError."""
    table = _fields(content, "rules", {"name", "bodies", "joints", "steps"})
    for name, kind in (("bodies", list), ("joints", Mapping), ("steps", list)):
        if not isinstance(table[name], kind) or not table[name]:
            raise DescriptionError(f"rules: {name} is {table[name]!r}; a {kind.__name__.lower()} is needed")
    bodies = tuple(map(str, table["bodies"]))
    if len(set(bodies)) < len(bodies):
        raise DescriptionError(f"rules: bodies are {', '.join(bodies)}; each is to be named once")
    joints = {str(name): _joint(str(name), entry, bodies) for name, entry in table["joints"].items()}
    steps = tuple(_step(k, entry, bodies, joints) for k, entry in enumerate(table["steps"], 1))
    given: set[tuple[str, str]] = set()
    for k, step in enumerate(steps, 1):
        for taker in step.shares:
            if taker in given:
                raise DescriptionError(f"step {k}: {'.'.join(taker)} is given by an earlier step already")
        given.update(step.shares)
    rules = Rules(str(table["name"]), bodies, joints, steps)
    missing = [".".join(taker) for taker in rules.unknowns if taker not in given]
    if missing:
        raise DescriptionError(f"no step gives {', '.join(missing)}; a step 'zero' sets them to zero")
    return rules


def _fields(
    entry: Any, where: str, needed: Collection[str], further: Collection[str] = ()
) -> Mapping[str, Any]:
    """Return a mapping with all needed keys and no unknown ones. Raises DescriptionError."""
    if not isinstance(entry, Mapping):
        raise DescriptionError(
            f"{where}: {entry!r} is not a mapping of {', '.join(sorted({*needed, *further}))}"
        )
    unknown, missing = set(entry) - {*needed, *further}, set(needed) - set(entry)
    if unknown or missing:
        names = ", ".join(map(str, unknown or sorted(missing)))
        fault = f"unknown {names}" if unknown else f"{names} missing"
        raise DescriptionError(
            f"{where}: {fault}; needed are {', '.join(sorted(needed))}, optional are "
            f"{', '.join(sorted(further)) or 'none'}"
        )
    return entry


def _joint(name: str, entry: Any, bodies: tuple[str, ...]) -> JointRule:
    """Return one entry of ``joints``. Raises DescriptionError."""
    where = f"joint '{name}'"
    table = _fields(entry, where, {"holds", "by", "transmits", "at"}, {"axes", "from"})
    components = table["transmits"] if isinstance(table["transmits"], list) else [table["transmits"]]
    transmits = tuple(map(str, components))
    bad = [c for c in transmits if c not in COMPONENTS]
    if bad or len(set(transmits)) != len(transmits):
        raise DescriptionError(
            f"{where} transmits {', '.join(transmits)}; each once of {', '.join(COMPONENTS)}"
        )
    if table["holds"] not in bodies:
        raise DescriptionError(
            f"{where}: holds '{table['holds']}', which is none of the bodies {', '.join(bodies)}"
        )
    if {"push", "pull"} & set(transmits) and "from" not in table:
        raise DescriptionError(
            f"{where}: push and pull are along the line from 'from' to 'at'; 'from' is missing"
        )
    start = _location(where, table["from"]) if "from" in table else None
    axes, at = str(table.get("axes", table["holds"])), _location(where, table["at"])
    return JointRule(name, str(table["holds"]), str(table["by"]), transmits, axes, at, start)


def _location(where: str, value: Any) -> Location:
    """Return a name, or three finite coordinates. Raises DescriptionError."""
    if isinstance(value, str):
        return value
    try:
        x, y, z = (float(number) for number in value)
        if not all(map(math.isfinite, (x, y, z))):
            raise ValueError
    except (TypeError, ValueError):
        raise DescriptionError(f"{where}: {value!r} is neither a name nor three coordinates [m]") from None
    return x, y, z


def _step(k: int, entry: Any, bodies: tuple[str, ...], joints: Mapping[str, JointRule]) -> Step:
    """Return one entry of ``steps``; k counts from 1. Raises DescriptionError."""
    where = f"step {k}"
    optional = ("step", "equations", "because")
    table = _fields(entry, where, {"body"}, {*KINDS, "takes", *optional})
    kinds = [kind for kind in KINDS if kind in table]
    if len(kinds) != 1 or (kinds == ["balance"]) != ("takes" in table):
        raise DescriptionError(f"{where}: one of known, zero, rest, or balance with takes, is needed")
    if table["body"] not in bodies:
        raise DescriptionError(f"{where}: '{table['body']}' is none of the bodies {', '.join(bodies)}")
    kind, component, about = kinds[0], "", ""
    takers = table["takes"] if kind == "balance" else table[kind]
    if kind == "rest":
        if str(takers) not in joints:
            raise DescriptionError(f"{where}: no joint '{takers}'; joints are {', '.join(joints)}")
        if {"push", "pull"} & set(joints[takers].transmits):
            raise DescriptionError(f"{where}: '{takers}' transmits push or pull; give these by a balance")
        takers = [f"{takers}.{c}" for c in joints[takers].transmits]
    if kind == "balance":
        component, _, about = str(table["balance"]).partition(" about ")
        if component not in COMPONENTS[:6] or (about and about not in joints):
            raise DescriptionError(
                f"{where}: balance '{table['balance']}'; 'Fy', 'Mx' or 'Mx about JOINT' are understood"
            )
    shares = _shares(where, takers, joints)
    for joint, _ in shares:
        if table["body"] not in (joints[joint].on, joints[joint].by):
            raise DescriptionError(f"{where}: joint '{joint}' does not touch '{table['body']}'")
    notes = (str(table.get(note, "")) for note in optional)
    return Step(str(table["body"]), kind, shares, component, about, *notes)


def _shares(where: str, takers: Any, joints: Mapping[str, JointRule]) -> dict[tuple[str, str], float]:
    """Return the weights of a step's components: see `Step.shares`. Raises DescriptionError."""
    takers = [takers] if isinstance(takers, str) else takers
    if not isinstance(takers, list | Mapping) or not takers:
        raise DescriptionError(
            f"{where}: {takers!r}; 'JOINT.COMPONENT' is needed, a list of them or their weights"
        )
    weights = dict(takers) if isinstance(takers, Mapping) else dict.fromkeys(map(str, takers), 1.0)
    shares = {}
    for taker, weight in weights.items():
        joint, _, component = str(taker).partition(".")
        if joint not in joints or component not in joints[joint].transmits:
            components = ", ".join(f"{j.name}.{c}" for j in joints.values() for c in j.transmits)
            raise DescriptionError(
                f"{where}: '{taker}' is no component of a joint; components are {components}"
            )
        if not isinstance(weight, int | float) or not math.isfinite(weight) or weight == 0.0:
            raise DescriptionError(
                f"{where}: the weight of '{taker}' is {weight!r}; a number other than 0 is needed"
            )
        shares[joint, component] = float(weight)
    return shares
