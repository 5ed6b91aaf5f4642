"""Reader of study files (docs/reference/design_studies.md): checks values, and names against the robot."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..exceptions import DescriptionError, StudyError, UnknownNameError
from ..loops import solver_of
from ..motions import load_profile
from ..text.element import Element, nearest
from ..text.files import is_file, path_of, text_of
from ..text.numbers import STIFFEST
from ..text.sizes import MAX_YAML_BYTES
from ..text.yaml_text import documents
from ..urdf import load_urdf
from .study import VALUE, Bound, Input, Keep, Sampling, Study, Target, TensionLimit

_KINDS = ("list", "range", "catalogue", "trajectories")
_KEYS = ("version", "name", "description", "partition", "objective", "keep", "sampling")
#: Most designs of each kind of sampling; SciPy's Sobol sequence has 2^32 points.
_MOST = {"grid": 0, "sobol": 2**32}
#: Most designs of a study: a core computes a thousand in a second, so these take ten million core seconds.
MOST_DESIGNS = 10_000_000_000


def load_study(path: str | Path) -> Study:
    """Read a study from its YAML file (docs/reference/design_studies.md); its paths start at its folder.

    Raises:
        StudyError: no such file, no YAML, a key or a value that is missing or wrong, or a name that the robot
            does not have; names the file and the entry. DescriptionError: as of `load_urdf`.
    """
    file = path_of(path)
    content = text_of(file, "study file", MAX_YAML_BYTES, StudyError)
    top = _top(content, f"study '{path}'", "a mapping (robot, motion, inputs, actuators, ...)")
    top.require(("robot", "motion", "inputs", "actuators"), _KEYS)
    if top.item.get("version", 1) != 1:
        raise top.wrong("version", "version 1")
    folder = file.parent
    partition = folder / top.text("partition") if "partition" in top.item else None
    graph = load_urdf(folder / top.text("robot"), partition)
    motion = top.element("motion").require(("files",), ("rate", "instead"))
    rate = motion.number("rate", 10.0)
    if not 0.0 < rate <= 1e6:
        raise motion.wrong("rate", "a number of states per second above 0, up to 1e6,")
    files = motion.element("files")
    trajectories = {name: _profile(files, name, folder) for name in files.names()}
    if not trajectories:
        raise motion.wrong("files", "at least one trajectory")
    instead = motion.element("instead", {})
    study = Study(
        name=str(top.item.get("name", file.stem)),
        graph=graph,
        inputs=_inputs(top, trajectories, folder),
        trajectories=trajectories,
        rate=rate,
        instead={name: instead.text(name) for name in instead.names()},
        actuators=_shares(top.element("actuators")),
        objective=_shares(top.element("objective", {"largest": 1.0})),
        keep=_keep(top.element("keep", {})),
        sampling=_sampling(top.element("sampling", {})),
        source=file.absolute(),
        text=content,
    )
    _check(study, top)
    return study


def sources_of(study: Study) -> list[Path]:
    """Return the study file and the files named in it: every text in it that is the path of a file."""
    found = documents(study.text, f"study '{study.source}'", StudyError)
    named = [path_of(study.source.parent / text) for text in _texts(found)]
    return [study.source, *(path for path in named if is_file(path))]


def _texts(value: Any) -> Iterator[str]:
    """Yield all texts in a YAML value, without keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)


def _top(content: str, file: str, needed: str) -> Element:
    """Return the content of a YAML file as an element. Raises StudyError: it is not a mapping."""
    found = documents(content, file, StudyError)
    return Element.top(found[0] if len(found) == 1 else None, file, needed, StudyError)


def _profile(files: Element, name: str, folder: Path) -> Any:
    """Return a trajectory of the key motion/files."""
    path = folder / files.text(name)
    try:
        return load_profile(path)
    except DescriptionError as error:
        raise files.failure(name, f": {error}") from error


def _shares(element: Element) -> dict[str, float]:
    """Return weights by name, not all of them zero."""
    found = {name: element.number(name, None, least=0.0) for name in element.names()}
    if not sum(found.values()) > 0.0:
        raise element.failure("", ": all shares are zero; one above 0 is needed")
    return found


