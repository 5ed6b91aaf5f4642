"""Reading a study file."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ...exceptions import DescriptionError, StudyError
from ...motions import load_profile
from ...text.files import path_of, text_of
from ...text.sizes import MAX_YAML_BYTES, shown
from ...text.yaml_text import documents
from ...urdf import load_urdf
from .checks import check_study
from .inputs import VALUE, Input, Target
from .study import Bound, Keep, Refinement, Sampling, Study, TensionLimit
from .values import integer, mapping, names, nearest, number, only, text

__all__ = ["load_study"]

# Reading the inputs of a study file.

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


_KEYS = (
    "version", "name", "description", "robot", "partition", "motion", "inputs", "actuators", "objective",
    "keep", "sampling", "refine",
)  # fmt: skip
_SAMPLINGS = ("grid", "random", "sobol")
#: Designs of a sample; SciPy has so many points of the Sobol sequence.
_MOST = {"random": 10**12, "sobol": 2**32}


def load_study(path: str | Path) -> Study:
    """Read a study from its YAML file (docs/design_studies.md); paths in it are relative to its folder.

    Raises:
        StudyError: no such file, no YAML, a key or a value that is missing or wrong, or a name that the robot
            does not have; names the file and the entry. DescriptionError: as of `load_urdf`.
    """
    file = path_of(path)
    where = f"study '{path}'"
    content = text_of(file, "study file", MAX_YAML_BYTES, StudyError)
    found = documents(content, where, StudyError)
    data = mapping(found[0] if len(found) == 1 else None, where)
    only(data, _KEYS, where)
    if (version := data.get("version", 1)) != 1:
        raise StudyError(f"{where}: version {shown(version)} is unknown; this library reads version 1")
    folder = file.parent
    partition = data.get("partition")
    graph = load_urdf(
        folder / text(data, "robot", where),
        None if partition is None else folder / text(data, "partition", where),
    )
    motion = mapping(data.get("motion"), f"{where}: motion")
    only(motion, ("rate", "files", "instead"), f"{where}: motion")
    rate = number(motion.get("rate", 10.0), f"{where}: motion: rate")
    if not 0.0 < rate <= 1e6:
        raise StudyError(
            f"{where}: motion: rate is {rate:g}; a number of states per second above 0, up to 1e6, is needed"
        )
    files = mapping(motion.get("files"), f"{where}: motion: files")
    trajectories = {str(name): _profile(folder, files, name, where) for name in files}
    if not trajectories:
        raise StudyError(f"{where}: motion: files names no trajectory")
    instead = _texts(motion.get("instead", {}), f"{where}: motion: instead")
    study = Study(
        str(data.get("name", file.stem)),
        graph,
        inputs_of(data.get("inputs"), tuple(trajectories), where, folder),
        trajectories,
        rate,
        instead,
        _numbers(data.get("actuators"), f"{where}: actuators"),
        _numbers(data.get("objective", {"largest": 1.0}), f"{where}: objective"),
        _keep(mapping(data.get("keep", {}), f"{where}: keep"), f"{where}: keep"),
        _sampling(mapping(data.get("sampling", {}), f"{where}: sampling"), f"{where}: sampling"),
        _refinement(data.get("refine"), f"{where}: refine"),
        file.absolute(),
        content,
    )
    check_study(study, where)
    return study


def _profile(folder: Path, files: Mapping[Any, Any], name: Any, where: str) -> Any:
    try:
        return load_profile(folder / text(files, name, f"{where}: motion: files"))
    except DescriptionError as error:
        raise StudyError(f"{where}: motion: files: {error}") from error


def _texts(raw: Any, where: str) -> dict[str, str]:
    data = mapping(raw, where)
    return {str(name): text(data, name, where) for name in data}


def _numbers(raw: Any, where: str) -> dict[str, float]:
    found = {str(name): number(value, f"{where}: {name}") for name, value in mapping(raw, where).items()}
    if not found:
        raise StudyError(f"{where} is empty")
    if negative := [name for name, value in found.items() if value < 0.0]:
        raise StudyError(f"{where}: {negative[0]} is negative")
    return found


def _keep(data: Mapping[Any, Any], where: str) -> Keep:
    only(data, ("strokes", "efforts", "sine", "tensions"), where)
    tensions = mapping(data.get("tensions", {}), f"{where}: tensions")
    return Keep(
        names(data.get("strokes", []), f"{where}: strokes"),
        names(data.get("efforts", []), f"{where}: efforts"),
        number(data["sine"], f"{where}: sine") if "sine" in data else None,
        tuple(_tension(str(name), raw, f"{where}: tensions: {name}") for name, raw in tensions.items()),
    )


def _tension(spring: str, raw: Any, where: str) -> TensionLimit:
    data = mapping(raw, where)
    only(data, ("least", "largest"), where)
    bounds = {key: _bound(data[key], f"{where}: {key}") for key in data}
    return TensionLimit(spring, bounds.get("least"), bounds.get("largest"))


def _bound(raw: Any, where: str) -> Bound:
    if not isinstance(raw, dict):
        return number(raw, where)
    only(raw, ("input", "column"), where)
    return text(raw, "input", where), text(raw, "column", where)


def _sampling(data: Mapping[Any, Any], where: str) -> Sampling:
    only(data, ("kind", "designs", "seed"), where)
    kind = data.get("kind", "grid")
    if kind not in _SAMPLINGS:
        raise StudyError(f"{where}: kind is {shown(kind)}; possible are {', '.join(_SAMPLINGS)}")
    if kind == "grid":
        only(data, ("kind",), f"{where} of a grid")
        return Sampling()
    read: Callable[..., int] = integer
    designs = read(data.get("designs"), f"{where}: designs", 1, _MOST[kind])
    return Sampling(kind, designs, read(data.get("seed", 0), f"{where}: seed", 0, 2**63))


def _refinement(raw: Any, where: str) -> Refinement:
    if raw is None:
        return Refinement()
    data = mapping(raw, where)
    only(data, ("generations", "population", "seed"), where)
    return Refinement(
        integer(data.get("generations", 50), f"{where}: generations", 0, 100_000),
        integer(data.get("population", 15), f"{where}: population", 5, 10_000),
        integer(data.get("seed", 0), f"{where}: seed", 0, 2**32 - 1),
    )
