"""`modular-dynamics simulate`: the motion under torques, or the torques of a gait, as CSV and picture."""

import argparse
import csv
import io
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .. import dynamics, loops
from ..model import SubsystemGraph
from ..optional_packages import needed
from ..text.files import replace_file
from .command import (
    GOOD,
    PICTURES,
    Command,
    UsageError,
    add_robot_arguments,
    load_graph,
    print_warnings,
    raise_if_read,
)
from .states import Coordinates, coordinates_of, given_state, read_states

if TYPE_CHECKING:
    from ..modular.gaits import Gait

Array = NDArray[np.float64]
METHODS = ("DOP853", "RK45", "RK23", "Radau", "BDF", "LSODA")
MOST_ROWS = 1_000_000
EXAMPLES = """\
  modular-dynamics simulate robot.urdf --q shoulder=1.0 > fall.csv          # falls from rest
  modular-dynamics simulate robot.urdf --tau elbow=2 --time 3 --plot motion.png --link tip
  modular-dynamics simulate robot.urdf --torques torques.csv --method RK45 -o motion.csv
  modular-dynamics simulate snake.urdf --gait snake.yaml -o torques.csv     # of a prescribed motion
  modular-dynamics simulate snake.urdf --gait snake.yaml --floating-base --gravity 0,0,0   # in free fall"""


@dataclass(frozen=True, eq=False)
class Motion:
    """At k times [s]: q, v, a and tau of the independent joints, energy [J], a link's positions or None.

    The columns of q, v, a and tau are in the order of the command's ``Coordinates``.
    """

    t: Array
    q: Array
    v: Array
    a: Array
    tau: Array
    energy: Array
    path: Array | None


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_robot_arguments(parser)
    for letter, meaning in (("q", "positions at the start"), ("v", "velocities at the start")):
        text = f"{meaning} in the robot's order or by name, else zero"
        parser.add_argument(f"--{letter}", metavar="NUMBERS", help=text)
    drive = parser.add_mutually_exclusive_group()
    drive.add_argument("--tau", metavar="NUMBERS", help="constant torques [N m or N], else zero")
    drive.add_argument(
        "--torques", metavar="FILE", help="CSV of time and tau_JOINT; linear between rows (default: --tau)"
    )
    drive.add_argument(
        "--gait",
        metavar="FILE",
        help="YAML file of a gait: joints follow it, a floating base moves freely (default: all move freely)",
    )
    for name, value, meaning in (("time", 5.0, "duration"), ("step", 0.01, "from row to row")):
        text = f"{meaning} [s] (default: %(default)s)"
        parser.add_argument(f"--{name}", type=_positive, default=value, help=text)
    parser.add_argument(
        "--method", choices=METHODS, default="DOP853", help="integrator (default: %(default)s)"
    )
    parser.add_argument(
        "--friction", choices=("none", "urdf"), default="none", help="joint friction (default: %(default)s)"
    )
    parser.add_argument(
        "--link", help="a link whose position x y z [m] in the root link's frame is added (default: none)"
    )
    parser.add_argument("--plot", metavar="FILE", help="write a picture: .png, .svg or .pdf (default: none)")
    parser.add_argument("-o", "--output", metavar="FILE", help="write a .csv file (default: print)")


def _positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value < np.inf:
        raise argparse.ArgumentTypeError(f"'{text}' is no number above zero")
    return value


def _run(arguments: argparse.Namespace) -> int:
    """Compute and write the motion; return the exit code."""
    output, plot = arguments.output, arguments.plot
    if output is not None and Path(output).suffix.lower() != ".csv":
        raise UsageError(f"--output {output}: a name that ends in .csv is needed")
    if plot is not None and Path(plot).suffix.lower() not in PICTURES:
        raise UsageError(f"--plot {plot}: a name that ends in {', '.join(PICTURES)} is needed")
    if arguments.time / arguments.step > MOST_ROWS:
        raise UsageError(f"--step {arguments.step:g}: more than {MOST_ROWS} rows; a longer step is needed")
    if arguments.gait is not None and (arguments.q or arguments.v):
        raise UsageError("--q and --v contradict --gait, which says how the joints move")
    inputs = (arguments.robot, arguments.partition, arguments.torques, arguments.gait, *arguments.module)
    for option, file in (("--output", output), ("--plot", plot)):
        raise_if_read(option, file, inputs)
    graph = load_graph(arguments)
    print_warnings(graph)
    if arguments.link is not None and arguments.link not in graph.links:
        raise UsageError(f"--link {arguments.link}: the robot has the links {', '.join(graph.links)}")
    coordinates = coordinates_of(graph)
    times = np.append(np.arange(0.0, arguments.time, arguments.step), arguments.time)
    times = times[np.append(np.diff(times) > 1e-9 * arguments.time, True)]
    gait = None if arguments.gait is None else _gait(arguments.gait, graph)
    if gait is not None and len(gait.joint_names) == len(graph.independent_joint_names):
        motion = _prescribed(arguments, graph, gait, times)
    else:
        motion = _simulated(arguments, graph, coordinates, times, gait)
    text = _csv(motion, coordinates)
    if output is not None:
        replace_file(Path(output), text.encode())
    else:
        print(text, end="")
    if plot is not None:
        with needed("a picture", "matplotlib", "shell"):
            from ..pictures.motion_picture import draw_motion  # noqa: PLC0415  # takes long, and is optional
        panels = {"q": motion.q, "v": motion.v, "a": motion.a, "tau": motion.tau}
        names = {letter: coordinates.names[letter] for letter in panels}
        draw_motion(graph.name, motion.t, panels, names, motion.energy, motion.path, Path(plot))
    return GOOD