def _inputs(top: Element, trajectories: Iterable[str], folder: Path) -> tuple[Input, ...]:
    """Return the inputs. Raises StudyError: none, or two that set one parameter."""
    inputs = tuple(_input(name, one, trajectories, folder) for name, one in top.named("inputs").items())
    if not inputs:
        raise top.wrong("inputs", "at least one input")
    if sum(one.is_trajectory for one in inputs) > 1:
        raise top.failure("inputs", ": two inputs choose the trajectory; only one can")
    setters: dict[str, str] = {}
    for name, target in _targets_of(inputs):
        if target.parameter in setters:
            both = f"'{target.parameter}', which input '{setters[target.parameter]}' sets, too"
            raise top.element("inputs").failure(name, f" sets {both}")
        setters[target.parameter] = name
    return inputs


def _targets_of(inputs: Iterable[Input]) -> Iterator[tuple[str, Target]]:
    """Yield the name of each input with each of its targets."""
    for one in inputs:
        for _, targets in one.targets:
            yield from ((one.name, target) for target in targets)


def _input(name: str, own: Element, trajectories: Iterable[str], folder: Path) -> Input:
    """Return the input of an element, of one of :data:`_KINDS`."""
    kinds = [kind for kind in _KINDS if kind in own.item]
    if len(kinds) != 1:
        raise own.failure("", f" has {len(kinds)} of the keys {', '.join(_KINDS)}; exactly one is needed")
    (kind,) = kinds
    own.require((kind,), ("sets", "steps") if kind == "range" else ("sets",))
    if kind == "trajectories":
        labels = own.texts(kind)
        for one in labels:
            if one not in trajectories:
                raise own.failure(kind, f": no trajectory '{one}'{nearest(one, trajectories)}")
        if not labels or len(set(labels)) != len(labels) or "sets" in own.item:
            raise own.wrong(kind, "a list of some, each once, and nothing else,")
        return Input(name, labels, is_trajectory=True)
    if kind == "catalogue":
        return _catalogue(name, own, folder)
    targets = ((VALUE, _targets(own, "sets")),)
    if kind == "range":
        low, high = own.numbers(kind, 2)
        if low > high:
            raise own.wrong(kind, "a list [low, high]")
        return Input(name, low=low, high=high, steps=own.whole("steps", 2, 2, 10**9), targets=targets)
    column = tuple(own.numbers(kind, None))
    if not column:
        raise own.wrong(kind, "a list of numbers")
    return Input(name, tuple(f"{value:.6g}" for value in column), ((VALUE, column),), targets=targets)


def _catalogue(name: str, own: Element, folder: Path) -> Input:
    """Return the catalogue of an element, or of the file that it names."""
    given = own
    if isinstance(own.item["catalogue"], str):  # rows in a file of their own
        file = folder / own.text("catalogue")
        try:
            content = text_of(path_of(file), "catalogue", MAX_YAML_BYTES, StudyError)
        except StudyError as error:
            raise own.failure("catalogue", f": {error}") from error
        top = _top(content, f"catalogue '{file}'", "a mapping of rows by name")
        given = top._replace(item={"catalogue": top.item}, path=own.path)
    rows = given.named("catalogue")
    if not rows:
        raise own.wrong("catalogue", "at least one row")
    head = next(iter(rows.values())).names()
    columns = tuple(
        (key, tuple(row.require(head).number(key, None, -STIFFEST, STIFFEST) for row in rows.values()))
        for key in head
    )
    sets = own.element("sets", {}).require((), head)
    if not sets.item:
        raise own.wrong("sets", "at least one column that sets a parameter")
    return Input(name, tuple(rows), columns, targets=tuple((key, _targets(sets, key)) for key in sets.item))


def _targets(own: Element, key: str) -> tuple[Target, ...]:
    """Return the targets in a parameter's name, {parameter, factor, offset}, or a list of these."""
    given = own.item.get(key)
    found = []
    for one in given if isinstance(given, list) else [given]:
        target = own._replace(item={"parameter": one}, path=f"{own.path}{key}/")
        if isinstance(one, Mapping):
            target = target._replace(item=one).require(("parameter",), ("factor", "offset"))
        elif not isinstance(one, str) or not one:
            raise own.wrong(key, "the name of a parameter, or a list of such")
        found.append(Target(target.text("parameter"), target.number("factor", 1.0), target.number("offset")))
    if not found:
        raise own.wrong(key, "the name of a parameter, or a list of such")
    return tuple(found)


