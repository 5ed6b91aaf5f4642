// Functions of one state of a robot: what the Python module calls, and C++ programs.
//
//   RobotModel robot(description);                         // written by graph.to_cpp, or by hand
//   Function<InverseDynamics> torques(robot);              // takes its memory
//   Outcome outcome = torques({q, v, a}, tau);             // allocates nothing, throws nothing
//
// Algorithms and what they need: algorithms.hpp, whose names are InverseDynamics, MassMatrix, ForwardDynamics, ...; inputs and the size of the
// result: shape_of there. Closed loops: loops/loop_functions.hpp.
//
// Contract: a RobotModel may be read by any number of threads when its functions are made, a Function belongs to one thread. Arguments and
// results are checked to be finite.
#pragma once
#include "algorithms.hpp"

namespace modular_dynamics {

/// Which terms of joints count.
enum Terms { armature_terms = 1, spring_terms = 2, friction_terms = 4, all_terms = 7 };

/// A robot in both forms of its model.
struct RobotModel {
  ModelArrays<double> regrouped, whole; ///< masses: torques need fewer operations regrouped

  explicit RobotModel(const Description& robot) : regrouped(make_model(robot, true)), whole(make_model(robot, false)) {}

  /// Makes the parts of the model that only some algorithms need; before requests of these.
  void prepare(Algorithm algorithm) {
    const bool by_matrix = algorithm == Algorithm::hybrid_dynamics || algorithm == Algorithm::forward_dynamics_derivatives ||
                           (algorithm == Algorithm::forward_dynamics && whole.has_mimics);
    if (by_matrix && regrouped.elimination_first.empty()) set_elimination(regrouped);
  }
  Request<double> request(int terms) const { return requested(regrouped, whole, terms); }

