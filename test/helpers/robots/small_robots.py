"""Robots of a few joints with random numbers."""

import numpy as np

import modular_dynamics as md
from benchmark.setting.robots import random_inertial
from helpers.robots.urdf_text import joint, robot

JOINTS = {
    "chain": ("revolute 0", "prismatic 1", "revolute 2"),
    "fork": ("prismatic 0", "revolute 1", "revolute 1", "revolute 3"),
    "two trees": ("revolute 0", "revolute 1", "prismatic 0", "revolute 3"),
}


def small_robot(name):
    """A robot of JOINTS, its numbers random: link k moves on joint k, link 0 is the ground."""
    rng, parts = np.random.default_rng(0), ['<link name="l0"/>']
    for k, (kind, parent) in enumerate((words.split() for words in JOINTS[name]), 1):
        axis, place, turn = rng.normal(size=(3, 3))
        parts.append(f'<link name="l{k}">{random_inertial(rng)}</link>')
        parts.append(joint(f"j{k}", kind, f"l{parent}", f"l{k}", place, turn, axis / np.linalg.norm(axis)))
    return md.load_urdf(robot(name, parts))
