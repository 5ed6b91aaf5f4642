"""Gaits: positions, velocities and accelerations of named joints, from rhythms or coupled maps.

gait = gaits.load("config/gaits/snake.yaml")
q, v, a = gait.at(0.5)
"""

from .files import load
from .gait import CoupledMaps, Gait, GaitState, Rhythm, Sine, body_wave, legs

__all__ = [
    "Gait",
    "GaitState",
    "load",
    "Rhythm",
    "body_wave",
    "legs",
    "Sine",
    "CoupledMaps",
]
