"""What became of the joint states of a bag."""

from dataclasses import dataclass, field
from typing import Any

from modular_dynamics_ros.bag.efforts import ResidualFigures
from modular_dynamics_ros.diagnostics.statuses import MessageCounts

__all__ = ["Report"]

#: Causes that are no flaw of a recording: a filter begins, and several publishers overtake each other.
USUAL = ("filter starts", "older than the last answer")


@dataclass
class Report:
    """Counts, residuals, and where the bag is damaged.

    Attributes:
        robot: its name. clock: recorded or stamps. damaged: messages whose bytes could not be read.
        damage: why the bag could not be read to its end; empty where it could.
    """

    robot: str = ""
    clock: str = ""
    counts: MessageCounts = field(default_factory=MessageCounts)
    figures: dict[tuple[str, ...], ResidualFigures] = field(default_factory=dict)
    damaged: int = 0
    damage: str = ""
    written: list[str] = field(default_factory=list)

    @property
    def findings(self) -> bool:
        """Whether something is wrong with the recording."""
        bad = any(cause not in USUAL for cause in self.counts.rejected)
        return bad or bool(self.damaged or self.damage or not self.counts.answered)

    @property
    def residuals(self) -> dict[str, tuple[float, float]]:
        """(root of the mean square, largest) [N m or N] by joint with efforts, of the last robot."""
        return list(self.figures.values())[-1].by_joint() if self.figures else {}

    def lines(self) -> list[str]:
        """As text."""
        counts = self.counts
        rows = [
            f"{self.robot}: {counts.received} joint states, {counts.answered} answered "
            f"(clock: {'when they were recorded' if self.clock == 'recorded' else 'their stamps'})"
        ]
        rows += [f"  not answered, {cause}: {count}" for cause, count in sorted(counts.rejected.items())]
        for count, text in (
            (counts.incomplete, "read, while other joints are awaited"),
            (counts.of_other_joints, "of other joints"),
            (self.damaged, "messages that are damaged"),
            (counts.closed_anew, "answered after a new search for the assembly mode"),
        ):
            rows += [f"  {text}: {count}"] if count else []
        return [*rows, *(f"written: {path}" for path in self.written)]

    def record(self) -> dict[str, Any]:
        """As JSON takes it."""
        counts = self.counts
        return {
            "robot": self.robot,
            "clock": self.clock,
            "received": counts.received,
            "answered": counts.answered,
            "incomplete": counts.incomplete,
            "of_other_joints": counts.of_other_joints,
            "rejected": dict(counts.rejected),
            "closed_anew": counts.closed_anew,
            "damaged_messages": self.damaged,
            "damage": self.damage,
            "residuals": {
                name: {"rms": rms, "largest": most} for name, (rms, most) in self.residuals.items()
            },
            "written": self.written,
        }
