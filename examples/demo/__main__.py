"""The demo: play a motion, record the answers, print tables, draw pictures, judge."""

import argparse
import os
import random
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import rclpy
from rclpy.signals import SignalHandlerOptions
from rich.console import Console
from rich.markup import escape

import modular_dynamics as md
from examples.demo.evaluation import Evaluation, evaluate, play_torso, print_reactions, print_torques
from examples.demo.growth import grow, print_growth
from examples.demo.pictures import draw_torques
from examples.demo.playing import DemoError, Playback, Recorder, play_completely
from modular_dynamics.pictures.graph_picture import draw_graph
from modular_dynamics_ros.exceptions import MotionError, listed
from modular_dynamics_ros.parameters.nodes import PlayerParameters
from modular_dynamics_ros.parameters.table import checked
from modular_dynamics_ros.player import Schedule, load_motion

ROOT = Path(__file__).resolve().parents[2]  # the checkout, with urdf/ and config/
RATE = PlayerParameters.__dataclass_fields__["rate"]
THRESHOLD = 1e-9  # largest disagreement with Pinocchio, relative to the largest torque
ERRORS = (DemoError, MotionError, md.ModularDynamicsError, OSError)


@dataclass(frozen=True)
class Options:
    """The command line."""

    rate: float
    out: Path
    urdf: Path
    motion: Path
    params: Path

    @property
    def is_default_robot(self) -> bool:
        """Return whether it is the care robot: then its torso and a robot of modules are played, too."""
        return self.urdf == ROOT / "urdf/charmie.urdf"


def run(options: Options) -> int:
    """Run the demo; return 0 if every message was processed and every answer agrees with Pinocchio."""
    console = Console()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the processes are ended on the way out
    _stay_on_this_machine()
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)  # Ctrl-C is to raise KeyboardInterrupt here
    try:
        failures = _play(options, console)
        if options.is_default_robot:
            for name, play, show in (("torso", play_torso, print_reactions), ("snake", grow, print_growth)):
                failures += [f"the {name}: {failure}" for failure in _part(options, console, play, show)]
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
    if failures:
        _print_warnings(options.out, console)
    return 1 if failures else 0


def _stay_on_this_machine() -> None:
    """Choose an own ROS domain, so that the played states never reach a real robot."""
    os.environ["ROS_DOMAIN_ID"] = str(random.randrange(1, 101))
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    os.environ.pop("ROS_LOCALHOST_ONLY", None)


def _print_warnings(logs: Path, console: Console) -> None:
    """Print the last warnings of every node, which may say why it did not answer."""
    for log in sorted(logs.glob("*.log")):
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        for line in [line for line in lines if line.startswith(("[WARN]", "[ERROR]"))][-5:]:
            console.print(escape(line), highlight=False)


def _play(options: Options, console: Console) -> list[str]:
    """Play the robot of the command line; return why it failed."""
    for path in (options.urdf, options.motion, options.params):
        if not path.is_file():
            raise DemoError(f"there is no file '{path}'")
    graph, motion = md.load_urdf(options.urdf), load_motion(options.motion)
    if missing := [name for name in graph.joint_names if name not in motion.joint_names]:
        raise DemoError(f"'{options.motion}' does not name {listed(missing)} of '{graph.name}'")
    if not motion.has_acceleration:
        raise DemoError(f"'{options.motion}' has no accelerations, which the comparison needs")
    options.out.mkdir(parents=True, exist_ok=True)

    def play(rate: float) -> Evaluation:
        expected = len(Schedule(motion, rate, loop=False))
        robot, recorder = f"robot_description_file:={options.urdf}", Recorder(graph)
        nodes = {"dynamics_node": (robot,)}
        playback = Playback(nodes, options.params, options.motion, rate, expected)
        sent = playback.record(recorder, options.out, console)
        with console.status("comparing every answer with Pinocchio"):
            return evaluate(recorder, expected, sent)

    evaluation: Evaluation = play_completely(play, options.rate, console)
    print_torques(console, graph, evaluation)
    if evaluation.processed:
        _draw(options.out, graph, evaluation, console)
    return evaluation.failures(THRESHOLD)


def _draw(out: Path, graph: md.SubsystemGraph, evaluation: Evaluation, console: Console) -> None:
    dot = out / "subsystem_graph.dot"
    dot.write_text(evaluation.dot or md.subsystem_graph_dot(graph), encoding="utf-8")
    _print_written(draw_torques(graph, evaluation, out / "torques.png"), console)
    _print_written(draw_graph(graph, out / "subsystem_graph.png"), console)
    _print_written(dot, console)


def _part(options: Options, console: Console, play: Any, show: Any) -> list[str]:
    """Play the real torso, or a robot of modules that grows while it moves; return why it failed."""
    try:
        run = play_completely(lambda rate: play(ROOT, rate, options.out, console), options.rate, console)
    except ERRORS as error:
        return [str(error)]
    show(console, run)
    failures: list[str] = run.failures()
    return failures


def _print_written(path: Path, console: Console) -> None:
    shown = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    console.print(f"wrote {shown}", highlight=False)


def read_command_line(arguments: Sequence[str] | None = None) -> Options:
    """Return the options in `arguments` or of the command line; argparse ends the process on errors."""
    bounds = RATE.metadata["spec"]
    parser = argparse.ArgumentParser(
        prog="python -m examples.demo",
        description="Play a motion through dynamics_node, compare every answer with Pinocchio, and draw it. "
        "With the default robot also play its real torso, and a snake of modules that grows legs.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
        epilog="Paths are relative to the current folder. Nothing is written before all inputs are checked.",
    )

    def add(name: str, default: Path, text: str) -> None:
        parser.add_argument(name, type=Path, default=default, help=text)

    text = f"joint states per second, {bounds.low:g} to {bounds.high:g} Hz"
    parser.add_argument("--rate", type=_rate, default=RATE.default, help=text)
    add("--out", Path("out/demo"), "folder for plots and logs")
    add("--urdf", ROOT / "urdf/charmie.urdf", "robot, tagged with subsystems")
    add("--motion", ROOT / "config/charmie_motion.yaml", "motion: .yaml, .csv with a_ columns")
    add("--params", ROOT / "config/charmie.yaml", "parameters of both nodes")
    return Options(**vars(parser.parse_args(arguments)))


def _rate(text: str) -> float:
    try:
        return float(checked(RATE, float(text)))
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def main() -> int:
    """Read the command line and run the demo."""
    return run(read_command_line())


if __name__ == "__main__":
    sys.exit(main())
