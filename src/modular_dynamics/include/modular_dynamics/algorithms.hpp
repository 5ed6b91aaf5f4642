// The algorithms of a tree in one form, with their memory, on any number type. Functions of one state (functions.hpp) and of many call them.
// Nothing here has a symbol that files compiled for other processors could share.
#pragma once
#include "articulated_body_of_one.hpp"
#include "kinematics.hpp"
#include "mass_matrix_solver.hpp"
#include "memory.hpp"
#include "newton_euler_of_one.hpp"

namespace modular_dynamics {

/// The algorithms, each a function of a state.
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

/// Arguments of an algorithm other than the states.
template <class E> struct Request {
  Model<E> model;                                           ///< masses regrouped; wrenches are not those of its bodies
  Model<E> whole;                                           ///< masses as they are
  CountedTerms counted;                                     ///< of the joints, beside the bodies
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

/// The number of inputs that an algorithm reads, q first, and the shape of a result.
struct Shape {
  int inputs, dimensions;
  long size[3];
  long numbers() const { return size[0] * (dimensions > 1 ? size[1] : 1) * (dimensions > 2 ? size[2] : 1); }
};

template <class E> MD_INLINE Shape shape_of(Algorithm algorithm, const Request<E>& request) {
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

template <class T> using RequestOf = Request<Element<T>>;
template <class E> MD_INLINE int columns_of(const Request<E>& request) { return request.model.bodies[0].columns_end; }

/// One state, or a state in each lane of T.
template <class T> struct State {
  const T *q, *v, *a, *tau;
  const Wrench<T>* external; ///< in the model's frames; or nullptr
};

// Each algorithm: `work`, its memory, taken from an arena, and `run`, its call. That returns the index of a body that moves no inertia in some
// lane, and 0 if the result is valid. `finish` writes NaN for unknown numbers into a checked result.

template <class A, class T> using WorkOf = decltype(A::template work<T>(std::declval<Arena&>(), std::declval<const RequestOf<T>&>(), nullptr));

struct Always {
  template <class T> MD_INLINE void finish(const RequestOf<T>&, T*) {}
};

template <class T> static NewtonEulerWork<T> newton_euler_work(Arena& arena, const RequestOf<T>& r, JointPosition<T>* positions) {
  return {positions, arena.take<Motion<T>>(r.model.joints + 1), arena.take<Wrench<T>>(r.model.joints + 1)};
}
template <class T> static CompositeBodyWork<T> composite_work(Arena& arena, const RequestOf<T>& r, JointPosition<T>* positions) {
  const int columns = columns_of(r);
  return {positions, arena.take<RigidBody<T>>(r.model.joints + 1), WrenchColumns<T>(arena.take<T>(WrenchColumns<T>::numbers(columns)), columns)};
}
template <class T> static MassMatrixWork<T> matrix_work(Arena& arena, const RequestOf<T>& r, JointPosition<T>* positions) {
  const long nv = r.model.nv;
  return {newton_euler_work<T>(arena, r, positions), composite_work<T>(arena, r, positions), arena.take<T>(nv * nv), arena.take<T>(nv), arena.take<T>(nv)};
}
template <class T> static DerivativesWork<T> derivatives_work(Arena& arena, const RequestOf<T>& r, JointPosition<T>* positions) {
  const int bodies = padded(r.model.joints) + 1, columns = padded(columns_of(r));
  return {positions, arena.take<TreeMotion<T>>(bodies), arena.take<TreeBody<T>>(bodies),
          {arena.take<T>(long(TreeColumns<T>::components) * columns), columns}};
}

/// The body to whose joint a velocity belongs. failed: 1 + index of the velocity, as factorize returns it; 0 gives 0.
template <class E> MD_INLINE int body_of_velocity(const Model<E>& model, int failed) {
  for (int i = 1; failed > 0 && i <= model.joints; ++i)
    if (failed - 1 >= model.bodies[i].v && failed - 1 < model.bodies[i].v + model.bodies[i].velocities) return i;
  return 0;
}

struct InverseDynamics : Always {
  static constexpr Algorithm algorithm = Algorithm::inverse_dynamics;
  template <class T> static auto work(Arena& arena, const RequestOf<T>& r, JointPosition<T>* positions) {
    const int n = padded(r.model.joints) + 1;
    if constexpr (std::is_same_v<T, double>) return NewtonEulerOfOneWork{positions, arena.take<MotionOfOne>(n), arena.take<WrenchOfOne>(n)};
    else return newton_euler_work<T>(arena, r, positions);
  }
  template <class T, class Work> MD_INLINE int run(const RequestOf<T>& r, const State<T>& x, T* out, const Work& work) {
    if constexpr (std::is_same_v<T, double>) inverse_dynamics_of_one(r.model, r.counted, r.mimics, x.q, x.v, x.a, out, work);
    else inverse_dynamics(r.model, r.counted, r.mimics, x.q, x.v, x.a, out, work);
    return 0;
  }
};

struct InverseDynamicsLoaded {
  static constexpr Algorithm algorithm = Algorithm::inverse_dynamics_loaded;
  template <class T> struct Work : NewtonEulerWork<T> { Passing* passing; };
  template <class T> static Work<T> work(Arena& arena, const RequestOf<T>& r, JointPosition<T>* positions) {
    return {newton_euler_work<T>(arena, r, positions), arena.take<Passing>(r.model.joints + 1)};
  }
  template <class T> MD_INLINE int run(const RequestOf<T>& r, const State<T>& x, T* out, const Work<T>& work) {
    for (int i = 1; r.passing && i <= r.whole.joints; ++i) work.passing[i] = Passing(r.passing[r.joints[i - 1]]);
    inverse_dynamics_under<true>(x.external, r.passing ? work.passing : nullptr, r.whole, r.counted, x.q, x.v, x.a, out, work);
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
  template <class T> static auto work(Arena& arena, const RequestOf<T>& r, JointPosition<T>* positions) { return composite_work<T>(arena, r, positions); }
  template <class T> MD_INLINE int run(const RequestOf<T>& r, const State<T>& x, T* out, const CompositeBodyWork<T>& work) {
    mass_matrix(r.model, r.counted.armature, x.q, out, work);
    return 0;
  }
};

struct Derivatives : Always {
  static constexpr Algorithm algorithm = Algorithm::inverse_dynamics_derivatives;
  template <class T> static auto work(Arena& arena, const RequestOf<T>& r, JointPosition<T>* positions) { return derivatives_work<T>(arena, r, positions); }
  template <class T> MD_INLINE int run(const RequestOf<T>& r, const State<T>& x, T* out, const DerivativesWork<T>& work) {
    inverse_dynamics_derivatives(r.model, r.counted, x.q, x.v, x.a, out, work, x.external);
    return 0;
  }
};

struct CoriolisMatrix : Always {
  static constexpr Algorithm algorithm = Algorithm::coriolis_matrix;
  template <class T> struct Work : DerivativesWork<T> { T *derivatives, *zeros; };
  template <class T> static Work<T> work(Arena& arena, const RequestOf<T>& r, JointPosition<T>* positions) {
    return {derivatives_work<T>(arena, r, positions), arena.take<T>(3L * r.model.nv * r.model.nv), arena.take<T>(r.model.nv)};
  }
  template <class T> MD_INLINE int run(const RequestOf<T>& r, const State<T>& x, T* out, const Work<T>& work) {
    for (int k = 0; k < r.model.nv; ++k) work.zeros[k] = T{};
    inverse_dynamics_derivatives(r.model, CountedTerms{}, x.q, x.v, work.zeros, work.derivatives, work);
    coriolis_matrix(r.model, x.v, work.derivatives, out);
    return 0;
  }
};

/// Whether a state is one state, and registers hold four numbers.
template <class T> constexpr bool four_at_once = std::is_same_v<T, double> && register_bytes >= 32;

struct ForwardDynamics : Always {
  static constexpr Algorithm algorithm = Algorithm::forward_dynamics;
  /// Only `matrix` has memory, where joints mimic others; else `bodies` and, for one state, `of_one`.
  template <class T> struct Work {
    MassMatrixWork<T> matrix;
    ArticulatedBodyWork<T> bodies;
    std::conditional_t<four_at_once<T>, ArticulatedBodyOfOneWork, int> of_one;
  };
  template <class T> static Work<T> work(Arena& arena, const RequestOf<T>& r, JointPosition<T>* positions) {
    if (r.mimics) return {matrix_work<T>(arena, r, positions), {}, {}};
    const int n = r.model.joints + 1;
    Work<T> work{{}, {positions, arena.take<ArticulatedBody<T>>(n), arena.take<EliminatedAxis<T>>(columns_of(r)), arena.take<T>(r.model.nv)}, {}};
    if constexpr (four_at_once<T>) {
      const int all = padded(r.model.joints) + 1;
      work.of_one.positions = positions, work.of_one.others = work.bodies;
      arena.take(all, work.of_one.motions, work.of_one.wrenches, work.of_one.blocks, work.of_one.axes);
    }
    return work;
  }
  template <class T> MD_INLINE int run(const RequestOf<T>& r, const State<T>& x, T* out, const Work<T>& work) {
    const T* tau = x.a; // the third input
    if constexpr (four_at_once<T>)
      if (!r.mimics) return forward_dynamics_of_one(r.whole, r.counted, x.q, x.v, tau, out, work.of_one, x.external);
    if (!r.mimics) return forward_dynamics(r.whole, r.counted, x.q, x.v, tau, out, work.bodies, x.external);
    return body_of_velocity(r.model, forward_dynamics_by_matrix(r.model, r.counted, x.q, x.v, tau, out, work.matrix, x.external));
  }
};

struct HybridDynamics : Always {
  static constexpr Algorithm algorithm = Algorithm::hybrid_dynamics;
  template <class T> static auto work(Arena& arena, const RequestOf<T>& r, JointPosition<T>* positions) { return matrix_work<T>(arena, r, positions); }
  template <class T> MD_INLINE int run(const RequestOf<T>& r, const State<T>& x, T* out, const MassMatrixWork<T>& work) {
    return body_of_velocity(r.model, hybrid_dynamics(r.model, r.counted, r.prescribed, x.q, x.v, x.a, x.tau, out, work, x.external));
  }
};

struct ForwardDerivatives : Always {
  static constexpr Algorithm algorithm = Algorithm::forward_dynamics_derivatives;
  template <class T> struct Work : ForwardDynamics::Work<T> {
    DerivativesWork<T> derivatives;
    T *of_torques, *largest;
  };
  template <class T> static Work<T> work(Arena& arena, const RequestOf<T>& r, JointPosition<T>* positions) {
    const long nv = r.model.nv;
    return {ForwardDynamics::work<T>(arena, r, positions), derivatives_work<T>(arena, r, positions), arena.take<T>(3 * nv * nv), arena.take<T>(nv)};
  }
  template <class T> MD_INLINE int run(const RequestOf<T>& r, const State<T>& x, T* out, const Work<T>& work) {
    const long nv = r.model.nv;
    T* a = out + 3 * nv * nv;
    if (const int body = ForwardDynamics::run(r, x, a, work)) return body;
    inverse_dynamics_derivatives(r.model, r.counted, x.q, x.v, a, work.of_torques, work.derivatives, x.external);
    return body_of_velocity(r.model, forward_dynamics_derivatives(r.model, work.of_torques, out, work.largest));
  }
};

/// What needs the motion of frames, or of all bodies.
struct Kinematics : Always {
  template <class T> static KinematicsWork<T> work(Arena& arena, const RequestOf<T>& r, JointPosition<T>* positions) {
    const int n = r.model.joints;
    return {positions, arena.take<FrameMotion<T>>(n + 1), arena.take<RigidBody<T>>(n + 1), r.bodies, r.bodies ? r.body_count : n};
  }
  /// Motions of all frames, one after another, where the ground is at rest: calls write(motion, k).
  template <class T, class Write>
  MD_INLINE void each_frame(const RequestOf<T>& r, const State<T>& x, const T* a, const KinematicsWork<T>& work, Write write) {
    body_motions(r.whole, zero_vector<T>(), x.q, x.v, a, work);
    for (int k = 0; k < r.frame_count; ++k) write(detail::carried(work.motions[r.frames[k].body], r.frames[k].R, r.frames[k].p), k);
  }
};

struct FramePoses : Kinematics {
  static constexpr Algorithm algorithm = Algorithm::frame_poses;
  template <class T> MD_INLINE int run(const RequestOf<T>& r, const State<T>& x, T* out, const KinematicsWork<T>& work) {
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
  template <class T> MD_INLINE int run(const RequestOf<T>& r, const State<T>& x, T* out, const KinematicsWork<T>& work) {
    static_assert(sizeof(FrameMotion<T>) == 24 * sizeof(T), "rows of 24 numbers");
    each_frame(r, x, x.a, work, [&](const FrameMotion<T>& motion, int k) { reinterpret_cast<FrameMotion<T>*>(out)[k] = motion; });
    return 0;
  }
};

struct FrameVelocities : Kinematics {
  static constexpr Algorithm algorithm = Algorithm::frame_velocities;
  template <class T> MD_INLINE int run(const RequestOf<T>& r, const State<T>& x, T* out, const KinematicsWork<T>& work) {
    each_frame(r, x, x.v, work, [&](const FrameMotion<T>& motion, int k) { frame_velocity(motion, r.form, out + 6 * k); }); // a is not read
    return 0;
  }
};

struct FrameAccelerations : Kinematics {
  static constexpr Algorithm algorithm = Algorithm::frame_accelerations;
  template <class T> MD_INLINE int run(const RequestOf<T>& r, const State<T>& x, T* out, const KinematicsWork<T>& work) {
    each_frame(r, x, x.a, work, [&](const FrameMotion<T>& motion, int k) { frame_acceleration(motion, r.form, out + 6 * k); });
    return 0;
  }
};

struct Jacobian : Kinematics {
  static constexpr Algorithm algorithm = Algorithm::jacobian;
  template <class T> MD_INLINE int run(const RequestOf<T>& r, const State<T>& x, T* out, const KinematicsWork<T>& work) {
    body_poses(r.whole, x.q, work);
    jacobian(r.whole, r.frames[0], r.form.own_axes, out, work);
    return 0;
  }
};

struct OfWholeBody : Kinematics {
  static constexpr Algorithm algorithm = Algorithm::whole_body;
  template <class T> MD_INLINE int run(const RequestOf<T>& r, const State<T>& x, T* out, const KinematicsWork<T>& work) {
    static_assert(sizeof(WholeBody<T>) == 16 * sizeof(T), "16 numbers");
    body_motions(r.whole, zero_vector<T>(), x.q, x.v, x.a, work);
    *reinterpret_cast<WholeBody<T>*>(out) = whole_body(r.whole, work);
    return 0;
  }
};

struct MomentumMatrix : Kinematics {
  static constexpr Algorithm algorithm = Algorithm::momentum_matrix;
  template <class T> MD_INLINE int run(const RequestOf<T>& r, const State<T>& x, T* out, const KinematicsWork<T>& work) {
    body_poses(r.whole, x.q, work);
    momentum_matrix(r.whole, out, work);
    return 0;
  }
};

struct Regressor : Kinematics {
  static constexpr Algorithm algorithm = Algorithm::regressor;
  template <class T> MD_INLINE int run(const RequestOf<T>& r, const State<T>& x, T* out, const KinematicsWork<T>& work) {
    body_motions(r.whole, zero_vector<T>() - r.whole.gravity, x.q, x.v, x.a, work);
    regressor(r.whole, r.joints, r.body_axes, out, work);
    return 0;
  }
};

} // namespace modular_dynamics
