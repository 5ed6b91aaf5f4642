"""The demo from start to end: nodes as processes, a recorder, progress, table, plots, verdict."""

import os
import random
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import rclpy
from lifecycle_msgs.srv import GetState
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions
from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)

import modular_dynamics as md
from modular_dynamics_ros.demo.evaluation import Evaluation, evaluate
from modular_dynamics_ros.demo.graph_picture import draw_graph
from modular_dynamics_ros.demo.lead_in import join
from modular_dynamics_ros.demo.plots import draw_torques
from modular_dynamics_ros.demo.processes import Processes
from modular_dynamics_ros.demo.recorder import Recorder
from modular_dynamics_ros.demo.table import print_table
from modular_dynamics_ros.demo.torso import play_torso
from modular_dynamics_ros.demo.torso_report import draw_reactions, print_reactions
from modular_dynamics_ros.demo.waiting import DemoError, ended_well, spin_until
from modular_dynamics_ros.exceptions import MotionError
from modular_dynamics_ros.messages.bad_message import listed
from modular_dynamics_ros.player.node import sent_in
from modular_dynamics_ros.player.recordings import load_motion
from modular_dynamics_ros.player.schedule import Schedule

__all__ = ["Options", "run"]

THRESHOLD = 1e-9  # largest disagreement with Pinocchio, relative to the largest torque
START_LIMIT = 600.0  # [s] for the node to compile its kernels and become active, on a busy machine
PLAYER = "joint_state_player"
QUIET_LIMIT = 3.0  # [s] without a new answer after the player has ended
#: [Hz] at most for the torso: two nodes, the player and the recorder share what may be two cores
TORSO_RATE = 100.0


@dataclass(frozen=True)
class Options:
    """The command line."""

    rate: float
    out: Path
    urdf: Path
    motion: Path
    params: Path
    torso: Path | None = None  # where urdf/ and config/ of the torso are; None: without the torso


def run(options: Options) -> int:
    """Run the demo; 0 when every message was answered and every answer agrees with Pinocchio."""
    console = Console()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the processes are ended on the way out
    # a domain of its own on this machine only: the played states must never reach a real robot
    os.environ["ROS_DOMAIN_ID"] = str(random.randrange(1, 101))
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    os.environ.pop("ROS_LOCALHOST_ONLY", None)
    try:
        evaluation, recorder = _play(options, console)
    except (DemoError, MotionError, md.ModularDynamicsError, OSError) as error:
        console.print(f"[bold red]demo failed:[/] {escape(str(error))}", highlight=False)
        return 1
    except KeyboardInterrupt:
        console.print("demo interrupted: both nodes are ended")
        return 130
    print_table(console, recorder.graph, evaluation)
    if evaluation.answered:
        for picture in _draw(options.out, recorder, evaluation):
            console.print(f"wrote {_shown(picture)}", highlight=False)
    failures = evaluation.failures(THRESHOLD)
    try:
        failures += _torso(options, console) if options.torso else []
    except (DemoError, MotionError, md.ModularDynamicsError, OSError) as error:
        failures.append(f"the torso: {error}")
    except KeyboardInterrupt:
        console.print("demo interrupted: all nodes are ended")
        return 130
    for failure in failures:
        console.print(f"[bold red]FAILED:[/] {escape(failure)}", highlight=False)
    return 1 if failures else 0


def _torso(options: Options, console: Console) -> list[str]:
    """The same with the real torso and torso_reaction_node; return why it failed."""
    assert options.torso is not None  # the caller has looked
    played = play_torso(options.torso, min(options.rate, TORSO_RATE), options.out, console)
    print_reactions(console, played)
    if played.times.size:
        picture = draw_reactions(played, options.out / "torso_reactions.png")
        console.print(f"wrote {_shown(picture)}", highlight=False)
    return played.failures()


