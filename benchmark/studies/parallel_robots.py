"""Robots with parallel linkages: closed from zero, torques beside Pinocchio's.

Each is a folder with a URDF and a robot.yaml, as in Gepetto/example-parallel-robots (fetch that by hand):
`closed_loop` lists pairs of frames that coincide (`type` 6d) or whose origins do (3d), `name_mot` the motors;
`joint_type` replaces a joint by SPHERICAL, UJOINT_XY or FIXED. A spherical joint becomes three revolute ones
with massless links between them, a universal joint two; mimic joints move on their own, as Pinocchio reads
them. All joints but motors are passive; where motors do
not determine all of them, the fewest that are left are taken as independent too, with Pinocchio as with this
library.

    python -m benchmark.studies.parallel_robots FOLDER [--states 3]
"""

import argparse
import re
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.linalg
from lxml import etree
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from rich.text import Text

import modular_dynamics as md
from benchmark.peers.pinocchio_loops import RANK, FramePair, PinocchioLoops
from modular_dynamics.text.yaml_text import documents

Array = NDArray[np.float64]
AXES = {"X": "1 0 0", "Y": "0 1 0", "Z": "0 0 1"}
LOOP_TYPES = {"6d": ("fixed", 6), "3d": ("spherical", 3)}
#: Largest relative difference of torques that is accepted.
TOLERANCE = 1e-10
#: Distance of further states from the first [rad or m]; rates are normal random numbers.
AWAY = 0.2


@dataclass(frozen=True)
class ParallelRobot:
    """A robot's URDF with our tags, its pairs of frames and motors; names that its URDF lacks."""

    name: str
    urdf: str
    pairs: tuple[FramePair, ...]
    motors: tuple[str, ...]
    unknown: tuple[str, ...] = ()


@dataclass
class Row:
    """One robot: the figures of the table; ``reasons``: why it stayed open, and other remarks."""

    name: str
    loops: int = 0
    joints: int = 0
    motors: int = 0
    undetermined: int = 0
    closed: str = ""
    evaluations: int = 0
    gap: float = np.nan
    seconds: float = np.nan
    difference: float = np.nan
    states: int = 0
    reasons: list[str] = field(default_factory=list)


def folders(root: Path) -> Iterator[Path]:
    """Folders that hold a robot.yaml and a URDF."""
    for path in sorted(root.rglob("robot.yaml")):
        if list(path.parent.glob("*.urdf")):
            yield path.parent


def read_robot(folder: Path) -> ParallelRobot:
    """A folder's robot. Raises ValueError: an unknown type of joint, or a loop of unknown frames."""
    description = documents((folder / "robot.yaml").read_text(encoding="utf-8"), "robot.yaml")[0]
    path = min(folder.glob("*.urdf"), key=lambda found: found.name != "robot.urdf")
    robot = etree.fromstring(path.read_bytes(), etree.XMLParser(remove_comments=True))
    etree.strip_elements(robot, "visual", "collision", "transmission", "gazebo", "mimic", with_tail=False)
    kinds = dict(zip(description.get("joint_name", []), description.get("joint_type", []), strict=True))
    joints = {joint.get("name"): joint for joint in robot.findall("joint")}
    unknown = tuple(name for name in kinds if name not in joints)
    links = {link.get("name"): link.get("name") for link in robot.findall("link")}
    # a joint's name is a frame, too: that of the link behind it
    links = {name: joint.find("child").get("link") for name, joint in joints.items()} | links
    for name, kind in kinds.items():
        if name in joints:
            _replace(robot, joints[name], kind)
    pairs = []
    for ends, kind in zip(description["closed_loop"], description["type"], strict=True):
        if missing := [end for end in ends if end not in links]:
            raise ValueError(f"closed_loop names the frame {missing[0]}, which is no link and no joint")
        pairs.append(FramePair(*(links[end] for end in ends), LOOP_TYPES[kind.lower()][1]))
    motors = tuple(description["name_mot"])
    _add_tags(robot, pairs, motors)
    urdf = etree.tostring(robot, encoding="unicode")
    return ParallelRobot(folder.name, urdf, tuple(pairs), motors, unknown)


def _replace(robot: Any, joint: Any, kind: str) -> None:
    """One joint by several revolute ones, or by a fixed one."""
    if kind == "FIXED":
        joint.set("type", "fixed")
        return
    turns = "XYZ" if kind == "SPHERICAL" else kind.removeprefix("UJOINT_")
    if not re.fullmatch("[XYZ]{2,3}", turns):
        raise ValueError(f"joint '{joint.get('name')}' has the unknown type {kind}")
    name, child = joint.get("name"), joint.find("child").get("link")
    parent, origin = joint.find("parent").get("link"), joint.find("origin")
    robot.remove(joint)
    for k, turn in enumerate(turns):
        link = child if k == len(turns) - 1 else f"{name}_{turn}_link"
        if link != child:
            etree.SubElement(robot, "link", name=link)
        part = etree.SubElement(robot, "joint", name=f"{name}_{turn}", type="continuous")
        etree.SubElement(part, "parent", link=parent)
        etree.SubElement(part, "child", link=link)
        etree.SubElement(part, "axis", xyz=AXES[turn])
        if k == 0 and origin is not None:
            part.append(origin)
        parent = link


def _add_tags(robot: Any, pairs: list[FramePair], motors: tuple[str, ...]) -> None:
    tags = etree.SubElement(robot, "modular_dynamics", version="1")
    for k, pair in enumerate(pairs):
        kind = next(kind for kind, rows in LOOP_TYPES.values() if rows == pair.rows)
        loop = etree.SubElement(tags, "loop_joint", name=f"loop_{k}", type=kind)
        etree.SubElement(loop, "predecessor", link=pair.first)
        etree.SubElement(loop, "successor", link=pair.second)
    for joint in robot.findall("joint"):
        if joint.get("type") != "fixed" and joint.get("name") not in motors:
            etree.SubElement(tags, "passive", joint=joint.get("name"))


