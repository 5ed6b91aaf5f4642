"""Partition files, damaged by chance: torques as Pinocchio's, or an error of the library."""

from torture.descriptions.attack import attack
from torture.harness.effort import Effort
from torture.harness.tally import Tally

__all__ = ["run"]


def run(effort: Effort, tally: Tally) -> None:
    """A fifth of all mutations."""
    attack("yaml", effort.mutations - effort.mutations * 4 // 5, effort, tally)
