"""Closed loops on the tree: positions, projection, multipliers, springs."""

from .dynamics.closed_loop_dynamics import ClosedLoopDynamics
from .dynamics.cut_wrenches import internal_wrenches, stamped_cut_wrenches, tree_torques
from .dynamics.equation_of_motion import (
    close_loops,
    closed_loop_bias,
    closed_loop_gravity_torque,
    closed_loop_mass_matrix,
    closed_loop_spring_torque,
    constraint_projection,
)
from .dynamics.forward_dynamics import ClosedLoopMotion, closed_loop_forward_dynamics, energy
from .dynamics.inverse_dynamics import closed_loop_inverse_dynamics
from .dynamics.solver import ClosedLoopSolver, solver_of
from .reactions.free_bodies import Situation
from .reactions.joint_reactions import Reaction, joint_reactions
from .reactions.load_case import Situations, situation_of, wrenches_of
from .reactions.sharing import Shared, Sharing
from .reactions.sharing_rules import Rules, read_rules, rules_from
from .simulation.simulate import Simulation, simulate

__all__ = [
    "Reaction",
    "Rules",
    "Shared",
    "Sharing",
    "Situation",
    "Situations",
    "joint_reactions",
    "read_rules",
    "rules_from",
    "situation_of",
    "wrenches_of",
    "ClosedLoopDynamics",
    "ClosedLoopMotion",
    "ClosedLoopSolver",
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
    "solver_of",
    "stamped_cut_wrenches",
    "tree_torques",
]