def without_limits(urdf: str) -> str:
    """Return the URDF text with limits that no joint reaches."""
    return re.sub(
        r'(lower|upper)="[^"]*"', lambda limit: f'{limit[1]}="{"-" * (limit[1] == "lower")}99"', urdf
    )


def chosen_joints(peer: PinocchioLoops, q: Array, motors: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Independent joints by Pinocchio's Jacobian: motors, and the fewest passive joints that they leave free.

    Second, the motors that loops couple to the others, so that they cannot be independent.
    """
    J = peer.jacobian(q)
    names = sorted(peer.names, key=peer.index)
    weights = np.array([1e-3 if name in motors else 1.0 for name in names])  # passive ones are pivots first
    *_, order = scipy.linalg.qr(J * weights, mode="economic", pivoting=True)
    sizes = np.linalg.svd(J, compute_uv=False)
    rank = int((sizes > RANK * sizes[0]).sum())
    dependent = {names[k] for k in order[:rank]}
    return [name for name in names if name not in dependent], [name for name in motors if name in dependent]


def compared(robot: ParallelRobot, states: int) -> Row:
    """Close a robot from zero, and compare torques there and at states beside it."""
    row = Row(robot.name, len(robot.pairs), motors=len(robot.motors))
    if robot.unknown:
        row.reasons.append(f"no joints of the URDF: {', '.join(robot.unknown)}")
    try:
        graph = md.load_urdf(robot.urdf)
        row.joints = graph.nv
        try:
            md.assemble(graph)  # compiles or loads what is needed
        except md.ClosureError as error:
            row.closed = "no"
            row.reasons.append(str(error))
            graph = md.load_urdf(without_limits(robot.urdf))
            md.assemble(graph)
        begin = time.perf_counter()
        found = md.assemble(graph)
        row.seconds, row.evaluations = time.perf_counter() - begin, found.evaluations
        row.closed = row.closed.replace("no", "without limits") or "yes"
        peer = PinocchioLoops(robot.urdf, robot.pairs)
        coordinates = dict(zip(graph.joint_names, found.coordinates, strict=True))
        row.gap = peer.gap(peer.configuration(coordinates))
        names, coupled = chosen_joints(peer, peer.configuration(coordinates), robot.motors)
        row.undetermined = len(set(names) - set(robot.motors))
        if coupled:
            row.reasons.append(f"loops couple the motors {', '.join(coupled)} to the others")
        graph, rng = graph.with_independent_joints(*names), np.random.default_rng(0)
        for k in range(states):
            start = found.coordinates + (AWAY * rng.standard_normal(graph.nq) if k else 0.0)
            difference = _difference(graph, peer, start, rng)
            row.difference = difference if k == 0 else float(np.maximum(row.difference, difference))
            row.states += 1
    except (md.ModularDynamicsError, ValueError) as error:
        if str(error) not in row.reasons:
            row.reasons.append(str(error))
        row.closed = row.closed or "no"
    return row


def _difference(
    graph: md.SubsystemGraph, peer: PinocchioLoops, start: Array, rng: np.random.Generator
) -> float:
    """Of torques at one state, relative to the largest."""
    coordinates = md.assemble(graph, start).coordinates
    names = graph.independent_joint_names
    v, a = rng.standard_normal((2, len(names)))
    q = coordinates[[graph.q_slice(name).start for name in names]]
    ours = md.InverseDynamics(graph).solve(q, v, a, guess=coordinates)
    at: Mapping[str, float] = dict(zip(graph.joint_names, ours.coordinates, strict=True))
    theirs = peer.torques(peer.configuration(at), [peer.index(name) for name in names], v, a)
    return float(np.abs(ours.tau - theirs).max() / max(1.0, np.abs(theirs).max()))


def table(rows: list[Row]) -> Table:
    """Of all robots."""
    headings = ("loops", "joints", "motors", "free", "closed", "evaluations", "gap", "s", "torques", "states")
    printed = Table("robot", *headings, "remarks")
    for row in rows:
        numbers = (row.loops, row.joints, row.motors, row.undetermined, row.closed, row.evaluations)
        figures = (f"{row.gap:.1e}", f"{row.seconds:.3f}", f"{row.difference:.1e}", str(row.states))
        printed.add_row(row.name, *map(str, numbers), *figures, Text("; ".join(row.reasons)))
    return printed


def main(arguments: list[str] | None = None) -> int:
    """The command. Returns 1 if a robot stayed open, torques differ, or none were compared."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--states", type=int, default=3, help="at which torques are compared, of each robot")
    chosen = parser.parse_args(arguments)
    rows = []
    for folder in folders(chosen.folder):
        name = str(folder.relative_to(chosen.folder))  # folders of folders repeat names
        print(name, file=sys.stderr, flush=True)
        try:
            row = compared(read_robot(folder), chosen.states)
        except ValueError as error:
            row = Row(name, closed="no", reasons=[str(error)])
        rows.append(replace(row, name=name))
    console = Console(width=180 if not sys.stdout.isatty() else None)
    console.print(table(rows))
    console.print(
        "free: passive joints that motors leave open. gap in m or rad: by Pinocchio. torques: largest "
        "relative difference from Pinocchio's."
    )
    return int(not all(row.closed == "yes" and row.difference <= TOLERANCE for row in rows))


if __name__ == "__main__":
    sys.exit(main())
