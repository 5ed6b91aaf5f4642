"""URDF or xacro, text or file -> SubsystemGraph."""

import warnings as python_warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from lxml import etree
from numpy.typing import ArrayLike, NDArray

from ..algebra import DualQuaternion
from ..exceptions import DescriptionError, ModelWarning, StateError, UrdfError
from ..model import Finding, SourceText, SubsystemGraph, refusals_by_kind, summaries_by_kind
from ..model.number_arrays import number_array
from .assembly import assemble
from .assembly import partition as make_groups
from .checks.kinds import closing_frames, notes_on_simulators, unread_couplings
from .checks.places import Ignored
from .checks.plausibility import implausible_numbers
from .checks.robot import (
    asymmetric_inertias,
    check_joint_inertias,
    check_links,
    check_references,
    check_tree,
    idle_springs,
    immovable_joints,
    possible_joints,
    resolve_mimics,
    zero_limits,
)
from .description import (
    Annotations,
    JointDescription,
    LinkDescription,
    RobotDescription,
    free_name,
    with_joint_tags,
    with_planar_joints,
)
from .elements import read_robot, repair
from .foreign import CLOSING, foreign_words, refuse_drake_joints, text_without, with_words
from .header import conditions_of, in_its_version
from .source import Source, children
from .tags import checked_annotations, read_partition, read_tags, with_partition
from .xacro_files import Mappings, PlainUrdf, read_plain

#: Name of the joint that ``floating_base`` adds, as in Pinocchio.
ROOT_JOINT = "root_joint"
#: Name of the link to which that joint adds the robot.
GROUND = "universe"
#: Most names of elements that a note shows.
_SHOWN = 12


def load_urdf(
    source: Source,
    partition: str | Path | Mapping[str, Any] | None = None,
    *,
    gravity: ArrayLike | None = None,
    floating_base: bool | None = None,
    strict: bool = False,
    mappings: Mappings = None,
) -> SubsystemGraph:
    """Return the graph of subsystems of a robot.

    Args:
        source: URDF as text or bytes, or the path of a file. Files may be xacro, which the extra ``xacro``
            expands.
        partition: YAML file (or its content) with the same content as the tags; where it has a section,
            it replaces that of the tags. Without tags or file, every unbranched chain is a subsystem.
        gravity: gravitational acceleration in the root link's frame [m/s^2]; None: that of the tags, which
            is (0, 0, -9.81) if they have none.
        floating_base: let the root link float: q gains x y z and a quaternion w x y z, v and tau six numbers;
            None: as the tags say.
        strict: raise an error instead of a :class:`ModelWarning`.
        mappings: arguments of a xacro file by name. A xacro description given as text is only expanded with
            mappings, which may be empty: expanding reads the files that it includes. Lines in errors are then
            those of the expanded text.

    Raises:
        UrdfError, PartitionError: the description is invalid; the message names the element and its line.
        MissingDependencyError: a xacro file, and the xacro package cannot be imported.
    """
    plain = read_plain(source, mappings)
    try:
        graph = graph_of(plain, partition, gravity, floating_base, strict)
    except DescriptionError as error:
        in_source = isinstance(error, UrdfError) or isinstance(error.line, int)
        if not plain.where or not in_source:  # a partition file names itself
            raise
        raise error.located(plain.where, None if plain.expanded else error.line) from error
    for warning in summaries_by_kind(graph.warnings):
        python_warnings.warn(f"{plain.where}{warning}", ModelWarning, stacklevel=2)
    return graph


def graph_of(
    plain: PlainUrdf,
    partition: str | Path | Mapping[str, Any] | None = None,
    gravity: ArrayLike | None = None,
    floating_base: bool | None = None,
    strict: bool = False,
) -> SubsystemGraph:
    """Return the graph of a plain URDF; arguments as of :func:`load_urdf`.

    Findings are in ``warnings`` of the graph: no Python warning is issued. Errors do not name the file.
    """
    root = plain.root
    of_file, floats = conditions_of(root)
    field, tags = of_file if gravity is None else gravity_vector(gravity), root.find("modular_dynamics")
    replaced_conditions = [
        f"{name} of the file, {own}, is not used: {given} was given"
        for name, own, given in (
            ("gravity", of_file.tolist(), field.tolist()),
            ("floating_base", floats, floating_base),
        )
        if given not in (None, own) and tags is not None and tags.get(name) is not None
    ]
    floating_base = floats if floating_base is None else floating_base
    in_tags = read_tags(root)
    refuse_drake_joints(root)
    version, of_version = in_its_version(root)
    repairs = repair(root)
    with _explained(root):
        robot = read_robot(root, version)
        check_tree(robot)
    links = frozenset(robot.links)
    impossible = [*check_links(robot), *asymmetric_inertias(root)]
    robot, of_fixed = resolve_mimics(robot)
    robot, impossible_joints = possible_joints(robot)
    robot = with_planar_joints(robot)
    in_file = read_partition(partition)
    annotations = with_partition(Annotations() if in_tags is None else checked_annotations(in_tags), in_file)
    given = {**(in_tags or {}), **(in_file or {})}
    with _explained(root):
        words = foreign_words(root, robot, annotations, given)
    annotations = with_words(annotations, words)
    ignored = Ignored(root, words.seen)
    held = {anchor.link for loop in annotations.loop_joints for anchor in loop.anchors}
    findings = [
        *plain.findings,
        *of_version,
        *repairs,
        *ignored.findings,
        *impossible,
        *of_fixed,
        *impossible_joints,
        *immovable_joints(robot),
        *idle_springs(robot, annotations),
        *implausible_numbers(robot, annotations, root),
        *words.findings,
        *closing_frames(root, robot, held),
        *unread_couplings(root, robot),
    ]
    if floating_base:
        robot, renamed = _floating(robot, annotations)
        findings += renamed
    if strict and (faults := [finding for finding in findings if not finding.asks]):
        raise UrdfError(f"strict: {'; '.join(refusals_by_kind(faults))}")
    groups, notes = make_groups(robot, annotations.subsystems)
    check_references(robot, annotations)
    graph = assemble(with_joint_tags(robot, annotations), groups, field)
    check_joint_inertias(graph, robot)
    text = text_without(root, words.read) if words.read else plain.text
    return replace(
        annotated(graph, annotations),
        urdf=plain.text,
        sources=(SourceText(text, "", links),),
        floating_base=floating_base,
        warnings=tuple(findings),
        notes=(
            *notes,
            *replaced_conditions,
            *words.notes,
            *notes_on_simulators(root),
            *_not_understood(ignored.unknown),
            *_freely_swinging(robot, annotations),
            *summaries_by_kind(zero_limits(robot)),
        ),
    )


