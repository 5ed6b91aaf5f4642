// What kernels.cpp, compiled once for each generation of processors, offers to the rest of the module.
#pragma once
#include <cstddef>

#include "modular_dynamics/kinematics.hpp"
#include "modular_dynamics/model.hpp"

namespace modular_dynamics {

/// Functions of a state. Inputs have nq, nv and nv numbers, as far as they are read.
enum class Algorithm {
  inverse_dynamics,
  inverse_dynamics_loaded,
  mass_matrix,
  inverse_dynamics_derivatives,
  forward_dynamics,
  frame_poses,
  frame_motions,
  jacobian,
  whole_body,
  momentum_matrix,
  regressor
};
constexpr int algorithms = 11;

/// Everything but the states.
template <class E> struct Request {
  Model<E> model;
  bool armature = false, springs = false, friction = false; ///< which terms of the joints count beside the bodies'
  bool mimics = false;                                      ///< some joint mimics another
  const Wrench<E>* external = nullptr;                      ///< on each body and the ground from outside, in the model's frames
  const Passing* passing = nullptr;                         ///< of black boxes, for each body and the ground
  const Frame<E>* frames = nullptr;
  int frame_count = 0;
  bool frame_axes = false;                                  ///< of a jacobian: in the frame's axes
  const int* joints = nullptr;                              ///< of a regressor: the description's joint of each body,
  const Matrix3<E>* body_axes = nullptr;                    ///< and body's axes <- model frame
};

/// The inputs that an algorithm reads: q; q, v; q, v and a third one. And how many numbers one result has.
struct Shape { int inputs, results; };

template <class E> Shape shape_of(Algorithm algorithm, const Request<E>& request) {
  const int nv = request.model.nv;
  switch (algorithm) {
    case Algorithm::inverse_dynamics: return {3, nv};
    case Algorithm::inverse_dynamics_loaded: return {3, nv + 6 * (request.model.joints + 1)}; // and the wrenches
    case Algorithm::mass_matrix: return {1, nv * nv};
    case Algorithm::inverse_dynamics_derivatives: return {3, 3 * nv * nv};
    case Algorithm::forward_dynamics: return {3, nv};
    case Algorithm::frame_poses: return {1, 16 * request.frame_count};
    case Algorithm::frame_motions: return {3, 24 * request.frame_count};
    case Algorithm::jacobian: return {1, 6 * nv};
    case Algorithm::whole_body: return {3, 16};
    case Algorithm::momentum_matrix: return {1, 6 * nv};
    case Algorithm::regressor: return {3, nv * 10 * request.model.joints};
  }
  return {0, 0};
}

/// What became of a state.
enum class Status { good, not_finite, overflow, no_inertia };

/// Functions for one processor. `memory` is at a multiple of 64 and belongs to the call.
struct Kernels {
  typedef Status One(const Request<double>&, const double* q, const double* v, const double* a, double* out, void* memory);
  template <class E> using Many = long(const Request<E>&, long rows, const E* q, const E* v, const E* a, E* out, void* memory);

  const char* name;
  int lanes;                                                ///< states side by side in double precision; twice as many in single
  std::size_t (*bytes[algorithms])(const Request<double>&); ///< of memory that a call needs, of any number type
  One* one[algorithms];                                     ///< out may be v or a where it is as long
  Many<double>* many[algorithms];                           ///< the number of rows before the first lanes that are not good
  Many<float>* many_float[algorithms];                      ///< nullptr where single precision is not offered
};

/// The kernels of this processor: the newest of "baseline", "x86-64-v2", "x86-64-v3", "x86-64-v4" that it can run, or those of
/// the given name; nullptr where there are none or the processor cannot run them.
const Kernels* kernels_for(const char* name = nullptr);

} // namespace modular_dynamics
