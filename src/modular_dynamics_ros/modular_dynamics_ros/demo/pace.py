"""A motion is played once more: slower, where it came faster than this computer answers."""

from collections.abc import Callable
from typing import Protocol, TypeVar

from rich.console import Console
from rich.markup import escape

from modular_dynamics_ros.demo.playing import StalledError

__all__ = ["Played", "play_completely"]

TIMES = 3  # at most, such as at the rate asked for, at half of it, at a quarter


class Played(Protocol):
    """The result of playing a motion."""

    def losses(self) -> list[str]:
        """Return which messages are missing; empty if none is."""
        ...


P = TypeVar("P", bound=Played)


def play_completely(play: Callable[[float], P], rate: float, console: Console) -> P:
    """Play at `rate` [Hz]; at half the rate where messages were lost, until none is, three times at most.

    Nodes that fall behind pass over old states, and count them (`stale_after`): on a busy computer a loss
    says nothing about the node, one at every rate does. The same holds for a playing that stalled, which is
    repeated at the same rate. Returns the last playing; why it is not the first is printed.

    Raises:
        StalledError: of the last playing.
    """
    for _ in range(TIMES - 1):
        try:
            played = play(rate)
        except StalledError as error:
            console.print(f"[yellow]once more:[/] {escape(str(error))}", highlight=False)
            continue
        if not (losses := played.losses()):
            return played
        rate /= 2.0
        text = f"[yellow]at {2.0 * rate:g} Hz {', and '.join(losses)}[/]: once more at {rate:g} Hz"
        console.print(text, highlight=False)
    return play(rate)
