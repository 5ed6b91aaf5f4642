"""Reading the inputs of a study file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...exceptions import DescriptionError, StudyError
from ...text.files import path_of, text_of
from ...text.sizes import MAX_YAML_BYTES, shown
from ...text.yaml_text import documents
from .inputs import VALUE, Input, Target
from .values import integer, mapping, names, nearest, number, only, text

__all__ = ["inputs_of"]

_KINDS = ("list", "range", "catalogue", "trajectories")


def inputs_of(raw: Any, trajectories: tuple[str, ...], where: str, folder: Path) -> tuple[Input, ...]:
    """Return all inputs, in the file's order. Raises StudyError: names the wrong one."""
    data = mapping(raw, f"{where}: inputs")
    if not data:
        raise StudyError(f"{where}: inputs is empty")
    found = tuple(
        _input(str(name), one, trajectories, f"{where}: input '{name}'", folder) for name, one in data.items()
    )
    if sum(one.is_trajectory for one in found) > 1:
        raise StudyError(f"{where}: two inputs choose the trajectory; only one can")
    setters: dict[str, str] = {}
    for one in found:
        for _, targets in one.targets:
            for target in targets:
                if target.parameter in setters:
                    raise StudyError(
                        f"{where}: input '{one.name}' sets '{target.parameter}', which input "
                        f"'{setters[target.parameter]}' sets, too"
                    )
                setters[target.parameter] = one.name
    return found


def _input(name: str, raw: Any, trajectories: tuple[str, ...], where: str, folder: Path) -> Input:
    data = mapping(raw, where)
    kinds = [kind for kind in _KINDS if kind in data]
    if len(kinds) != 1:
        raise StudyError(
            f"{where} must have exactly one of the keys {', '.join(_KINDS)}; it has {len(kinds)}"
        )
    (kind,) = kinds
    only(data, (kind, "sets", *(("steps",) if kind == "range" else ())), where)
    if kind == "trajectories":
        labels = names(data[kind], f"{where}: trajectories")
        for one in labels:
            if one not in trajectories:
                raise StudyError(f"{where}: no trajectory '{one}'{nearest(one, trajectories)}")
        if not labels or len(set(labels)) != len(labels) or "sets" in data:
            raise StudyError(f"{where}: trajectories must name some, each once, and nothing else")
        return Input(name, labels, is_trajectory=True)
    if kind == "catalogue":
        return _catalogue(name, data, where, folder)
    targets = ((VALUE, _targets(data.get("sets"), f"{where}: sets")),)
    if kind == "range":
        ends = data[kind]
        if not isinstance(ends, list) or len(ends) != 2:
            raise StudyError(f"{where}: range must be [low, high], not {shown(ends)}")
        low, high = (number(end, f"{where}: range") for end in ends)
        if low > high:
            raise StudyError(f"{where}: range begins at {low:g}, above its end, {high:g}")
        steps = integer(data.get("steps", 2), f"{where}: steps", 2, 10**9)
        return Input(name, low=low, high=high, steps=steps, targets=targets)
    values = data[kind]
    if not isinstance(values, list) or not values:
        raise StudyError(f"{where}: list must be a list of numbers, not {shown(values)}")
    column = tuple(number(value, f"{where}: list") for value in values)
    return Input(name, tuple(f"{value:.6g}" for value in column), ((VALUE, column),), targets=targets)


def _catalogue(name: str, data: Mapping[Any, Any], where: str, folder: Path) -> Input:
    raw = data["catalogue"]
    if isinstance(raw, str):  # rows in a file of their own
        file = f"{where}: catalogue '{raw}'"
        try:
            content = text_of(path_of(folder / raw), "catalogue", MAX_YAML_BYTES, StudyError)
        except DescriptionError as error:
            raise StudyError(f"{where}: {error}") from error
        found = documents(content, file, StudyError)
        raw = mapping(found[0] if len(found) == 1 else None, file)
    rows = mapping(raw, f"{where}: catalogue")
    if not rows:
        raise StudyError(f"{where}: catalogue is empty")
    head = tuple(mapping(next(iter(rows.values())), f"{where}: the first row of catalogue"))
    columns: dict[str, list[float]] = {str(key): [] for key in head}
    for label, row in rows.items():
        here = f"{where}: row '{label}'"
        only(mapping(row, here), head, here)
        for key in head:
            if key not in row:
                raise StudyError(f"{here} has no '{key}', which the first row has")
            columns[str(key)].append(number(row[key], f"{here}: {key}"))
    sets = mapping(data.get("sets"), f"{where}: sets")
    only(sets, tuple(columns), f"{where}: sets")
    if not sets:
        raise StudyError(f"{where}: sets is empty")
    return Input(
        name,
        tuple(str(label) for label in rows),
        tuple((key, tuple(values)) for key, values in columns.items()),
        targets=tuple((str(key), _targets(raw, f"{where}: sets: {key}")) for key, raw in sets.items()),
    )


def _targets(raw: Any, where: str) -> tuple[Target, ...]:
    """Return the targets in a parameter's name, {parameter, factor, offset}, or a list of these."""
    items = raw if isinstance(raw, list) else [raw]
    if not items:
        raise StudyError(f"{where} is empty")
    found = []
    for one in items:
        if isinstance(one, dict):
            only(one, ("parameter", "factor", "offset"), where)
            factor, offset = number(one.get("factor", 1.0), where), number(one.get("offset", 0.0), where)
            found.append(Target(text(one, "parameter", where), factor, offset))
        elif isinstance(one, str):
            found.append(Target(one))
        else:
            raise StudyError(f"{where} must name parameters of the robot, not {shown(one)}")
    return tuple(found)
