"""One log line per change of state and per offender, never per message."""

from collections.abc import Callable
from typing import Protocol

__all__ = ["ChangeLog"]

QUIET = 2.0  # [s] without a problem before it counts as resolved: good and bad messages may alternate
MOST_TEXTS = 8  # log lines about one cause until it is resolved: a text may hold a figure that always changes


class Logger(Protocol):
    """The part of a node's logger that is used here."""

    def info(self, message: str) -> object: ...
    def warning(self, message: str) -> object: ...
    def error(self, message: str) -> object: ...


class ChangeLog:
    """Logs a problem when it appears, when it names another offender, and when it is resolved.

    Args:
        clock: seconds that never go back.
    """

    def __init__(self, logger: Logger, clock: Callable[[], float]) -> None:
        self._logger, self._clock = logger, clock
        self._seen: dict[tuple[str, str], float] = {}
        self._texts: dict[tuple[str, str], str] = {}
        self._logged: dict[tuple[str, str], set[str]] = {}

    def problem(self, where: str, cause: str, text: str, *, severe: bool = False) -> None:
        """`where` (a topic, a part) has this problem now; logged only if the text is new."""
        key = (where, cause)
        logged = self._logged.setdefault(key, set())
        if text not in logged and len(logged) < MOST_TEXTS:
            logged.add(text)
            last = " (more of this kind is not logged)" if len(logged) == MOST_TEXTS else ""
            if severe:  # two calls: rclpy allows one line of code one severity
                self._logger.error(f"{where}: {text}{last}")
            else:
                self._logger.warning(f"{where}: {text}{last}")
        self._seen[key] = self._clock()
        self._texts[key] = text

    def current(self, *without: str) -> list[str]:
        """Present problems: the latest text of each cause, except for the places named."""
        return [f"{where}: {text}" for (where, _), text in self._texts.items() if where not in without]

    def texts(self, where: str) -> list[str]:
        """Present problems of one place: the latest text of each cause."""
        return [text for (place, _), text in self._texts.items() if place == where]

    def log_resolved(self) -> None:
        """Call about once a second: logs problems that have not occurred for `QUIET` seconds as resolved."""
        now = self._clock()
        for (where, cause), seen in list(self._seen.items()):
            if now - seen > QUIET:
                del self._seen[where, cause], self._texts[where, cause], self._logged[where, cause]
                self._logger.info(f"{where}: resolved ({cause})")

    def clear(self) -> None:
        """Forget all problems without logging: the node is deactivated."""
        self._seen.clear()
        self._logged.clear()
        self._texts.clear()
