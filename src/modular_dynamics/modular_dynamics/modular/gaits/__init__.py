"""Gaits: positions, velocities and accelerations of named joints, from rhythms, maps or oscillators.

gait = gaits.load("config/gaits/snake.yaml")
q, v, a = gait.at(0.5)
"""

from .coupled_maps import CoupledMaps, logistic_exponent, spread, transverse_exponents
from .files import load
from .gait import Gait, GaitState
from .oscillators import Oscillators
from .rhythm import Rhythm, body_wave, legs
from .sine import Sine

__all__ = [
    "Gait",
    "GaitState",
    "load",
    "Rhythm",
    "body_wave",
    "legs",
    "Sine",
    "CoupledMaps",
    "spread",
    "logistic_exponent",
    "transverse_exponents",
    "Oscillators",
]
