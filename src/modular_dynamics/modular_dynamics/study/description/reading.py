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
from .reading_inputs import inputs_of
from .study import Bound, Keep, Refinement, Sampling, Study, TensionLimit
from .values import integer, mapping, names, number, only, text

__all__ = ["load_study"]

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
