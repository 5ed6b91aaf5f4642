"""How a node declares and checks its parameters, and what files and command lines set.

Each node has a frozen dataclass with a field for each parameter:

```python
@dataclass(frozen=True)
class Parameters:
    rate: float = parameter(0.0, "answers per second", unit="Hz", low=0.0, high=10_000.0)
```
Whole numbers are accepted for a float, as YAML writes 200 for 200.0.
"""

import math
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import Field, dataclass, field, fields, replace
from difflib import get_close_matches
from enum import Enum
from functools import partial
from itertools import pairwise
from textwrap import fill, indent
from typing import TYPE_CHECKING, Any, TypeVar

import yaml

from modular_dynamics_ros.exceptions import ParameterError, listed

if TYPE_CHECKING:
    from rclpy.node import Node
    from rclpy.parameter import Parameter

try:
    from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
    from rclpy.exceptions import InvalidParameterValueException
except ImportError:  # the command bag runs without ROS: it declares nothing
    FloatingPointRange = IntegerRange = ParameterDescriptor = InvalidParameterValueException = None

Table = TypeVar("Table")
SIMILAR = 0.8  # ratio of difflib from which on a name may be a misspelt one
DURATION: dict[str, Any] = {"unit": "s", "low": 0.001, "high": 3600.0}
#: 0: never; else at least once in 100 s.
RATE: dict[str, Any] = {"unit": "Hz", "low": 0.01, "high": 10_000.0, "or_zero": True}
GRAVITY: dict[str, Any] = {"unit": "m/s^2", "length": 3, "low": -1e4, "high": 1e4}


class Change(Enum):
    """When a parameter may change."""

    ALWAYS = "at run time"
    UNCONFIGURED = "while the node is unconfigured"
    NEVER = "only when the node starts"


