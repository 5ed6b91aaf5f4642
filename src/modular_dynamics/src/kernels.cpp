// Compiled once for each generation of processors, with -march= and MD_KERNELS, the name of the table that it defines, MD_NAME, the
// processor's name, and MD_LANES, the number of doubles in a vector register.
//
// No inline function of the standard library may be emitted here, and no template that is not static: the linker would keep one copy
// of those in all files, perhaps the newest processor's.
#include "kernels.hpp"

#include "modular_dynamics/articulated_body.hpp"
#include "modular_dynamics/batch.hpp"

namespace modular_dynamics {
namespace {

typedef Lanes<double, MD_LANES> D;
typedef Lanes<float, 2 * MD_LANES> F;

/// Hands out pieces of memory, one after the other; without memory it counts them.
class Arena {
 public:
  explicit Arena(void* memory = nullptr) : first(reinterpret_cast<std::uintptr_t>(memory)), next(first) {}
  template <class S> S* take(long count) {
    auto at = reinterpret_cast<S*>(next);
    next += (sizeof(S) * std::size_t(count) + 63) / 64 * 64;
    return at;
  }
  std::size_t bytes() const { return next - first; }

 private:
  std::uintptr_t first, next;
};

template <class T> using RequestOf = Request<Element<T>>;
template <class E> CountedTerms counted(const Request<E>& request) { return {request.armature, request.springs, request.friction}; }
template <class E> int columns_of(const Request<E>& request) { return request.model.bodies[0].columns_end; }

// Each algorithm: its memory, taken from an arena, and its call. `run` returns whether the result is to be used.

struct InverseDynamics {
  static constexpr Algorithm algorithm = Algorithm::inverse_dynamics;
  template <class T> struct Work : NewtonEulerWork<T> {
    Work(Arena& arena, const RequestOf<T>& r)
        : NewtonEulerWork<T>{arena.take<JointPosition<T>>(r.model.joints), arena.take<Motion<T>>(r.model.joints + 1),
                             arena.take<Wrench<T>>(r.model.joints + 1)} {}
  };
  template <class T> MD_INLINE bool run(const RequestOf<T>& r, const T* q, const T* v, const T* a, T* out, const Work<T>& work) {
    inverse_dynamics(r.model, counted(r), r.mimics, q, v, a, out, work);
    return true;
  }
};

struct InverseDynamicsLoaded : InverseDynamics {
  static constexpr Algorithm algorithm = Algorithm::inverse_dynamics_loaded;
  template <class T> MD_INLINE bool run(const RequestOf<T>& r, const T* q, const T* v, const T* a, T* out, const Work<T>& work) {
    inverse_dynamics_loaded(r.model, counted(r), r.external, r.passing, q, v, a, out, work);
    for (int i = 0; i <= r.model.joints; ++i) {
      const Wrench<T>& wrench = work.wrenches[i];
      T* to = out + r.model.nv + 6 * i;
      to[0] = wrench.force.x, to[1] = wrench.force.y, to[2] = wrench.force.z;
      to[3] = wrench.moment.x, to[4] = wrench.moment.y, to[5] = wrench.moment.z;
    }
    return true;
  }
};

struct MassMatrix {
  static constexpr Algorithm algorithm = Algorithm::mass_matrix;
  template <class T> struct Work : CompositeBodyWork<T> {
    Work(Arena& arena, const RequestOf<T>& r) {
      const int columns = columns_of(r);
      this->positions = arena.take<JointPosition<T>>(r.model.joints);
      this->composites = arena.take<Composite<T>>(r.model.joints + 1);
      this->columns = {arena.take<T>(columns), arena.take<T>(columns), arena.take<T>(columns),
                       arena.take<T>(columns), arena.take<T>(columns), arena.take<T>(columns)};
    }
  };
  template <class T> MD_INLINE bool run(const RequestOf<T>& r, const T* q, const T*, const T*, T* out, const Work<T>& work) {
    mass_matrix(r.model, r.armature, q, out, work);
    return true;
  }
};

struct Derivatives {
  static constexpr Algorithm algorithm = Algorithm::inverse_dynamics_derivatives;
  template <class T> struct Work : DerivativesWork<T> {
    Work(Arena& arena, const RequestOf<T>& r) {
      this->positions = arena.take<JointPosition<T>>(r.model.joints);
      this->motions = arena.take<TreeMotion<T>>(r.model.joints + 1);
      this->bodies = arena.take<TreeBody<T>>(r.model.joints + 1);
      this->columns = {arena.take<T>(long(TreeColumns<T>::components) * columns_of(r)), columns_of(r)};
    }
  };
  template <class T> MD_INLINE bool run(const RequestOf<T>& r, const T* q, const T* v, const T* a, T* out, const Work<T>& work) {
    inverse_dynamics_derivatives(r.model, counted(r), q, v, a, out, work, r.external);
    return true;
  }
};

struct ForwardDynamics {
  static constexpr Algorithm algorithm = Algorithm::forward_dynamics;
  template <class T> struct Work : ArticulatedBodyWork<T> {
    Work(Arena& arena, const RequestOf<T>& r)
        : ArticulatedBodyWork<T>{arena.take<JointPosition<T>>(r.model.joints), arena.take<ArticulatedBody<T>>(r.model.joints + 1),
                                 arena.take<EliminatedAxis<T>>(columns_of(r)), arena.take<T>(r.model.nv)} {}
  };
  template <class T> MD_INLINE bool run(const RequestOf<T>& r, const T* q, const T* v, const T* tau, T* out, const Work<T>& work) {
    return forward_dynamics(r.model, counted(r), q, v, tau, out, work, r.external);
  }
};

struct Kinematics {
  template <class T> struct Work : KinematicsWork<T> {
    Work(Arena& arena, const RequestOf<T>& r)
        : KinematicsWork<T>{arena.take<JointPosition<T>>(r.model.joints), arena.take<FrameMotion<T>>(r.model.joints + 1),
                            arena.take<Composite<T>>(r.model.joints + 1)} {}
  };
};

struct FramePoses : Kinematics {
  static constexpr Algorithm algorithm = Algorithm::frame_poses;
  template <class T> MD_INLINE bool run(const RequestOf<T>& r, const T* q, const T*, const T*, T* out, const Work<T>& work) {
    body_poses(r.model, q, work);
    for (int k = 0; k < r.frame_count; ++k, out += 16) { // homogeneous matrices
      const FrameMotion<T>& body = work.motions[r.frames[k].body];
      const Matrix3<T> R = body.R * r.frames[k].R;
      const Vector3<T> p = plus_product(body.p, body.R, r.frames[k].p);
      const T o{}, entries[16] = {R.xx, R.xy, R.xz, p.x, R.yx, R.yy, R.yz, p.y, R.zx, R.zy, R.zz, p.z, o, o, o, o + Element<T>(1)};
      for (int e = 0; e < 16; ++e) out[e] = entries[e];
    }
    return true;
  }
};

struct FrameMotions : Kinematics {
  static constexpr Algorithm algorithm = Algorithm::frame_motions;
  template <class T> MD_INLINE bool run(const RequestOf<T>& r, const T* q, const T* v, const T* a, T* out, const Work<T>& work) {
    static_assert(sizeof(FrameMotion<T>) == 24 * sizeof(T), "rows of 24 numbers");
    body_motions(r.model, zero_vector<T>(), q, v, a, work);
    frame_motions(r.frames, r.frame_count, reinterpret_cast<FrameMotion<T>*>(out), work);
    return true;
  }
};

struct Jacobian : Kinematics {
  static constexpr Algorithm algorithm = Algorithm::jacobian;
  template <class T> MD_INLINE bool run(const RequestOf<T>& r, const T* q, const T*, const T*, T* out, const Work<T>& work) {
    body_poses(r.model, q, work);
    jacobian(r.model, r.frames[0], r.frame_axes, out, work);
    return true;
  }
};

struct OfWholeBody : Kinematics {
  static constexpr Algorithm algorithm = Algorithm::whole_body;
  template <class T> MD_INLINE bool run(const RequestOf<T>& r, const T* q, const T* v, const T* a, T* out, const Work<T>& work) {
    static_assert(sizeof(WholeBody<T>) == 16 * sizeof(T), "16 numbers");
    body_motions(r.model, zero_vector<T>(), q, v, a, work);
    *reinterpret_cast<WholeBody<T>*>(out) = whole_body(r.model, work);
    return true;
  }
};

struct MomentumMatrix : Kinematics {
  static constexpr Algorithm algorithm = Algorithm::momentum_matrix;
  template <class T> MD_INLINE bool run(const RequestOf<T>& r, const T* q, const T*, const T*, T* out, const Work<T>& work) {
    body_poses(r.model, q, work);
    momentum_matrix(r.model, out, work);
    return true;
  }
};

struct Regressor : Kinematics {
  static constexpr Algorithm algorithm = Algorithm::regressor;
  template <class T> MD_INLINE bool run(const RequestOf<T>& r, const T* q, const T* v, const T* a, T* out, const Work<T>& work) {
    const Vector3<T> still = zero_vector<T>();
    body_motions(r.model, still - r.model.gravity, q, v, a, work);
    regressor(r.model, r.joints, r.body_axes, out, work);
    return true;
  }
};

MD_INLINE bool finite_array(const double* values, int count) {
  FiniteCheck<double> check;
  for (int k = 0; k < count; ++k) check.add(values[k]);
  return check.all_finite();
}

/// Positions of one state's joints: sines and cosines of as many angles at once as a vector register holds.
MD_INLINE void positions_of_one(const Model<double>& model, const double* q, JointPosition<double>* positions) {
  const int n = model.joints;
  for (int first = 0; first < n; first += MD_LANES) {
    const int count = n - first < MD_LANES ? n - first : MD_LANES;
    D angles{}, sines, cosines;
    for (int k = 0; k < count; ++k) {
      const Body<double>& body = model.bodies[first + k + 1];
      if (has_quaternion(body.type)) continue;
      double value = body.multiplier * q[body.q];
      if (body.type == JointType::prismatic) positions[first + k].shift = value + body.offset;
      else set_lane(angles, k, (absolute(value) > 1e3 ? wrapped(value) : value) + body.offset);
    }
    sine_cosine(angles, sines, cosines);
    for (int k = 0; k < count; ++k) positions[first + k].sine = lane(sines, k), positions[first + k].cosine = lane(cosines, k);
  }
}

template <class A>
Status one(const Request<double>& request, const double* q, const double* v, const double* a, double* out, void* memory) {
  const Shape shape = shape_of(A::algorithm, request);
  if (!finite_array(q, request.model.nq)) return Status::not_finite;
  if (shape.inputs == 3 && !(finite_array(v, request.model.nv) && finite_array(a, request.model.nv))) return Status::not_finite;
  Arena arena(memory);
  const typename A::template Work<double> work(arena, request);
  positions_of_one(request.model, q, work.positions);
  if (!A::run(request, q, v, a, out, work)) return Status::no_inertia;
  // inside black boxes torques and wrenches are not known: NaN is the true answer
  return request.passing || finite_array(out, shape.results) ? Status::good : Status::overflow;
}

template <class A, class T>
long many(const RequestOf<T>& request, long rows, const Element<T>* q, const Element<T>* v, const Element<T>* a, Element<T>* out, void* memory) {
  constexpr int square = lanes_of<T>; // the last square of a transposition may be wider than a row
  const Shape shape = shape_of(A::algorithm, request);
  const int nq = request.model.nq, nv = shape.inputs == 3 ? request.model.nv : 0;
  Arena arena(memory);
  T *lanes_q = arena.take<T>(nq + square), *lanes_v = arena.take<T>(nv + square), *lanes_a = arena.take<T>(nv + square);
  T* lanes_out = shape.results == nv ? lanes_a : arena.take<T>(shape.results + square);
  const typename A::template Work<T> work(arena, request);
  return for_rows<T>(rows, {q, nq}, {v, nv}, {a, nv}, {out, shape.results}, lanes_q, lanes_v, lanes_a, lanes_out,
                     [&](const T* one_q, const T* one_v, const T* one_a, T* result) {
                       joint_positions(request.model, one_q, work.positions);
                       return A::run(request, one_q, one_v, one_a, result, work);
                     });
}

template <class A> std::size_t bytes(const Request<double>& request) {
  Arena arena;
  constexpr int square = 2 * MD_LANES; // of floats, which need as many bytes
  const Shape shape = shape_of(A::algorithm, request);
  arena.take<D>(request.model.nq + square), arena.take<D>(request.model.nv + square), arena.take<D>(request.model.nv + square);
  arena.take<D>(shape.results + square);
  Request<double> counting = request;
  const typename A::template Work<D> work(arena, counting);
  return arena.bytes();
}

template <class... A> constexpr Kernels table() {
  return {MD_NAME, MD_LANES, {bytes<A>...}, {one<A>...}, {many<A, D>...}, {many<InverseDynamics, F>}};
}

} // namespace

extern const Kernels MD_KERNELS;
const Kernels MD_KERNELS = table<InverseDynamics, InverseDynamicsLoaded, MassMatrix, Derivatives, ForwardDynamics, FramePoses, FrameMotions, Jacobian,
                                 OfWholeBody, MomentumMatrix, Regressor>();

} // namespace modular_dynamics
