"""URDF text of the paper's benchmarks, a double pendulum and a crane, and of a branch of four modules."""

import numpy as np

from helpers.robots.urdf_text import inertial, joint, robot

NO_INERTIA = np.zeros((3, 3))


def double_pendulum():
    """Rods hang along -z and swing about -y: forward, along x, where the angle is positive."""
    parts = ['<link name="ground"/>']
    above, place = "ground", (0.0, 0.0, 0.0)
    for k, (mass, length) in enumerate(((1.5, 0.8), (0.5, 0.6)), 1):
        parts.append(f'<link name="rod{k}">{inertial(mass, (0, 0, -length), NO_INERTIA)}</link>')
        parts.append(joint(f"swing{k}", "continuous", above, f"rod{k}", place, axis=(0, -1, 0)))
        above, place = f"rod{k}", (0.0, 0.0, -length)
    return robot("double pendulum", parts)


def crane():
    """A cart on a prismatic joint along x, a point mass below it."""
    parts = ['<link name="ground"/>', f'<link name="cart">{inertial(3.0, (0, 0, 0), NO_INERTIA)}</link>']
    parts.append(f'<link name="rope">{inertial(0.5, (0, 0, -0.6), NO_INERTIA)}</link>')
    parts.append(joint("drive", "prismatic", "ground", "cart", (0, 0, 0), axis=(1, 0, 0)))
    parts.append(joint("swing", "continuous", "cart", "rope", (0, 0, 0), axis=(0, -1, 0)))
    return robot("crane", parts)


def four_module_branch():
    """Cubes of 0.09 m: one, from which two and then one on the second go off at right angles."""
    body = inertial(0.6, (0, 0, 0), 0.6 * 0.09**2 / 6 * np.eye(3))
    right = np.pi / 2
    parts = ['<link name="v0"/>', *(f'<link name="v{k}">{body}</link>' for k in range(1, 5))]
    places = [(0.09, 0, 0), (0.09, 0, 0), (0, 0.09, 0), (0.09, 0, 0)]
    turns = [(0, 0, 0), (0, 0, right), (0, 0, -right), (right, 0, 0)]
    for k, carrier in enumerate((0, 1, 1, 3), 1):
        ends = f"v{carrier}", f"v{k}"
        parts.append(joint(f"bend{k}", "revolute", *ends, places[k - 1], turns[k - 1], (0, 1, 0)))
    return robot("branch", parts)
