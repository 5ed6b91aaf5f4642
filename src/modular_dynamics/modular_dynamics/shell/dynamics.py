"""`modular-dynamics id`, `fd` and `gravity`: torques or accelerations of one state or of many."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import dynamics, loops
from ..exceptions import ModularDynamicsError
from ..model import SubsystemGraph
from ..text.files import replace_file
from .command import (
    GOOD,
    STDIN,
    Command,
    UsageError,
    add_robot_arguments,
    load_graph,
    print_warnings,
    raise_if_read,
)
from .states import State, coordinates_of, given_state, read_states, result_lines

Array = NDArray[np.float64]
#: Vectors that each command takes, the vector that it gives, and its units of angular and linear joints.
LETTERS = {"id": ("q", "v", "a"), "fd": ("q", "v", "tau"), "gravity": ("q",)}
RESULTS = {"id": "tau", "fd": "a", "gravity": "tau"}
UNITS = {"tau": ("N m", "N"), "a": ("rad/s^2", "m/s^2")}
FUNCTIONS: dict[str, Callable[..., Array]] = {
    "id": dynamics.inverse_dynamics,
    "fd": dynamics.forward_dynamics,
    "gravity": dynamics.gravity_torque,
}
MEANING = {
    "q": "positions [rad or m]",
    "v": "velocities [rad/s or m/s]",
    "a": "accelerations [rad/s^2 or m/s^2]",
    "tau": "torques [N m or N]",
}
STATES = """\
A state is given by options, or many by a file: CSV with the columns time [s] (if known), {columns}
in any order. All but positions may be missing: zero.
Numbers of joints with several, such as a floating base, are called JOINT.0, JOINT.1 and so on. With closed
loops only independent joints count, and the loops are closed from state to state."""
EXAMPLES = {
    "id": """\
  modular-dynamics id robot.urdf                                # at rest, all joints at zero
  modular-dynamics id robot.urdf --q 0.1,-0.4,0.3 --a elbow=2   # by order, or by name
  modular-dynamics id robot.urdf states.csv -o torques.csv
  cat states.csv | modular-dynamics id robot.urdf - > torques.csv""",
    "fd": """\
  modular-dynamics fd robot.urdf --q 0.1,-0.4,0.3 --tau 0,0,0   # falls freely
  modular-dynamics fd robot.urdf states.csv --json""",
    "gravity": """\
  modular-dynamics gravity robot.urdf --q shoulder=1.2
  modular-dynamics gravity robot.urdf configurations.csv -o torques.csv""",
}


def _command(name: str, summary: str, about: str) -> Command:
    """Return the command of one of LETTERS."""
    letters = LETTERS[name]
    columns = ", ".join(f"{letter}_JOINT" for letter in letters)
    text = STATES.format(columns=columns)

    def add_arguments(parser: argparse.ArgumentParser) -> None:
        add_robot_arguments(parser)
        parser.add_argument("states", nargs="?", help="CSV file, or - for standard input (default: --q ...)")
        for letter in letters:
            parser.add_argument(
                f"--{letter}",
                metavar="NUMBERS",
                help=f"{MEANING[letter]} in the robot's order (0.1,-0.2) or by name (elbow=0.1), else zero",
            )
        if name != "gravity":
            parser.add_argument(
                "--friction",
                choices=("none", "urdf"),
                default="none",
                help="whether the joints' damping and friction count (default: %(default)s)",
            )
        form = parser.add_mutually_exclusive_group()
        form.add_argument("--csv", action="store_true", help="print CSV (default: of states from a file)")
        form.add_argument("--json", action="store_true", help="print a line of JSON for each state")
        form.add_argument("-o", "--output", metavar="FILE", help="write a .csv file (default: print)")

    def run(arguments: argparse.Namespace) -> int:
        return _run(name, arguments)

    return Command(name, summary, f"{about}\n\n{text}", EXAMPLES[name], add_arguments, run)


def _run(name: str, arguments: argparse.Namespace) -> int:
    """Read, compute and write all states; return the exit code."""
    letters, result, output = LETTERS[name], RESULTS[name], arguments.output
    given = [letter for letter in letters if getattr(arguments, letter) is not None]
    if arguments.states is not None and given:
        raise UsageError(f"--{given[0]} and a file of states contradict each other; give one of them")
    if arguments.robot == STDIN == arguments.states:
        raise UsageError("robot and states cannot both come from standard input; give the path of one")
    if output is not None and Path(output).suffix.lower() != ".csv":
        raise UsageError(f"--output {output}: a name that ends in .csv is needed")
    raise_if_read(
        "--output", output, (arguments.robot, arguments.partition, *arguments.module, arguments.states)
    )
    graph = load_graph(arguments)
    print_warnings(graph)
    coordinates = coordinates_of(graph)
    calculate = _calculation(name, graph, getattr(arguments, "friction", None))
    if arguments.states is None:
        states = iter([given_state(arguments, letters, coordinates)])
    else:
        states = read_states(arguments.states, letters, coordinates)
    form = "json" if arguments.json else "table"
    if arguments.csv or output is not None or (arguments.states is not None and not arguments.json):
        form = "csv"
    angular, linear = UNITS[result]
    units = [linear if is_linear else angular for is_linear in coordinates.linear]
    results = ((state.time, calculate(state)) for state in states)
    lines = result_lines(results, form, result, coordinates.names[result], units)
    if output is not None:
        replace_file(Path(output), lambda file: file.writelines(f"{line}\n".encode() for line in lines))
    else:
        for line in lines:
            print(line)
    return GOOD


def _calculation(name: str, graph: SubsystemGraph, friction: str | None) -> Callable[[State], Array]:
    """Return the function from a state to a command's result, which names the state in its errors.

    Closed loops are closed in the assembly mode of the state before.
    """
    options: dict[str, Any] = {} if friction is None else {"friction": friction}

    def calculate(state: State) -> Array:
        try:
            if graph.has_loops:
                options["guess"] = loops.close_loops(graph, state.vectors[0], options.get("guess"))
            return FUNCTIONS[name](graph, *state.vectors, **options)
        except ModularDynamicsError as error:
            raise UsageError(f"{state.where}: {error}") from error

    return calculate


INVERSE = _command(
    "id", "inverse dynamics: torques of states", "Joint torques that the motion of each state needs."
)
FORWARD = _command(
    "fd", "forward dynamics: accelerations under torques", "Joint accelerations under given torques."
)
GRAVITY = _command(
    "gravity", "torques that hold the robot against gravity", "Joint torques against gravity, at rest."
)
