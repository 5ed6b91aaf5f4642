// Inverse dynamics of a tree: the composition of Silva & Adorno (eqs. 1, 5-7), unrolled over all joints.
//
// Outward, each body has its motion: angular velocity w, angular acceleration alpha, acceleration a of its origin minus gravity, in its
// own axes. With Lambda = [alpha]x + [w]x [w]x a point p of the body accelerates by a + Lambda p. That gives the origins of its successors and
// the body's wrench (Khalil & Kleinfinger 1987)
//
//     force  = m a + Lambda (m c)              moment = vee(Lambda J - (Lambda J)^T) + m c x a
//
// with the pseudo-inertia J. Inward, Ad(x_parent_joint) brings the wrench of a joint to its parent's: f = R f_i, n = R n_i + p x f. The
// torque is the wrench's component along the joint. From body to body motion and wrench stay in registers; only what branches need is
// written to memory. Linear accelerations are those of points, so velocities of origins never enter.
//
// Contract: q (nq), v, a, tau (nv) of T, or lanes of them side by side; tau may be v or a. Nothing is allocated, nothing is checked.
#pragma once
#include "model.hpp"

namespace modular_dynamics {

template <class T> struct Motion { Vector3<T> w, alpha, a; Matrix3<T> Lambda; };

/// Angle of a revolute joint as sine and cosine, shift of a prismatic one [m].
template <class T> struct JointPosition { T sine, cosine, shift; };

/// Memory of one call; belongs to one thread. All arrays but `positions` have an element for the ground.
template <class T> struct NewtonEulerWork {
  JointPosition<T>* positions;
  Motion<T>* motions;
  Wrench<T>* wrenches; ///< outward: of each body; after inward with Keep: of each joint on its body; in the model's frames
};

/// Sines and cosines, and shifts, of all joints. Of one state, as many joints at once as a vector register holds numbers: sines of joints that
/// do not turn and shifts of those that do not slide are then meaningless.
template <class T> MD_INLINE void joint_positions(const Model<Element<T>>& model, const T* q, JointPosition<T>* positions) {
  typedef Element<T> E;
  const int n = model.joints;
  if constexpr (std::is_floating_point_v<T>) {
    typedef Pack<T> V;
    constexpr int N = lanes_of<V>;
    for (int first = 0; first < n; first += N) {
      V values, angles, offsets, sines, cosines;
      for (int k = 0; k < N; ++k) {
        const Body<E>& body = model.bodies[first + k < n ? first + k + 1 : n];
        const E value = body.multiplier * q[body.q];
        set_lane(values, k, value), set_lane(angles, k, body.type == JointType::revolute ? value : E(0)), set_lane(offsets, k, body.offset);
      }
      const V shifts = values + offsets;
      sine_cosine(V(without_turns(angles) + offsets), sines, cosines);
      for (int k = 0; k < N && first + k < n; ++k) positions[first + k] = {lane(sines, k), lane(cosines, k), lane(shifts, k)};
    }
  } else {
    for (int i = 1; i <= n; ++i) {
      const Body<E>& body = model.bodies[i];
      JointPosition<T>& at = positions[i - 1];
      if (body.type == JointType::revolute) sine_cosine(T(without_turns(T(body.multiplier * q[body.q])) + body.offset), at.sine, at.cosine);
      else if (body.type == JointType::prismatic) at.shift = body.multiplier * q[body.q] + body.offset;
    }
  }
}

/// Rotation of a quaternion w x y z of any length.
template <class T> MD_INLINE Matrix3<T> rotation_of(T w, T x, T y, T z) {
  typedef Element<T> E;
  T s = E(2) / (w * w + x * x + y * y + z * z);
  return {E(1) - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y),
          s * (x * y + w * z), E(1) - s * (x * x + z * z), s * (y * z - w * x),
          s * (x * z - w * y), s * (y * z + w * x), E(1) - s * (x * x + y * y)};
}

/// Pose x_parent_joint of a body on a floating or spherical joint.
template <class T> MD_INLINE void place_by_quaternion(const Body<Element<T>>& body, const T* q, Matrix3<T>& R, Vector3<T>& p) {
  const T* at = q + body.q;
  p = all_lanes<T>(body.p);
  if (body.type == JointType::floating) {
    p = plus_product(p, body.R, vector_at(at));
    at += 3;
  }
  R = body.R * rotation_of(at[0], at[1], at[2], at[3]);
}

