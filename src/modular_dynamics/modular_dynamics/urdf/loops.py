"""Whether a description closes loops, read from the tags alone: no model is built, no kernel is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .source import parse_xml, read_text
from .tags import merged_sections, read_partition, read_tags

__all__ = ["has_loops"]

#: Sections that make joints follow other joints.
_CLOSING = ("loop_joints", "passive", "gears")


def has_loops(source: str | Path, partition: str | Path | Mapping[str, Any] | None = None) -> bool:
    """Whether loops, gears or passive joints make some joints follow others.

    The values of the tags are not checked; :func:`load_urdf` does that.

    Args:
        source: URDF text, or the path of a file.
        partition: YAML file (or its content) that wins over the tags, section by section.

    Raises:
        UrdfError: not a URDF, or an unknown tag.
        PartitionError: no such partition file, or not a YAML mapping.
    """
    tags = read_tags(parse_xml(read_text(source)))
    sections = merged_sections(tags, None if partition is None else read_partition(partition))
    return any(sections.get(name) for name in _CLOSING)
