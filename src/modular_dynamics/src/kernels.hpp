// What kernels.cpp, compiled once for each generation of processors, offers to the rest of the module.
#pragma once
#include <cstddef>
#include <cstdint>

#include "modular_dynamics/kinematics.hpp"
#include "modular_dynamics/model.hpp"

namespace modular_dynamics {

/// Functions of a state.
enum class Algorithm {
  inverse_dynamics,
  inverse_dynamics_loaded, ///< under wrenches from outside, with black boxes
  joint_wrenches,          ///< the same, and the wrenches of all joints
  forward_dynamics,
  hybrid_dynamics,
  mass_matrix,
  coriolis_matrix,
  inverse_dynamics_derivatives,
  forward_dynamics_derivatives,
  frame_poses,
  frame_motions,
  frame_velocities,
  frame_accelerations,
  jacobian,
  whole_body,
  momentum_matrix,
  regressor
};
constexpr int algorithms = 17;

/// Everything but the states.
template <class E> struct Request {
  Model<E> model;                                           ///< masses regrouped; wrenches are not those of its bodies
  Model<E> whole;                                           ///< masses as they are
  bool armature = false, springs = false, friction = false; ///< which terms of the joints count beside the bodies'
  bool mimics = false;                                      ///< some joint mimics another
  const int* joints = nullptr;                              ///< the description's joint of each body,
  const Matrix3<E>* body_axes = nullptr;                    ///< and body's axes <- model frame
  bool loaded = false;                                      ///< there are loads: wrenches on bodies from outside
  bool loads_by_row = false;                                ///< and each state has its own
  const std::int64_t* passing = nullptr;                    ///< Passing of each joint, where some are black boxes
  const bool* prescribed = nullptr;                         ///< of hybrid dynamics: of which velocities the accelerations are known
  const Frame<E>* frames = nullptr;
  int frame_count = 0;
  MotionForm form;                                          ///< of frames' motions and jacobians
  const int* bodies = nullptr;                              ///< that frames need, as of KinematicsWork; nullptr: all
  int body_count = 0;
};

/// The arrays of one state, or of the first of many. Inputs are q, v, a, tau as far as they are read; nullptr: zeros.
template <class E> struct Arguments {
  const E* inputs[4] = {nullptr, nullptr, nullptr, nullptr};
  const E* loads = nullptr; ///< rows of [force, moment] on each joint's body, at its origin and in its axes
  E* out = nullptr;
};

/// How many inputs an algorithm reads, q first, and the shape of a result.
struct Shape {
  int inputs, dimensions;
  long size[3];
  long numbers() const { return size[0] * (dimensions > 1 ? size[1] : 1) * (dimensions > 2 ? size[2] : 1); }
};

template <class E> Shape shape_of(Algorithm algorithm, const Request<E>& request) {
  const long nv = request.model.nv, n = request.model.joints, frames = request.frame_count;
  switch (algorithm) {
    case Algorithm::inverse_dynamics:
    case Algorithm::inverse_dynamics_loaded: return {3, 1, {nv}};
    case Algorithm::joint_wrenches: return {3, 1, {nv + 6 * n}};
    case Algorithm::forward_dynamics: return {3, 1, {nv}};
    case Algorithm::hybrid_dynamics: return {4, 2, {2, nv}};
    case Algorithm::mass_matrix: return {1, 2, {nv, nv}};
    case Algorithm::coriolis_matrix: return {2, 2, {nv, nv}};
    case Algorithm::inverse_dynamics_derivatives: return {3, 3, {3, nv, nv}};
    case Algorithm::forward_dynamics_derivatives: return {3, 2, {3 * nv + 1, nv}};
    case Algorithm::frame_poses: return {1, 3, {frames, 4, 4}};
    case Algorithm::frame_motions: return {3, 3, {frames, 8, 3}};
    case Algorithm::frame_velocities: return {2, 2, {frames, 6}};
    case Algorithm::frame_accelerations: return {3, 2, {frames, 6}};
    case Algorithm::jacobian: return {1, 2, {6, nv}};
    case Algorithm::whole_body: return {3, 1, {16}};
    case Algorithm::momentum_matrix: return {1, 2, {6, nv}};
    case Algorithm::regressor: return {3, 2, {nv, 10 * n}};
  }
  return {0, 1, {0}};
}

/// What became of a state.
enum class Status {
  good,
  not_finite, ///< an argument, or a quaternion is shorter than smallest_norm
  overflow,   ///< a result is not finite
  no_inertia  ///< some motion moves no inertia
};
/// Of quaternions that still have a direction.
constexpr double smallest_norm = 1e-6;

struct Outcome {
  Status status = Status::good;
  int joint = 0; ///< where a motion moves no inertia: a joint of the description that takes part in it
};

/// Of many states: how many there are before the first one that is not good, and what became of that.
struct RowsOutcome {
  long rows;
  Outcome outcome;
};

/// Functions for one processor. `memory` is at a multiple of 64 and belongs to the call.
struct Kernels {
  typedef Outcome One(const Request<double>&, const Arguments<double>&, void* memory);
  template <class E> using Many = RowsOutcome(const Request<E>&, const Arguments<E>&, long rows, void* memory);

  const char* name;
  int lanes;                      ///< states side by side in double precision; twice as many in single
  std::size_t (*bytes_of_one[algorithms])(const Request<double>&); ///< of memory that a call for one state needs,
  std::size_t (*bytes[algorithms])(const Request<double>&);        ///< and one for many, of any number type
  One* one[algorithms];           ///< of torques and accelerations, out may be an input
  Many<double>* many[algorithms]; ///< rows before a bad one are written
  Many<float>* many_float[algorithms]; ///< nullptr where single precision is not offered
};

/// The kernels of this processor: the newest of "baseline", "x86-64-v2", "x86-64-v3", "x86-64-v4" that it can run, or those of
/// the given name; nullptr where there are none or the processor cannot run them.
const Kernels* kernels_for(const char* name = nullptr);

} // namespace modular_dynamics
