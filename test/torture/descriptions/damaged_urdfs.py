"""URDFs, damaged by chance: torques as Pinocchio's, or an error of the library."""

from torture.descriptions.attack import attack
from torture.harness.effort import Effort
from torture.harness.tally import Tally

__all__ = ["run"]


def run(effort: Effort, tally: Tally) -> None:
    """Four fifths of all mutations."""
    attack("urdf", effort.mutations * 4 // 5, effort, tally)