namespace detail {

template <class T, class E> MD_INLINE Vector3<T> about_x(const Body<E>& b, Vector3<T> v) { // R v of a tilted body
  return {v.x, b.R.yy * v.y + b.R.yz * v.z, b.R.zy * v.y + b.R.zz * v.z};
}
template <class T, class E> MD_INLINE Vector3<T> back_about_x(const Body<E>& b, Vector3<T> v) { // R^T v
  return {v.x, b.R.yy * v.y + b.R.zy * v.z, b.R.yz * v.y + b.R.zz * v.z};
}
template <class T, class E> MD_INLINE Vector3<T> to_parent(const Body<E>& b, Vector3<T> v) {
  return b.tilted ? about_x(b, v) : b.R * v;
}
template <class T, class E> MD_INLINE Vector3<T> to_body(const Body<E>& b, Vector3<T> v) {
  return b.tilted ? back_about_x(b, v) : transposed_product(b.R, v);
}

/// Origin of a joint of one axis in its parent's frame.
template <class T, class E> MD_INLINE Vector3<T> origin_of(const Body<E>& b, const JointPosition<T>& at) {
  Vector3<T> p = all_lanes<T>(b.p);
  if (b.type == JointType::prismatic) p = p + at.shift * axis_of(b.R, 2);
  return p;
}

template <class T> MD_INLINE Matrix3<T> lambda_of(Vector3<T> w, Vector3<T> alpha) {
  T xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z, xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z, zero{};
  return {zero - yy - zz, xy - alpha.z, xz + alpha.y, xy + alpha.z, zero - xx - zz, yz - alpha.x,
          xz - alpha.y, yz + alpha.x, zero - xx - yy};
}

/// The wrench about a body's origin that the body needs for its motion.
template <class T, class M> MD_INLINE Wrench<T> wrench_of(const RigidBody<M>& body, const Vector3<T>& a, const Matrix3<T>& L) {
  const Vector3<M>& h = body.moment;
  const SymmetricMatrix3<M>& J = body.J;
  Vector3<T> force = plus_product(body.mass * a, L, h);
  Vector3<T> moment{L.zx * J.xy + L.zy * J.yy + (L.zz - L.yy) * J.yz - L.yx * J.xz - L.yz * J.zz,
                    L.xy * J.yz + L.xz * J.zz + (L.xx - L.zz) * J.xz - L.zx * J.xx - L.zy * J.xy,
                    L.yx * J.xx + (L.yy - L.xx) * J.xy + L.yz * J.xz - L.xy * J.yy - L.xz * J.yz};
  return {force, plus_cross(moment, h, a)};
}
template <class T, class E> MD_INLINE Wrench<T> wrench_of(const Body<E>& b, const Motion<T>& m) {
  const Matrix3<T>& L = m.Lambda;
  const SymmetricMatrix3<E>& J = b.J;
  const Vector3<E>& h = b.moment;
  if (b.reduced)
    return {{L.xx * h.x + L.xy * h.y, L.yx * h.x + L.yy * h.y, L.zx * h.x + L.zy * h.y},
            {L.zx * J.xy + L.zy * J.yy + (L.zz - L.yy) * J.yz - L.yx * J.xz + h.y * m.a.z,
             L.xy * J.yz + (L.xx - L.zz) * J.xz - L.zx * J.xx - L.zy * J.xy - h.x * m.a.z,
             L.yx * J.xx + (L.yy - L.xx) * J.xy + L.yz * J.xz - L.xy * J.yy - L.xz * J.yz + h.x * m.a.y - h.y * m.a.x}};
  return wrench_of(b, m.a, L);
}

/// Motion of a body on a joint of one axis, from that of its parent.
template <class T, class E> MD_INLINE void move_on(const Body<E>& b, const JointPosition<T>& at, T rate, T push, Motion<T>& m) {
  m.a = plus_product(m.a, m.Lambda, origin_of(b, at));
  m.w = to_body(b, m.w), m.alpha = to_body(b, m.alpha), m.a = to_body(b, m.a);
  if (b.type == JointType::revolute) {
    m.w = turned_back_about_z(at.sine, at.cosine, m.w);
    m.alpha = turned_back_about_z(at.sine, at.cosine, m.alpha);
    m.a = turned_back_about_z(at.sine, at.cosine, m.a);
    m.alpha = {m.alpha.x + m.w.y * rate, m.alpha.y - m.w.x * rate, m.alpha.z + push};
    m.w.z = m.w.z + rate;
  } else { // Coriolis: 2 w x (z rate)
    T twice = rate + rate;
    m.a = {m.a.x + m.w.y * twice, m.a.y - m.w.x * twice, m.a.z + push};
  }
}

/// The same on a floating or spherical joint, whose velocities are in the body's axes.
template <class T, class E> MD_INLINE void move_on_by_quaternion(const Body<E>& b, const T* q, const T* v, const T* a, Motion<T>& m) {
  Matrix3<T> R;
  Vector3<T> p;
  place_by_quaternion(b, q, R, p);
  m.a = transposed_product(R, plus_product(m.a, m.Lambda, p));
  m.w = transposed_product(R, m.w), m.alpha = transposed_product(R, m.alpha);
  const T *rates = v + b.v, *pushes = a + b.v;
  if (b.type == JointType::floating) {
    const Vector3<T> linear = vector_at(rates), angular = vector_at(rates + 3), crossed = cross(m.w, linear);
    m.a = plus_cross(m.a + vector_at(pushes), angular, linear) + (crossed + crossed);
    rates += 3, pushes += 3;
  }
  const Vector3<T> angular = vector_at(rates);
  m.alpha = plus_cross(m.alpha + vector_at(pushes), m.w, angular);
  m.w = m.w + angular;
}

} // namespace detail