def _gait(path: str, graph: SubsystemGraph) -> "Gait":
    """Return a gait of all independent joints with one coordinate; those that it does not name rest."""
    from ..modular import gaits  # noqa: PLC0415  # other commands need no modules

    names = [name for name in graph.independent_joint_names if graph.joint(name).type.nv == 1]
    return gaits.load(Path(path)).checked_against(names)


def _simulated(
    arguments: argparse.Namespace,
    graph: SubsystemGraph,
    coordinates: Coordinates,
    times: Array,
    gait: "Gait | None",
) -> Motion:
    """Return the motion from the state of --q and --v under --tau or --torques, joints of a gait by that."""
    letters = ("q", "v", "tau") if arguments.torques is None else ("q", "v")
    q, v, *constant = given_state(arguments, letters, coordinates).vectors
    tau = constant[0] if constant else _torques(arguments.torques, coordinates)
    progress = _progress if sys.stderr.isatty() else None
    found = loops.simulate(
        graph,
        q,
        v,
        tau,
        float(times[-1]),
        arguments.method,
        times=times,
        friction=arguments.friction,
        progress=progress,
        gait=gait,
    )
    own_q = np.concatenate([np.arange(graph.nq)[graph.q_slice(n)] for n in graph.independent_joint_names])
    own_v = np.concatenate([np.arange(graph.nv)[graph.v_slice(n)] for n in graph.independent_joint_names])
    rows = found.velocities[:, own_v], found.accelerations[:, own_v], found.tau, found.energy
    path = _path(graph, found.coordinates, arguments.link)
    return Motion(found.t, found.coordinates[:, own_q], *rows, path)


def _progress(t: float, t_end: float) -> None:
    end = "\n" if t >= t_end else ""
    print(f"\rsimulated {t:.3f} of {t_end:g} s", end=end, file=sys.stderr, flush=True)


def _torques(path: str, coordinates: Coordinates) -> Callable[[float, Array, Array], Array]:
    """Return torques over time by a file: linear between its rows, constant before and after them."""
    named = Coordinates(
        {"q": np.zeros(0), "tau": coordinates.neutral["tau"]},
        {"q": (), "tau": coordinates.names["tau"]},
        coordinates.linear,
    )
    states = list(read_states(path, ("tau",), named))
    if not states or any(state.time is None for state in states):
        raise UsageError(f"'{path}' needs the column time, and a row at least")
    t = np.array([state.time for state in states], float)
    rows = np.array([state.vectors[0] for state in states])
    if not (np.diff(t) > 0.0).all():
        raise UsageError(f"'{path}': the column time must rise")
    return lambda time, _q, _v: np.array([np.interp(time, t, column) for column in rows.T])


def _prescribed(arguments: argparse.Namespace, graph: SubsystemGraph, gait: "Gait", times: Array) -> Motion:
    """Return the motion of a gait that moves all independent joints, with the torques that it needs."""
    q, v, a = gait.states(times)
    tau = dynamics.inverse_dynamics(graph, q, v, a, friction=arguments.friction)
    closed, rates = q, v
    if graph.has_loops:
        closed = loops.close_loops(graph, q)
        states = zip(q, closed, v, strict=True)
        rates = np.array([loops.explicit_constraint_jacobian(graph, x, y) @ z for x, y, z in states])
    energy = np.array([loops.energy(graph, x, y) for x, y in zip(closed, rates, strict=True)])
    return Motion(times, q, v, a, tau, energy, _path(graph, closed, arguments.link))


def _path(graph: SubsystemGraph, coordinates: Array, link: str | None) -> Array | None:
    """Return a link's positions (k, 3) in the root link's frame at coordinates (k, nq) of all joints."""
    if link is None:
        return None
    poses: Array = dynamics.frame_poses(graph.tree, coordinates, (link,))
    return poses[:, 0, :3, 3]


def _csv(motion: Motion, coordinates: Coordinates) -> str:
    """Return the motion as CSV: time, q_JOINT, v_JOINT, a_JOINT, tau_JOINT, energy, and x, y, z of a link."""
    names = (f"{x}_{name}" for x in ("q", "v", "a", "tau") for name in coordinates.names[x])
    head = ["time", *names, "energy"]
    columns = [motion.t[:, None], motion.q, motion.v, motion.a, motion.tau, motion.energy[:, None]]
    if motion.path is not None:
        head, columns = [*head, "x", "y", "z"], [*columns, motion.path]
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(head)
    for row in np.hstack(columns).tolist():
        writer.writerow(list(map(repr, row)))
    return file.getvalue()


SIMULATE = Command(
    "simulate",
    "motion of the robot under torques, or torques of a gait",
    "Integrates the motion from a state under torques, or computes the torques of a gait, and writes time,\n"
    "positions, velocities, accelerations, torques and energy. Numbers of joints with several, such as a\n"
    "floating base, are called JOINT.0, JOINT.1 and so on. With closed loops only independent joints count.",
    EXAMPLES,
    _add_arguments,
    _run,
)
