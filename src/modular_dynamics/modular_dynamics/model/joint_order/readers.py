"""The orders of Pinocchio's and MuJoCo's models, and of names as in a JointState message.

Models are read by their attributes; neither library is imported.
"""

from collections.abc import Iterable
from typing import Any

from ...exceptions import StateError, UnsupportedModelError
from ..graph import SubsystemGraph
from ..structure import require_graph
from .order import Entry, JointOrder

__all__ = ["from_mujoco", "from_names", "from_pinocchio"]

#: By MuJoCo's number of the type (mjtJoint): nq and nv of free, ball, slide and hinge.
_MUJOCO_SIZES = ((7, 6), (4, 3), (1, 1), (1, 1))


def from_names(graph: SubsystemGraph, names: Iterable[str]) -> JointOrder:
    """Return the order of a list of joint names, one number each, as in ``JointState.name``.

    Joints with several coordinates cannot be in it: they are ``missing``.

    Raises:
        StateError: no sequence of names, a name twice, or that of a joint with several coordinates.
    """
    require_graph(graph)
    listed = tuple(names) if isinstance(names, Iterable) and not isinstance(names, str) else (names,)
    if isinstance(names, str) or not all(isinstance(name, str) for name in listed):
        raise StateError(f"names is {names!r}; a sequence of joint names is needed")
    if twice := [name for name in listed if listed.count(name) > 1]:
        raise StateError(f"joint '{twice[0]}' is named twice; each name must be there once")
    entries = []
    for k, name in enumerate(listed):
        known = any(joint.name == name for joint in graph.joints)
        _check_sizes(graph, name, name if known else None, (1, 1))
        entries.append(Entry(name, name if known else None, slice(k, k + 1), slice(k, k + 1)))
    return JointOrder(graph, tuple(entries), len(listed), len(listed))


def from_pinocchio(graph: SubsystemGraph, model: Any) -> JointOrder:
    """Return the order of a ``pinocchio.Model``: quaternions x y z w, continuous joints as (cos, sin).

    Angles converted back from (cos, sin) are between -pi and pi. Joints are matched by name; if exactly one
    floating joint of each side has no match, these two are matched as well.

    Raises:
        UnsupportedModelError: a joint of the model has coordinates that no joint of a graph has.
        StateError: another kind of model, or joints of one name have different coordinates.
    """
    require_graph(graph)
    _raise_if_other(model, "njoints", "pinocchio.Model")
    rows = []
    for k in range(1, model.njoints):
        size, kind = (int(model.nqs[k]), int(model.nvs[k])), model.joints[k].shortname()
        if size == (0, 0):  # Pinocchio's mimic joint has no coordinates
            continue
        if size not in {(1, 1), (2, 1), (7, 6), (4, 3)} or (size == (4, 3) and "Spherical" not in kind):
            raise UnsupportedModelError(
                f"joint '{model.names[k]}' of the Pinocchio model is a {kind}; graphs have joints with one "
                "coordinate, spherical and floating ones"
            )
        rows.append((str(model.names[k]), size, int(model.idx_qs[k]), int(model.idx_vs[k])))
    return _order(graph, rows, (int(model.nq), int(model.nv)), scalar_last=True)


def from_mujoco(graph: SubsystemGraph, model: Any) -> JointOrder:
    """Return the order of a ``mujoco.MjModel``: a free joint's pose and linear velocity are in world axes.

    Its angular velocity, and a ball joint's, are in the body's axes, as in a graph. Joints are matched by
    name; if exactly one free joint of each side has no match, these two are matched as well. The world must
    be the graph's root link.

    Raises:
        StateError: another kind of model, or joints of one name have different coordinates.
    """
    require_graph(graph)
    _raise_if_other(model, "njnt", "mujoco.MjModel")
    rows = []
    for k in range(model.njnt):
        joint = model.joint(k)
        name = joint.name or f"joint {k} without a name"
        rows.append((name, _MUJOCO_SIZES[int(joint.type[0])], int(joint.qposadr[0]), int(joint.dofadr[0])))
    return _order(graph, rows, (int(model.nq), int(model.nv)), in_world=True)


def _raise_if_other(model: Any, attribute: str, kind: str) -> None:
    """Raise StateError where the model is not of this kind: it lacks the attribute."""
    if not hasattr(model, attribute):
        raise StateError(f"the model is {type(model).__name__}; a {kind} is needed")


def _order(
    graph: SubsystemGraph,
    rows: list[tuple[str, tuple[int, int], int, int]],
    lengths: tuple[int, int],
    scalar_last: bool = False,
    in_world: bool = False,
) -> JointOrder:
    ours = {joint.name: joint for joint in graph.joints}
    theirs = {name for name, *_ in rows}
    left = [name for name, joint in ours.items() if joint.type.nq == 7 and name not in theirs]
    left_there = [name for name, size, *_ in rows if size == (7, 6) and name not in ours]
    renamed = {left_there[0]: left[0]} if len(left) == len(left_there) == 1 else {}
    entries = []
    for name, size, first_q, first_v in rows:
        joint = name if name in ours else renamed.get(name)
        _check_sizes(graph, name, joint, size)
        where = slice(first_q, first_q + size[0]), slice(first_v, first_v + size[1])
        entries.append(Entry(name, joint, *where, size == (2, 1), scalar_last, in_world))
    return JointOrder(graph, tuple(entries), *lengths)


def _check_sizes(graph: SubsystemGraph, name: str, joint: str | None, size: tuple[int, int]) -> None:
    if joint is None:
        return
    kind = graph.joint(joint).type
    if kind.nv != size[1]:
        raise StateError(
            f"joint '{name}' has {size[1]} velocities in the other order and {kind.nv} in '{graph.name}', "
            f"where it is {kind.value}; the same type of joint is needed"
        )