@dataclass(frozen=True)
class Spec:
    """Describes and bounds a parameter.

    Attributes:
        or_zero: whether 0 is allowed beside `low` to `high`. length: numbers that a tuple must have; None: it
        is a list of names. change: when the parameter may change.
    """

    description: str
    unit: str = ""
    low: float = -math.inf
    high: float = math.inf
    or_zero: bool = False
    choices: tuple[str, ...] = ()
    length: int | None = None
    change: Change = Change.ALWAYS

    @property
    def bounded(self) -> bool:
        """Whether both bounds are finite."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    def allows(self, value: float) -> bool:
        """Return whether a number is within the bounds."""
        is_within = self.low <= value <= self.high and math.isfinite(value)
        return is_within or (self.or_zero and value == 0.0)


def parameter(default: Any, description: str, **options: Any) -> Any:
    """Return a dataclass field that declares one parameter, typed by its default.

    ``default``: bool, int, float, str, or tuple of floats or strings; ``options``: attributes of `Spec`.
    """
    return field(default=default, metadata={"spec": Spec(description, **options)})


unconfigured = partial(parameter, change=Change.UNCONFIGURED)
constant = partial(parameter, change=Change.NEVER)


def checked(entry: Field[Any], value: Any) -> Any:
    """Return the value as the dataclass stores it.

    Raises:
        ParameterError: wrong type, out of bounds, not among the choices.
    """
    spec: Spec = entry.metadata["spec"]
    kind: Any = type(entry.default)
    if kind is tuple:
        return _checked_tuple(entry, value)
    if kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind:
        hint = _unquoted(entry) if kind is str and isinstance(value, bool) else ""
        raise ParameterError(f"{entry.name} must be {_kind_in_words(entry)}, not {value!r}{hint}")
    if spec.choices and value not in spec.choices:
        raise ParameterError(f"{entry.name} must be one of {', '.join(spec.choices)}, not '{value}'")
    if kind in (int, float) and not spec.allows(value):
        zero = "be 0, or " if spec.or_zero else ""
        bounds = f"{zero}lie between {spec.low:g} and {spec.high:g} {spec.unit}".rstrip()
        raise ParameterError(f"{entry.name} must {bounds}, not {value:g}")
    return value


def _checked_tuple(entry: Field[Any], value: Any) -> tuple[Any, ...]:
    """Return `checked` of a list of numbers or names, without empty names."""
    spec: Spec = entry.metadata["spec"]
    numbers = spec.length is not None
    is_list = hasattr(value, "__iter__") and not isinstance(value, str | bytes)
    wanted = (int, float) if numbers else (str,)
    if not is_list or any(type(item) not in wanted for item in value):
        unquoted = is_list and not numbers and any(isinstance(item, bool) for item in value)
        hint = _unquoted(entry) if unquoted else ""
        raise ParameterError(f"{entry.name} must be {_kind_in_words(entry)}, not {value!r}{hint}")
    items: tuple[Any, ...] = tuple(float(v) for v in value) if numbers else tuple(v for v in value if v)
    if numbers and (len(items) != spec.length or not all(map(spec.allows, items))):
        raise ParameterError(f"{entry.name} must be {_kind_in_words(entry)}, not {list(items)}")
    if len(set(items)) < len(items) and not numbers:
        raise ParameterError(f"{entry.name} names something twice: {', '.join(items)}")
    return items


def _kind_in_words(entry: Field[Any]) -> str:
    """Return the needed kind of value, for errors."""
    spec: Spec = entry.metadata["spec"]
    if spec.choices:
        return f"one of {', '.join(spec.choices)}"
    if isinstance(entry.default, tuple):
        bounds = f" between {spec.low:g} and {spec.high:g} {spec.unit}".rstrip() if spec.bounded else ""
        return f"{spec.length} finite numbers{bounds}" if spec.length else "a list of names"
    kinds: dict[type, str] = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
    return kinds[type(entry.default)]


def _unquoted(entry: Field[Any]) -> str:
    """Return what to write where YAML has made true or false of a text, for errors."""
    word = next(iter(entry.metadata["spec"].choices), "on")
    example = f'["{word}"]' if isinstance(entry.default, tuple) else f'"{word}"'
    return (
        f"; YAML reads on, off, yes and no as true or false: quote them, as in -p '{entry.name}:={example}'"
    )


def declare(node: "Node", table: type[Table]) -> Table:
    """Declare every parameter of the dataclass on the node and return the values it starts with.

    Raises:
        ParameterError: a value given at the start is refused.
    """
    values = {}
    for entry in fields(table):  # type: ignore[arg-type]  # TypeVar is not bound to dataclasses
        try:
            given = node.declare_parameter(entry.name, _for_ros(entry.default), _descriptor(entry)).value
        except InvalidParameterValueException as error:
            raise ParameterError(str(error)) from error
        nothing = given is None and entry.default == ()  # of [] in a file, which has no type in ROS
        values[entry.name] = () if nothing else checked(entry, given)
    _warn_of_unknown(node, values)
    return table(**values)


def _warn_of_unknown(node: "Node", known: "Iterable[str]") -> None:
    """Name the parameters at the start that the node does not have; rclpy ignores them.

    A section for all nodes, such as /**, may have other nodes' parameters: these are no warning.
    """
    unknown: dict[str, bool] = {}
    for name, of_all in given_names(sys.argv, node.get_fully_qualified_name()):
        # rclpy declares those about QoS with publishers and subscriptions
        if not node.has_parameter(name) and not name.startswith("qos_overrides."):
            unknown[name] = of_all and unknown.get(name, True)
    for name, of_all in unknown.items():
        close, log = get_close_matches(name, known, 1, SIMILAR), node.get_logger()
        text = f"there is no parameter '{name}', and its value is ignored"
        if close:
            log.warning(f"{text}; is '{close[0]}' meant?")
        elif of_all:
            log.info(text)
        else:
            log.warning(text)


def changed(current: Table, changes: "Iterable[Parameter]", *, configured: bool) -> Table:
    """Return `current` with these changes; parameters that are not in the table (use_sim_time) are ignored.

    Raises:
        ParameterError: a value is refused, or the parameter may not change now.
    """
    entries: Mapping[str, Field[Any]] = {entry.name: entry for entry in fields(current)}  # type: ignore[arg-type]
    values = {}
    for change in changes:
        if change.name not in entries:
            continue
        entry = entries[change.name]
        when = entry.metadata["spec"].change
        if when is Change.NEVER or (when is Change.UNCONFIGURED and configured):
            raise ParameterError(f"{change.name} may change {when.value}")
        values[change.name] = checked(entry, change.value)
    return replace(current, **values)  # type: ignore[type-var]


def describe(entry: Field[Any]) -> str:
    """Return description, unit and allowed values of a parameter."""
    spec: Spec = entry.metadata["spec"]
    words = [
        spec.description,
        f"one of {', '.join(spec.choices)}" if spec.choices else "",
        f"{'0, or ' if spec.or_zero else ''}{spec.low:g} to {spec.high:g} {spec.unit}".rstrip()
        if spec.bounded
        else spec.unit and f"[{spec.unit}]",
    ]
    return "; ".join(word for word in words if word)


def _for_ros(default: Any) -> Any:
    """Return the default for ROS, with [''] for an empty list, which has no type; `checked` drops it."""
    return (list(default) or [""]) if isinstance(default, tuple) else default


def _descriptor(entry: Field[Any]) -> "ParameterDescriptor":
    """Return what `ros2 param describe` shows; types are dynamic, as whole numbers count as floats."""
    spec: Spec = entry.metadata["spec"]
    descriptor = ParameterDescriptor(
        description=f"{describe(entry)}; may change {spec.change.value}",
        dynamic_typing=True,
        read_only=spec.change is Change.NEVER,
    )
    low = min(0.0, spec.low) if spec.or_zero else spec.low  # a range of ROS has no gap
    if spec.bounded and not isinstance(entry.default, tuple):  # ROS knows no ranges of lists
        if isinstance(entry.default, int):
            descriptor.integer_range = [IntegerRange(from_value=int(low), to_value=int(spec.high))]
        else:
            descriptor.floating_point_range = [FloatingPointRange(from_value=low, to_value=spec.high)]
    return descriptor


def usage(name: str, about: str, table: type) -> str:
    """Return what a node prints for --help.

    Args:
        about: the docstring of the node's module. table: its parameters.
    """
    lines = [
        f"usage: ros2 run modular_dynamics_ros {name} [--ros-args -p PARAMETER:=VALUE ...]",
        "",
        about.strip(),
        "",
        f"parameters, with their defaults (+ may change {Change.ALWAYS.value}):",
    ]
    for entry in fields(table):
        default = list(entry.default) if isinstance(entry.default, tuple) else entry.default
        mark = "+" if entry.metadata["spec"].change is Change.ALWAYS else " "
        lines += [f" {mark} {entry.name}: {default!r}", indent(fill(describe(entry), 95), 5 * " ")]
    return "\n".join(lines)


# Parameter files and command lines. The keys of a file from the outermost to the one above `ros__parameters`,
# joined by `/`, name a section. `*` stands for one part of a node's full name, `**` for any number of them.

VALUES = "ros__parameters"


class _Loader(yaml.SafeLoader):
    """A YAML 1.1 loader that also reads numbers such as 5e-05 and 1e3, as ROS does."""


_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)[eE][-+]?[0-9]+$"),
    list("-+.0123456789"),
)


def parameters_in_file(path: str, node: str) -> dict[str, Any]:
    """Return the values that a file has for a node; later sections take precedence.

    Args:
        node: its full name, such as /left/dynamics_node.

    Raises:
        ParameterError: no YAML, an alias in it, or no section for this node.
    """
    sections = _sections_in_file(path, node)
    return {str(name): value for values in sections.values() for name, value in values.items()}


def _sections_in_file(path: str, node: str) -> dict[str, Mapping[str, Any]]:
    """Return the values of each section for a node: see `parameters_in_file`."""
    with open(path, encoding="utf-8") as file:
        try:
            text = file.read()
            if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, _Loader)):
                raise ParameterError(
                    f"'{path}' has an alias (*), which ROS does not read: write the values out"
                )
            content = yaml.load(text, _Loader)
        except (yaml.YAMLError, RecursionError, ValueError) as error:  # ValueError: of a date or a number
            raise ParameterError(f"'{path}' is no YAML: {' '.join(str(error).split())}") from error
    sections = dict(_sections(content, ())) if isinstance(content, Mapping) else {}
    if not sections:
        raise ParameterError(f"'{path}' has no parameters: sections NODE, then {VALUES} are needed")
    found = {name: values for name, values in sections.items() if _is_about(name, node)}
    if not found:
        raise ParameterError(f"'{path}' has no parameters of the node '{node}', but of {listed([*sections])}")
    return found


def given_names(words: Sequence[str], node: str) -> Iterator[tuple[str, bool]]:
    """Yield the names of parameters that a command line sets for a node; unreadable files are ignored.

    With each name: whether it is in a section of a file for nodes of any name.

    Args:
        words: of the command line. node: its full name.
    """
    of_ros = False
    for word, following in pairwise([*words, ""]):
        if word in ("--ros-args", "--"):
            of_ros = word == "--ros-args"
        elif of_ros and word in ("-p", "--param"):
            whose, _, name = following.partition(":=")[0].rpartition(":")
            if whose in ("", node.rpartition("/")[2]):
                yield name, False
        elif of_ros and word == "--params-file":
            with suppress(OSError, ParameterError):
                for section, values in _sections_in_file(following, node).items():
                    for name in _full_names(values):
                        yield name, "*" in section.rpartition("/")[2]


def _full_names(values: Mapping[Any, Any]) -> Iterator[str]:
    """Yield the names of parameters in a section; those in nested mappings are joined by dots, as by ROS."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from (f"{name}.{inner}" for inner in _full_names(value))
        else:
            yield str(name)


def _sections(content: Mapping[Any, Any], keys: tuple[str, ...]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the name and the values of each section of a file, nested names joined."""
    for key, value in content.items():
        if not isinstance(value, Mapping):
            continue
        if key == VALUES and keys:
            yield "/" + "/".join(part.strip("/") for part in keys), value
        else:
            yield from _sections(value, (*keys, str(key)))


def _is_about(section: str, node: str) -> bool:
    """Return whether the name of a section, perhaps with * or **, matches a node's full name."""
    pattern = re.escape(section).replace(r"/\*\*", r"(/\w+)*").replace(r"/\*", r"/\w+")
    return re.fullmatch(pattern, node) is not None
