"""Logs one line per change of state and per offender, never per message."""

import os
import re
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

MOST_CHARACTERS = 300  # largest length of an exception's text
MOST_ANSWERED = 1000  # largest length of a service's answer
QUIET = 2.0  # [s] without a problem before it counts as resolved: good and bad messages may alternate
MOST_TEXTS = 8  # log lines about one cause until it is resolved
#: A measured figure, such as 0.208 s, but not a part of a name, such as 'v1.2'. Texts that differ only in
#: figures are logged once.
FIGURE = re.compile(
    r"(?<![\w.'])-?\d+(?:\.\d+(?:e[+-]?\d+)?|e[+-]?\d+|(?= (?:N m|N|ms|s|rad|m|kg|Hz)\b))(?![\w'])"
)


def described(error: BaseException) -> str:
    """Return type, text and place of an exception on one line; the place is the innermost in this project."""
    text = " ".join(str(error).split())[:MOST_CHARACTERS]
    places = [
        f"{os.path.basename(frame.f_code.co_filename)}:{line}"
        for frame, line in traceback.walk_tb(error.__traceback__)
        if "modular_dynamics" in frame.f_code.co_filename
    ]
    place = f" ({places[-1]})" if places else ""
    return f"{type(error).__name__}: {text}{place}"


def one_line(text: str) -> str:
    """Return a text, which may hold names of a request, as one line for an answer or the log.

    White space becomes blanks, so that a request cannot add lines to the log; other unprintable characters
    are escaped.
    """
    line = " ".join(text.split())
    line = "".join(c if c.isprintable() else repr(c)[1:-1] for c in line)
    return line if len(line) <= MOST_ANSWERED else f"{line[:MOST_ANSWERED]}... ({len(line)} characters)"


@dataclass
class _Problem:
    """A problem: when last seen, latest text, what was logged of it, and whether its end is logged."""

    seen: float = 0.0
    text: str = ""
    logged: set[str] = field(default_factory=set)
    can_be_resolved: bool = True


class ChangeLog:
    """Logs a problem when it appears, when it names another offender, and when it is resolved.

    Args:
        logger: of rclpy, or with its methods info, warning and error. clock: seconds that never go back.
    """

    def __init__(self, logger: Any, clock: Callable[[], float]) -> None:
        self._logger, self._clock = logger, clock
        self._problems: dict[tuple[str, str], _Problem] = {}  # by place and cause

    def problem(self, where: str, cause: str, text: str, *, severe: bool = False) -> None:
        """Report a present problem of `where` (a topic, a part); log it if more than figures changed."""
        self._report(where, cause, text, FIGURE.sub("#", text), severe=severe)

    def _report(self, where: str, cause: str, text: str, key: str, *, severe: bool) -> _Problem:
        """Note a problem and return it; texts with the same `key` are logged once."""
        problem = self._problems.setdefault((where, cause), _Problem())
        problem.seen, problem.text = self._clock(), text
        if key not in problem.logged and len(problem.logged) < MOST_TEXTS:
            problem.logged.add(key)
            last = " (more of this kind is not logged)" if len(problem.logged) == MOST_TEXTS else ""
            if severe:  # two calls: rclpy allows one line of code one severity
                self._logger.error(f"{where}: {text}{last}")
            else:
                self._logger.warning(f"{where}: {text}{last}")
        return problem

    def event(self, where: str, cause: str, text: str, *, severe: bool = False) -> None:
        """Report an event: unlike a `problem`, absence does not resolve it, and figures distinguish it."""
        self._report(where, cause, text, text, severe=severe).can_be_resolved = False

    def note(self, text: str) -> None:
        """Log a line that is not a problem."""
        self._logger.info(text)

    def lasts(self, where: str, cause: str) -> None:
        """Note that a reported problem persists, without a new text."""
        if (problem := self._problems.get((where, cause))) is not None:
            problem.seen = self._clock()

    def skipped(self, where: str, error: BaseException) -> None:
        """Report an unexpected exception while processing input from `where`; the node continues."""
        text = f"skipped, unexpectedly: {described(error)}"
        self.problem(where, type(error).__name__, text, severe=True)

    def current(self, *without: str) -> list[str]:
        """Return the present problems, the latest text of each cause, except for the places named."""
        return [f"{where}: {p.text}" for (where, _), p in self._problems.items() if where not in without]

    def texts(self, where: str) -> list[str]:
        """Return the present problems of one place, the latest text of each cause."""
        return [problem.text for (place, _), problem in self._problems.items() if place == where]

    def log_resolved(self) -> None:
        """Log problems as resolved that have not occurred for `QUIET` seconds; call about once a second."""
        now = self._clock()
        for (where, cause), problem in list(self._problems.items()):
            if now - problem.seen > QUIET:
                del self._problems[where, cause]
                if problem.can_be_resolved:
                    self._logger.info(f"{where}: resolved; it was: {problem.text}")

    def clear(self) -> None:
        """Forget all problems without logging: the node is deactivated."""
        self._problems.clear()
