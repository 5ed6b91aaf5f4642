"""Numbers of ports, as incidence matrices name faces."""

from collections.abc import Mapping

__all__ = ["port_numbers"]


def port_numbers(given: Mapping[str, int | None]) -> dict[str, int]:
    """Return a number for each port: the given one, else that of a name of digits, else the smallest free."""
    own = {name: _own(name) if number is None else number for name, number in given.items()}
    taken = {number for number in own.values() if number is not None}
    left = (number for number in range(1, len(own) + len(taken) + 1) if number not in taken)
    return {name: next(left) if number is None else number for name, number in own.items()}


def _own(name: str) -> int | None:
    is_number = name.isascii() and name.isdecimal() and not name.startswith("0")
    return int(name) if is_number else None