/// Which terms of the joints themselves count, beside the bodies'.
struct CountedTerms {
  bool armature = false, springs = false, friction = false;
  bool any() const { return armature || springs || friction; }
};

/// tau = armature a + stiffness (q - rest) + damping v + friction sign(v), with sign(0) = 0: what joints need besides moving bodies.
/// It acts between the drive and the axis (Featherstone, Rigid Body Dynamics Algorithms, section 9.6, without the rotor's gyroscopic
/// moments). tau may be v or a.
template <class T> MD_INLINE void joint_torques(const Model<Element<T>>& model, CountedTerms counted, const T* q, const T* v, const T* a, T* tau) {
  typedef Element<T> E;
  for (int i = 1; i <= model.joints; ++i) {
    const Body<E>& body = model.bodies[i];
    const JointTerms<E>& terms = model.terms[i - 1];
    for (int k = body.v; k < body.v + body.velocities; ++k) {
      T torque{}, rate = v[k];
      if (counted.armature) torque = torque + terms.armature * a[k];
      if (counted.springs && body.velocities == 1) torque = torque + terms.stiffness * (q[body.q] - terms.rest_position);
      if (counted.friction) {
        T zero{}, dry = zero + terms.friction;
        torque = torque + terms.damping * rate + select(rate > zero, dry, select(rate < zero, T(zero - dry), zero));
      }
      tau[k] = torque;
    }
  }
}

/// Wrenches of n rows [force, moment] on each joint's body, at its origin and in its axes, in the frames of the model's bodies 1 ... n.
/// joints, axes: as of ModelArrays.
template <class T>
MD_INLINE void to_model_frames(int n, const int* joints, const Matrix3<Element<T>>* axes, const T* rows, Wrench<T>* wrenches) {
  for (int i = 1; i <= n; ++i) {
    const T* w = rows + 6L * joints[i - 1];
    wrenches[i] = {transposed_product(axes[i - 1], vector_at(w)), transposed_product(axes[i - 1], vector_at(w + 3))};
  }
}
/// Rows of such wrenches at the bodies' origins and in their axes, from those in the model's frames.
template <class T>
MD_INLINE void from_model_frames(int n, const int* joints, const Matrix3<Element<T>>* axes, const Wrench<T>* wrenches, T* rows) {
  for (int i = 1; i <= n; ++i) {
    T* w = rows + 6L * joints[i - 1];
    write(axes[i - 1] * wrenches[i].force, w), write(axes[i - 1] * wrenches[i].moment, w + 3);
  }
}

/// Motion of all bodies, and the wrench that each needs for it, less `external`: wrenches on the bodies from outside, in the model's
/// frames, from index 1 on; or nullptr.
template <class T>
MD_INLINE void outward(const Model<Element<T>>& model, const T* q, const T* v, const T* a, const NewtonEulerWork<T>& work,
                       const Wrench<T>* external = nullptr) {
  using namespace detail;
  T zero{};
  const Vector3<T> none = zero_vector<T>();
  Motion<T> m{none, none, {zero - model.gravity.x, zero - model.gravity.y, zero - model.gravity.z},
              {zero, zero, zero, zero, zero, zero, zero, zero, zero}};
  work.motions[0] = m;
  for (int i = 1; i <= model.joints; ++i) {
    const Body<Element<T>>& b = model.bodies[i];
    if (b.parent != i - 1) m = work.motions[b.parent];
    if (has_quaternion(b.type)) move_on_by_quaternion(b, q, v, a, m);
    else move_on(b, work.positions[i - 1], T(b.multiplier * v[b.v]), T(b.multiplier * a[b.v]), m);
    m.Lambda = lambda_of(m.w, m.alpha);
    if (b.has_other_children) work.motions[i] = m;
    work.wrenches[i] = wrench_of(b, m);
    if (external) work.wrenches[i] = work.wrenches[i] - external[i];
  }
}

