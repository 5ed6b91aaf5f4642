"""The partition file: YAML with the content of our tags, as a mapping that remembers its lines."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from ..exceptions import PartitionError
from .checks.values import LINE

__all__ = ["read_partition"]


class _LineLoader(yaml.SafeLoader):
    """YAML mappings that remember their file and line."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        mapping = super().construct_mapping(node, deep=deep)
        mapping[LINE] = f"{Path(node.start_mark.name).name}, line {node.start_mark.line + 1}"
        return mapping


def read_partition(partition: str | Path | Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The mapping of a partition file, or ``partition`` itself if it is a mapping or None.

    Raises:
        PartitionError: no such file, not YAML, or not a mapping.
    """
    if partition is None or isinstance(partition, Mapping):
        return None if partition is None else dict(partition)
    path = Path(partition).expanduser()
    if not path.is_file():
        raise PartitionError(f"no partition file at '{path}'")
    try:
        with path.open(encoding="utf-8") as file:  # the open file, because its name is in every mark
            content = yaml.load(file, _LineLoader)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise PartitionError(f"'{path}' is not YAML: {error}") from None
    if not isinstance(content, dict):
        raise PartitionError(f"'{path}' does not hold a mapping (version: 1, subsystems: ...)")
    return content
