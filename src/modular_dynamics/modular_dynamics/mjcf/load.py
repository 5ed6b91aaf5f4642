"""MJCF -> SubsystemGraph."""

import warnings as python_warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from ..exceptions import MjcfError, ModelWarning
from ..model import Finding, SubsystemGraph, refusals_by_kind, summaries_by_kind
from ..model.joint_order import names_of_mujoco
from ..urdf.assembly import assemble
from ..urdf.assembly import partition as make_groups
from ..urdf.checks.robot import check_references, check_tree
from ..urdf.description import Annotations, with_joint_tags
from ..urdf.load import annotated, gravity_vector
from ..urdf.tags import read_partition, with_partition
from .relations import active_equalities, passive_joints, read_loops, read_relations, read_springs
from .source import Compiled, Disable, compiled
from .tree import check_numbers, check_supported, findings_about, notes_on, read_actuators, read_tree


def load_mjcf(
    source: Any,
    partition: str | Path | Mapping[str, Any] | None = None,
    *,
    gravity: ArrayLike | None = None,
    strict: bool = False,
) -> SubsystemGraph:
    """Return the graph of subsystems of a robot in MJCF, compiled by MuJoCo (extra ``mjcf``).

    Bodies become links. Joints keep MuJoCo's positions, q = qpos, also with ``ref``; a free joint's velocity
    is in the body's axes here (:func:`.joint_order.from_mujoco` converts). Equality constraints
    become loop joints and gears, tendons between two sites springs. Actuators and contacts are ignored;
    ``notes`` of the graph name everything that is ignored.

    Args:
        source: MJCF text, bytes, a path (.xml or .mjb), a mujoco.MjSpec or mujoco.MjModel.
        partition: YAML file (or its content) as for :func:`load_urdf`; its sections replace the file's.
        gravity: gravitational acceleration in the world's frame [m/s^2]; None: the file's.
        strict: raise an error instead of a :class:`ModelWarning`.

    Raises:
        MjcfError: MuJoCo refuses the source; with ``strict``, what would be a warning.
        UnsupportedModelError: an element that exerts forces which the graph cannot express; it is named.
        PartitionError: the partition contradicts the robot.
        StateError: gravity is not three finite numbers.
        MissingDependencyError: MuJoCo is not installed.
    """
    compiled_model = compiled(source)
    try:
        graph = _graph(compiled_model, read_partition(partition), gravity, strict)
    except MjcfError as error:
        raise error.located(compiled_model.where, error.line) from error
    for warning in summaries_by_kind(graph.warnings):
        python_warnings.warn(f"{compiled_model.where}{warning}", ModelWarning, stacklevel=2)
    return graph


def _graph(
    compiled_model: Compiled, partition: dict[str, Any] | None, gravity: ArrayLike | None, strict: bool
) -> SubsystemGraph:
    """Return the graph of a compiled model; arguments as of :func:`load_mjcf`."""
    model = compiled_model.model
    names = names_of_mujoco(model)
    check_numbers(model, names)
    actuators = read_actuators(model)
    check_supported(model, names)
    equalities, notes = active_equalities(model)
    relations = read_relations(model, names, equalities, actuators.driven)
    loops, loop_notes = read_loops(model, names, equalities)
    taken = [loop.name for loop in loops.values()]
    springs, of_tendons = read_springs(model, names, actuators, taken)
    passive, passive_notes, of_loops = passive_joints(model, names, loops.keys(), relations.gears, actuators)
    robot = read_tree(model, names, relations.locked, actuators)
    check_tree(robot)
    of_compiler = [
        Finding("warning of MuJoCo", "model", robot.name, text) for text in compiled_model.warnings
    ]
    findings = [*of_compiler, *findings_about(model, names), *of_tendons]
    findings += of_loops if {"passive", "independent"}.isdisjoint(partition or ()) else []
    if strict and findings:
        raise MjcfError(f"strict: {'; '.join(refusals_by_kind(findings))}")
    annotations = with_partition(
        Annotations(
            loop_joints=tuple(loops.values()), passive=passive, gears=relations.gears, springs=springs
        ),
        partition,
    )
    groups, partition_notes = make_groups(robot, annotations.subsystems)
    check_references(robot, annotations)
    notes += [*notes_on(model, names), *relations.notes, *loop_notes, *passive_notes, *partition_notes]
    if relations.locked:
        held = ", ".join(names.joints[k] for k in relations.locked)
        notes.append(f"joints that equality constraints hold at one position are fixed: {held}")
    in_file = (0.0, 0.0, 0.0) if model.opt.disableflags & Disable.GRAVITY else model.opt.gravity
    field = gravity_vector(in_file if gravity is None else gravity)
    graph = assemble(with_joint_tags(robot, annotations), groups, field)
    return replace(annotated(graph, annotations), warnings=tuple(findings), notes=tuple(notes))
