"""The stamp from which on a change of the robot counts."""

__all__ = ["change_stamp"]

LONGEST = 1.0  # [s] that clocks of publishers may be ahead, at least


def change_stamp(now: int, stale_after: float, *before: int | None) -> int:
    """The earliest stamp [ns] of a change: now, or just after what came before it.

    Args:
        now: [ns]. stale_after: [s].
        before: stamps [ns] of the last joint state that was answered, whose publisher's clock may be ahead,
            and of the last change; None where there is none. One far ahead is from before the clock was set
            back.
    """
    farthest = now + max(stale_after, LONGEST) * 1e9
    return max([now, *(one + 1 for one in before if one is not None and one < farthest)])
