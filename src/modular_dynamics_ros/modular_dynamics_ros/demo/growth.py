"""A snake of modules grows two legs while it moves: assembly_node changes, dynamics_node follows."""

import time
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyBboxPatch
from modular_dynamics_interfaces.srv import Dock
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from sensor_msgs.msg import JointState

import modular_dynamics as md
from modular_dynamics.crosscheck import CrossCheck
from modular_dynamics.modular import Assembly
from modular_dynamics_ros.demo.evaluation import RunFigures, table_of
from modular_dynamics_ros.demo.playing import START_LIMIT, DemoError, StalledError, destroy, spin_until
from modular_dynamics_ros.demo.processes import Processes
from modular_dynamics_ros.diagnostics.statuses import summarise
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
DEPTH = 2000
_FIELDS = ("module", "port", "other_module", "other_port")


@dataclass(frozen=True)
class Stage:
    """A body that is active from ``start`` [s] on, and the states that were answered then.

    Attributes:
        times: (m,) [s]; ours, theirs: torques (m, nv) [N m], of the joints ``names``.
    """

    assembly: Assembly
    start: float
    names: tuple[str, ...]
    times: np.ndarray
    ours: np.ndarray
    theirs: np.ndarray


@dataclass(frozen=True)
class GrowthRun(RunFigures):
    """The figures of one run.

    Attributes:
        stages: one for each body. strangers: answers whose joints are not those of their body.
        difference: largest difference to Pinocchio [N m]; largest: its largest torque.
    """

    stages: tuple[Stage, ...]
    strangers: int
    difference: float
    largest: float

    def failures(self) -> list[str]:
        """Return why the run failed; empty if it did not."""
        reasons = self.losses()
        if self.strangers:
            reasons.append(f"{self.strangers} answers have the joints of another body")
        if self.answered and not self.difference <= THRESHOLD * self.largest:
            reasons.append(f"torques differ from Pinocchio's by {self.difference:.1e} N m")
        return reasons


class _Recorder(Node):
    """A node that records joint states, torques and arrivals by stamp [ns], and a client that docks."""

    def __init__(self) -> None:
        super().__init__("growth_recorder")
        self.states: dict[int, JointState] = {}
        self.answers: dict[int, JointState] = {}
        self.state_arrivals: dict[int, int] = {}
        self.answer_arrivals: dict[int, int] = {}
        self._listen("joint_states", self.states, self.state_arrivals)
        self._listen(f"{DYNAMICS}/joint_torques", self.answers, self.answer_arrivals)
        self.dock = self.create_client(Dock, f"{ASSEMBLY}/dock")

    def _listen(self, topic: str, contents: dict[int, JointState], arrivals: dict[int, int]) -> None:
        def on_message(message: JointState, info: dict[str, Any]) -> None:
            stamp = stamp_nanoseconds(message.header.stamp)
            contents[stamp], arrivals[stamp] = message, info["received_timestamp"]

        self.create_subscription(JointState, topic, on_message, DEPTH)

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
    """Let the snake move and grow, and compare all answers with Pinocchio's.

    Args:
        files: where config/ is. rate: of the joint states [Hz]. out: folder of the logs.

    Raises:
        StalledError: a node does not answer. DemoError: one has ended, did not start, or refuses a docking.
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

        def wait(
            reached: Callable[[], bool], limit: float, what: str, late: type[DemoError] = StalledError
        ) -> None:
            spin_until(executor, processes, reached, limit, what, (DYNAMICS, ASSEMBLY), late)

        task = progress.add_task("the snake: starting its nodes", total=length)
        own = f"assembly_file:={matrix}", f"gait_file:={files / 'config/gaits/growing_snake.yaml'}"
        tolerant = "stale_after:=1.0"  # on a busy computer; a robot has less
        processes.start(DYNAMICS, "acceleration_source:=zero", tolerant, "autostart:=true")
        processes.start(ASSEMBLY, *own, "robot_name:=snake", f"rate:={rate}", "autostart:=true")
        wait(recorder.has_answer, START_LIMIT, "a first answer", DemoError)
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
    """Compare every answer with Pinocchio's model of the body that its stamp belongs to."""
    answered = [stamp for stamp in sent if stamp in recorder.answers]
    by_body: list[list[int]] = [[] for _ in bodies]
    for stamp in answered:
        by_body[bisect_right(stamps, stamp) - 1].append(stamp)
    stages, strangers = [], 0
    for body, start, own in zip(bodies, stamps, by_body, strict=True):
        graph = body.graph()
        fitting = [
            stamp for stamp in own if sorted(recorder.answers[stamp].name) == sorted(graph.joint_names)
        ]
        strangers += len(own) - len(fitting)
        check, rest = CrossCheck(graph), np.zeros(graph.nv)
        ours, theirs = np.zeros((2, len(fitting), graph.nv))
        for row, stamp in enumerate(fitting):
            state, answer = recorder.states[stamp], recorder.answers[stamp]
            q, v = (
                _ordered(state.name, values, graph.joint_names) for values in (state.position, state.velocity)
            )
            ours[row] = _ordered(answer.name, answer.effort, graph.joint_names)
            theirs[row] = check.torques(q, v, rest)
        times = (np.array(fitting, dtype=np.int64) - sent[0]) * 1e-9
        stages.append(Stage(body, max(0, start - sent[0]) * 1e-9, graph.joint_names, times, ours, theirs))
    arrivals, answers = (
        np.array([found[stamp] for stamp in answered], dtype=np.int64)
        for found in (recorder.state_arrivals, recorder.answer_arrivals)
    )
    return GrowthRun(
        expected=len(sent),
        sent=None,
        received=len(sent),
        times=(np.array(answered, dtype=np.int64) - sent[0]) * 1e-9,
        latency=summarise(answers - arrivals, arrivals),
        stages=tuple(stages),
        strangers=strangers,
        difference=max((float(np.abs(s.ours - s.theirs).max(initial=0.0)) for s in stages), default=np.nan),
        largest=max((float(np.abs(s.theirs).max(initial=0.0)) for s in stages), default=np.nan),
    )


