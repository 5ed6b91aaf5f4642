"""Torques of springs, for tests: what nonlinear effects at rest have beyond gravity."""

import numpy as np

import modular_dynamics as md


def spring_torque(graph, q):
    """Torques against all springs at rest, along the independent joints."""
    gravity = md.gravity_torque(graph, q)
    return md.nonlinear_effects(graph, q, np.zeros(len(gravity))) - gravity
