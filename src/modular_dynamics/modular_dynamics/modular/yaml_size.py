"""How much YAML may hold: aliases make few lines much data, or data without an end."""

import math
from typing import Any

import yaml

from ..exceptions import DescriptionError

__all__ = ["BoundedLoader"]

#: Values and keys of one document, those that aliases repeat included.
MOST_VALUES = 1_000_000


class BoundedLoader(yaml.SafeLoader):
    """Safe YAML of a limited size. Raises DescriptionError: too many values, or values without an end."""

    def construct_document(self, node: yaml.Node) -> Any:
        """The data of one document."""
        size = _size(node, {})
        if math.isinf(size):
            raise DescriptionError("an alias in this YAML contains itself", node.start_mark.line + 1)
        if size > MOST_VALUES:
            raise DescriptionError(
                f"this YAML has more than {MOST_VALUES} values, counting what its aliases repeat",
                node.start_mark.line + 1,
            )
        return super().construct_document(node)


def _size(node: yaml.Node, known: dict[int, float]) -> float:
    """Number of values with all aliases expanded; infinite where one contains itself."""
    if isinstance(node, yaml.ScalarNode):
        return 1.0
    if id(node) not in known:
        known[id(node)] = math.inf  # until it is counted
        pairs = isinstance(node, yaml.MappingNode)
        parts = [part for pair in node.value for part in pair] if pairs else node.value
        known[id(node)] = 1.0 + sum([_size(part, known) for part in parts])
    return known[id(node)]
