"""A gait's mapping as YAML text, with units in comments."""

from typing import Any

from ...text.yaml_text import one_line

__all__ = ["yaml_text"]

#: Characters of a key, with its quotes and escapes, before a colon; YAML allows 1024.
LONGEST_KEY = 1000
UNITS = {
    "kind": "sine, coupled_maps or oscillators",
    "ramp": "[s] grows out of rest in this time; 0: at once",
    "joints": "amplitude and offset [rad, or m if prismatic], frequency [Hz], phase [rad]",
    "growth": "a of a x (1 - x), 0 to 4",
    "coupling": "maps: e, 0 to 1; oscillators: k [1/s]",
    "period": "[s] from one iteration to the next",
    "boundary": "ring, or open: the ends are their own neighbours",
    "initial": "x of each joint at the first iteration, 0 to 1",
    "settle": "iterations made before t = 0",
    "convergence": "[1/s] half the rate at which amplitudes converge",
    "connections": "pairs of coupled joints, or chain, or all",
    "seed": "of the random start",
    "step": "[s] of the integration",
}


def yaml_text(mapping: dict[str, Any]) -> str:
    """Return YAML with one key per line and its unit; mappings of joints have one joint per line."""
    lines = []
    for key, value in mapping.items():
        unit = f"  # {UNITS[key]}" if key in UNITS else ""
        if isinstance(value, dict):
            lines += [f"{key}:{unit}", *(f"  {_line({name: entry})}" for name, entry in value.items())]
        else:
            lines.append(f"{_line({key: value})}{unit}")
    return "\n".join(lines) + "\n"


def _line(entry: dict[str, Any]) -> str:
    [(key, value)] = entry.items()
    name = one_line(key)
    long = len(name) > LONGEST_KEY
    return f"? {name}\n  : {one_line(value)}" if long else f"{name}: {one_line(value)}"