def _not_understood(unknown: Mapping[str, int | None]) -> Iterator[str]:
    """Yield a note on elements that nothing reads, if there are any; ``unknown``: their names with a line."""
    names = [f"<{name}> (line {line})" for name, line in unknown.items()]
    more = [f"and {len(names) - _SHOWN} more"] if len(names) > _SHOWN else []
    if names:
        yield f"not read, and not understood: elements {', '.join(names[:_SHOWN] + more)}"


def _freely_swinging(robot: RobotDescription, annotations: Annotations) -> Iterator[str]:
    """Yield a note on passive joints that are part of no loop and no gear, if there are any."""
    held = set[str]()
    for gear in annotations.gears:
        held |= {gear.joint, *(name for name, _ in gear.drivers)}
    for loop in annotations.loop_joints:
        held |= {joint.name for side in robot.between(*(one.link for one in loop.anchors)) for joint in side}
    loose = [name for name in annotations.passive if name not in held]
    if loose:
        yield (
            f"in no loop and no gear, so that they swing freely: passive joints {', '.join(loose)}; torques "
            "are those with them at the guess's position, without velocity and without a motor"
        )


@contextmanager
def _explained(root: etree._Element) -> Iterator[None]:
    """Append findings on misplaced elements to a UrdfError raised inside: they are often the cause.

    Example: <mass>2</mass> is the reason for a mass without value.
    """
    try:
        yield
    except UrdfError as error:
        found = Ignored(root, [*children(root, *CLOSING)]).findings
        if not (findings := [finding for finding in found if "of another tool" not in finding.kind]):
            raise
        explained = UrdfError(f"{error}. Beside this: {'; '.join(refusals_by_kind(findings))}")
        explained.line = error.line
        raise explained from None


def has_loops(
    source: Source, partition: str | Path | Mapping[str, Any] | None = None, mappings: Mappings = None
) -> bool:
    """Return whether loops, gears or passive joints make some joints depend on others.

    Arguments and errors as of :func:`load_urdf`. No warning is issued.
    """
    graph = graph_of(read_plain(source, mappings), partition)
    return bool(graph.loop_joints or graph.gears or graph.passive_joints)


def gravity_vector(gravity: ArrayLike) -> NDArray[np.float64]:
    """Return a gravitational acceleration as a read-only array (3,). Raises StateError: not three numbers."""
    try:
        vector = np.array(number_array("gravity", gravity))
    except StateError:
        vector = np.empty(0)
    if vector.shape != (3,) or not np.isfinite(vector).all():
        raise StateError(f"gravity is {gravity!r}; three finite numbers [m/s^2] are needed")
    vector.flags.writeable = False
    return vector


def annotated(graph: SubsystemGraph, annotations: Annotations) -> SubsystemGraph:
    """Return the graph with what closes its loops; independent joints are in the order of q."""
    chosen = annotations.independent
    return replace(
        graph,
        loop_joints=annotations.loop_joints,
        passive_joints=annotations.passive,
        gears=annotations.gears,
        springs=annotations.springs,
        independent=None if chosen is None else tuple(name for name in graph.joint_names if name in chosen),
    )


def _floating(robot: RobotDescription, annotations: Annotations) -> tuple[RobotDescription, list[Finding]]:
    """Return the robot with a floating joint to a new ground link above its root; and findings on names.

    Findings: names of this joint and link that the robot uses already. Raises UrdfError: it floats already.
    """
    present = [
        joint.name
        for joint in robot.below[robot.root]
        if joint.type == "floating" and joint.name not in annotations.spherical
    ]
    if present:
        raise UrdfError(f"floating_base is set, but joint '{present[0]}' is floating already")
    ground, root_joint = free_name(GROUND, robot.links), free_name(ROOT_JOINT, robot.joints)
    clashes = (
        (robot.joints.get(ROOT_JOINT), "joint", root_joint),
        (robot.links.get(GROUND), "ground link", ground),
    )
    findings = [
        described.finding(
            "name of the floating base",
            f"has the name of the {what} that floating_base adds",
            f"; that one is now '{name}'",
        )
        for described, what, name in clashes
        if described is not None
    ]
    joint = JointDescription(root_joint, "floating", ground, robot.root, DualQuaternion.identity)
    floating = replace(
        robot,
        links={ground: LinkDescription(ground), **robot.links},
        joints={root_joint: joint, **robot.joints},
    )
    return floating, findings
