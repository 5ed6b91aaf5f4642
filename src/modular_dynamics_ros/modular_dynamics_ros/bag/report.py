"""What became of the joint states of a bag, and of the other inputs."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from modular_dynamics_ros.bag.awaited import AwaitedJoints
from modular_dynamics_ros.bag.efforts import ResidualFigures
from modular_dynamics_ros.computation.accelerations.acceleration_source import filter_lag
from modular_dynamics_ros.diagnostics.statuses import MessageCounts
from modular_dynamics_ros.exceptions import listed
from modular_dynamics_ros.parameters.dynamics import DynamicsParameters

__all__ = ["Report"]

#: Causes that are no flaw of a recording: a filter begins, and several publishers overtake each other.
USUAL = ("filter starts", "older than the last answer", "older than the last one")


@dataclass
class Report:
    """Counts, residuals, and where the bag is damaged.

    Attributes:
        robot: its name. joints: whose states it needs. others: names in joint states that it does not have.
        clock: recorded or stamps. refused: messages beside joint states, by what they are of and cause.
        uncovered: answers with accelerations of zero because no reference covers them.
        damaged: messages whose bytes could not be read.
        damage: why the bag could not be read to its end; empty where it could.
    """

    parameters: DynamicsParameters
    zero_phase: bool = False
    robot: str = ""
    joints: Sequence[str] = ()
    others: Sequence[str] = ()
    clock: str = ""
    counts: MessageCounts = field(default_factory=MessageCounts)
    awaited: AwaitedJoints = field(default_factory=AwaitedJoints)
    refused: Counter[tuple[str, str]] = field(default_factory=Counter)
    uncovered: int = 0
    figures: dict[tuple[str, ...], ResidualFigures] = field(default_factory=dict)
    damaged: int = 0
    damage: str = ""
    written: list[str] = field(default_factory=list)

    @property
    def findings(self) -> bool:
        """Whether something is wrong with the recording."""
        causes = [*self.counts.rejected, *(cause for _, cause in self.refused)]
        bad = any(cause not in USUAL for cause in causes) or bool(self.awaited.in_vain)
        return bad or bool(self.damaged or self.damage or not self.counts.answered)

    @property
    def residuals(self) -> dict[str, tuple[float, float]]:
        """(Root mean square, largest) [N m or N] by joint with efforts, of the last robot."""
        return list(self.figures.values())[-1].by_joint() if self.figures else {}

    def accelerations(self) -> str:
        """One line on the source of accelerations in the residuals; empty if they have no influence."""
        p = self.parameters
        if p.output == "gravity" or p.acceleration_source == "reference":
            return ""
        if p.acceleration_source == "zero":
            return "accelerations: zero (--zero-phase takes them from velocities)"
        if self.zero_phase:
            return f"accelerations: of velocities, not delayed (zero-phase filter of {p.filter_cutoff:g} Hz)"
        late = f"{1e3 * filter_lag(p.filter_cutoff):.0f} ms late"
        late += f" at {p.filter_cutoff:g} Hz"
        return f"accelerations: as the node's, {late} (--zero-phase does not delay them)"

    def lines(self) -> list[str]:
        """Return the report as lines of text."""
        counts = self.counts
        rows = [
            f"{self.robot}: {counts.received} joint states, {counts.answered} answered "
            f"(clock: {'when they were recorded' if self.clock == 'recorded' else 'their stamps'})"
        ]
        rows += [f"  not answered, {cause}: {count}" for cause, count in sorted(counts.rejected.items())]
        awaited = self.awaited.lines(self.parameters.stale_after)
        unknown = f"    the bag has {listed(self.others) or 'no names'}; the robot has {listed(self.joints)}"
        for count, text, more in (
            (counts.incomplete, "read, while other joints are awaited", awaited),
            (counts.of_other_joints, "of other joints", [unknown]),
            (self.damaged, "messages that are damaged", []),
            (counts.steps.total(), "steps that the velocity limits do not allow", [_by_joint(counts.steps)]),
            (counts.closed_anew, "answered after a new search for the assembly mode", []),
            (self.uncovered, "answered with accelerations of zero, since no reference covers them", []),
        ):
            rows += [f"  {text}: {count}", *more] if count else []
        for (what, cause), count in sorted(self.refused.items()):
            reason = "" if cause == what else f", {cause}"
            rows.append(f"  {what} refused{reason}: {count}")
        return [*rows, *(f"written: {path}" for path in self.written)]

    def record(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        counts = self.counts
        return {
            "robot": self.robot,
            "clock": self.clock,
            "received": counts.received,
            "answered": counts.answered,
            "incomplete": counts.incomplete,
            **self.awaited.record(),
            "of_other_joints": counts.of_other_joints,
            "other_joints": list(self.others),
            "rejected": dict(counts.rejected),
            "refused": self._refused(),
            "acceleration_source": self.parameters.acceleration_source,
            "acceleration_lag": self._lag(),
            "answered_without_reference": self.uncovered,
            "closed_anew": counts.closed_anew,
            "impossible_steps": dict(counts.steps),
            "damaged_messages": self.damaged,
            "damage": self.damage,
            "residuals": {
                name: {"rms": rms, "largest": most} for name, (rms, most) in self.residuals.items()
            },
            "written": self.written,
        }

    def _lag(self) -> float | None:
        """Return the delay [s] of the filtered accelerations; None if none are filtered."""
        if self.parameters.acceleration_source != "filtered":
            return None
        return 0.0 if self.zero_phase else filter_lag(self.parameters.filter_cutoff)

    def _refused(self) -> dict[str, dict[str, int]]:
        """Return the numbers of refused messages by kind, then by cause."""
        by_input: dict[str, dict[str, int]] = {}
        for (what, cause), count in sorted(self.refused.items()):
            by_input.setdefault(what, {})[cause] = count
        return by_input


def _by_joint(counts: Counter[str]) -> str:
    """Return as text the joints with the largest counts."""
    shown = ", ".join(f"'{name}' ({count})" for name, count in counts.most_common(4))
    return f"    {shown}{f' and {len(counts) - 4} more' if len(counts) > 4 else ''}"
