"""The stamp from which on a change of the robot counts, and which stamps are of another time."""

__all__ = ["change_stamp", "is_far_ahead"]

MOST_AHEAD = 0.2  # [s] by which the clocks of two computers may differ, at least


def is_far_ahead(stamp: int, now: int, stale_after: float) -> bool:
    """Return whether a stamp [ns] is too far ahead of the clock `now` [ns].

    If it is that of something that has come already, the clock was set back since.

    Args:
        stale_after: [s] by which joint states may be ahead.
    """
    return (stamp - now) * 1e-9 > max(stale_after, MOST_AHEAD)


def change_stamp(now: int, stale_after: float, *before: int | None) -> int:
    """Return the earliest stamp [ns] of a change: now, or just after what came before it.

    Args:
        now: [ns]. stale_after: [s].
        before: stamps [ns] of the last joint state that was answered, whose publisher's clock may be ahead,
            and of the last change; None where there is none. One far ahead is from before the clock was set
            back.
    """
    near = (one for one in before if one is not None and not is_far_ahead(one, now, stale_after))
    return max([now, *(one + 1 for one in near)])