  template <class E> static Request<E> requested(const ModelArrays<E>& regrouped, const ModelArrays<E>& whole, int terms) {
    Request<E> request;
    request.model = regrouped.view(), request.whole = whole.view();
    request.joints = whole.joints.data(), request.body_axes = whole.axes.data();
    request.mimics = whole.has_mimics;
    request.counted = counted(whole, terms);
    return request;
  }
  /// Those of the terms that the robot has.
  template <class E> static CountedTerms counted(const ModelArrays<E>& robot, int terms) {
    return {terms & armature_terms && robot.has_armature, terms & spring_terms && robot.has_springs, terms & friction_terms && robot.has_friction};
  }
};

/// The arrays of one state, or of the first of many. Inputs are q, v, a, tau as far as they are read; nullptr: zeros.
template <class E> struct Arguments {
  const E* inputs[4] = {nullptr, nullptr, nullptr, nullptr};
  const E* loads = nullptr; ///< rows of [force, moment] on each joint's body, at its origin and in its axes
  E* out = nullptr;
};

/// The outcome for a state.
enum class Status {
  good,
  not_finite, ///< an argument, or a quaternion is shorter than smallest_norm
  overflow,   ///< a result is not finite
  no_inertia  ///< some motion moves no inertia
};
/// Least norm of quaternions; shorter ones count as zero.
constexpr double smallest_norm = 1e-6;

struct Outcome {
  Status status = Status::good;
  int joint = 0; ///< where a motion moves no inertia: a joint of the description that takes part in it
};

/// Whether no quaternion of the state, or of the states in all lanes, counts as zero.
template <class T> MD_INLINE bool have_direction(const Model<Element<T>>& model, const T* q) {
  typedef Element<T> E;
  for (int i = 1; model.nq > model.nv && i <= model.joints; ++i) {
    const Body<E>& b = model.bodies[i];
    if (!has_quaternion(b.type)) continue;
    const T* at = q + b.q + (b.type == JointType::floating ? 3 : 0);
    if (any(at[0] * at[0] + at[1] * at[1] + at[2] * at[2] + at[3] * at[3] < T{} + E(smallest_norm * smallest_norm))) return false;
  }
  return true;
}

/// The numbers of a row of loads.
template <class E> MD_INLINE long numbers_in_loads(const Request<E>& r) { return r.loaded ? 6L * r.model.joints : 0; }

/// Whether the algorithm reads only parts of its third and fourth input.
template <class A> constexpr bool reads_parts = A::algorithm == Algorithm::hybrid_dynamics;

/// Memory of a call: the algorithm's, and the inputs in the form in which it reads them.
template <class A, class T> struct CallWork {
  const RequestOf<T>& request;
  const Shape shape;
  JointPosition<T>* positions;
  const WorkOf<A, T> work;
  Wrench<T>* external;
  T* zeros;

  CallWork(Arena& arena, const RequestOf<T>& r)
      : request(r), shape(shape_of(A::algorithm, r)), positions(arena.take<JointPosition<T>>(r.model.joints)),
        work(A::template work<T>(arena, r, positions)), external(arena.take<Wrench<T>>(r.loaded ? r.model.joints + 1 : 0)),
        zeros(arena.take<T>(r.model.nv)) {}

  MD_FORCE_INLINE int run(const T* const* inputs, T* out) const {
    return A::template run<T>(request, State<T>{inputs[0], inputs[1], inputs[2], inputs[3], request.loaded ? external : nullptr}, out, work);
  }
};

template <class A, class E> struct OneWork : CallWork<A, E> {
  E* parts[2];
  OneWork(Arena& arena, const Request<E>& r) : CallWork<A, E>(arena, r) {
    for (E*& part : parts) part = arena.take<E>(reads_parts<A> ? r.model.nv : 0);
  }
};

template <class A, class E> static Outcome one(const Request<E>& request, const Arguments<E>& x, void* memory) {
  const int nv = request.model.nv;
  Arena arena(memory);
  const OneWork<A, E> call(arena, request);
  const E* inputs[4] = {x.inputs[0], nullptr, nullptr, nullptr};
  if (!finite_array(x.inputs[0], request.model.nq) || !have_direction(request.model, x.inputs[0])) return {Status::not_finite};
  bool any_zeros = false;
  for (int k = 1; k < call.shape.inputs; ++k) {
    inputs[k] = x.inputs[k] ? x.inputs[k] : call.zeros;
    any_zeros = any_zeros || !x.inputs[k];
    if (reads_parts<A> && k >= 2 && x.inputs[k]) {
      for (int i = 0; i < nv; ++i) call.parts[k - 2][i] = request.prescribed[i] == (k == 2) ? x.inputs[k][i] : E(0);
      inputs[k] = call.parts[k - 2];
    }
    if (x.inputs[k] && !finite_array(inputs[k], nv)) return {Status::not_finite};
  }
  if (any_zeros)
    for (int k = 0; k < nv; ++k) call.zeros[k] = 0;
  if (request.loaded) {
    if (!finite_array(x.loads, numbers_in_loads(request))) return {Status::not_finite};
    to_model_frames(request.model.joints, request.joints, request.body_axes, x.loads, call.external);
  }
  joint_positions(request.model, x.inputs[0], call.positions);
  if (const int body = call.run(inputs, x.out)) return {Status::no_inertia, request.joints[body - 1]};
  if (!finite_array(x.out, call.shape.numbers())) return {Status::overflow};
  A::finish(request, x.out);
  return {};
}

template <class A, class E> static std::size_t bytes_of_one(const Request<E>& request) { return bytes_of<OneWork<A, E>>(request); }

/// An algorithm of one robot, with its memory.
template <class A> class Function {
 public:
  Request<double> request; ///< what algorithms read beside the states may be set between calls: frames, form, prescribed, passing

  explicit Function(RobotModel& robot, int terms = armature_terms | spring_terms) {
    robot.prepare(A::algorithm);
    request = robot.request(terms);
    request.loaded = true; // the most memory
    memory.at_least(bytes_of_one<A, double>(request));
    if (!memory.get()) throw std::bad_alloc();
  }
  /// Inputs are q, v, a or tau as the algorithm reads them; nullptr, or one that is left out: zeros. loads: see Arguments.
  template <int n> Outcome operator()(const double* const (&inputs)[n], double* out, const double* loads = nullptr) {
    Arguments<double> x;
    for (int k = 0; k < n; ++k) x.inputs[k] = inputs[k];
    x.loads = loads, x.out = out;
    request.loaded = loads;
    return one<A, double>(request, x, memory.get());
  }

 private:
  Memory memory;
};

} // namespace modular_dynamics
