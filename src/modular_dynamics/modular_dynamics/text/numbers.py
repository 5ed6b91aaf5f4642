"""Numbers in text: decimal, in ASCII, as C's strtod and XML Schema read them. Python's float() reads more.

float() also takes digits of all alphabets, no-break spaces and "1_000", which no other reader of URDF does.
"""

import math
import re
import sys
from typing import Any

from .sizes import shown

#: Largest size of lengths, angles, masses, moments of inertia and factors, in SI units. A length of 1e9 m is
#: known to 1e-7 m, so larger ones leave no digit for a robot; and their products cannot overflow.
LARGEST = 1e9
#: Largest stiffness, damping, friction and armature: stops are modelled by springs of up to 1e10 N/m.
STIFFEST = 1e12
#: Largest limit of a joint: where there is none, published robots write 1e16 or the largest float.
LARGEST_FLOAT = sys.float_info.max
#: "nan" and "inf" are numbers too, so that the message is that they are not finite.
_NUMBER = re.compile(
    r"[-+]?(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[-+]?[0-9]+)?|nan|inf(?:inity)?)", re.IGNORECASE | re.ASCII
)
#: Any character that is not XML's white space.
_PART = re.compile(r"[^ \t\r\n]+")


def decimals(text: str) -> list[float]:
    """Return the numbers in a text, separated by white space. Raises ValueError: a part is not a number."""
    parts = _PART.findall(text)
    for part in parts:
        if not _NUMBER.fullmatch(part):
            raise ValueError(f"{shown(part)} is no number")
    return list(map(float, parts))


def real_number(value: Any) -> float:
    """Return a number of YAML or JSON, or one in a text. Raises ValueError: not a number, or a bool."""
    if isinstance(value, str):
        numbers = decimals(value)
        if len(numbers) != 1:
            raise ValueError(f"{shown(value)} is no number")
        return numbers[0]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{shown(value)} is no number")
    try:
        return float(value)
    except OverflowError:  # a whole number that no float holds
        return math.inf if value > 0 else -math.inf
