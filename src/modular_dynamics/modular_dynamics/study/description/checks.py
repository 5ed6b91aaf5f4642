"""Whether a study's names are the robot's."""

from collections.abc import Iterable

from ...exceptions import ModularDynamicsError, StudyError, UnknownNameError
from ...loops import solver_of
from ...model import SubsystemGraph
from .inputs import Input
from .study import Study
from .values import nearest

__all__ = ["check_study", "task_graph"]

#: Designs of a study: a core computes a thousand in a second, and 1e10 would be ten million core seconds.
MOST_DESIGNS = 10_000_000_000


def check_study(study: Study, where: str) -> None:
    """Raise StudyError if the robot lacks a name, or nothing is to be measured."""
    graph, joints = study.graph, {joint.name: joint for joint in study.graph.joints}
    independent = graph.independent_joint_names
    _known(study.actuators, independent, f"{where}: actuators: no independent joint")
    _known(study.objective, ("largest", "mean"), f"{where}: objective: no objective")
    if study.count > MOST_DESIGNS:
        raise StudyError(
            f"{where}: these inputs have {study.count:.3g} designs; at most {MOST_DESIGNS:.3g} are computed: "
            "take fewer steps, or sampling 'random' or 'sobol' with a number of designs"
        )
    if not sum(study.objective.values()) > 0.0:
        raise StudyError(f"{where}: objective: all shares are zero")
    if not sum(study.actuators.values()) > 0.0:
        raise StudyError(f"{where}: actuators: all weights are zero")
    wide = [
        name for name in (*independent, *study.keep.strokes) if name in joints and joints[name].type.nq > 1
    ]
    if wide:
        raise StudyError(
            f"{where}: joint '{wide[0]}' has several coordinates; studies need joints with one each"
        )
    _known(study.keep.strokes, joints, f"{where}: keep: strokes: no joint")
    _known(study.keep.efforts, study.actuators, f"{where}: keep: efforts: no actuator of this study")
    springs = [spring.name for spring in graph.springs]
    _known([one.spring for one in study.keep.tensions], springs, f"{where}: keep: tensions: no spring")
    inputs = {one.name: one for one in study.inputs}
    for limit in study.keep.tensions:
        for bound in (limit.least, limit.largest):
            if isinstance(bound, tuple):
                (name, column), here = bound, f"{where}: keep: tensions: {limit.spring}"
                _known([name], inputs, f"{here}: no input")
                _known([column], dict(inputs[name].columns), f"{here}: no column of input '{name}'")
    if study.keep.sine is not None and not 0.0 <= study.keep.sine <= 1.0:
        raise StudyError(f"{where}: keep: sine is {study.keep.sine:g}; a sine from 0 to 1 is needed")
    if study.keep.sine is not None and not graph.loop_joints:
        raise StudyError(f"{where}: keep: sine: the robot has no loops")
    if study.keep.sine is not None and not solver_of(graph).is_planar:
        raise StudyError(f"{where}: keep: sine: the loops are not planar ones that are solved in closed form")
    _check_parameters(graph, study.inputs, where)
    moved = {*task_graph(study, where).independent_joint_names}
    for name, motion in study.trajectories.items():
        _known(motion.joint_names, moved, f"{where}: trajectory '{name}' moves no independent joint")


def task_graph(study: Study, where: str = "the study") -> SubsystemGraph:
    """Return the robot with the trajectories' joints independent. Raises StudyError: there are none."""
    if not study.instead:
        return study.graph
    independent = study.graph.independent_joint_names
    _known(study.instead, independent, f"{where}: motion: instead: no independent joint")
    names = [study.instead.get(name, name) for name in independent]
    try:
        return study.graph.with_independent_joints(*names)
    except ModularDynamicsError as error:
        raise StudyError(f"{where}: motion: instead: {error}") from error


def _check_parameters(graph: SubsystemGraph, inputs: Iterable[Input], where: str) -> None:
    known = graph.parameters
    for one in inputs:
        for _, targets in one.targets:
            for target in targets:
                if target.parameter not in known:
                    try:
                        graph.with_parameters({target.parameter: 0.0})  # its error names similar ones
                    except UnknownNameError as error:
                        raise StudyError(f"{where}: input '{one.name}': {error}") from None


def _known(given: Iterable[str], known: Iterable[str], text: str) -> None:
    choices = list(known)
    for name in given:
        if name not in choices:
            raise StudyError(f"{text} '{name}'{nearest(name, choices)}")
