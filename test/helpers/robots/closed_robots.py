"""Robots with closed loops, and states of theirs."""

from pathlib import Path

import numpy as np

from helpers.paths import ROBOTS

STATES = {
    "four_bar": np.array([0.7]),
    "slider_crank": np.array([0.7]),
    "crane": np.array([0.1, 0.31, 0.265]),
    "exoskeleton": np.array([-0.4, -0.9, 0.8, 0.7, 0.3]),
}
OUT_OF_REACH = np.array([-0.4, -0.9, np.deg2rad(100.0), 0.7, 0.3])  # the exoskeleton's elbow at 100 degrees


def path(name: str) -> str:
    """Path of a robot."""
    return str(ROBOTS / f"{name}.urdf")


def change_point() -> str:
    """The four-bar with a longer coupler: shortest and longest side are as long as the others, s + l = p + q.

    At J1 = 0 all its sides lie on one line, a dead point.
    """
    text = Path(path("four_bar")).read_text()
    for old, new in (
        ('<successor link="coupler" xyz="0.1 0 0"/>', '<successor link="coupler" xyz="0.23 0 0"/>'),
        ('type="continuous"', 'type="revolute"'),
        ('<limit effort="20" velocity="20"/>', '<limit lower="0.3" upper="1.5" effort="20" velocity="20"/>'),
        ('<limit lower="1.9" upper="2.9"', '<limit lower="0" upper="2.9"'),
        ('<limit lower="0.9" upper="2.4"', '<limit lower="0.9" upper="3.2"'),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    return text
