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
template <class E> MD_INLINE CountedTerms counted(const Request<E>& request) { return {request.armature, request.springs, request.friction}; }
template <class E> MD_INLINE int columns_of(const Request<E>& request) { return request.model.bodies[0].columns_end; }

/// One state, or a state in each lane of T.
template <class T> struct State {
  const T *q, *v, *a, *tau;
  const Wrench<T>* external; ///< in the model's frames; or nullptr
};

// Each algorithm: its memory, taken from an arena, and its call. `run` returns the index of a body that moves no inertia in some lane, and 0 if
// the result is valid. `finish` writes NaN for unknown numbers into a checked result.

struct Always {
  template <class T> MD_INLINE void finish(const RequestOf<T>&, T*) {}
};

template <class T> NewtonEulerWork<T> newton_euler_work(Arena& arena, const RequestOf<T>& r, JointPosition<T>* positions) {
  return {positions, arena.take<Motion<T>>(r.model.joints + 1), arena.take<Wrench<T>>(r.model.joints + 1)};
}
template <class T> CompositeBodyWork<T> composite_work(Arena& arena, const RequestOf<T>& r, JointPosition<T>* positions) {
  const int columns = columns_of(r);
  return {positions, arena.take<Composite<T>>(r.model.joints + 1), WrenchColumns<T>(arena.take<T>(WrenchColumns<T>::numbers(columns)), columns)};
}
template <class T> MassMatrixWork<T> matrix_work(Arena& arena, const RequestOf<T>& r, JointPosition<T>* positions) {
  const long nv = r.model.nv;
  return {newton_euler_work<T>(arena, r, positions), composite_work<T>(arena, r, positions), arena.take<T>(nv * nv), arena.take<T>(nv), arena.take<T>(nv)};
}
template <class T> ArticulatedBodyWork<T> articulated_work(Arena& arena, const RequestOf<T>& r, JointPosition<T>* positions) {
  return {positions, arena.take<ArticulatedBody<T>>(r.model.joints + 1), arena.take<EliminatedAxis<T>>(columns_of(r)), arena.take<T>(r.model.nv)};
}
template <class T> DerivativesWork<T> derivatives_work(Arena& arena, const RequestOf<T>& r, JointPosition<T>* positions) {
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
  template <class T> struct Work : NewtonEulerWork<T> {
    Work(Arena& arena, const RequestOf<T>& r) : NewtonEulerWork<T>(newton_euler_work<T>(arena, r, arena.take<JointPosition<T>>(r.model.joints))) {}
  };
  template <class T> MD_INLINE int run(const RequestOf<T>& r, const State<T>& x, T* out, const Work<T>& work) {
    if constexpr (std::is_same_v<T, double>) inverse_dynamics_of_one(r.model, counted(r), r.mimics, x.q, x.v, x.a, out, work);
    else inverse_dynamics(r.model, counted(r), r.mimics, x.q, x.v, x.a, out, work);
    return 0;
  }
};
template <> struct InverseDynamics::Work<double> : NewtonEulerOfOneWork {
  Work(Arena& arena, const Request<double>& r)
      : NewtonEulerOfOneWork{arena.take<JointPosition<double>>(r.model.joints), arena.take<MotionOfOne>(padded(r.model.joints) + 1),
                             arena.take<WrenchOfOne>(padded(r.model.joints) + 1)} {}
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

/// Whether a state is one state, and registers hold four numbers.
template <class T> constexpr bool four_at_once = std::is_same_v<T, double> && register_bytes >= 32;

struct ForwardDynamics : Always {
  static constexpr Algorithm algorithm = Algorithm::forward_dynamics;
  template <class T> struct Work {
    JointPosition<T>* positions;
    MassMatrixWork<T> matrix{};        ///< only this has memory, or
    ArticulatedBodyWork<T> bodies{};   ///< this, and for one state
    std::conditional_t<four_at_once<T>, ArticulatedBodyOfOneWork, int> of_one{}; ///< also this
    Work(Arena& arena, const RequestOf<T>& r) : positions(arena.take<JointPosition<T>>(r.model.joints)) {
      if (r.mimics) {
        matrix = matrix_work<T>(arena, r, positions);
        return;
      }
      bodies = articulated_work<T>(arena, r, positions);
      if constexpr (four_at_once<T>) {
        const int n = padded(r.model.joints) + 1;
        of_one.positions = positions, of_one.others = bodies;
        arena.take(of_one.motions, n), arena.take(of_one.wrenches, n), arena.take(of_one.blocks, n), arena.take(of_one.axes, n);
      }
    }
  };
  template <class T> MD_INLINE int run(const RequestOf<T>& r, const State<T>& x, T* out, const Work<T>& work) {
    const T* tau = x.a; // the third input
    if constexpr (four_at_once<T>)
      if (!r.mimics) return forward_dynamics_of_one(r.whole, counted(r), x.q, x.v, tau, out, work.of_one, x.external);
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

} // namespace modular_dynamics
