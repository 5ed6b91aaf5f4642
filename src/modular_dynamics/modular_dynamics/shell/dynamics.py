"""`modular-dynamics id`, `fd` and `gravity`: torques or accelerations of one state or of many."""

import argparse
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import dynamics, loops
from ..exceptions import ModularDynamicsError
from ..model import SubsystemGraph
from ..text.numbers import real_number
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
from .states import (
    State,
    add_result_arguments,
    coordinates_of,
    given_state,
    read_states,
    result_writer,
)

__all__ = ["FORWARD", "GRAVITY", "INVERSE"]

Array = NDArray[np.float64]
#: Vectors that each command takes, the vector that it gives, and its units of angular and linear joints.
LETTERS = {"id": ("q", "v", "a"), "fd": ("q", "v", "tau"), "gravity": ("q",)}
RESULTS = {"id": "tau", "fd": "a", "gravity": "tau"}
UNITS = {"tau": ("N m", "N"), "a": ("rad/s^2", "m/s^2")}
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
        if name != "fd":
            parser.add_argument(
                "--black-box",
                metavar="NAME=FX,FY,FZ,MX,MY,MZ",
                action="append",
                default=[],
                help="wrench [N, N m] of the robot on a black box at its connection; repeatable",
            )
        add_result_arguments(parser)

    def run(arguments: argparse.Namespace) -> int:
        return _run(name, arguments)

    return Command(name, summary, f"{about}\n\n{text}", EXAMPLES[name], add_arguments, run)


def _run(name: str, arguments: argparse.Namespace) -> int:
    """Read, compute and write all states; return the exit code."""
    letters, result = LETTERS[name], RESULTS[name]
    given = [letter for letter in letters if getattr(arguments, letter) is not None]
    if arguments.states is not None and given:
        raise UsageError(f"--{given[0]} and a file of states contradict each other; give one of them")
    if arguments.robot == STDIN == arguments.states:
        raise UsageError("robot and states cannot both come from standard input; give the path of one")
    raise_if_read("--output", arguments.output, (arguments.robot, arguments.partition, arguments.states))
    graph = load_graph(arguments)
    print_warnings(graph)
    coordinates = coordinates_of(graph)
    calculate = _calculation(name, graph, arguments)
    one = arguments.states is None
    states = (
        iter([given_state(arguments, letters, coordinates)])
        if one
        else read_states(arguments.states, letters, coordinates)
    )
    angular, linear = UNITS[result]
    units = [linear if is_linear else angular for is_linear in coordinates.linear]
    first = next(states, None)  # it says whether times are known
    timed = first is not None and first.time is not None
    with result_writer(arguments, result, coordinates.rates, units, timed=timed, one=one) as write:
        for state in chain([first] if first is not None else [], states):
            write(state.time, _located(calculate, state))
    return GOOD


def _located(calculate: Callable[[State], Array], state: State) -> Array:
    """Return the result of a state. Raises UsageError: names the state, such as its line."""
    try:
        return calculate(state)
    except ModularDynamicsError as error:
        raise UsageError(f"{state.where}: {error}") from error


def _calculation(name: str, graph: SubsystemGraph, arguments: argparse.Namespace) -> Callable[[State], Array]:
    """Return the function from a state to a command's result."""
    if graph.has_loops:
        return _Closed(name, graph, arguments)
    if name == "fd":
        friction = arguments.friction
        return lambda state: dynamics.forward_dynamics(graph, *_ordered(state, "tau"), friction=friction)
    boxes = _black_boxes(graph, arguments.black_box) or None
    if name == "gravity":
        if boxes is None:
            return lambda state: dynamics.gravity_torque(graph, state.vectors["q"])
        rest = np.zeros(graph.nv)
        return lambda state: dynamics.inverse_dynamics(
            graph, state.vectors["q"], rest, rest, black_box_wrenches=boxes
        )
    friction = arguments.friction
    return lambda state: dynamics.inverse_dynamics(
        graph, *_ordered(state), black_box_wrenches=boxes, friction=friction
    )


def _ordered(state: State, last: str = "a") -> tuple[Array, Array, Array]:
    """Return q, v, and a or tau of a state."""
    return state.vectors["q"], state.vectors["v"], state.vectors[last]


class _Closed:
    """Dynamics with closed loops: each state is closed in the assembly mode of the one before."""

    def __init__(self, name: str, graph: SubsystemGraph, arguments: argparse.Namespace) -> None:
        self._name, self._graph = name, graph
        self._options: dict[str, Any] = {} if name == "gravity" else {"friction": arguments.friction}
        self._last: Array | None = None
        if getattr(arguments, "black_box", None):
            raise UsageError("--black-box: a robot with closed loops cannot have black boxes")

    def __call__(self, state: State) -> Array:
        graph, q = self._graph, state.vectors["q"]
        self._last = loops.close_loops(graph, q, self._last)
        if self._name == "gravity":
            return dynamics.gravity_torque(graph, q, guess=self._last)
        if self._name == "id":
            return dynamics.inverse_dynamics(graph, *_ordered(state), guess=self._last, **self._options)
        v = loops.explicit_constraint_jacobian(graph, q, self._last) @ state.vectors["v"]
        motion = loops.constrained_dynamics(graph, self._last, v, state.vectors["tau"], **self._options)
        return motion.a[list(_independent(graph))]


def _independent(graph: SubsystemGraph) -> Iterator[int]:
    """Yield the indices of the independent joints in velocities."""
    for name in graph.independent_joint_names:
        yield from range(*graph.v_slice(name).indices(graph.nv))


def _black_boxes(graph: SubsystemGraph, texts: list[str]) -> dict[str, Array]:
    """Return wrenches (6,) by black box. Raises UsageError: no wrench, or a missing one."""
    wrenches: dict[str, Array] = {}
    for text in texts:
        name, _, numbers = text.rpartition("=")
        try:
            wrench = np.array([real_number(part) for part in numbers.split(",")])
        except ValueError:
            wrench = np.zeros(0)
        if not name or wrench.shape != (6,) or name in wrenches:
            raise UsageError(
                f"--black-box {text}: NAME= and six numbers are needed, as gripper=0,0,9.8,0,0,0, one wrench "
                "for each name"
            )
        wrenches[name] = wrench
    for box in graph.subsystems:
        if box.black_box and box.name not in wrenches:
            raise UsageError(
                f"subsystem '{box.name}' is a black box, whose masses are not used: give the wrench that "
                f"holds it, --black-box {box.name}=FX,FY,FZ,MX,MY,MZ; zeros leave it out"
            )
    return wrenches


INVERSE = _command(
    "id", "inverse dynamics: torques of states", "Joint torques that the motion of each state needs."
)
FORWARD = _command(
    "fd", "forward dynamics: accelerations under torques", "Joint accelerations under given torques."
)
GRAVITY = _command(
    "gravity", "torques that hold the robot against gravity", "Joint torques against gravity, at rest."
)
