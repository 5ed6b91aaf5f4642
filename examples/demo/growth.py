"""A snake of modules grows two legs while it moves: assembly_node changes, dynamics_node follows."""

import time
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from modular_dynamics_interfaces.srv import Dock
from rclpy.executors import SingleThreadedExecutor
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from sensor_msgs.msg import JointState

from examples.demo.evaluation import RunFigures, figures_of, table_of
from examples.demo.playing import START_LIMIT, DemoError, StampRecorder, destroy, spin_until
from examples.demo.processes import Processes
from modular_dynamics.crosscheck import CrossCheck
from modular_dynamics.modular import Assembly
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds

ASSEMBLY, DYNAMICS = "assembly_node", "dynamics_node"
#: Module, its port, the new module and its port; one docking each second.
LEGS = (
    ("v2", "2", "left_upper", "4"),
    ("left_upper", "3", "left_lower", "4"),
    ("v2", "5", "right_upper", "4"),
    ("right_upper", "3", "right_lower", "4"),
)
FIRST, BETWEEN, LAST = 3.0, 1.0, 3.0  # [s] before the first docking, between two, after the last
DOCKING_LIMIT = 60.0  # [s]
LATE = 3.0  # [s] within which the last answers must come
THRESHOLD = 1e-9  # largest disagreement with Pinocchio, relative to the largest torque
_FIELDS = ("module", "port", "other_module", "other_port")


class Stage(NamedTuple):
    """A body that is active from ``start`` [s] on; ``difference``: largest one to Pinocchio [N m]."""

    modules: int
    start: float
    difference: float


@dataclass(frozen=True)
class GrowthRun(RunFigures):
    """The figures of one run.

    Attributes:
        stages: one for each body. strangers: number of answers with other joints than their body's.
        largest: Pinocchio's largest torque [N m].
    """

    stages: tuple[Stage, ...]
    strangers: int
    largest: float

    def failures(self) -> list[str]:
        """Return why the run failed; empty if it did not."""
        reasons = self.losses()
        if self.strangers:
            reasons.append(f"{self.strangers} answers have the joints of another body")
        difference = max(stage.difference for stage in self.stages)
        if self.processed and not difference <= THRESHOLD * self.largest:
            reasons.append(f"torques differ from Pinocchio's by {difference:.1e} N m")
        return reasons


class _Recorder(StampRecorder):
    """A node that records joint states, torques and arrivals by stamp [ns], and a client that docks."""

    def __init__(self) -> None:
        super().__init__("growth_recorder")
        self.states: dict[int, JointState] = {}
        self.answers: dict[int, JointState] = {}
        self.state_arrivals: dict[int, int] = {}
        self.answer_arrivals: dict[int, int] = {}
        self.listen(JointState, "joint_states", self.states, self.state_arrivals)
        self.listen(JointState, f"{DYNAMICS}/joint_torques", self.answers, self.answer_arrivals)
        self.dock = self.create_client(Dock, f"{ASSEMBLY}/dock")

    def has_answer(self) -> bool:
        """Return whether a joint state and its torques were received."""
        return not self.states.keys().isdisjoint(self.answers)


def snake() -> Assembly:
    """Return five Backbones in a line; v0 stands in the world."""
    assembly = Assembly(("v0", "backbone"), name="snake")
    for k in range(4):
        assembly = assembly.dock(f"v{k}", 3, f"v{k + 1}", 4, kind="backbone")
    return assembly


def grow(files: Path, rate: float, out: Path, console: Console) -> GrowthRun:
    """Let the snake move and grow; return the comparison of all answers with Pinocchio's.

    Args:
        files: where config/ is. rate: of the joint states [Hz]. out: folder of the logs.

    Raises:
        StalledError: a node does not answer. DemoError: one has ended, or refuses a docking.
    """
    recorder = _Recorder()
    try:
        return _evaluated(recorder, *_record(recorder, files, rate, out, console))
    finally:
        destroy(recorder)


