"""A motion that came faster than this computer answers is played once more, slower."""

from collections.abc import Callable
from typing import Protocol, TypeVar

from rich.console import Console

__all__ = ["Played", "play_completely"]

TIMES = 3  # at most: at the rate asked for, at half of it, at a quarter


class Played(Protocol):
    """What a motion's playing gives."""

    def losses(self) -> list[str]:
        """Which messages are missing; empty where none is."""
        ...


P = TypeVar("P", bound=Played)


def play_completely(play: Callable[[float], P], rate: float, console: Console) -> P:
    """Play at `rate` [Hz]; at half the rate where messages were lost, until none is, three times at most.

    Nodes that fall behind pass over old states, and count them (`stale_after`): on a busy computer a loss
    says nothing about the node, one at every rate does. Returns the last playing; each loss is printed.
    """
    for _ in range(TIMES - 1):
        played = play(rate)
        if not (losses := played.losses()):
            return played
        rate /= 2.0
        text = f"[yellow]at {2.0 * rate:g} Hz {', and '.join(losses)}[/]: once more at {rate:g} Hz"
        console.print(text, highlight=False)
    return play(rate)
