"""Robots with parallel linkages: closed from zero, torques beside Pinocchio's.

Each is a folder with a URDF and a robot.yaml, as in Gepetto/example-parallel-robots (fetch that by hand):
`closed_loop` lists pairs of frames that coincide (`type` 6d) or whose origins do (3d), `name_mot` the motors;
`joint_type` replaces a joint by SPHERICAL, UJOINT_XY or FIXED. A spherical joint becomes three revolute ones
with massless links between them, a universal joint two; mimic joints move on their own, as Pinocchio reads
them. All joints but motors are passive; if motors do not determine all of them, the fewest possible are
independent, too, with Pinocchio as with this library.

    python -m benchmark.studies.parallel_robots FOLDER [--states 3]
"""

import argparse
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.linalg
from lxml import etree
from numpy.typing import NDArray
from rich.console import Console

import modular_dynamics as md
from benchmark.peers.closed_loops import RANK, FramePair, PinocchioLoops
from benchmark.setting.timing import print_table
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


def folders(root: Path) -> Iterator[Path]:
    """Yield folders that hold a robot.yaml and a URDF."""
    for path in sorted(root.rglob("robot.yaml")):
        if list(path.parent.glob("*.urdf")):
            yield path.parent


def read_robot(folder: Path) -> ParallelRobot:
    """Return a folder's robot. Raises ValueError: an unknown type of joint, a loop of unknown frames."""
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
    """Replace a joint by several revolute ones, or by a fixed one."""
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


def chosen_joints(peer: PinocchioLoops, q: Array, motors: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Return independent joints by Pinocchio's Jacobian: motors, and the fewest passive ones left free.

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


@dataclass(frozen=True)
class ClosedRobot:
    """A robot with closed loops and all its independent joints.

    Attributes:
        coordinates: of all joints; the loops are closed. free: how many passive joints motors leave open,
            which are independent, too. remarks: what is unusual.
    """

    graph: md.SubsystemGraph
    peer: PinocchioLoops
    coordinates: Array
    free: int
    remarks: tuple[str, ...]


def closed(robot: ParallelRobot) -> ClosedRobot:
    """Return a robot closed from zero; if that is impossible within the limits of its joints, without them.

    Raises ClosureError: it stays open.
    """
    remarks = [f"no joints of the URDF: {', '.join(robot.unknown)}"] if robot.unknown else []
    try:
        graph = md.load_urdf(robot.urdf)
        found = md.assemble(graph)
    except md.ClosureError as error:
        remarks.append(f"without limits: {error}")
        unlimited = re.sub(r'(lower|upper)="[^"]*"', _no_limit, robot.urdf)
        graph = md.load_urdf(unlimited)
        found = md.assemble(graph)
    peer = PinocchioLoops(robot.urdf, robot.pairs)
    at = peer.configuration(dict(zip(graph.joint_names, found.coordinates, strict=True)))
    names, coupled = chosen_joints(peer, at, robot.motors)
    if coupled:
        remarks.append(f"loops couple the motors {', '.join(coupled)} to the others")
    graph = graph.with_independent_joints(*names)
    return ClosedRobot(graph, peer, found.coordinates, len({*names} - {*robot.motors}), tuple(remarks))


def _no_limit(limit: re.Match[str]) -> str:
    """Return a limit that no joint reaches."""
    return f'{limit[1]}="{"-" * (limit[1] == "lower")}99"'


def differences(robot: ClosedRobot, states: int) -> list[float]:
    """Return those of torques at the configuration and at states beside it, relative to the largest."""
    graph, peer, rng = robot.graph, robot.peer, np.random.default_rng(0)
    names, found = graph.independent_joint_names, []
    for k in range(states):
        start = robot.coordinates + (AWAY * rng.standard_normal(graph.nq) if k else 0.0)
        coordinates = md.assemble(graph, start).coordinates
        v, a = rng.standard_normal((2, len(names)))
        q = coordinates[[graph.q_slice(name).start for name in names]]
        ours = md.InverseDynamics(graph).solve(q, v, a, guess=coordinates)
        at = peer.configuration(dict(zip(graph.joint_names, ours.coordinates, strict=True)))
        theirs = peer.torques(at, [peer.index(name) for name in names], v, a)
        found.append(float(np.abs(ours.tau - theirs).max() / max(1.0, np.abs(theirs).max())))
    return found


def main(arguments: list[str] | None = None) -> int:
    """Print a table; return 1 if a robot stayed open, torques differ, or none were compared."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--states", type=int, default=3, help="at which torques are compared, of each robot")
    chosen = parser.parse_args(arguments)
    console, rows, remarks, failed = Console(width=100), [], list[str](), False
    for folder in folders(chosen.folder):
        name = str(folder.relative_to(chosen.folder))  # folders of folders repeat names
        cells, largest = [""] * 5, np.inf
        try:
            read = read_robot(folder)
            robot = closed(read)
            largest = max(differences(robot, chosen.states))
            at = dict(zip(robot.graph.joint_names, robot.coordinates, strict=True))
            gap = robot.peer.gap(robot.peer.configuration(at))
            cells = [*map(str, (len(read.pairs), robot.graph.nv, len(read.motors), robot.free)), f"{gap:.1e}"]
            remarks.extend(f"{name}: {remark}" for remark in robot.remarks)
        except (md.ModularDynamicsError, ValueError) as error:
            remarks.append(f"{name}: {error}")
        failed |= not largest <= TOLERANCE
        rows.append((name, *cells, f"{largest:.1e}"))
    columns = "robot", "loops", "joints", "motors", "free", "gap", "torques"
    print_table(console, "robots with parallel linkages", columns, rows)
    for remark in remarks:
        console.print(remark, highlight=False, markup=False)
    console.print(
        "free: passive joints that motors leave open. gap in m or rad: by Pinocchio. torques: largest "
        "relative difference from Pinocchio's."
    )
    return int(failed or not rows)


if __name__ == "__main__":
    sys.exit(main())
