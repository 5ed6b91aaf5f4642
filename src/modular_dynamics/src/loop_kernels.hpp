// What loop_kernels.cpp, compiled once for each generation of processors, offers for robots with closed loops.
#pragma once
#include "modular_dynamics/loops/loop_functions.hpp"
#include "modular_dynamics/loops/reactions.hpp"

namespace modular_dynamics {

/// Rows of reactions.hpp; poses: homogeneous matrices (links, 4, 4) of all links.
struct ReactionRows {
  const double *poses = nullptr, *required = nullptr;
  double *components = nullptr, *wrenches = nullptr, *points = nullptr, *residual = nullptr;
};

struct LoopKernels {
  typedef LoopStatus One(const LoopRequest&, const LoopRows&, void* memory);
  /// Each: every state has a guess of its own; else each follows from the last one before it that is good. Writes a status for each.
  typedef void Many(const LoopRequest&, const LoopRows&, long rows, bool each, std::int64_t* statuses, void* memory);
  /// phi (m), J (m, nv), gamma (m) of rows at coordinates and velocities of all joints; wrenches: [force, moment] (m, 6) of each row, per unit
  /// of its multiplier, on the successor at and in its anchor, or nullptr. Rows are those of all loops and gears, or lengths of springs.
  typedef void Constraints(const LoopRequest&, bool springs, const double* q, const double* v, double* phi, double* J, double* gamma, double* wrenches,
                           void* memory);

  /// Configurations (most, nq) with closed loops at independent coordinates q: all assembly modes, angles nearest to those of a guess. Returns
  /// how many they are; -1: some loops are not solved in closed form, or there might be more than `most`. With none the first row has an
  /// attempt: a singular configuration, or as far as loops reach.
  typedef int Modes(const LoopRequest&, const double* q, const double* guess, int most, double* configurations, void* memory);

  /// Writes for each row whether the rules give its reactions; of others it may write anything.
  typedef void Share(const ReactionRules&, const ReactionRows&, long rows, bool* shared, void* memory);

  std::size_t (*bytes)(const LoopRequest&);          ///< of memory, at a multiple of 64, that any call needs
  void (*prepare)(const LoopRequest&, void* memory); ///< once, memory of calls for one state
  One* one[loop_quantities];
  Many* many[loop_quantities];
  Constraints* constraints;
  Modes* modes;
  std::size_t (*bytes_of_rules)(const ReactionRules&);
  Share* share;
};

} // namespace modular_dynamics
