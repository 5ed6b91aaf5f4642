// Compiled once for each generation of processors, with -march= and MD_KERNELS, the name of the table that it defines, MD_NAME, the
// processor's name, and MD_LANES, the number of doubles in a vector register.
//
// No inline function of the standard library may be emitted here, and no template that is not static: the linker would keep one copy
// of those in all files, perhaps the newest processor's.
#include "arena.hpp"
#include "kernels.hpp"

#include "modular_dynamics/batch.hpp"
#include "modular_dynamics/mass_matrix_solver.hpp"

namespace modular_dynamics {
namespace {

typedef Lanes<double, MD_LANES> D;
typedef Lanes<float, 2 * MD_LANES> F;

template <class T> using RequestOf = Request<Element<T>>;
template <class E> CountedTerms counted(const Request<E>& request) { return {request.armature, request.springs, request.friction}; }
template <class E> int columns_of(const Request<E>& request) { return request.model.bodies[0].columns_end; }

/// One state, or as many as T has lanes.
template <class T> struct State {
  const T *q, *v, *a, *tau;
  const Wrench<T>* external; ///< in the model's frames; or nullptr
};

// Each algorithm: its memory, taken from an arena, and its call. `run` returns the body that moves no inertia in some lane; 0: the result
// is to be used. `finish` marks in a checked result what is not known.

struct Always {
  template <class T> MD_INLINE void finish(const RequestOf<T>&, T*) {}
};

template <class T> NewtonEulerWork<T> newton_euler_work(Arena& arena, const RequestOf<T>& r, JointPosition<T>* positions) {
  return {positions, arena.take<Motion<T>>(r.model.joints + 1), arena.take<Wrench<T>>(r.model.joints + 1)};
}
template <class T> CompositeBodyWork<T> composite_work(Arena& arena, const RequestOf<T>& r, JointPosition<T>* positions) {
  const int columns = columns_of(r);
  T* memory = arena.take<T>(6L * columns);
  auto component = [&](int k) { return memory + long(k) * columns; };
  return {positions, arena.take<Composite<T>>(r.model.joints + 1),
          {component(0), component(1), component(2), component(3), component(4), component(5)}};
}
template <class T> MassMatrixWork<T> matrix_work(Arena& arena, const RequestOf<T>& r, JointPosition<T>* positions) {
  const long nv = r.model.nv;
  return {newton_euler_work<T>(arena, r, positions), composite_work<T>(arena, r, positions), arena.take<T>(nv * nv), arena.take<T>(nv), arena.take<T>(nv)};
}
template <class T> ArticulatedBodyWork<T> articulated_work(Arena& arena, const RequestOf<T>& r, JointPosition<T>* positions) {
  return {positions, arena.take<ArticulatedBody<T>>(r.model.joints + 1), arena.take<EliminatedAxis<T>>(columns_of(r)), arena.take<T>(r.model.nv)};
}
template <class T> DerivativesWork<T> derivatives_work(Arena& arena, const RequestOf<T>& r, JointPosition<T>* positions) {
  return {positions, arena.take<TreeMotion<T>>(r.model.joints + 1), arena.take<TreeBody<T>>(r.model.joints + 1),
          {arena.take<T>(long(TreeColumns<T>::components) * columns_of(r)), columns_of(r)}};
}

/// The body to whose joint a velocity belongs: of an index from 1 on, as factorize returns it; 0 for 0.
template <class E> MD_INLINE int body_of_velocity(const Model<E>& model, int failed) {
  for (int i = 1; failed > 0 && i <= model.joints; ++i)
    if (failed - 1 >= model.bodies[i].v && failed - 1 < model.bodies[i].v + model.bodies[i].velocities) return i;
  return 0;
}

struct InverseDynamics : Always {
  static constexpr Algorithm algorithm = Algorithm::inverse_dynamics;
  template <class T> struct Work : NewtonEulerWork<T> {
    Work(Arena& arena, const RequestOf<T>& r) : NewtonEulerWork<T>(newton_euler_work<T>(arena, r, arena.take<JointPosition<T>>(r.model.joints))) {}
  };
  template <class T> MD_INLINE int run(const RequestOf<T>& r, const State<T>& x, T* out, const Work<T>& work) {
    inverse_dynamics(r.model, counted(r), r.mimics, x.q, x.v, x.a, out, work);
    return 0;
  }
};

struct InverseDynamicsLoaded {
  static constexpr Algorithm algorithm = Algorithm::inverse_dynamics_loaded;
  template <class T> struct Work : NewtonEulerWork<T> {
    Passing* passing;
    Work(Arena& arena, const RequestOf<T>& r)
        : NewtonEulerWork<T>(newton_euler_work<T>(arena, r, arena.take<JointPosition<T>>(r.model.joints))),
          passing(arena.take<Passing>(r.model.joints + 1)) {}
  };
  template <class T> MD_INLINE int run(const RequestOf<T>& r, const State<T>& x, T* out, const Work<T>& work) {
    for (int i = 1; r.passing && i <= r.whole.joints; ++i) work.passing[i] = Passing(r.passing[r.joints[i - 1]]);
    inverse_dynamics_loaded(r.whole, counted(r), x.external, r.passing ? work.passing : nullptr, x.q, x.v, x.a, out, work);
    return 0;
  }
  template <class T> MD_INLINE void finish(const RequestOf<T>& r, T* tau) {
    const T nan = T{} + Element<T>(__builtin_nan(""));
    for (int i = 1; r.passing && i <= r.whole.joints; ++i) {
      const Body<Element<T>>& b = r.whole.bodies[i];
      if (Passing(r.passing[r.joints[i - 1]]) == Passing::unknown)
        for (int k = 0; k < b.columns; ++k) tau[b.v + k] = nan;
    }
  }
};

struct JointWrenches : InverseDynamicsLoaded {
  static constexpr Algorithm algorithm = Algorithm::joint_wrenches;
  template <class T> MD_INLINE int run(const RequestOf<T>& r, const State<T>& x, T* out, const Work<T>& work) {
    InverseDynamicsLoaded::run(r, x, out, work);
    from_model_frames(r.whole.joints, r.joints, r.body_axes, work.wrenches, out + r.whole.nv);
    return 0;
  }
  template <class T> MD_INLINE void finish(const RequestOf<T>& r, T* out) {
    InverseDynamicsLoaded::finish(r, out);
    const T nan = T{} + Element<T>(__builtin_nan(""));
    for (int joint = 0; r.passing && joint < r.whole.joints; ++joint)
      if (Passing(r.passing[joint]) == Passing::unknown)
        for (int k = 0; k < 6; ++k) out[r.whole.nv + 6 * joint + k] = nan;
  }
};

struct MassMatrix : Always {
  static constexpr Algorithm algorithm = Algorithm::mass_matrix;
  template <class T> struct Work : CompositeBodyWork<T> {
    Work(Arena& arena, const RequestOf<T>& r) : CompositeBodyWork<T>(composite_work<T>(arena, r, arena.take<JointPosition<T>>(r.model.joints))) {}
  };
  template <class T> MD_INLINE int run(const RequestOf<T>& r, const State<T>& x, T* out, const Work<T>& work) {
    mass_matrix(r.model, r.armature, x.q, out, work);
    return 0;
  }
};

struct Derivatives : Always {
  static constexpr Algorithm algorithm = Algorithm::inverse_dynamics_derivatives;
  template <class T> struct Work : DerivativesWork<T> {
    Work(Arena& arena, const RequestOf<T>& r) : DerivativesWork<T>(derivatives_work<T>(arena, r, arena.take<JointPosition<T>>(r.model.joints))) {}
  };
  template <class T> MD_INLINE int run(const RequestOf<T>& r, const State<T>& x, T* out, const Work<T>& work) {
    inverse_dynamics_derivatives(r.model, counted(r), x.q, x.v, x.a, out, work, x.external);
    return 0;
  }
};

struct CoriolisMatrix : Always {
  static constexpr Algorithm algorithm = Algorithm::coriolis_matrix;
  template <class T> struct Work : Derivatives::Work<T> {
    T *derivatives, *zeros;
    Work(Arena& arena, const RequestOf<T>& r)
        : Derivatives::Work<T>(arena, r), derivatives(arena.take<T>(3L * r.model.nv * r.model.nv)), zeros(arena.take<T>(r.model.nv)) {}
  };
  template <class T> MD_INLINE int run(const RequestOf<T>& r, const State<T>& x, T* out, const Work<T>& work) {
    for (int k = 0; k < r.model.nv; ++k) work.zeros[k] = T{};
    inverse_dynamics_derivatives(r.model, CountedTerms{}, x.q, x.v, work.zeros, work.derivatives, work);
    coriolis_matrix(r.model, x.v, work.derivatives, out);
    return 0;
  }
};

struct ForwardDynamics : Always {
  static constexpr Algorithm algorithm = Algorithm::forward_dynamics;
  template <class T> struct Work {
    JointPosition<T>* positions;
    ArticulatedBodyWork<T> bodies; ///< only one of these two has memory
    MassMatrixWork<T> matrix;
    Work(Arena& arena, const RequestOf<T>& r) : positions(arena.take<JointPosition<T>>(r.model.joints)) {
      if (r.mimics) matrix = matrix_work<T>(arena, r, positions);
      else bodies = articulated_work<T>(arena, r, positions);
    }
  };
  template <class T> MD_INLINE int run(const RequestOf<T>& r, const State<T>& x, T* out, const Work<T>& work) {
    const T* tau = x.a; // the third input
    if (!r.mimics) return forward_dynamics(r.whole, counted(r), x.q, x.v, tau, out, work.bodies, x.external);
    return body_of_velocity(r.model, forward_dynamics_by_matrix(r.model, counted(r), x.q, x.v, tau, out, work.matrix, x.external));
  }
};

struct HybridDynamics : Always {
  static constexpr Algorithm algorithm = Algorithm::hybrid_dynamics;
  template <class T> struct Work : MassMatrixWork<T> {
    JointPosition<T>* positions;
    Work(Arena& arena, const RequestOf<T>& r) : positions(arena.take<JointPosition<T>>(r.model.joints)) {
      static_cast<MassMatrixWork<T>&>(*this) = matrix_work<T>(arena, r, positions);
    }
  };
  template <class T> MD_INLINE int run(const RequestOf<T>& r, const State<T>& x, T* out, const Work<T>& work) {
    return body_of_velocity(r.model, hybrid_dynamics(r.model, counted(r), r.prescribed, x.q, x.v, x.a, x.tau, out, work, x.external));
  }
};

struct ForwardDerivatives : Always {
  static constexpr Algorithm algorithm = Algorithm::forward_dynamics_derivatives;
  template <class T> struct Work : ForwardDynamics::Work<T> {
    DerivativesWork<T> derivatives;
    T *of_torques, *largest;
    Work(Arena& arena, const RequestOf<T>& r)
        : ForwardDynamics::Work<T>(arena, r), derivatives(derivatives_work<T>(arena, r, this->positions)),
          of_torques(arena.take<T>(3L * r.model.nv * r.model.nv)), largest(arena.take<T>(r.model.nv)) {}
  };
  template <class T> MD_INLINE int run(const RequestOf<T>& r, const State<T>& x, T* out, const Work<T>& work) {
    const long nv = r.model.nv;
    T* a = out + 3 * nv * nv;
    if (const int body = ForwardDynamics::run(r, x, a, work)) return body;
    inverse_dynamics_derivatives(r.model, counted(r), x.q, x.v, a, work.of_torques, work.derivatives, x.external);
    return body_of_velocity(r.model, forward_dynamics_derivatives(r.model, work.of_torques, out, work.largest));
  }
};

struct Kinematics : Always {
  template <class T> struct Work : KinematicsWork<T> {
    Work(Arena& arena, const RequestOf<T>& r)
        : KinematicsWork<T>{arena.take<JointPosition<T>>(r.model.joints), arena.take<FrameMotion<T>>(r.model.joints + 1),
                            arena.take<Composite<T>>(r.model.joints + 1), r.bodies, r.bodies ? r.body_count : r.model.joints} {}
  };
  /// Motions of the frames, in `motions`; the ground is at rest.
  template <class T> MD_INLINE void move(const RequestOf<T>& r, const State<T>& x, const T* a, const Work<T>& work) {
    body_motions(r.whole, zero_vector<T>(), x.q, x.v, a, work);
  }
  template <class T> MD_INLINE FrameMotion<T> motion_of(const RequestOf<T>& r, int k, const Work<T>& work) {
    FrameMotion<T> motion;
    frame_motions(r.frames + k, 1, &motion, work);
    return motion;
  }
};

struct FramePoses : Kinematics {
  static constexpr Algorithm algorithm = Algorithm::frame_poses;
  template <class T> MD_INLINE int run(const RequestOf<T>& r, const State<T>& x, T* out, const Work<T>& work) {
    body_poses(r.whole, x.q, work);
    for (int k = 0; k < r.frame_count; ++k, out += 16) { // homogeneous matrices
      const FrameMotion<T>& body = work.motions[r.frames[k].body];
      const Matrix3<T> R = body.R * r.frames[k].R;
      const Vector3<T> p = plus_product(body.p, body.R, r.frames[k].p);
      const T o{}, entries[16] = {R.xx, R.xy, R.xz, p.x, R.yx, R.yy, R.yz, p.y, R.zx, R.zy, R.zz, p.z, o, o, o, o + Element<T>(1)};
      for (int e = 0; e < 16; ++e) out[e] = entries[e];
    }
    return 0;
  }
};

struct FrameMotions : Kinematics {
  static constexpr Algorithm algorithm = Algorithm::frame_motions;
  template <class T> MD_INLINE int run(const RequestOf<T>& r, const State<T>& x, T* out, const Work<T>& work) {
    static_assert(sizeof(FrameMotion<T>) == 24 * sizeof(T), "rows of 24 numbers");
    move(r, x, x.a, work);
    frame_motions(r.frames, r.frame_count, reinterpret_cast<FrameMotion<T>*>(out), work);
    return 0;
  }
};

struct FrameVelocities : Kinematics {
  static constexpr Algorithm algorithm = Algorithm::frame_velocities;
  template <class T> MD_INLINE int run(const RequestOf<T>& r, const State<T>& x, T* out, const Work<T>& work) {
    move(r, x, x.v, work); // accelerations are not read
    for (int k = 0; k < r.frame_count; ++k) frame_velocity(motion_of(r, k, work), r.form, out + 6 * k);
    return 0;
  }
};

struct FrameAccelerations : Kinematics {
  static constexpr Algorithm algorithm = Algorithm::frame_accelerations;
  template <class T> MD_INLINE int run(const RequestOf<T>& r, const State<T>& x, T* out, const Work<T>& work) {
    move(r, x, x.a, work);
    for (int k = 0; k < r.frame_count; ++k) frame_acceleration(motion_of(r, k, work), r.form, out + 6 * k);
    return 0;
  }
};

struct Jacobian : Kinematics {
  static constexpr Algorithm algorithm = Algorithm::jacobian;
  template <class T> MD_INLINE int run(const RequestOf<T>& r, const State<T>& x, T* out, const Work<T>& work) {
    body_poses(r.whole, x.q, work);
    jacobian(r.whole, r.frames[0], r.form.own_axes, out, work);
    return 0;
  }
};

struct OfWholeBody : Kinematics {
  static constexpr Algorithm algorithm = Algorithm::whole_body;
  template <class T> MD_INLINE int run(const RequestOf<T>& r, const State<T>& x, T* out, const Work<T>& work) {
    static_assert(sizeof(WholeBody<T>) == 16 * sizeof(T), "16 numbers");
    move(r, x, x.a, work);
    *reinterpret_cast<WholeBody<T>*>(out) = whole_body(r.whole, work);
    return 0;
  }
};

struct MomentumMatrix : Kinematics {
  static constexpr Algorithm algorithm = Algorithm::momentum_matrix;
  template <class T> MD_INLINE int run(const RequestOf<T>& r, const State<T>& x, T* out, const Work<T>& work) {
    body_poses(r.whole, x.q, work);
    momentum_matrix(r.whole, out, work);
    return 0;
  }
};

struct Regressor : Kinematics {
  static constexpr Algorithm algorithm = Algorithm::regressor;
  template <class T> MD_INLINE int run(const RequestOf<T>& r, const State<T>& x, T* out, const Work<T>& work) {
    const Vector3<T> still = zero_vector<T>();
    body_motions(r.whole, still - r.whole.gravity, x.q, x.v, x.a, work);
    regressor(r.whole, r.joints, r.body_axes, out, work);
    return 0;
  }
};

template <class E> MD_INLINE bool finite_array(const E* values, long count) {
  FiniteCheck<E> check;
  for (long k = 0; k < count; ++k) check.add(values[k]);
  return check.all_finite();
}

/// Have the quaternions of one state, or of all lanes, a direction?
template <class T> MD_INLINE bool have_direction(const Model<Element<T>>& model, const T* q) {
  typedef Element<T> E;
  for (int i = 1; i <= model.joints; ++i) {
    const Body<E>& b = model.bodies[i];
    if (!has_quaternion(b.type)) continue;
    const T* at = q + b.q + (b.type == JointType::floating ? 3 : 0);
    if (any(at[0] * at[0] + at[1] * at[1] + at[2] * at[2] + at[3] * at[3] < T{} + E(smallest_norm * smallest_norm))) return false;
  }
  return true;
}

/// Positions of one state's joints: sines and cosines of as many angles at once as a vector register holds.
template <class E> MD_INLINE void positions_of_one(const Model<E>& model, const E* q, JointPosition<E>* positions) {
  typedef std::conditional_t<sizeof(E) == 8, D, F> V;
  const int n = model.joints;
  for (int first = 0; first < n; first += lanes_of<V>) {
    const int count = n - first < lanes_of<V> ? n - first : lanes_of<V>;
    V angles{}, sines, cosines;
    for (int k = 0; k < count; ++k) {
      const Body<E>& body = model.bodies[first + k + 1];
      if (has_quaternion(body.type)) continue;
      E value = body.multiplier * q[body.q];
      if (body.type == JointType::prismatic) positions[first + k].shift = value + body.offset;
      else set_lane(angles, k, (absolute(value) > E(1e3) ? wrapped(value) : value) + body.offset);
    }
    sine_cosine(angles, sines, cosines);
    for (int k = 0; k < count; ++k) positions[first + k].sine = lane(sines, k), positions[first + k].cosine = lane(cosines, k);
  }
}

/// The numbers of a row of loads.
template <class E> long numbers_in_loads(const Request<E>& r) { return r.loaded ? 6L * r.model.joints : 0; }

/// Does the algorithm read only some of its third and fourth input?
template <class A> constexpr bool reads_parts = A::algorithm == Algorithm::hybrid_dynamics;

/// Memory of a call: an algorithm's, and inputs as it reads them.
template <class A, class T> struct CallWork {
  const RequestOf<T>& request;
  const Shape shape;
  typename A::template Work<T> work;
  Wrench<T>* external;
  T* zeros;

  CallWork(Arena& arena, const RequestOf<T>& r)
      : request(r), shape(shape_of(A::algorithm, r)), work(arena, r), external(arena.take<Wrench<T>>(r.loaded ? r.model.joints + 1 : 0)),
        zeros(arena.take<T>(r.model.nv)) {}

  MD_FORCE_INLINE int run(const T* const* inputs, T* out) const {
    return A::run(request, State<T>{inputs[0], inputs[1], inputs[2], inputs[3], request.loaded ? external : nullptr}, out, work);
  }
};

template <class A, class E> struct OneWork : CallWork<A, E> {
  E* parts[2];
  OneWork(Arena& arena, const Request<E>& r) : CallWork<A, E>(arena, r) {
    for (E*& part : parts) part = arena.take<E>(reads_parts<A> ? r.model.nv : 0);
  }
};

template <class A, class E> Outcome one(const Request<E>& request, const Arguments<E>& x, void* memory) {
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
  positions_of_one(request.model, x.inputs[0], call.work.positions);
  if (const int body = call.run(inputs, x.out)) return {Status::no_inertia, request.joints[body - 1]};
  if (!finite_array(x.out, call.shape.numbers())) return {Status::overflow};
  A::finish(request, x.out);
  return {};
}

template <class A, class T> struct ManyWork : CallWork<A, T> {
  T *inputs[4], *loads, *out;
  ManyWork(Arena& arena, const RequestOf<T>& r) : CallWork<A, T>(arena, r) {
    constexpr int square = lanes_of<T>; // the last square of a transposition may be wider than a row
    for (int k = 0; k < 4; ++k) inputs[k] = arena.take<T>(k < this->shape.inputs ? (k == 0 ? r.model.nq : r.model.nv) + square : 0);
    loads = arena.take<T>(r.loaded ? numbers_in_loads(r) + square : 0);
    out = arena.take<T>(this->shape.numbers() + square);
  }
};

template <class A, class E> std::size_t bytes_of_one(const Request<E>& request) {
  Arena arena;
  const OneWork<A, E> counted(arena, request);
  return arena.bytes();
}

template <class A, class T> RowsOutcome many(const RequestOf<T>& request, const Arguments<Element<T>>& x, long rows, void* memory) {
  typedef Element<T> E;
  constexpr int N = lanes_of<T>;
  const int nv = request.model.nv;
  Arena arena(memory);
  void* memory_of_one = arena.take<char>(long(bytes_of_one<A, E>(request)));
  const ManyWork<A, T> call(arena, request);
  const int inputs = call.shape.inputs;
  const long results = call.shape.numbers(), loads = numbers_in_loads(request), load_step = request.loads_by_row ? loads : 0;
  // less memory is better, but zeros must stay
  T* out = call.shape.dimensions == 1 && results == nv && x.inputs[2] ? call.inputs[2] : call.out;
  auto shifted = [&](long row) {
    Arguments<E> at = x;
    for (int k = 0; k < inputs; ++k)
      if (x.inputs[k]) at.inputs[k] = x.inputs[k] + row * (k == 0 ? request.model.nq : nv);
    if (x.loads) at.loads = x.loads + row * load_step;
    at.out = x.out + row * results;
    return at;
  };
  for (int k = 1; k < inputs; ++k)
    for (int i = 0; i < nv; ++i) call.inputs[k][i] = T{};
  if (request.loaded && !request.loads_by_row) {
    if (!finite_array(x.loads, loads) && rows > 0) return {0, {Status::not_finite}};
    for (long k = 0; k < loads; ++k) call.loads[k] = T{} + x.loads[k];
    to_model_frames(request.model.joints, request.joints, request.body_axes, call.loads, call.external);
  }
  for (long row = 0; row < rows;) {
    const Arguments<E> at = shifted(row);
    const InputRows<T> from[5] = {{at.inputs[0], request.model.nq, call.inputs[0]},
                                  {at.inputs[1], nv, call.inputs[1]},
                                  {at.inputs[2], nv, call.inputs[2], reads_parts<A> ? request.prescribed : nullptr, true},
                                  {at.inputs[3], nv, call.inputs[3], reads_parts<A> ? request.prescribed : nullptr, false},
                                  {request.loads_by_row ? at.loads : nullptr, int(loads), call.loads}};
    const long last = (rows - row) % N;
    row += for_rows<T>(
        rows - row - (last <= N / 4 ? last : 0), from, at.out, int(results), out,
        [&] {
          if (!have_direction(request.model, call.inputs[0])) return false;
          if (request.loads_by_row) to_model_frames(request.model.joints, request.joints, request.body_axes, call.loads, call.external);
          joint_positions(request.model, call.inputs[0], call.work.positions);
          const T* lanes[4];
          for (int k = 0; k < 4; ++k) lanes[k] = k < inputs ? call.inputs[k] : nullptr;
          return call.run(lanes, out) == 0;
        },
        [&](T* made) { A::finish(request, made); });
    // one by one: those that lanes would not be worth; or of lanes that are not good, which say so themselves
    for (const long stop = row + N < rows ? row + N : rows; row < stop; ++row)
      if (const Outcome outcome = one<A, E>(request, shifted(row), memory_of_one); outcome.status != Status::good) return {row, outcome};
  }
  return {rows, {}};
}

template <class A> std::size_t bytes(const Request<double>& request) {
  Arena arena;
  arena.take<char>(long(bytes_of_one<A, double>(request)));
  const ManyWork<A, D> counted(arena, request);
  return arena.bytes() + 6 * MD_LANES * sizeof(D); // squares of floats, which are twice as wide: of inputs, loads and the result
}

template <class... A> constexpr Kernels table() {
  return {MD_NAME, MD_LANES, {bytes_of_one<A, double>...}, {bytes<A>...}, {one<A, double>...}, {many<A, D>...}, {many<InverseDynamics, F>, many<InverseDynamicsLoaded, F>}};
}

} // namespace

extern const Kernels MD_KERNELS;
const Kernels MD_KERNELS = table<InverseDynamics, InverseDynamicsLoaded, JointWrenches, ForwardDynamics, HybridDynamics, MassMatrix, CoriolisMatrix,
                                 Derivatives, ForwardDerivatives, FramePoses, FrameMotions, FrameVelocities, FrameAccelerations, Jacobian,
                                 OfWholeBody, MomentumMatrix, Regressor>();

} // namespace modular_dynamics
