"""The partition: rules that put every moving joint into exactly one subsystem."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ..exceptions import PartitionError
from .description import RobotDescription, SubsystemSpec

__all__ = ["Group", "partition"]


@dataclass(frozen=True)
class Group:
    """Joints of one subsystem, in document order. ``fixed_root``: fixed link at which a black box begins."""

    name: str
    joints: tuple[str, ...]
    black_box: bool = False
    fixed_root: str | None = None
    line: int | str | None = None


def partition(robot: RobotDescription, specs: Sequence[SubsystemSpec]) -> tuple[list[Group], list[str]]:
    """Groups of joints as specified, then by the automatic rule for the rest; and notes about that rule.

    The automatic rule: every unbranched chain between branching bodies is one subsystem, named after its
    first joint.

    Raises:
        PartitionError: an unknown or fixed joint, an unknown link, a joint in two subsystems, an empty
            subsystem.
    """
    claims = _claims_by_name(robot, specs)
    by_root = [spec for spec in specs if spec.root_link is not None]
    for spec in by_root:
        for link in (spec.root_link, *spec.end_links):
            if link not in robot.links:
                raise PartitionError(f"subsystem '{spec.name}' names the unknown link '{link}'", spec.line)
    _claim_below(robot, by_root, claims)
    claimed: dict[str, list[str]] = {}
    for name in robot.joints:
        if name in claims:
            claimed.setdefault(claims[name].name, []).append(name)
    groups = [_group(robot, spec, claimed.get(spec.name, [])) for spec in specs]
    rest = [name for name, joint in robot.joints.items() if joint.moves and name not in claims]
    chains = _chains(robot, rest, groups)
    notes = []
    if specs and rest:
        made = ", ".join(f"'{group.name}' ({', '.join(group.joints)})" for group in chains)
        notes.append(f"joints outside every subsystem tag are partitioned by unbranched chains: {made}")
    return groups + chains, notes


def _claims_by_name(robot: RobotDescription, specs: Sequence[SubsystemSpec]) -> dict[str, SubsystemSpec]:
    """The subsystem of each joint that one names."""
    claims: dict[str, SubsystemSpec] = {}
    for spec, name in [(one, name) for one in specs for name in one.joints]:
        joint, subsystem = robot.joints.get(name), f"subsystem '{spec.name}'"
        if joint is None:
            raise PartitionError(f"{subsystem} names the unknown joint '{name}'", spec.line)
        if not joint.moves:
            fixed = f"names joint '{name}', which is fixed; a fixed link belongs to its body"
            raise PartitionError(f"{subsystem} {fixed}", spec.line)
        if name in claims:
            both = f"'{claims[name].name}' and '{spec.name}'"
            raise PartitionError(f"joint '{name}' is in two subsystems, {both}", spec.line)
        claims[name] = spec
    return claims


#: Subsystems by their root link, the innermost first, each with those around it.
_Around: TypeAlias = "tuple[SubsystemSpec, _Around] | None"


def _claim_below(
    robot: RobotDescription, by_root: Sequence[SubsystemSpec], claims: dict[str, SubsystemSpec]
) -> None:
    """Add moving joints from those that carry the root links down to the end links.

    A joint belongs to the nearest root link above it.
    """
    starting: dict[str, list[SubsystemSpec]] = {}
    ending: dict[str, set[str]] = {}
    for spec in by_root:
        starting.setdefault(str(spec.root_link), []).append(spec)
        for link in spec.end_links:
            ending.setdefault(link, set()).add(spec.name)
    waiting: list[tuple[str, _Around]] = [(robot.root, None)]
    while waiting:
        link, around = waiting.pop()
        for spec in reversed(starting.get(link, [])):
            around = spec, around
        if link in ending:
            around = _without(around, ending[link])
        for joint in robot.below[link]:
            first = starting.get(joint.child, [around[0]] if around else [])
            if joint.moves and first:
                claims.setdefault(joint.name, first[0])
            waiting.append((joint.child, around))


def _without(around: _Around, names: set[str]) -> _Around:
    kept = []
    while around is not None:
        spec, around = around
        if spec.name not in names:
            kept.append(spec)
    for spec in reversed(kept):
        around = spec, around
    return around


def _group(robot: RobotDescription, spec: SubsystemSpec, names: Sequence[str]) -> Group:
    """``names``: its joints."""
    joints = tuple(names)
    entry = None if spec.root_link is None else robot.above.get(spec.root_link)
    fixed_root = spec.root_link if spec.black_box and entry is not None and not entry.moves else None
    if not joints and fixed_root is None:
        hint = "a black box without joints needs a root_link that is fixed to its predecessor"
        raise PartitionError(f"subsystem '{spec.name}' has no moving joint; {hint}", spec.line)
    return Group(spec.name, joints, spec.black_box, fixed_root, spec.line)


def _chains(robot: RobotDescription, rest: list[str], groups: list[Group]) -> list[Group]:
    """Unbranched chains of the joints in ``rest``; no name of a group in ``groups`` is used again."""
    taken = {group.name for group in groups}
    following = {
        name: [
            child.name for link in robot.body_links(joint.child) for child in robot.below[link] if child.moves
        ]
        for name, joint in robot.joints.items()
        if joint.moves
    }
    order, remaining = {name: k for k, name in enumerate(robot.joints)}, set(rest)
    continues = {after[0] for name, after in following.items() if name in remaining and len(after) == 1}
    chains = []
    for first in (name for name in rest if name not in continues):
        chain = [first]
        while len(after := following[chain[-1]]) == 1 and after[0] in remaining:
            chain.append(after[0])
        name = first
        while name in taken:
            name += "_chain"
        taken.add(name)
        joints = tuple(sorted(chain, key=order.__getitem__))
        chains.append(Group(name, joints, line=robot.joints[first].line))
    return chains
