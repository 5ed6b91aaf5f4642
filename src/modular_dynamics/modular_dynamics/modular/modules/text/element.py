"""A mapping of a file whose values are checked: errors name the file, the line, the element and its value."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from reprlib import Repr
from typing import Any, NamedTuple

from ....exceptions import DescriptionError, ModelError
from ....text.numbers import LARGEST
from ...names import LONGEST_NAME, NAME, is_name, shown

__all__ = ["Element"]

_short = Repr()
_short.maxlevel, _short.maxlist, _short.maxdict, _short.maxstring = 2, 9, 4, 60


class Element(NamedTuple):
    """A mapping at a path of a file.

    Attributes:
        file: as messages name it. path: keys from the file's top to here, such as 'bodies/cube/'.
    """

    item: Mapping[str, Any]
    file: str
    path: str = ""

    @classmethod
    def top(cls, item: object, file: str, needed: str) -> Element:
        """Return the content of a file as an element. Raises DescriptionError: it is not a mapping."""
        if not isinstance(item, Mapping):
            raise DescriptionError(f"the content is {_short.repr(item)}; {needed} is needed", file)
        return cls(item, file)

    def failure(self, key: object, what: str) -> DescriptionError:
        """Return the error about the value of a key; ``what`` follows its path."""
        line = getattr(self.item, "lines", {}).get(key)
        where = self.file if line is None else f"{self.file}, line {line}"
        named = f"{self.path}{key if isinstance(key, str) and len(key) <= LONGEST_NAME else shown(key)}"
        named = named.rstrip("/")
        return DescriptionError(f"{named}{what}".removeprefix(": "), where)

    def wrong(self, key: str, needed: str) -> DescriptionError:
        """Return the error about a value of another kind."""
        return self.failure(key, f" is {_short.repr(self.item[key])}; {needed} is needed")

    def require(self, needed: Collection[str], optional: Collection[str] = ()) -> Element:
        """Return this element, after checking its keys. Raises DescriptionError: missing or unknown keys."""
        known = [*needed, *optional]
        for key in self.item:
            if key not in known:
                raise self.failure(key, f" is an unknown key; known: {', '.join(known)}")
        for key in needed:
            if key not in self.item:
                raise self.failure(key, " is missing")
        return self

    @contextmanager
    def located(self, key: object = "") -> Iterator[None]:
        """Convert a ModelError raised inside into a DescriptionError about the value of the key."""
        try:
            yield
        except ModelError as error:
            raise self.failure(key, f": {error}") from None

    def number(
        self, key: str, default: float = 0.0, least: float = -LARGEST, largest: float = LARGEST
    ) -> float:
        """Return the value of a key as a finite number."""
        if key not in self.item:
            return default
        value = self.item[key]
        if not _is_number(value) or not least <= value <= largest:
            bound = f" of at least {least:g}" if least > -LARGEST else ""
            raise self.wrong(key, f"a finite number{bound}{_at_most(value, largest)}")
        return float(value)

    def numbers(
        self, key: str, count: int | None, default: Sequence[float] = (), least: float = -LARGEST
    ) -> list[float]:
        """Return the value of a key as a list of ``count`` finite numbers; None: any number of them."""
        value = self.item.get(key, default)
        right = isinstance(value, list | tuple) and all(
            _is_number(part) and least <= part <= LARGEST for part in value
        )
        if not right or (count is not None and len(value) != count):
            bound = f" of at least {least:g}" if least > -LARGEST else ""
            raise self.wrong(key, f"a list of {'' if count is None else f'{count} '}finite numbers{bound}")
        return [float(part) for part in value]

    def text(self, key: str, default: str = "") -> str:
        """Return the value of a key as text that is not empty."""
        value = self.item.get(key, default)
        if key in self.item and not (isinstance(value, str) and value.strip()):
            raise self.wrong(key, "text")
        return str(value)

    def choice(self, key: str, choices: Collection[str], default: str = "") -> str:
        """Return the value of a key, one of ``choices``."""
        value = self.item.get(key, default)
        if not isinstance(value, str) or value not in choices:
            raise self.wrong(key, f"one of {', '.join(choices)}")
        return value

    def element(self, key: str, default: Mapping[str, Any] | None = None) -> Element:
        """Return the value of a key, a mapping, as an element."""
        value = self.item.get(key, default)
        if not isinstance(value, Mapping):
            raise self.wrong(key, "a mapping")
        return Element(value, self.file, f"{self.path}{key}/")

    def named(self, key: str, default: Mapping[str, Any] | None = None) -> dict[str, Element]:
        """Return the value of a key, a mapping of mappings, as elements; names of digits may be numbers."""
        outer = self.element(key, default)
        found: dict[str, Element] = {}
        for name, value in outer.item.items():
            if type(name) not in (str, int) or not is_name(str(name)):
                raise outer.failure(name, f" is no name; {NAME} is needed")
            if str(name) in found:
                raise outer.failure(name, " stands twice")
            if not isinstance(value, Mapping):
                raise outer.wrong(name, "a mapping")
            found[str(name)] = Element(value, self.file, f"{outer.path}{name}/")
        return found

    def elements(self, key: str, default: Sequence[Any] = ()) -> list[Element]:
        """Return the value of a key, a list of mappings, as elements."""
        value = self.item.get(key, default)
        if not isinstance(value, list | tuple) or not all(isinstance(part, Mapping) for part in value):
            raise self.wrong(key, "a list of mappings")
        return [Element(part, self.file, f"{self.path}{key}/{k}/") for k, part in enumerate(value)]


def _is_number(value: object) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)  # a bool is an int in Python


def _at_most(value: object, largest: float) -> str:
    too_large = _is_number(value) and value > largest  # type: ignore[operator]
    return f" and at most {largest:g}" if too_large else ""
