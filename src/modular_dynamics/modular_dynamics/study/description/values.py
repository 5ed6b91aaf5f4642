"""Values of a study file: what is missing or of the wrong kind is an error that names its place."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from ...exceptions import StudyError
from ...text.numbers import STIFFEST
from ...text.sizes import shown

__all__ = ["integer", "mapping", "names", "nearest", "number", "only", "text"]


def mapping(raw: Any, where: str) -> Mapping[Any, Any]:
    """Return ``raw`` as a mapping, or raise StudyError."""
    if not isinstance(raw, dict):
        raise StudyError(f"{where} must map keys to values, not {shown(raw)}")
    return raw


def only(data: Mapping[Any, Any], known: Sequence[str], where: str) -> None:
    """Raise StudyError if the mapping has a key other than the known ones."""
    for key in data:
        if key not in known:
            raise StudyError(f"{where}: unknown key '{key}'{nearest(str(key), known)}")


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the end of an error message about an unknown name, with similar known ones."""
    choices = list(known)
    similar = get_close_matches(name, choices, 3, 0.6)
    shown_ones = similar or choices[:12]
    if not shown_ones:
        return "; there is none"
    return f"; {'similar ones' if similar else 'known are'}: {', '.join(shown_ones)}"


def number(raw: Any, where: str) -> float:
    """Return ``raw`` as a finite number, or raise StudyError."""
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not -STIFFEST <= raw <= STIFFEST:
        raise StudyError(f"{where} must be a finite number, not {shown(raw)}")
    return float(raw)


def integer(raw: Any, where: str, low: int, high: int) -> int:
    """Return ``raw`` as a whole number within bounds, or raise StudyError."""
    if isinstance(raw, bool) or not isinstance(raw, int) or not low <= raw <= high:
        raise StudyError(f"{where} must be a whole number from {low} to {high}, not {shown(raw)}")
    return raw


def text(data: Mapping[Any, Any], key: Any, where: str) -> str:
    """Return the text of a key. Raises StudyError: missing, or not text."""
    raw = data.get(key)
    if not isinstance(raw, str) or not raw:
        raise StudyError(f"{where}: {key} must be a text, not {shown(raw)}")
    return raw


def names(raw: Any, where: str) -> tuple[str, ...]:
    """Return ``raw`` as a tuple of names, or raise StudyError."""
    if not isinstance(raw, list) or not all(isinstance(one, str) for one in raw):
        raise StudyError(f"{where} must be a list of names, not {shown(raw)}")
    return tuple(raw)
