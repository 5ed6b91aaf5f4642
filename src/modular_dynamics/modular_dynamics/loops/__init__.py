"""Closed loops: assembly, constraint projection, dynamics, simulation, reactions."""

from .assembly.assemble import Assembly, assemble
from .dynamics.batch import (
    JointMotions,
    closed_loop_bias_batch,
    closed_loop_forward_dynamics_batch,
    closed_loop_gravity_torque_batch,
    closed_loop_inverse_dynamics_batch,
    closed_loop_mass_matrix_batch,
    joint_motions_batch,
)
from .dynamics.derivatives import (
    closed_loop_inverse_dynamics_derivatives,
    closed_loop_inverse_dynamics_derivatives_batch,
)
from .dynamics.equation_of_motion import (
    ClosedLoopEquationOfMotion,
    close_loops,
    closed_loop_bias,
    closed_loop_gravity_torque,
    closed_loop_mass_matrix,
    closed_loop_spring_torque,
    constraint_projection,
)
from .dynamics.forward_dynamics import ClosedLoopMotion, closed_loop_forward_dynamics, energy
from .dynamics.hybrid_dynamics import (
    ClosedLoopHybridDynamics,
    closed_loop_hybrid_dynamics,
    closed_loop_hybrid_dynamics_batch,
)
from .dynamics.inverse_dynamics import ClosedLoopInverseDynamics, closed_loop_inverse_dynamics
from .dynamics.regressor import (
    ClosedLoopRegressor,
    closed_loop_base_parameters,
    closed_loop_regressor,
    closed_loop_regressor_batch,
)
from .dynamics.results import ClosedLoopBatch, ClosedLoopTerms, RowStatus
from .dynamics.solver import ClosedLoopDynamics, ClosedLoopSolver, solver_of
from .reactions.joint_reactions import (
    Reaction,
    internal_wrenches,
    joint_reactions,
    stamped_cut_wrenches,
    tree_torques,
)
from .reactions.robot import ReactionsBatch, RobotReactions, load_case_of, reactions_batch, wrenches_of
from .reactions.rules import Rules, read_rules, rules_from
from .reactions.sharing import LoadCase, ReactionArrays, ReactionSharing, SharedReactions
from .simulation import Simulation, simulate

__all__ = [
    "ClosedLoopTerms",
    "closed_loop_bias_batch",
    "closed_loop_forward_dynamics_batch",
    "closed_loop_gravity_torque_batch",
    "closed_loop_mass_matrix_batch",
    "Assembly",
    "ClosedLoopBatch",
    "ClosedLoopDynamics",
    "ClosedLoopEquationOfMotion",
    "ClosedLoopHybridDynamics",
    "ClosedLoopInverseDynamics",
    "ClosedLoopMotion",
    "ClosedLoopRegressor",
    "ClosedLoopSolver",
    "JointMotions",
    "LoadCase",
    "Reaction",
    "ReactionArrays",
    "ReactionSharing",
    "ReactionsBatch",
    "RowStatus",
    "RobotReactions",
    "Rules",
    "SharedReactions",
    "Simulation",
    "assemble",
    "close_loops",
    "closed_loop_base_parameters",
    "closed_loop_bias",
    "closed_loop_forward_dynamics",
    "closed_loop_gravity_torque",
    "closed_loop_hybrid_dynamics",
    "closed_loop_hybrid_dynamics_batch",
    "closed_loop_inverse_dynamics",
    "closed_loop_inverse_dynamics_batch",
    "closed_loop_inverse_dynamics_derivatives",
    "closed_loop_inverse_dynamics_derivatives_batch",
    "closed_loop_mass_matrix",
    "closed_loop_regressor",
    "closed_loop_regressor_batch",
    "closed_loop_spring_torque",
    "constraint_projection",
    "energy",
    "internal_wrenches",
    "joint_motions_batch",
    "joint_reactions",
    "load_case_of",
    "reactions_batch",
    "read_rules",
    "rules_from",
    "simulate",
    "solver_of",
    "stamped_cut_wrenches",
    "tree_torques",
    "wrenches_of",
]
