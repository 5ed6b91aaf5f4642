"""MJCF -> model, through MuJoCo's own compiler, and states and torques between MuJoCo's order and ours."""

from .load import load_mjcf
from .states import State, from_mujoco, to_mujoco, torques_from_mujoco

__all__ = ["State", "from_mujoco", "load_mjcf", "to_mujoco", "torques_from_mujoco"]
