"""The demo from start to end: a motion is played and recorded; tables, pictures, verdict."""

import os
import random
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

import rclpy
from rclpy.signals import SignalHandlerOptions
from rich.console import Console
from rich.markup import escape

import modular_dynamics as md
from modular_dynamics_ros.demo.evaluation import Evaluation, evaluate, print_torques
from modular_dynamics_ros.demo.graph_picture import draw_graph
from modular_dynamics_ros.demo.playing import DemoError, Playback
from modular_dynamics_ros.demo.plots import draw_reactions, draw_torques
from modular_dynamics_ros.demo.recorder import Recorder
from modular_dynamics_ros.demo.torso import play_torso, print_reactions
from modular_dynamics_ros.exceptions import MotionError, listed
from modular_dynamics_ros.player.motion import Schedule
from modular_dynamics_ros.player.recordings import load_motion

__all__ = ["Options", "run"]

THRESHOLD = 1e-9  # largest disagreement with Pinocchio, relative to the largest torque
#: [Hz] at most for the torso: two nodes, the player and the recorder share what may be two cores
TORSO_RATE = 100.0
ERRORS = (DemoError, MotionError, md.ModularDynamicsError, OSError)


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
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)  # Ctrl-C is to raise KeyboardInterrupt here
    try:
        failures = _play(options, console)
        if options.torso:
            failures += [f"the torso: {failure}" for failure in _play_torso(options, options.torso, console)]
    except ERRORS as error:
        console.print(f"[bold red]demo failed:[/] {escape(str(error))}", highlight=False)
        return 1
    except KeyboardInterrupt:
        console.print("demo interrupted: all nodes are ended")
        return 130
    finally:
        rclpy.try_shutdown()
    for failure in failures:
        console.print(f"[bold red]FAILED:[/] {escape(failure)}", highlight=False)
    return 1 if failures else 0


def _play(options: Options, console: Console) -> list[str]:
    """The robot of the command line; return why it failed."""
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
    robot, recorder = f"robot_description_file:={options.urdf}", Recorder(graph)
    playback = Playback(
        {"dynamics_node": (robot,)}, (robot,), options.params, options.motion, options.rate, expected
    )
    sent = playback.record(recorder, options.out, console)
    with console.status("comparing every answer with Pinocchio"):
        evaluation = evaluate(recorder, expected, sent)
    print_torques(console, graph, evaluation)
    if evaluation.answered:
        _draw(options.out, recorder, evaluation, console)
    return evaluation.failures(THRESHOLD)


def _draw(out: Path, recorder: Recorder, evaluation: Evaluation, console: Console) -> None:
    dot = out / "subsystem_graph.dot"
    dot.write_text(recorder.dot or md.subsystem_graph_dot(recorder.graph), encoding="utf-8")
    _print_written(draw_torques(recorder.graph, evaluation, out / "torques.png"), console)
    _print_written(draw_graph(recorder.graph, out / "subsystem_graph.png"), console)
    _print_written(dot, console)


def _play_torso(options: Options, files: Path, console: Console) -> list[str]:
    """The same with the real torso and torso_reaction_node; return why it failed."""
    try:
        played = play_torso(files, min(options.rate, TORSO_RATE), options.out, console)
    except ERRORS as error:
        return [str(error)]
    print_reactions(console, played)
    if played.answered:
        _print_written(draw_reactions(played, options.out / "torso_reactions.png"), console)
    return played.failures()


def _print_written(path: Path, console: Console) -> None:
    shown = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    console.print(f"wrote {shown}", highlight=False)
