"""Closed loops on the tree: positions, projection, multipliers, springs."""

from .cuts import internal_wrenches, stamped_cut_wrenches, tree_torques
from .equation_of_motion import (
    close_loops,
    closed_loop_bias,
    closed_loop_gravity_torque,
    closed_loop_mass_matrix,
    closed_loop_spring_torque,
    constraint_projection,
)
from .forward_dynamics import ClosedLoopMotion, closed_loop_forward_dynamics, energy
from .free_bodies import Situation
from .inverse_dynamics import ClosedLoopDynamics, closed_loop_inverse_dynamics
from .reactions import Reaction, reactions
from .sharing import Shared, Sharing
from .sharing_rules import Rules, read_rules, rules_from
from .simulate import Simulation, simulate
from .situation import Situations, situation_of, wrenches_of

__all__ = [
    "Reaction",
    "Rules",
    "Shared",
    "Sharing",
    "Situation",
    "Situations",
    "reactions",
    "read_rules",
    "rules_from",
    "situation_of",
    "wrenches_of",
    "ClosedLoopDynamics",
    "ClosedLoopMotion",
    "Simulation",
    "close_loops",
    "closed_loop_bias",
    "closed_loop_forward_dynamics",
    "closed_loop_gravity_torque",
    "closed_loop_inverse_dynamics",
    "closed_loop_mass_matrix",
    "closed_loop_spring_torque",
    "constraint_projection",
    "energy",
    "internal_wrenches",
    "simulate",
    "stamped_cut_wrenches",
    "tree_torques",
]
