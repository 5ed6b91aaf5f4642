"""A mapping of a file whose values are checked: errors name the file, the line, the element and its value."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from reprlib import Repr
from typing import Any, NamedTuple

from ..exceptions import DescriptionError, ModelError
from .numbers import LARGEST

_short = Repr()
_short.maxlevel, _short.maxlist, _short.maxdict, _short.maxstring = 2, 9, 4, 60
#: Most characters of a key in a message.
_LONGEST_KEY = 100


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the end of an error message about an unknown name, with similar known ones."""
    choices = list(known)
    similar = get_close_matches(name, choices, 3, 0.6)
    shown = similar or choices[:12]
    if not shown:
        return "; there is none"
    return f"; {'similar ones' if similar else 'known are'}: {', '.join(shown)}"


class Element(NamedTuple):
    """A mapping at a path of a file.

    Attributes:
        item: the mapping. file: its name in messages. path: keys from the file's top, such as 'bodies/cube/'.
        error: class of all errors.
    """

    item: Mapping[Any, Any]
    file: str
    path: str = ""
    error: type[DescriptionError] = DescriptionError

    @classmethod
    def top(
        cls, item: object, file: str, needed: str, error: type[DescriptionError] = DescriptionError
    ) -> Element:
        """Return the content of a file as an element. Raises DescriptionError: it is not a mapping."""
        if not isinstance(item, Mapping):
            raise error(f"the content is {_short.repr(item)}; {needed} is needed", file)
        return cls(item, file, "", error)

    def failure(self, key: object, what: str) -> DescriptionError:
        """Return the error about the value of a key; ``what`` follows its path."""
        line = getattr(self.item, "lines", {}).get(key)
        where = ", ".join([self.file] * bool(self.file) + [f"line {line}"] * (line is not None))
        shown = key if isinstance(key, str) and len(key) <= _LONGEST_KEY else _short.repr(key)
        return self.error(f"{f'{self.path}{shown}'.rstrip('/')}{what}".removeprefix(": "), where or None)

    def wrong(self, key: object, needed: str) -> DescriptionError:
        """Return the error about a value of another kind, or a missing one."""
        if key not in self.item:
            return self.failure(key, f" is missing; {needed} is needed")
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
        self, key: str, default: float | None = 0.0, least: float = -LARGEST, largest: float = LARGEST
    ) -> float:
        """Return the value of a key as a finite number; default None: it is needed."""
        if key not in self.item and default is not None:
            return default
        value = self.item.get(key)
        if not _is_number(value, least, largest):
            is_too_large = _is_number(value) and value > least  # type: ignore[operator]
            at_most = f" and at most {largest:g}" if is_too_large or largest < LARGEST else ""
            raise self.wrong(key, f"a finite number{_bound(least)}{at_most}")
        return float(value)  # type: ignore[arg-type]

    def numbers(
        self, key: str, count: int | None, default: Sequence[float] = (), least: float = -LARGEST
    ) -> list[float]:
        """Return the value of a key as a list of ``count`` finite numbers; None: any number of them."""
        value = self.item.get(key, default)
        right = isinstance(value, list | tuple) and all(_is_number(part, least, LARGEST) for part in value)
        if not right or (count is not None and len(value) != count):
            needed = "" if count is None else f"{count} "
            raise self.wrong(key, f"a list of {needed}finite numbers{_bound(least)}")
        return [float(part) for part in value]

    def whole(self, key: str, default: int | None, least: int = 0, largest: int = 2**63 - 1) -> int:
        """Return the value of a key as a whole number within bounds; default None: it is needed."""
        value = self.item.get(key, default)
        if type(value) is not int or not least <= value <= largest:
            raise self.wrong(key, f"a whole number from {least} to {largest}")
        return value

    def text(self, key: str, default: str | None = "") -> str:
        """Return the value of a key as text that is not empty; default None: it is needed."""
        value = self.item.get(key, default)
        if (key in self.item or default is None) and not (isinstance(value, str) and value.strip()):
            raise self.wrong(key, "text (a number is written in quotes)")
        return str(value)

    def texts(self, key: str, default: Sequence[str] = ()) -> tuple[str, ...]:
        """Return the value of a key as a tuple of texts."""
        value = self.item.get(key, default)
        if not isinstance(value, list | tuple) or not all(isinstance(one, str) and one for one in value):
            raise self.wrong(key, "a list of names")
        return tuple(value)

    def choice(self, key: str, choices: Collection[str], default: str = "") -> str:
        """Return the value of a key, one of ``choices``."""
        value = self.item.get(key, default)
        if not isinstance(value, str) or value not in choices:
            raise self.wrong(key, f"one of {', '.join(choices)}")
        return value

    def element(self, key: str, default: Mapping[Any, Any] | None = None) -> Element:
        """Return the value of a key, a mapping, as an element."""
        value = self.item.get(key, default)
        if not isinstance(value, Mapping):
            raise self.wrong(key, "a mapping")
        return self._replace(item=value, path=f"{self.path}{key}/")

    def names(self) -> list[str]:
        """Return the names that are the keys; names of digits may be numbers."""
        names = dict[str, None]()
        for key in self.item:
            if type(key) not in (str, int) or not str(key).strip() or str(key) in names:
                raise self.failure(key, " stands twice" if str(key) in names else " is no name")
            names[str(key)] = None
        return list(names)

    def named(self, key: str, default: Mapping[str, Any] | None = None) -> dict[str, Element]:
        """Return the value of a key, a mapping of mappings, as elements by name."""
        outer = self.element(key, default)
        return {name: outer.element(own) for name, own in zip(outer.names(), outer.item, strict=True)}

    def elements(self, key: str, default: Sequence[Any] = ()) -> list[Element]:
        """Return the value of a key, a list of mappings, as elements."""
        value = self.item.get(key, default)
        if not isinstance(value, list | tuple) or not all(isinstance(part, Mapping) for part in value):
            raise self.wrong(key, "a list of mappings")
        return [self._replace(item=part, path=f"{self.path}{key}/{k}/") for k, part in enumerate(value)]


def _is_number(value: object, least: float = -math.inf, largest: float = math.inf) -> bool:
    """Return whether a value is a finite number within bounds; a bool, an int in Python, is none."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and abs(value) < math.inf and least <= value <= largest  # type: ignore[operator, arg-type]


def _bound(least: float) -> str:
    """Return the end of a message about a number's lower bound; empty without one."""
    return f" of at least {least:g}" if least > -LARGEST else ""
