"""Child processes that never outlive the demo."""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType

PATIENCE = 5.0  # [s] that a process has to end after SIGINT
PR_SET_PDEATHSIG = 1  # linux/prctl.h


class Processes:
    """Processes of Python, each in its own group with its own log; leaving the context ends all.

    Args:
        logs: folder of the logs, one NAME.log per process.
    """

    def __init__(self, logs: Path) -> None:
        self._logs = logs
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> "Processes":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for name in reversed(list(self._running)):
            self.end(name)

    def start(
        self,
        node: str,
        *parameters: str,
        params_file: Path | None = None,
        name: str = "",
        remapped: Sequence[str] = (),
    ) -> None:
        """Run a node of this package in this environment, with parameters "NAME:=VALUE".

        Args:
            name: of the process and the node, instead of that of its kind. remapped: topics, "NAME:=OTHER".
        """
        files = ["--params-file", str(params_file)] if params_file else []
        words = [word for parameter in parameters for word in ("-p", parameter)]
        rules = [f"__node:={name}"] * bool(name)
        words += [word for rule in (*rules, *remapped) for word in ("-r", rule)]
        command = "-m", "modular_dynamics_ros", node, "--ros-args", *files, *words
        self._run(name or node, *command)

    def start_file(self, name: str, path: Path, *arguments: str) -> None:
        """Run `python path arguments` in this environment."""
        self._run(name, str(path), *arguments)

    def _run(self, name: str, *command: str) -> None:
        with open(self._logs / f"{name}.log", "w", encoding="utf-8") as log, signals_deferred():
            self._running[name] = subprocess.Popen(
                [sys.executable, *command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C in the terminal is for the demo, which ends its children
                preexec_fn=_end_with_parent(os.getpid()),  # noqa: PLW1509  # takes no lock that a thread may hold
            )

    def code(self, name: str) -> int | None:
        """Return the exit code of a process, None while it runs."""
        return self._running[name].poll()

    def pid(self, name: str) -> int:
        """Return the process id of a process, which is also that of its group."""
        return self._running[name].pid

    def log(self, name: str) -> str:
        """Return the last lines that a process has printed."""
        text = (self._logs / f"{name}.log").read_text(encoding="utf-8", errors="replace")
        return "\n".join(text.splitlines()[-15:])

    def end(self, name: str) -> int:
        """End a process and its group, gently at first; return its exit code."""
        process = self._running.pop(name)
        try:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGINT)
            code = process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            code = -signal.SIGKILL
        finally:
            with suppress(ProcessLookupError):  # the whole group has ended, as it should
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        return code


@contextmanager
def signals_deferred() -> Iterator[None]:
    """Delay SIGINT and SIGTERM until after the body: a child of Popen is always known and ended.

    Python ignores exceptions of handlers in the hooks around a fork and in `__del__`, as of rclpy's futures:
    a signal that raises one there would be lost.
    """
    received: list[int] = []
    numbers = signal.SIGINT, signal.SIGTERM
    usual = [signal.signal(number, lambda number, frame: received.append(number)) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, usual, strict=True):
            signal.signal(number, handler)
        for one in received:
            signal.raise_signal(one)


def _end_with_parent(parent: int) -> Callable[[], None]:
    """Return a function that, on Linux, makes a child end with its parent, even if that is killed."""
    if not sys.platform.startswith("linux"):
        return lambda: None
    libc = ctypes.CDLL(None)  # loaded here: after the fork only the call itself is safe

    def prepare() -> None:
        # a background shell job ignores it, and passes that on
        signal.signal(signal.SIGINT, signal.default_int_handler)
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            os._exit(1)

    return prepare
