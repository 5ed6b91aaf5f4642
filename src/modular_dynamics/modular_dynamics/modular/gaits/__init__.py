"""Gaits: positions, velocities and accelerations of named joints, from rhythms, maps or oscillators.

gait = gaits.load("config/gaits/snake.yaml")
q, v, a = gait.at(0.5)
"""

from .files import load
from .gait import Gait, GaitState, Rhythm, Sine, body_wave, legs
from .stepped import CoupledMaps, Oscillators

__all__ = [
    "Gait",
    "GaitState",
    "load",
    "Rhythm",
    "body_wave",
    "legs",
    "Sine",
    "CoupledMaps",
    "Oscillators",
]
