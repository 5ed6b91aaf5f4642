"""Data of a file with one value replaced by a wrong one, each in turn."""

import copy

__all__ = ["WRONG", "changed", "leaves"]

#: Of a wrong kind wherever a file has a number or a text.
WRONG = (
    None,
    True,
    [],
    {},
    [1.0, 2.0],
    {"x": 1},
    float("nan"),
    float("inf"),
    -float("inf"),
    1e60,
    "",
    "no such",
)


def leaves(data, path=()):
    """The paths to all values that are no mappings and no lists."""
    if isinstance(data, dict | list):
        for key in data if isinstance(data, dict) else range(len(data)):
            yield from leaves(data[key], (*path, key))
    else:
        yield path


def at(data, path):
    """The value at a path."""
    for key in path:
        data = data[key]
    return data


def changed(data, path, value):
    """A copy with another value at a path."""
    twin = copy.deepcopy(data)
    at(twin, path[:-1])[path[-1]] = value
    return twin
