"""Reading an acceleration profile from YAML."""

from pathlib import Path
from typing import Any

from ..exceptions import DescriptionError
from ..text.files import path_of, text_of
from ..text.numbers import LARGEST
from ..text.sizes import MAX_YAML_BYTES, shown
from ..text.yaml_text import documents
from .acceleration_profile import AccelerationProfile

__all__ = ["load_profile", "profile_of"]


def load_profile(path: str | Path) -> AccelerationProfile:
    """Read duration, segments [{until, scale}], accelerations {joint: value}, and start {joint: q} if given.

    Raises:
        DescriptionError: naming the file and the entry that is missing, of the wrong kind or out of order.
    """
    return profile_of(text_of(path_of(path), "motion file", MAX_YAML_BYTES), f"motion file '{path}'")


def profile_of(text: str, where: str) -> AccelerationProfile:
    """Return the profile of a file's text; ``where`` begins the errors, which are those of `load_profile`."""
    found = documents(text, where)
    data = found[0] if len(found) == 1 else found
    if not isinstance(data, dict):
        raise DescriptionError(f"{where}: needs the keys duration, segments and accelerations")
    known = {"duration", "segments", "accelerations", "start", "version", "description"}
    if unknown := sorted(str(key) for key in data if key not in known):
        raise DescriptionError(
            f"{where}: unknown key {', '.join(unknown)}; known are {', '.join(sorted(known))}"
        )
    duration = _number(data.get("duration"), f"{where}: duration")
    segments = _segments(data.get("segments"), duration, where)
    accelerations = _joint_values(data.get("accelerations"), f"{where}: accelerations")
    if not accelerations:
        raise DescriptionError(f"{where}: accelerations names no joint")
    start = _joint_values(data.get("start", {}), f"{where}: start")
    if unknown := sorted(set(start) - set(accelerations)):
        raise DescriptionError(
            f"{where}: start names {', '.join(unknown)}, which accelerations does not name"
        )
    return AccelerationProfile(accelerations, segments, start)


def _segments(raw: Any, duration: float, where: str) -> list[tuple[float, float]]:
    if not isinstance(raw, list) or not raw:
        raise DescriptionError(f"{where}: segments must be a list of {{until, scale}}")
    segments: list[tuple[float, float]] = []
    for number, entry in enumerate(raw, start=1):
        values = entry if isinstance(entry, dict) else {}
        until, scale = (
            _number(values.get(key), f"{where}: segment {number}: {key}") for key in ("until", "scale")
        )
        if until <= (segments[-1][0] if segments else 0.0):
            raise DescriptionError(
                f"{where}: segment {number}: until {until:g} s must be later than the one before"
            )
        segments.append((until, scale))
    if segments[-1][0] != duration:
        raise DescriptionError(
            f"{where}: the last segment ends at {segments[-1][0]:g} s, duration is {duration:g} s"
        )
    return segments


def _joint_values(raw: Any, where: str) -> dict[str, float]:
    if not isinstance(raw, dict):
        raise DescriptionError(f"{where} must map joint names to numbers")
    return {str(name): _number(value, f"{where}: joint '{name}'") for name, value in raw.items()}


def _number(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not -LARGEST <= value <= LARGEST:
        raise DescriptionError(
            f"{where} must be a finite number, not {shown(value)}; at most {LARGEST:g} is accepted"
        )
    return float(value)
