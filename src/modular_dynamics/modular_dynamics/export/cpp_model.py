"""A graph as a header for programs in C++: `graph.to_cpp`."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..codegen.c99 import comment_text, unique_identifiers
from ..codegen.c_files import JointCoordinates, coordinates_of, library_version, order_lines
from ..dynamics.arguments import Array
from ..dynamics.core_robot import robot_arrays
from ..exceptions import StateError, UnsupportedModelError
from ..loops.core_loops import LOOP_TYPES, core_loops, loop_arrays
from ..loops.dynamics.solver import solver_of
from ..model import SubsystemGraph, checked_vectors, refuse_black_boxes, require_graph
from .c_code import write_files

#: Members of the core's enumerations JointType and LoopType, by their numbers in its arrays.
_JOINT_TYPES, _LOOP_TYPES = ("revolute", "prismatic", "floating", "spherical"), (*LOOP_TYPES,)


def to_cpp(graph: SubsystemGraph, path: str | Path | None, name: str, guess: ArrayLike | None) -> str:
    """Return the robot as a header for C++17: see :meth:`.SubsystemGraph.to_cpp`."""
    require_graph(graph)
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) or "__" in name:
        raise StateError(f"the namespace is {name!r}; a C++ identifier is needed")
    refuse_black_boxes(graph, "the model for C++")
    has_loops = graph.has_loops
    if guess is not None and not has_loops:
        raise StateError(f"C++: '{graph.name}' has no loops; guess= selects how loops close")
    all_joints = coordinates_of(graph, graph.joint_names)
    joints = coordinates_of(graph, graph.independent_joint_names) if has_loops else all_joints
    closed = _closed(graph, guess) if has_loops else None
    about = [
        f"The robot '{graph.name}' for the headers of modular_dynamics {library_version()}, by graph.to_cpp.",
        "",
        f"Order of {'the independent ' if has_loops else ''}joints (a and tau as v):",
        *order_lines(joints, "q", "v"),
    ]
    if has_loops:
        about += [
            "",
            "Order of all joints, in `closed`, guesses and coordinates, and of functions of the tree:",
        ]
        about += order_lines(all_joints, "q", "v")
    lines = [f"// {comment_text(line)}".rstrip() for line in about]
    lines += [
        "#pragma once",
        f"#include <modular_dynamics/{'loops/loop_' if has_loops else ''}functions.hpp>",
        "",
    ]
    lines += [f"namespace {name} {{", "", *_sizes("", joints)]
    if closed is not None:
        lines += ["", *_sizes("all_", all_joints), "", "/// A configuration with closed loops."]
        lines += [f"constexpr double closed[] = {_list(closed)};"]
    lines += ["", *_description(graph)]
    if has_loops:
        lines += ["", *_loops(graph)]
    text = "\n".join([*lines, "", f"}} // namespace {name}", ""])
    if path is not None:
        write_files({Path(path): text})
    return text


def _closed(graph: SubsystemGraph, guess: ArrayLike | None) -> Array:
    """Return coordinates of all joints (nq,) with closed loops. Raises as `to_cpp`."""
    undetermined = graph.once(core_loops).undetermined
    if undetermined:
        raise UnsupportedModelError(
            f"C++: independent joints and loops of '{graph.name}' leave velocities {undetermined} of all "
            "joints undetermined, or a quaternion moves its loops; other independent joints may help "
            "(graph.with_independent_joints)"
        )
    solver = solver_of(graph)
    start = solver.reference() if guess is None else checked_vectors(graph, q=guess)[0]
    return solver.close(start[solver.independent_q], start)


def _sizes(prefix: str, joints: Sequence[JointCoordinates]) -> list[str]:
    """Return lines in C++ with lengths of vectors, and where each joint's numbers begin in them."""
    lines, names = [], unique_identifiers(joint.joint for joint in joints)
    for vector, parts in (("q", [joint.q for joint in joints]), ("v", [joint.v for joint in joints])):
        entries = [
            f"{prefix}{vector}_{key}".upper() + f" = {first}"
            for key, (first, _) in zip(names, parts, strict=True)
        ]
        lines += [f"constexpr int {prefix}n{vector} = {sum(length for _, length in parts)};"]
        lines += [f"enum {prefix.title().rstrip('_')}{vector.upper()} {{ {', '.join(entries)} }};"]
    return lines