def _record(
    recorder: _Recorder, files: Path, rate: float, out: Path, console: Console
) -> tuple[list[int], list[Assembly], list[int]]:
    """Return the stamps of all joint states, the bodies, and the stamp [ns] from which each is valid."""
    start = snake()
    matrix = out / "snake.yaml"
    start.incidence_matrix().to_yaml(matrix)
    executor = SingleThreadedExecutor()
    executor.add_node(recorder)
    bodies, stamps = [start], [0]
    length = FIRST + BETWEEN * len(LEGS) + LAST
    columns = SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    with Processes(out) as processes, Progress(*columns, console=console, transient=True) as progress:

        def wait(reached: Callable[[], bool], limit: float, what: str) -> None:
            spin_until(executor, processes, reached, limit, what, (DYNAMICS, ASSEMBLY))

        task = progress.add_task("the snake: starting its nodes", total=length)
        own = f"assembly_file:={matrix}", f"gait_file:={files / 'config/gaits/growing_snake.yaml'}"
        tolerant = "stale_after:=1.0"  # on a busy computer; a robot has less
        processes.start(DYNAMICS, "acceleration_source:=zero", tolerant, "autostart:=true")
        processes.start(ASSEMBLY, *own, "robot_name:=snake", f"rate:={rate}", "autostart:=true")
        wait(recorder.has_answer, START_LIMIT, "a first answer")
        wait(recorder.dock.service_is_ready, DOCKING_LIMIT, f"finding the service of {ASSEMBLY}")
        first = max(recorder.states.keys() & recorder.answers.keys())
        begin = time.monotonic()

        def until(end: float) -> None:
            def reached() -> bool:
                progress.update(task, completed=time.monotonic() - begin)
                return time.monotonic() - begin >= end

            wait(reached, length + 60.0, "the motion")

        for k, docking in enumerate(LEGS):
            progress.update(task, description=f"the snake moves; docks {docking[2]} next")
            until(FIRST + BETWEEN * k)
            request = Dock.Request(**dict(zip(_FIELDS, docking, strict=True)), kind="backbone")
            future = recorder.dock.call_async(request)
            wait(future.done, DOCKING_LIMIT, f"docking {docking[2]}")
            response = future.result()
            if not response.success:
                raise DemoError(f"{ASSEMBLY} refuses to dock {docking[2]}: {response.error_message}")
            bodies.append(bodies[-1].dock(*docking, kind="backbone"))
            stamps.append(stamp_nanoseconds(response.stamp))
        progress.update(task, description="the snake walks on")
        until(length)
        sent = sorted(stamp for stamp in recorder.states if stamp >= first)
        late = time.monotonic() + LATE
        wait(
            lambda: recorder.answers.keys() >= set(sent) or time.monotonic() > late, 60.0, "the last answers"
        )
    return sent, bodies, stamps


def _evaluated(recorder: _Recorder, sent: list[int], bodies: list[Assembly], stamps: list[int]) -> GrowthRun:
    """Return the comparison of every answer with Pinocchio's model of the body at its stamp."""
    processed = [stamp for stamp in sent if stamp in recorder.answers]
    by_body: list[list[int]] = [[] for _ in bodies]
    for stamp in processed:
        by_body[bisect_right(stamps, stamp) - 1].append(stamp)
    stages, strangers, largest = [], 0, 0.0
    for body, start, own in zip(bodies, stamps, by_body, strict=True):
        graph = body.graph()
        check, rest, differences = CrossCheck(graph), np.zeros(graph.nv), [0.0]
        for stamp in own:
            state, answer = recorder.states[stamp], recorder.answers[stamp]
            if sorted(answer.name) != sorted(graph.joint_names):
                strangers += 1
                continue
            q, v = (
                _ordered(state.name, values, graph.joint_names) for values in (state.position, state.velocity)
            )
            ours, theirs = _ordered(answer.name, answer.effort, graph.joint_names), check.torques(q, v, rest)
            differences.append(float(np.abs(ours - theirs).max(initial=0.0)))
            largest = max(largest, float(np.abs(theirs).max(initial=0.0)))
        stages.append(Stage(len(body), max(0, start - sent[0]) * 1e-9, float(np.max(differences))))
    figures = figures_of(recorder, processed, len(sent), None, len(sent))
    return GrowthRun(**figures, stages=tuple(stages), strangers=strangers, largest=largest)


def _ordered(names: list[str], values: Any, wanted: tuple[str, ...]) -> np.ndarray:
    by_name = dict(zip(names, values, strict=True))
    return np.array([by_name[name] for name in wanted])


def print_growth(console: Console, run: GrowthRun) -> None:
    """Print messages, latency, and the torques of every body beside Pinocchio's."""
    table = table_of("snake: a robot of modules that grows while it moves", run, "torques")
    table.add_row("answers with another body's joints", f"{run.strangers}", "messages")
    table.add_row("[bold]worst difference to Pinocchio", "N m", "(of the largest torque)")
    for stage in run.stages:
        relative = stage.difference / run.largest if run.largest else np.nan
        words = f"  {stage.modules} modules, from {stage.start:.1f} s"
        table.add_row(words, f"{stage.difference:.1e}", f"({relative:.1e})")
    table.add_row("largest torque of a joint", f"{run.largest:.2f}", "N m")
    console.print(table)
    console.print("(*) from a joint state's arrival to its torques' arrival, both at the recorder")
