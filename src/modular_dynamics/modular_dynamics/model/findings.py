"""Defects of a robot description that were accepted: one value for each, and summaries by kind."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

#: Number of elements that the summary of one kind names.
SHOWN = 4


@dataclass(frozen=True, slots=True)
class Finding:
    """Something in a description that looks wrong, and what was assumed instead of refusing it.

    Attributes:
        kind: one ModelWarning summarizes all findings of a kind: see docs/reference/description_checks.md.
        element: "link", "joint" or another element of the description. name: its name.
        text: what is wrong.
        line: of the element in its file, or a partition file with the line in it; None if not known.
        assumed: what was assumed, to be read after the text: "; it is ignored". Left out where the
            description is refused. hint: further advice, after both.
        asks: whether it is only a question of plausibility, for which no description is refused.
    """

    kind: str
    element: str
    name: str
    text: str
    line: int | str | None = None
    assumed: str = ""
    hint: str = ""
    asks: bool = False

    def __str__(self) -> str:
        where = f"line {self.line}: " if isinstance(self.line, int) else f"{self.line}: " if self.line else ""
        return f"{where}{self.text}{self.assumed}{self.hint}"


def refusals_by_kind(findings: Iterable[Finding]) -> list[str]:
    """Return summaries as `summaries_by_kind` does, without the assumptions, for a rejected description."""
    return summaries_by_kind([replace(finding, assumed="") for finding in findings])


def summaries_by_kind(findings: Iterable[Finding]) -> list[str]:
    """Return one line per kind: the finding itself, or their number, first names and first text."""
    by_kind: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        by_kind.setdefault((finding.kind, finding.element), []).append(finding)
    return [_summary(kind, of_kind) for (kind, _), of_kind in by_kind.items()]


def _summary(kind: str, findings: list[Finding]) -> str:
    first = findings[0]
    if len(findings) == 1:
        return str(first)
    names = list(dict.fromkeys(f"'{finding.name}'" for finding in findings))
    if len(names) == 1:  # several findings about one element, such as both limits of a joint
        return f"{kind}: {'; '.join(map(str, findings))}"
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    elements = first.element + ("es" if first.element.endswith("x") else "s")
    return f"{kind}: {len(names)} {elements}, {', '.join(names[:SHOWN])}{more}. The first: {first}"
