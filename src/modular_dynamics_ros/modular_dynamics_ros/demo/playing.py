"""A motion is played: nodes start as processes, answer, and all their answers are recorded."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rclpy.executors import SingleThreadedExecutor
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)

from modular_dynamics_ros.demo.lifecycle_state import LifecycleState
from modular_dynamics_ros.demo.processes import Processes
from modular_dynamics_ros.demo.recorder import MotionRecorder, destroy, join
from modular_dynamics_ros.player.node import sent_in

__all__ = ["DemoError", "StalledError", "Playback", "spin_until"]

PLAYER = "joint_state_player"
START_LIMIT = 120.0  # [s] for nodes to become active, on a busy machine
CONNECT_LIMIT = 60.0  # [s] for the first pose to be answered, by nodes that are active
QUIET_LIMIT = 3.0  # [s] without a new answer after the player has ended


class DemoError(RuntimeError):
    """The demo cannot go on; the text says why."""


class StalledError(DemoError):
    """Active nodes do not answer, or the player does not play, as where DDS has not connected all topics.

    `play_completely` plays once more.
    """


def spin_until(
    executor: SingleThreadedExecutor,
    processes: Processes,
    reached: Callable[[], bool],
    limit: float,
    what: str,
    needed: Sequence[str],
    too_late: type[DemoError] = DemoError,
) -> None:
    """Spin until the condition holds.

    Raises:
        DemoError: one of the processes `needed` has ended; `too_late`: `what` took longer than `limit` [s].
    """
    deadline = time.monotonic() + limit
    while not reached():
        executor.spin_once(timeout_sec=0.1)
        for name in needed:
            _check_code(processes, name, None)
        if time.monotonic() > deadline:
            logs = "\n".join(f"log of {name}:\n{processes.log(name)}" for name in needed)
            raise too_late(f"{what} took longer than {limit:g} s; {logs}")


def _check_code(processes: Processes, name: str, *allowed: int | None) -> int | None:
    """Return the exit code of a process. Raises DemoError: it is not among those allowed."""
    if (code := processes.code(name)) not in allowed:
        raise DemoError(f"{name} ended with code {code}:\n{processes.log(name)}")
    return code


@dataclass(frozen=True)
class Playback:
    """The nodes to start and the motion to play.

    Attributes:
        nodes: name -> parameters "NAME:=VALUE" of each node that answers. player: the player's.
        params: file of parameters of all nodes. rate: of the joint states [Hz]; expected: their number.
    """

    nodes: Mapping[str, Sequence[str]]
    player: Sequence[str]
    params: Path
    motion: Path
    rate: float
    expected: int

    def record(self, recorder: MotionRecorder, logs: Path, console: Console) -> int:
        """Let the motion begin once the first pose is answered, and record all answers.

        Returns the number of joint states that the player reports to have sent. Destroys the recorder: a
        later player would count its subscriptions.

        Raises:
            StalledError: the nodes do not answer, or the motion does not end.
            DemoError: a process has failed.
        """
        try:
            return self._record(recorder, logs, console)
        finally:
            destroy(recorder)

    def _record(self, recorder: MotionRecorder, logs: Path, console: Console) -> int:
        executor = SingleThreadedExecutor()
        executor.add_node(recorder)
        columns = SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
        with (
            Processes(logs) as processes,
            Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as progress,
        ):

            def wait(
                reached: Callable[[], bool], limit: float, what: str, late: type[DemoError] = StalledError
            ) -> None:
                spin_until(executor, processes, reached, limit, what, list(self.nodes), late)

            def player_has_ended() -> bool:
                return _check_code(processes, PLAYER, None, 0) == 0

            task = progress.add_task(f"{' and '.join(self.nodes)}: loading the robot", total=None)
            for name, parameters in self.nodes.items():
                processes.start(name, *parameters, "autostart:=true", params_file=self.params)
            for name in self.nodes:
                wait(_activity(recorder, processes, name), START_LIMIT, f"starting {name}", DemoError)
            subscribers = f"wait_for_subscriber:={len(self.nodes) + 2}"  # the nodes, the recorder, it again
            own = f"motion_file:={self.motion}", f"rate:={self.rate}", "lead_in:=true", subscribers
            processes.start(PLAYER, *own, *self.player, params_file=self.params)
            wait(lambda: player_has_ended() or recorder.connected, CONNECT_LIMIT, "answering the first pose")
            progress.remove_task(task)
            task = progress.add_task(f"playing {self.motion.name} at {self.rate:g} Hz", total=self.expected)
            join(recorder)
            received = _all_received(recorder, self.expected)

            def complete() -> bool:
                progress.update(task, completed=len(recorder.answers[0]))
                return player_has_ended() and received()

            wait(complete, 60.0 + 10.0 * self.expected / self.rate, "playing the motion")
            if (sent := sent_in(processes.log(PLAYER))) is None:
                raise DemoError(f"{PLAYER} does not report what it sent:\n{processes.log(PLAYER)}")
        return sent


def _all_received(recorder: MotionRecorder, expected: int) -> Callable[[], bool]:
    """Return a function that returns whether all answers have come, or nothing has for QUIET_LIMIT."""
    newest, seen = time.monotonic(), -1

    def received() -> bool:
        nonlocal newest, seen
        counts = [len(recorder.states), *map(len, recorder.answers)]
        if sum(counts) != seen:
            newest, seen = time.monotonic(), sum(counts)
        return min(counts) >= expected or time.monotonic() - newest > QUIET_LIMIT

    return received


def _activity(recorder: MotionRecorder, processes: Processes, name: str) -> Callable[[], bool]:
    """Return a function: whether a node is active. It raises DemoError if the node did not start."""
    state = LifecycleState(recorder, name)

    def active() -> bool:
        if (label := state.label()) not in (None, "active"):
            raise DemoError(f"{name} did not start:\n{processes.log(name)}")
        return label is not None

    return active