def _ordered(names: list[str], values: Any, wanted: tuple[str, ...]) -> np.ndarray:
    by_name = dict(zip(names, values, strict=True))
    return np.array([by_name[name] for name in wanted])


def print_growth(console: Console, run: GrowthRun) -> None:
    """Print messages, latency, and the torques of every body beside Pinocchio's."""
    table = table_of("snake: a robot of modules that grows while it moves", run, "torques")
    table.add_row("answers with another body's joints", f"{run.strangers}", "messages")
    table.add_row("[bold]worst difference to Pinocchio", "N m", "(of the largest torque)")
    for stage in run.stages:
        worst = float(np.abs(stage.ours - stage.theirs).max(initial=0.0))
        relative = worst / run.largest if run.largest else np.nan
        words = f"  {len(stage.assembly)} modules, from {stage.start:.1f} s"
        table.add_row(words, f"{worst:.1e}", f"({relative:.1e})")
    table.add_row("largest torque of a joint", f"{run.largest:.2f}", "N m")
    console.print(table)
    console.print("(*) from a joint state's arrival to its torques' arrival, both at the recorder")


# The snake that grows: its body at each docking, and the torques over time.

GROUPS = {"body": "#2b6cb0", "left leg": "#2f855a", "right leg": "#dd6b20"}
STYLES = ("-", (0, (6, 1.5)), (0, (2, 1)), (0, (6, 1.5, 1, 1.5)))


def draw_growth(run: GrowthRun, path: Path) -> Path:
    """Write the picture; return its path."""
    with mpl.rc_context({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}):
        figure = Figure(figsize=(13, 8.6), layout="constrained")
        grid = figure.add_gridspec(2, 1, height_ratios=(1.0, 2.6))
        bodies, torques = figure.add_subfigure(grid[0]), figure.add_subfigure(grid[1])
        for axis, stage in zip(bodies.subplots(1, len(run.stages)), run.stages, strict=True):
            _draw_body(axis, stage)
        for axis, group in zip(torques.subplots(len(GROUPS), 1, sharex=True), GROUPS, strict=True):
            _draw_torques(axis, run, group)
        axis.set_xlabel("time [s]")
        figure.suptitle("A snake of Backbones grows two legs while it moves", fontsize=13, fontweight="bold")
        handles = [
            Line2D([], [], color="0.25", lw=1.3, label="dynamics_node"),
            Line2D([], [], color="0.25", lw=5, alpha=0.25, label="Pinocchio, of the body in force"),
            Line2D([], [], color="0.5", lw=1.0, ls=":", label="a module docks"),
        ]
        figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False)
        figure.savefig(path, dpi=130)
    return path


def _group(name: str) -> str:
    return "left leg" if name.startswith("left") else "right leg" if name.startswith("right") else "body"


def _draw_body(axis: Axes, stage: Stage) -> None:
    """Draw the modules from above, at zero joint positions."""
    for module, centre in _centres(stage.assembly).items():
        box = FancyBboxPatch(
            tuple(centre - 0.42), 0.84, 0.84, boxstyle="round,pad=0,rounding_size=0.12", ec="white"
        )
        box.set_facecolor("0.35" if module == stage.assembly.base else GROUPS[_group(module)])
        axis.add_patch(box)
        if module.startswith("v"):
            axis.text(centre[0], centre[1], module, ha="center", va="center", color="white", fontsize=8)
    axis.set(xlim=(-0.7, 4.7), ylim=(-2.7, 2.7), aspect="equal")
    axis.axis("off")
    axis.set_title(f"{stage.start:.1f} s: {len(stage.assembly)} modules", fontsize=10)


def _centres(assembly: Assembly) -> dict[str, np.ndarray]:
    """Return the modules' centres from above, in edges of a module."""
    graph = assembly.graph()
    links = [f"{module}/{kind.root}" for module, kind in assembly.kinds.items()]
    poses = md.frame_poses(graph, graph.neutral(), links)
    edges = [kind.cell_size for kind in assembly.kinds.values()]
    return {module: pose[:2, 3] / edge for module, pose, edge in zip(assembly, poses, edges, strict=True)}


def _draw_torques(axis: Axes, run: GrowthRun, group: str) -> None:
    names = list(dict.fromkeys(n for stage in run.stages for n in stage.names if _group(n) == group))
    base = np.array(to_rgb(GROUPS[group]))
    for k, name in enumerate(names):
        colour = tuple(base + (1.0 - base) * 0.55 * k / len(names))  # lighter outwards
        label = name
        for stage in run.stages:
            if name in stage.names:
                column = stage.names.index(name)
                axis.plot(stage.times, stage.theirs[:, column], color=colour, lw=5, alpha=0.25)
                axis.plot(
                    stage.times, stage.ours[:, column], color=colour, lw=1.3, ls=STYLES[k % 4], label=label
                )
                label = "_nolegend_"
    for stage in run.stages[1:]:
        axis.axvline(stage.start, color="0.5", lw=1.0, ls=":")
    axis.set_ylabel("torque [N m]")
    axis.set_title(group, color=GROUPS[group], fontweight="bold", loc="left")
    axis.grid(alpha=0.25, lw=0.6)
    axis.margins(x=0.0)
    axis.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=8)