def _play(options: Options, console: Console) -> tuple[Evaluation, Recorder]:
    for path in (options.urdf, options.motion, options.params):
        if not path.is_file():
            raise DemoError(f"there is no file '{path}'")
    graph, motion = md.load_urdf(options.urdf), load_motion(options.motion)
    if missing := [name for name in graph.joint_names if name not in motion.joint_names]:
        raise DemoError(f"'{options.motion}' does not name {listed(missing)} of '{graph.name}'")
    if not motion.has_acceleration:
        raise DemoError(f"'{options.motion}' has no accelerations, which the comparison needs")
    expected = len(Schedule(motion, options.rate, loop=False))
    options.out.mkdir(parents=True, exist_ok=True)
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)  # Ctrl-C is to raise KeyboardInterrupt here
    try:
        recorder = Recorder(graph)
        executor = SingleThreadedExecutor()
        executor.add_node(recorder)
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
        )
        with (
            Processes(options.out) as processes,
            Progress(*columns, console=console, transient=True) as progress,
        ):
            _record(options, expected, recorder, executor, processes, progress)
            task = progress.add_task("comparing every answer with Pinocchio", total=None)
            evaluation = evaluate(recorder, expected, _sent(processes))
            progress.remove_task(task)
        recorder.destroy_node()  # a later player would count its subscriptions
        return evaluation, recorder
    finally:
        rclpy.try_shutdown()


def _record(
    options: Options,
    expected: int,
    recorder: Recorder,
    executor: SingleThreadedExecutor,
    processes: Processes,
    progress: Progress,
) -> None:
    """Start both nodes, let the motion begin once the first pose is answered, and record all answers."""
    task = progress.add_task("dynamics_node loads and compiles the robot", total=None)
    _start(processes, "dynamics_node", options, f"robot_description_file:={options.urdf}", "autostart:=true")
    starting = "starting dynamics_node"
    spin_until(executor, processes, _activity(recorder, processes), START_LIMIT, starting, "dynamics_node")
    files = f"motion_file:={options.motion}", f"robot_description_file:={options.urdf}"
    subscribers = "wait_for_subscriber:=3"  # the node, the recorder, and that again
    _start(processes, PLAYER, options, *files, f"rate:={options.rate}", "lead_in:=true", subscribers)

    def connected() -> bool:
        return ended_well(processes, PLAYER) or recorder.connected

    waited = "answering the first pose"
    spin_until(executor, processes, connected, START_LIMIT, waited, "dynamics_node")
    progress.remove_task(task)
    task = progress.add_task(f"playing {options.motion.name} at {options.rate:g} Hz", total=expected)
    join(recorder)
    newest, seen = time.monotonic(), -1

    def complete() -> bool:
        nonlocal newest, seen
        progress.update(task, completed=len(recorder.torques))
        counts = [len(recorder.torques), len(recorder.states), *map(len, recorder.wrenches.values())]
        if sum(counts) != seen:
            newest, seen = time.monotonic(), sum(counts)
        ended = ended_well(processes, PLAYER)
        return ended and (min(counts) >= expected or time.monotonic() - newest > QUIET_LIMIT)

    limit = 60.0 + 10.0 * expected / options.rate
    spin_until(executor, processes, complete, limit, "playing the motion", "dynamics_node")


def _start(processes: Processes, name: str, options: Options, *parameters: str) -> None:
    processes.start(name, *parameters, params_file=options.params)


def _activity(recorder: Recorder, processes: Processes) -> Callable[[], bool]:
    """A function that returns whether the node is active, and raises DemoError where it did not start."""
    client = recorder.create_client(GetState, "dynamics_node/get_state")
    asked = None

    def active() -> bool:
        """The service answers only after the node has tried to start: not active then means failure."""
        nonlocal asked
        if asked is None and client.service_is_ready():
            asked = client.call_async(GetState.Request())
        if asked is not None and asked.done() and asked.result().current_state.label != "active":
            raise DemoError(f"dynamics_node did not start:\n{processes.log('dynamics_node')}")
        return recorder.node_is_active

    return active


def _sent(processes: Processes) -> int:
    sent = sent_in(processes.log(PLAYER))
    if sent is None:
        raise DemoError(f"{PLAYER} does not report what it sent:\n{processes.log(PLAYER)}")
    return sent


def _draw(out: Path, recorder: Recorder, evaluation: Evaluation) -> list[Path]:
    dot = out / "subsystem_graph.dot"
    dot.write_text(recorder.dot or md.subsystem_graph_dot(recorder.graph), encoding="utf-8")
    return [
        draw_torques(recorder.graph, evaluation, out / "torques.png"),
        draw_graph(recorder.graph, out / "subsystem_graph.png"),
        dot,
    ]


def _shown(path: Path) -> Path:
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
