"""Closed loops: closed configurations, dynamics, simulation, reactions.

Quantities have the names that they have for trees; the functions of modular_dynamics call them for robots
with closed loops.
"""

from .assembly.assemble import ClosedConfiguration, assemble
from .dynamics.constrained_dynamics import constrained_dynamics, energy, hybrid_dynamics
from .dynamics.derivatives import forward_dynamics_derivatives, inverse_dynamics_derivatives
from .dynamics.equation_of_motion import (
    close_loops,
    explicit_constraint_jacobian,
    forward_dynamics,
    gravity_torque,
    mass_matrix,
    nonlinear_effects,
)
from .dynamics.inverse_dynamics import ClosedLoopInverseDynamics
from .dynamics.regressor import base_parameters, regressor
from .dynamics.results import (
    ClosedLoopResult,
    ClosedLoopResults,
    Reaction,
    StateStatus,
    internal_wrenches,
    joint_reactions,
    stamped_cut_wrenches,
    tree_torques,
)
from .dynamics.saddle_point import ConstrainedDynamics
from .dynamics.solver import ClosedLoopSolver, solver_of
from .reactions.robot import RobotReactions
from .reactions.rules import Rules, read_rules, rules_from
from .reactions.sharing import ReactionArrays, SharedReactions
from .simulation import Simulation, simulate

__all__ = [
    "ClosedConfiguration",
    "ClosedLoopInverseDynamics",
    "ClosedLoopResult",
    "ClosedLoopResults",
    "ClosedLoopSolver",
    "ConstrainedDynamics",
    "Reaction",
    "ReactionArrays",
    "RobotReactions",
    "Rules",
    "SharedReactions",
    "Simulation",
    "StateStatus",
    "assemble",
    "base_parameters",
    "close_loops",
    "constrained_dynamics",
    "energy",
    "explicit_constraint_jacobian",
    "forward_dynamics",
    "forward_dynamics_derivatives",
    "gravity_torque",
    "hybrid_dynamics",
    "internal_wrenches",
    "inverse_dynamics_derivatives",
    "joint_reactions",
    "mass_matrix",
    "nonlinear_effects",
    "read_rules",
    "regressor",
    "rules_from",
    "simulate",
    "solver_of",
    "stamped_cut_wrenches",
    "tree_torques",
]
