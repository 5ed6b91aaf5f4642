"""Which joints of loops that other tools close are passive: their words seldom say it.

The first of these rules that tells joints of a loop apart decides, for loops with common joints together:

1. <passive>, <gear> or <independent> of ours names one of the joints: then ours are all.
2. The attribute ``independent`` of URDF+: joints with another value than "true" are passive.
3. Drives: if a <transmission> or a command interface of <ros2_control> drives some joints, the others are
   passive.
4. Effort limits, if all joints have one: if some are above zero, the joints with zero are passive.

At least one joint must be left that moves the loop, or a gear from outside. Where no rule tells joints apart,
no joint is passive, and calculations are refused: a finding says what to write.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from lxml import etree

from ...model import Finding
from ..checks.values import LINE
from ..description import Annotations
from .loops import is_dependent
from .tree import Tree
from .words import Collected, Record, children

__all__ = ["collect_passive"]


def collect_passive(root: etree._Element, tree: Tree, own: Annotations, collected: Collected) -> None:
    """Passive joints of the loops that were collected. ``own``: our tags, and the partition file."""
    if own.independent is not None:
        return
    ours = {*own.passive, *(gear.joint for gear in own.gears)}
    geared = {gear["joint"]: {one["joint"] for one in gear["drivers"]} for gear in collected.of("gears")}
    dependent = {joint.get("name", "") for joint in children(root, "joint") if is_dependent(joint)}
    everything = set(tree.robot.joints)
    efforts = {name: joint.limits.effort for name, joint in tree.robot.joints.items()}
    weak = {name for name, effort in efforts.items() if effort == 0.0}
    rules = (
        (dependent, 'independent="false" says so'),
        (everything - _driven(root), "no <transmission> or command interface drives them"),
        (weak, "their effort limits are zero, and those of other joints of the loop are not"),
    )
    lines = {loop["name"]: loop[LINE] for loop in collected.of("loop_joints")}
    for loops, joints in _groups(tree, collected.of("loop_joints")):
        if ours & joints.keys():
            continue
        free = [name for name in joints if name not in geared]
        turned_from_outside = any(geared.get(name, set()) - joints.keys() for name in joints)
        for passive, reason in rules if all(efforts[name] is not None for name in joints) else rules[:-1]:
            chosen = [name for name in free if name in passive]
            if chosen and (len(chosen) < len(free) or turned_from_outside):
                collected.records += [Record("passive", {"joint": name}, reason) for name in chosen]
                names = f"{', '.join(loops)} are taken as passive: {', '.join(chosen)}"
                collected.notes.append(f"joints of the loops {names}; {reason}")
                break
        else:
            collected.findings.append(_unknown(loops, free, lines[loops[0]]))


def _driven(root: etree._Element) -> set[str]:
    """Joints with a transmission or a command interface."""
    driven = set[str]()
    for block in (root, *children(root, "ros2_control")):
        for transmission in children(block, "transmission"):
            driven |= {joint.get("name", "") for joint in children(transmission, "joint")}
        for joint in children(block, "joint"):
            if any(True for _ in children(joint, "command_interface")):
                driven.add(joint.get("name", ""))
    return driven


def _groups(tree: Tree, loops: Iterable[Mapping[str, Any]]) -> list[tuple[list[str], dict[str, None]]]:
    """Names of loops with common joints, and those joints, from the root on."""
    groups: list[tuple[list[str], dict[str, None]]] = []
    for loop in loops:
        between = tree.between(loop["predecessor"]["link"], loop["successor"]["link"])
        names = [str(loop["name"])]
        joints = {joint.name: None for side in between for joint in side if joint.mimic is None}
        for group in [group for group in groups if group[1].keys() & joints.keys()]:
            groups.remove(group)
            names, joints = [*group[0], *names], group[1] | joints
        groups.append((names, joints))
    return groups


def _unknown(loops: list[str], joints: list[str], line: int | None) -> Finding:
    text = f"nothing says which joints of the loops {', '.join(loops)} are passive: {', '.join(joints)}"
    assumed = "; none is, and torques are refused"
    hint = '; write <passive joint=""/> in <modular_dynamics> for each that no motor drives'
    return Finding("loop without passive joints", "loop joint", loops[0], text, line, assumed, hint)