/// How a joint's wrench is passed on.
enum class Passing : unsigned char {
  whole,  ///< it goes on to the parent
  cut,    ///< it does not: a wrench that is given stands for it, and acts on the parent as an external one
  unknown ///< neither, and the torque is not known: inside a black box. Here it counts as zero
};

/// Torques of the bodies' wrenches: written to tau, or added to what is there.
///
/// Add: whether they are added. Without it no joint may mimic another.
/// Keep: afterwards work.wrenches hold the wrench of each joint on its body, and at index 0 that of the robot on the ground. For that
/// the model must have its masses as they are. `passing` has an element for each body and the ground, or is nullptr.
template <bool Add, bool Keep, class T>
MD_INLINE void inward(const Model<Element<T>>& model, const T* q, T* tau, const NewtonEulerWork<T>& work, const Passing* passing = nullptr) {
  using namespace detail;
  Wrench<T>* wrenches = work.wrenches;
  const Wrench<T> none = zero_wrench<T>();
  auto give = [](T& to, T value) { to = Add ? T(to + value) : value; };
  if (Keep) wrenches[0] = none;
  Wrench<T> from_next = none; // of body i + 1, if it is a child of body i
  for (int i = model.joints; i > 0; --i) {
    const Body<Element<T>>& b = model.bodies[i];
    Wrench<T> wrench = wrenches[i] + from_next;
    if (Keep && passing && passing[i] == Passing::unknown) wrench = none;
    if (Keep) wrenches[i] = wrench;
    Vector3<T> f = wrench.force, moment = wrench.moment, p;
    T* own = tau + b.v;
    const bool by_quaternion = has_quaternion(b.type);
    if (by_quaternion) {
      if (b.type == JointType::floating) {
        give(own[0], f.x), give(own[1], f.y), give(own[2], f.z);
        own += 3;
      }
      give(own[0], moment.x), give(own[1], moment.y), give(own[2], moment.z);
    } else {
      give(own[0], b.multiplier * (b.type == JointType::revolute ? moment.z : f.z));
    }
    from_next = none;
    if (Keep && passing && passing[i] != Passing::whole) continue;
    if (by_quaternion) {
      Matrix3<T> R;
      place_by_quaternion(b, q, R, p);
      f = R * f, moment = R * moment;
    } else {
      const JointPosition<T>& at = work.positions[i - 1];
      if (b.type == JointType::revolute) f = turned_about_z(at.sine, at.cosine, f), moment = turned_about_z(at.sine, at.cosine, moment);
      f = to_parent(b, f), moment = to_parent(b, moment);
      p = origin_of(b, at);
    }
    moment = plus_cross(moment, p, f);
    if (b.parent == i - 1) {
      from_next = {f, moment};
    } else if (b.parent > 0 || Keep) {
      wrenches[b.parent] = wrenches[b.parent] + Wrench<T>{f, moment};
    }
  }
  if (Keep) wrenches[0] = wrenches[0] + from_next;
}

/// tau of q, v, a, by a model whose masses may be regrouped; work.positions are known. tau may be v or a.
template <class T>
MD_INLINE void inverse_dynamics(const Model<Element<T>>& model, CountedTerms counted, bool mimics, const T* q, const T* v, const T* a, T* tau,
                                const NewtonEulerWork<T>& work) {
  outward(model, q, v, a, work);
  if (counted.any() || mimics) {
    joint_torques(model, counted, q, v, a, tau);
    inward<true, false>(model, q, tau, work);
  } else {
    inward<false, false>(model, q, tau, work);
  }
}

/// The same under external wrenches, and beside black boxes: see `outward`, `inward`. With Keep masses are as they are.
template <bool Keep, class T>
static void inverse_dynamics_under(const Wrench<T>* external, const Passing* passing, const Model<Element<T>>& model, CountedTerms counted, const T* q,
                                   const T* v, const T* a, T* tau, const NewtonEulerWork<T>& work) {
  outward(model, q, v, a, work, external);
  joint_torques(model, counted, q, v, a, tau);
  inward<true, Keep>(model, q, tau, work, passing);
}

} // namespace modular_dynamics
