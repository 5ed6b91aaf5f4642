// What loop_kernels.cpp, compiled once for each generation of processors, offers for robots with closed loops.
#pragma once
#include <cstddef>
#include <cstdint>

#include "modular_dynamics/loops/loop_model.hpp"
#include "modular_dynamics/loops/reactions.hpp"

namespace modular_dynamics {

/// Of the p independent velocities: torques (p) of q, v, a; the mass matrix (p, p) of q; accelerations (p) of q, v and torques.
enum class LoopQuantity { inverse_dynamics, mass_matrix, forward_dynamics };
constexpr int loop_quantities = 3;

/// Everything but the states.
struct LoopRequest {
  Model<double> regrouped, whole;                           ///< the tree; masses as torques need them, and as they are
  LoopModel loops;
  bool armature = false, springs = false, friction = false; ///< which terms of the joints count beside the bodies'
  bool mimics = false;
  const int* joints = nullptr;                ///< of the model's bodies
  const Matrix3<double>* body_axes = nullptr; ///< and body's axes <- model frame
};

/// Rows of numbers, one for each state.
struct LoopRows {
  const double *q = nullptr, *v = nullptr, *third = nullptr; ///< of the independent joints: coordinates, velocities, accelerations or torques
  const double* guess = nullptr;                             ///< (nq): of each state, or of the first one
  double* out = nullptr;
  double* coordinates = nullptr; ///< (nq) of all joints; may be the guess, or nullptr
  double* details = nullptr;     ///< see details_of; or nullptr
  const double* loads = nullptr; ///< [force, moment] (n, 6) from outside on each joint's body, at and in its frame, in all states; or nullptr
};

/// Of inverse dynamics: velocities (nv), accelerations (nv), tensions of springs, and the wrenches [force, moment] of loop joints, each on
/// the successor at and in its anchor, and of the open tree's joints, each on its body at and in its frame; last the smallest sine of a planar
/// loop, or 1.
inline int details_of(const LoopRequest& request) {
  const LoopModel& loops = request.loops;
  return 2 * loops.nv + loops.springs.count + 6 * loops.loops + 6 * request.whole.joints + 1;
}

enum class LoopStatus {
  good,
  not_finite, ///< a number that was given
  overflow,   ///< a result is not finite
  no_inertia, ///< independent coordinates move too little inertia for these accelerations
  elsewhere   ///< the loops were not closed: out of reach, near a dead point, far from the guess; another method may know
};

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
  /// attempt: a dead point, or as far as loops reach.
  typedef int Modes(const LoopRequest&, const double* q, const double* guess, int most, double* configurations, void* memory);

  /// Writes for each row whether the rules give its reactions; of others it may write anything.
  typedef void Share(const ReactionRules&, const ReactionRows&, long rows, bool* shared, void* memory);

  const char* name;
  std::size_t (*bytes)(const LoopRequest&);          ///< of memory, at a multiple of 64, that any call needs
  void (*prepare)(const LoopRequest&, void* memory); ///< once, memory of calls for one state
  One* one[loop_quantities];
  Many* many[loop_quantities];
  Constraints* constraints;
  Modes* modes;
  std::size_t (*bytes_of_rules)(const ReactionRules&);
  Share* share;
};

/// Those of kernels_for(name).
const LoopKernels* loop_kernels_for(const char* name);

} // namespace modular_dynamics
