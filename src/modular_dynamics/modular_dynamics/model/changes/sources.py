"""Texts from which the links of a graph were read: shapes and colours, which a graph lacks, are in them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class SourceText:
    """A plain URDF, and which links of a graph were read from it.

    Attributes:
        prefix: what was put before all its names since.
        links: names in the text, without the prefix, of the links that are still there.
    """

    text: str = field(repr=False)
    prefix: str
    links: frozenset[str]


def renamed_sources(sources: tuple[SourceText, ...], prefix: str) -> tuple[SourceText, ...]:
    """Return the texts of a robot with a further prefix before all its names."""
    return tuple(replace(source, prefix=prefix + source.prefix) for source in sources)


def sources_of(sources: tuple[SourceText, ...], links: Collection[str]) -> tuple[SourceText, ...]:
    """Return the texts of which some of these links are part, each with those links, so that none pile up."""
    kept = []
    for source in sources:
        own = frozenset(link for link in source.links if source.prefix + link in links)
        if own:
            kept.append(source if len(own) == len(source.links) else replace(source, links=own))
    return tuple(kept)