def _description(graph: SubsystemGraph) -> list[str]:
    """Return lines of the C++ function that makes the core's Description."""
    arrays = robot_arrays(graph.tree)
    nq, nv = arrays["size"]
    lines = [
        "inline modular_dynamics::Description description() {",
        "  using T [[maybe_unused]] = modular_dynamics::JointType;",
    ]
    lines += ["  modular_dynamics::Description robot;", f"  robot.nq = {nq}, robot.nv = {nv};"]
    lines += [f"  robot.gravity = {_list(arrays['gravity'])};", "  robot.joints = {"]
    for k, joint in enumerate(graph.joints):
        row = {key: column[k] for key, column in arrays.items() if key not in {"gravity", "size"}}
        inertia = 0.5 * (row["inertia"] + row["inertia"].T)
        numbers = [
            *(
                row["parent"],
                f"T::{_JOINT_TYPES[row['type']]}",
                row["q"],
                row["v"],
                str(row["mimics"]).lower(),
            ),
            *(row["axis"], row["R_parent_joint"], row["p_parent_joint"], row["mass"], row["com"]),
            np.concatenate([np.diag(inertia), inertia[[0, 0, 1], [1, 2, 2]]]),
            *(row[key] for key in ("multiplier", "offset", "armature", "stiffness", "rest_position")),
            *(row["damping"], row["friction"]),
        ]
        lines += [f"      // {k}: {comment_text(joint.name)}", f"      {_list(numbers)},"]
    return [*lines, "  };", "  return robot;", "}"]


def _loops(graph: SubsystemGraph) -> list[str]:
    """Return lines of the C++ function that makes the core's LoopsDescription."""
    x = loop_arrays(graph)
    of_gear = [x["term_gear"] == k for k in range(len(graph.gears))]
    parts = {
        "loops": [
            (loop.name, [f"T::{_LOOP_TYPES[kind]}", _anchors(bodies, poses), axis])
            for loop, kind, bodies, poses, axis in zip(
                *(graph.loop_joints, x["loop_type"], x["loop_bodies"], x["loop_poses"], x["loop_axis"]),
                strict=True,
            )
        ],
        "gears": [
            (gear.joint, [offset, x["term_joint"][own], x["term_ratio"][own]])
            for gear, offset, own in zip(graph.gears, x["gear_offset"], of_gear, strict=True)
        ],
        "springs": [
            (spring.name, [_anchors(bodies, poses), *law])
            for spring, bodies, poses, law in zip(
                graph.springs, x["spring_bodies"], x["spring_poses"], x["spring_law"], strict=True
            )
        ],
    }
    lines = ["inline modular_dynamics::LoopsDescription loops() {"]
    lines += [
        "  using T [[maybe_unused]] = modular_dynamics::LoopType;",
        "  modular_dynamics::LoopsDescription robot;",
    ]
    for part, rows in parts.items():
        if rows:
            lines += [f"  robot.{part} = {{"]
            for name, numbers in rows:
                lines += [f"      // {comment_text(name)}", f"      {_list(numbers)},"]
            lines += ["  };"]
    return [*lines, f"  robot.independent = {_list(x['independent'])};", "  return robot;", "}"]


def _anchors(bodies: Array, poses: Array) -> str:
    """Return both ends of a loop joint or a spring in C++: body, rotation, position."""
    return _list([_list([body, pose[:9], pose[9:]]) for body, pose in zip(bodies, poses, strict=True)])


def _list(values: Iterable[Any]) -> str:
    """Return values in braces: text as it is, arrays as lists, numbers with all of their digits."""
    return "{" + ", ".join(_text(value) for value in values) + "}"


def _text(value: Any) -> str:
    """Return one value in C++."""
    if isinstance(value, str):
        return value
    if isinstance(value, np.ndarray) and value.ndim:
        return _list(value.ravel())
    return repr(value.item())
