"""What was computed, as a CSV."""

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from modular_dynamics_ros.bag.replay import Result
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.messages.stamps import stamp_seconds

#: Letters of a wrench's components, as columns begin: fx_SUBSYSTEM [N], mx_SUBSYSTEM [N m].
COMPONENTS = ("fx", "fy", "fz", "mx", "my", "mz")


@contextmanager
def written_to(path: str) -> Iterator[None]:
    """Convert an OSError raised inside to one that names the file and says that it is incomplete."""
    try:
        yield
    except OSError as error:
        text = f"{error.strerror or error}; what stands there ends before the recording does"
        raise OSError(error.errno, text, path) from error


class CsvResults:
    """Columns: time [s] of the joint state's stamp, tau_JOINT, residual_JOINT, wrenches of connections.

    Cells are empty where a number is not known: residuals of joints without effort. A wrench is what holds
    the subsystem, in the frame that ~/connections/SUBSYSTEM/wrench of dynamics_node names. For a robot with
    other joints or subsystems than the one before, another file begins: torques.csv, torques_2.csv, ...

    Attributes:
        paths: of all files, the present one last.

    Args:
        motion: whether q_JOINT, v_JOINT and a_JOINT, which the torques were computed from, are written, too.
    """

    def __init__(self, path: str, *, motion: bool) -> None:
        self.paths, self._motion = list[str](), motion
        self._head: list[str] = []
        self._open(path)

    def _open(self, path: str) -> None:
        self._file: Any = open(Path(path), "w", encoding="utf-8", newline="")  # noqa: SIM115  # until `close`
        self._writer = csv.writer(self._file, lineterminator="\n")
        self.paths.append(path)

    def begin(self, robot: Robot) -> None:
        """Begin the answers of another robot."""
        moving = [f"{letter}_{name}" for letter in "qva" for name in robot.state_names] * self._motion
        head = [
            "time",
            *moving,
            *(f"tau_{name}" for name in robot.joint_names),
            *(f"residual_{name}" for name in robot.joint_names),
            *(f"{part}_{one.name}" for one in robot.graph.subsystems for part in COMPONENTS),
        ]
        if self._head and head != self._head:
            self.close()
            first = Path(self.paths[0])
            self._open(str(first.with_stem(f"{first.stem}_{len(self.paths) + 1}")))
        if head != self._head:
            with written_to(self.paths[-1]):
                self._writer.writerow(head)
        self._head, self._robot = head, robot

    def write(self, result: Result) -> None:
        """Write one answer."""
        answer, robot = result.answer, self._robot
        state = answer.state
        parts: Sequence[Any] = (state.q, state.v, state.a) if self._motion else ()
        wrenches = [answer.dynamics.connection_wrench(k)[1] for k in range(len(robot.graph.subsystems))]
        values = np.concatenate([*parts, answer.effort[robot.published], result.residual, *wrenches]).tolist()
        # the shortest text that gives the same number
        cells = ["" if value != value else repr(value) for value in values]  # noqa: PLR0124  # NaN
        with written_to(self.paths[-1]):
            self._writer.writerow([stamp_seconds(state.stamp), *cells])

    def close(self) -> None:
        """Finish; no more answers follow."""
        with written_to(self.paths[-1]):
            self._file.close()