def _keep(own: Element) -> Keep:
    """Return the requirements of the key keep."""
    own.require((), ("strokes", "efforts", "sine", "tensions"))
    sine = own.number("sine", None, 0.0, 1.0) if "sine" in own.item else None
    tensions = []
    for spring, limits in own.named("tensions", {}).items():
        limits.require((), ("least", "largest"))
        tensions.append(TensionLimit(spring, _bound(limits, "least"), _bound(limits, "largest")))
    return Keep(own.texts("strokes"), own.texts("efforts"), sine, tuple(tensions))


def _bound(limits: Element, key: str) -> Bound | None:
    """Return a number, or a column (input, column); None if there is none."""
    if key not in limits.item:
        return None
    if not isinstance(limits.item[key], Mapping):
        return limits.number(key, None, -STIFFEST, STIFFEST)
    own = limits.element(key).require(("input", "column"))
    return own.text("input"), own.text("column")


def _sampling(own: Element) -> Sampling:
    """Return the sampling of the key sampling."""
    kind = own.choice("kind", tuple(_MOST), "grid")
    if kind == "grid":
        own.require((), ("kind",))
        return Sampling()
    own.require(("kind", "designs"), ("seed",))
    return Sampling(kind, own.whole("designs", None, 1, _MOST[kind]), own.whole("seed", 0))


def _check(study: Study, top: Element) -> None:
    """Raise StudyError if the robot lacks a name, or nothing is to be measured."""
    graph, keep = study.graph, study.keep
    joints = {joint.name: joint for joint in graph.joints}
    independent = graph.independent_joint_names

    def known(given: Iterable[str], choices: Iterable[str], path: str, what: str) -> None:
        names = list(choices)
        for name in given:
            if name not in names:
                raise top.failure(path, f": {what} '{name}'{nearest(name, names)}")

    if study.count > MOST_DESIGNS:
        raise top.failure(
            "inputs",
            f" have {study.count:.3g} designs; at most {MOST_DESIGNS:.3g} are computed: "
            "take fewer steps, or sampling 'sobol' with a number of designs",
        )
    known(study.actuators, independent, "actuators", "no independent joint")
    known(study.objective, ("largest", "mean"), "objective", "no objective")
    known(keep.strokes, joints, "keep/strokes", "no joint")
    known(keep.efforts, study.actuators, "keep/efforts", "no actuator of this study")
    for name in (*independent, *keep.strokes):
        if name in joints and joints[name].type.nq > 1:
            wide = f": joint '{name}' has several coordinates; studies need joints with one each"
            raise top.failure("robot", wide)
    springs = [spring.name for spring in graph.springs]
    known([one.spring for one in keep.tensions], springs, "keep/tensions", "no spring")
    _check_limits(study, top, known)
    for name, target in _targets_of(study.inputs):
        if target.parameter not in graph.parameters:
            try:
                graph.with_parameters({target.parameter: 0.0})  # its error names similar ones
            except UnknownNameError as error:
                raise top.failure(f"inputs/{name}", f": {error}") from None
    known(study.instead, independent, "motion/instead", "no independent joint")
    try:
        moved = study.task().independent_joint_names
    except StudyError as error:
        raise top.failure("motion/instead", f": {error}") from error
    for name, motion in study.trajectories.items():
        known(motion.joint_names, moved, "motion/files", f"trajectory '{name}' moves no independent joint")


def _check_limits(study: Study, top: Element, known: Callable[..., None]) -> None:
    """Raise StudyError if tensions or sines are limited that the robot does not have."""
    graph, keep, inputs = study.graph, study.keep, {one.name: one for one in study.inputs}
    for limit in keep.tensions:
        for bound in (limit.least, limit.largest):
            if isinstance(bound, tuple):
                (name, column), path = bound, f"keep/tensions/{limit.spring}"
                known([name], inputs, path, "no input")
                known([column], dict(inputs[name].columns), path, f"no column of input '{name}'")
    if keep.sine is not None and not graph.loop_joints:
        raise top.failure("keep/sine", ": the robot has no loops")
    if keep.sine is not None and not solver_of(graph).is_planar:
        raise top.failure("keep/sine", ": the loops are not planar ones that are solved in closed form")
