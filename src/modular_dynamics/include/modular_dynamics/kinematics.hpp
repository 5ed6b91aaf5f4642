// Motion of bodies and of frames fixed in them in the root link's axes: poses, velocities, accelerations, jacobians, sums over all bodies,
// the centroidal momentum matrix, and the regressor of the torques.
//
// Outward from the ground. Accelerations do not include gravity, except for the regressor, for which the ground accelerates by minus gravity.
// With a body's parent at P, moving with w, u, alpha, a, and r from there to the body's origin,
//
//     u + w x r            a + alpha x r + w x (w x r)
//
// are velocity and acceleration of the body's origin, and what its joint does is added to them.
//
// Contract: q (nq), v, a (nv); results are described at each function. work.positions are known. Masses are as they are.
#pragma once
#include "derivatives.hpp"

namespace modular_dynamics {

/// A frame fixed in a body, as a link is: its pose in the body's model frame. Body 0 is the ground.
template <class E> struct Frame {
  int body;
  Matrix3<E> R;
  Vector3<E> p;
};

/// Motion of a frame in the root link's axes: the order in memory is that of results.
template <class T> struct FrameMotion {
  Matrix3<T> R;              ///< root <- frame
  Vector3<T> p, w, u;        ///< origin [m], angular velocity [rad/s], velocity of the origin [m/s]
  Vector3<T> alpha, a;       ///< angular acceleration, acceleration of the origin
};

template <class T> struct KinematicsWork {
  JointPosition<T>* positions;
  FrameMotion<T>* motions; ///< joints + 1
  RigidBody<T>* composites; ///< joints + 1: of the momentum matrix
  const int* bodies; ///< which are needed, and all that carry them, parents first; nullptr: all
  int count;         ///< of these
};

namespace detail {

template <class T> MD_INLINE FrameMotion<T> ground_motion(Vector3<T> acceleration) {
  const Vector3<T> none = zero_vector<T>();
  return {all_lanes<T>(unit_matrix<Element<T>>()), none, none, none, none, acceleration};
}
/// Motion of a frame that is fixed in a body at rotation R and position p.
template <class T, class M, class V> MD_INLINE FrameMotion<T> carried(const FrameMotion<T>& body, const M& R, V p) {
  const Vector3<T> r = body.R * p, swing = cross(body.w, r);
  return {body.R * R, body.p + r, body.w, body.u + swing, body.alpha, plus_cross(plus_cross(body.a, body.alpha, r), body.w, swing)};
}

} // namespace detail

/// Poses of the needed bodies; motions[0] is the ground's.
template <class T> static void body_poses(const Model<Element<T>>& model, const T* q, const KinematicsWork<T>& work) {
  work.motions[0] = detail::ground_motion(zero_vector<T>());
  for (int k = 0; k < work.count; ++k) {
    const int i = work.bodies ? work.bodies[k] : k + 1;
    const Body<Element<T>>& b = model.bodies[i];
    const FrameMotion<T>& parent = work.motions[b.parent];
    Matrix3<T> R;
    Vector3<T> p;
    pose_of(b, q, work.positions[i - 1], R, p);
    work.motions[i].R = parent.R * R;
    work.motions[i].p = plus_product(parent.p, parent.R, p);
  }
}

/// Poses and motions of the needed bodies, where the ground has an acceleration.
template <class T>
static void body_motions(const Model<Element<T>>& model, Vector3<T> of_ground, const T* q, const T* v, const T* a, const KinematicsWork<T>& work) {
  using namespace detail;
  work.motions[0] = ground_motion(of_ground);
  for (int k = 0; k < work.count; ++k) {
    const int i = work.bodies ? work.bodies[k] : k + 1;
    const Body<Element<T>>& b = model.bodies[i];
    Matrix3<T> R;
    Vector3<T> p;
    pose_of(b, q, work.positions[i - 1], R, p);
    FrameMotion<T> m = carried(work.motions[b.parent], R, p);
    const Vector3<T> before = m.w;
    const int first = first_axis_of(b.type);
    Vector3<T> rate = zero_vector<T>(), gain = rate, spin = rate, push = rate;
    for (int c = 0; c < b.columns; ++c) {
      const Vector3<T> axis = b.multiplier * axis_of(m.R, (first + c) % 3);
      const bool along = first + c < 3;
      (along ? rate : spin) = (along ? rate : spin) + v[b.v + c] * axis;
      (along ? gain : push) = (along ? gain : push) + a[b.v + c] * axis;
    }
    // axes of linear velocities turn with the body: by w and, of a floating body, by its own spin
    const Vector3<T> coriolis = cross(before, rate);
    m.a = m.a + gain + coriolis + cross(before + spin, rate);
    m.u = m.u + rate;
    m.alpha = plus_cross(m.alpha + push, before, spin);
    m.w = m.w + spin;
    work.motions[i] = m;
  }
}

/// Axes, point and kind of a frame's velocity or acceleration.
struct MotionForm {
  bool own_axes = false; ///< of the frame; else of the root
  bool at_root = false;  ///< of the point of the frame's link that is at the root's origin at this instant; else of the frame's origin
  bool spatial = false;  ///< a - w x u, the rate of the velocity at a point fixed in space; else that of a point that moves along
};

/// [linear; angular] velocity (6) of a frame, from its motion.
template <class T> MD_INLINE void frame_velocity(const FrameMotion<T>& m, MotionForm form, T* out) {
  Vector3<T> u = m.u, w = m.w;
  if (form.at_root) u = u - cross(w, m.p);
  if (form.own_axes) u = transposed_product(m.R, u), w = transposed_product(m.R, w);
  write(u, out), write(w, out + 3);
}

/// [linear; angular] acceleration (6) of a frame, from its motion. At a = 0 it is Jdot v: classical in the root's axes, spatial in the
/// frame's own, which turn.
template <class T> MD_INLINE void frame_acceleration(const FrameMotion<T>& m, MotionForm form, T* out) {
  Vector3<T> u = m.u, a = m.a, alpha = m.alpha;
  if (form.at_root) {
    const Vector3<T> swing = cross(m.w, m.p);
    a = a - cross(alpha, m.p) - cross(m.w, swing);
    u = u - swing;
  }
  if (form.spatial) a = a - cross(m.w, u);
  if (form.own_axes) a = transposed_product(m.R, a), alpha = transposed_product(m.R, alpha);
  write(a, out), write(alpha, out + 3);
}

/// Jacobian (6, nv) row by row of a frame, after body_poses: [velocity of the origin; angular velocity] = J v, in the root's axes or in
/// the frame's own.
template <class T>
MD_INLINE void jacobian(const Model<Element<T>>& model, const Frame<Element<T>>& frame, bool own_axes, T* out, const KinematicsWork<T>& work) {
  using namespace detail;
  const int nv = model.nv;
  for (int k = 0; k < 6 * nv; ++k) out[k] = T{};
  const FrameMotion<T>& carrier = work.motions[frame.body];
  const Matrix3<T> R = carrier.R * frame.R;
  const Vector3<T> origin = plus_product(carrier.p, carrier.R, frame.p);
  for (int i = frame.body; i > 0; i = model.bodies[i].parent) {
    const Body<Element<T>>& b = model.bodies[i];
    const FrameMotion<T>& m = work.motions[i];
    const int first = first_axis_of(b.type);
    for (int k = 0; k < b.columns; ++k) {
      Vector3<T> axis = b.multiplier * axis_of(m.R, (first + k) % 3), linear = axis, angular = axis;
      if (first + k < 3) angular = zero_vector<T>();
      else linear = cross(axis, origin - m.p);
      if (own_axes) linear = transposed_product(R, linear), angular = transposed_product(R, angular);
      add_to(out + b.v + k, nv, linear), add_to(out + b.v + k + 3 * nv, nv, angular);
    }
  }
}

/// Sums over all moving bodies, in the root's axes and about its origin.
template <class T> struct WholeBody {
  Vector3<T> first;                            ///< sum of m c [kg m]
  Vector3<T> momentum, angular_momentum;       ///< [kg m/s], [kg m^2/s]
  Vector3<T> force, moment;                    ///< their derivatives by time
  T kinetic_energy;                            ///< [J]
};

/// With mass m, h = m c and inertia I about its origin p, a body that moves with u, w has
/// l = m u + w x h, k = I w + h x u + p x l and T = (u . l + w . (I w + h x u)) / 2. After body_motions.
template <class T> MD_INLINE WholeBody<T> whole_body(const Model<Element<T>>& model, const KinematicsWork<T>& work) {
  typedef Element<T> E;
  using namespace detail;
  const Vector3<T> none = zero_vector<T>();
  WholeBody<T> sum{none, none, none, none, none, T{}};
  for (int i = 1; i <= model.joints; ++i) {
    const Body<E>& b = model.bodies[i];
    const FrameMotion<T>& m = work.motions[i];
    const SymmetricMatrix3<T> I = all_lanes<T>(inertia_of(b.J));
    const Vector3<T> h = m.R * b.moment, own_w = transposed_product(m.R, m.w), own_alpha = transposed_product(m.R, m.alpha);
    const Vector3<T> spun = I * own_w, swing = cross(m.w, h);
    const Vector3<T> momentum = swing + b.mass * m.u, about = plus_cross(m.R * spun, h, m.u);
    const Vector3<T> force = plus_cross(plus_cross(b.mass * m.a, m.alpha, h), m.w, swing);
    const Vector3<T> moment = plus_cross(m.R * plus_cross(I * own_alpha, own_w, spun), h, m.a);
    sum.first = sum.first + (h + b.mass * m.p);
    sum.momentum = sum.momentum + momentum;
    sum.angular_momentum = sum.angular_momentum + plus_cross(about, m.p, momentum);
    sum.force = sum.force + force;
    sum.moment = sum.moment + plus_cross(moment, m.p, force);
    sum.kinetic_energy = sum.kinetic_energy + E(0.5) * (dot(m.u, momentum) + dot(m.w, about));
  }
  return sum;
}

/// The centroidal momentum matrix A (6, nv) row by row: [linear; angular] momentum about the centre of mass = A v (Orin, Goswami & Lee,
/// Centroidal dynamics of a humanoid robot, 2013). Column j is the momentum of everything beyond joint j at its unit velocity, with the
/// twist (w about o, u along): l = m (u - o x w) + w x h, k = I w + h x (u - o x w) - c x l. After body_poses.
template <class T> MD_INLINE void momentum_matrix(const Model<Element<T>>& model, T* out, const KinematicsWork<T>& work) {
  typedef Element<T> E;
  using namespace detail;
  const int nv = model.nv;
  for (int k = 0; k < 6 * nv; ++k) out[k] = T{};
  for (int i = 0; i <= model.joints; ++i) work.composites[i] = RigidBody<T>{};
  for (int i = model.joints; i > 0; --i) { // composites about the root's origin
    const Body<E>& b = model.bodies[i];
    RigidBody<T>&own = work.composites[i], &parent = work.composites[b.parent];
    own = own + carried(MatrixRotation<T>{work.motions[i].R}, work.motions[i].p, all_lanes<T>(b));
    parent = parent + own;
  }
  const RigidBody<T>& all = work.composites[0];
  const Vector3<T> c = (E(1) / all.mass) * all.moment;
  for (int i = 1; i <= model.joints; ++i) {
    const Body<E>& b = model.bodies[i];
    const RigidBody<T>& beyond = work.composites[i];
    const SymmetricMatrix3<T> I = inertia_of(beyond.J);
    const int first = first_axis_of(b.type);
    for (int k = 0; k < b.columns; ++k) {
      const Vector3<T> axis = b.multiplier * axis_of(work.motions[i].R, (first + k) % 3);
      Vector3<T> u = axis, w = zero_vector<T>();
      if (first + k >= 3) u = cross(work.motions[i].p, axis), w = axis;
      const Vector3<T> l = plus_cross(beyond.mass * u, w, beyond.moment);
      const Vector3<T> about = plus_cross(I * w, beyond.moment, u) - cross(c, l);
      add_to(out + b.v + k, nv, l), add_to(out + b.v + k + 3 * nv, nv, about);
    }
  }
}

/// The regressor Y (nv, 10 n) row by row: tau = Y theta. theta holds for joint k of the description, at 10 k, [m, m c (x y z), Ixx, Ixy,
/// Iyy, Ixz, Iyz, Izz] about the origin and in the axes of its body. By virtual power the entry of a velocity and a parameter is
/// l . force + w . moment: the twist (w, l) that the velocity gives to the body, and the wrench about the body's origin that one unit of
/// the parameter takes, force = m a + Lambda (m c), moment = m c x a + I alpha + w x (I w). After body_motions with the ground at -gravity.
/// frames: of each joint of the description, body's axes <- model frame.
template <class T>
MD_INLINE void regressor(const Model<Element<T>>& model, const int* joints, const Matrix3<Element<T>>* frames, T* out, const KinematicsWork<T>& work) {
  using namespace detail;
  const int n = model.joints;
  const long width = 10L * n;
  for (long k = 0; k < model.nv * width; ++k) out[k] = T{};
  for (int i = 1; i <= n; ++i) {
    const FrameMotion<T>& m = work.motions[i];
    const Matrix3<T> axes = m.R * transposed(frames[i - 1]); // root <- body's axes
    const Vector3<T> w = transposed_product(axes, m.w), e = transposed_product(axes, m.alpha), u = transposed_product(axes, m.a);
    const Matrix3<T> L = lambda_of(w, e);
    const T xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
    for (int j = i; j > 0; j = model.bodies[j].parent) {
      const Body<Element<T>>& b = model.bodies[j];
      const int first = first_axis_of(b.type);
      for (int k = 0; k < b.columns; ++k) {
        const Vector3<T> axis = b.multiplier * axis_of(work.motions[j].R, (first + k) % 3);
        const bool along = first + k < 3;
        const Vector3<T> l = transposed_product(axes, along ? axis : cross(axis, m.p - work.motions[j].p));
        T* y = out + (b.v + k) * width + 10L * joints[i - 1];
        y[0] = y[0] + dot(l, u);
        add_to(y + 1, 1, transposed_product(L, l));
        if (along) continue;
        const Vector3<T> t = transposed_product(axes, axis);
        add_to(y + 1, 1, cross(u, t)); // t . (m c x a) = m c . (a x t)
        // L.yy - L.zz is w.y^2 - w.z^2, and so on
        y[4] = y[4] + (t.x * e.x + t.y * xz - t.z * xy);
        y[5] = y[5] + (t.y * L.zy - t.x * L.zx + t.z * (L.xx - L.yy));
        y[6] = y[6] + (t.y * e.y + t.z * xy - t.x * yz);
        y[7] = y[7] + (t.x * L.yx - t.z * L.yz + t.y * (L.zz - L.xx));
        y[8] = y[8] + (t.z * L.xz - t.y * L.xy + t.x * (L.yy - L.zz));
        y[9] = y[9] + (t.z * e.z + t.x * yz - t.y * xz);
      }
    }
  }
}

} // namespace modular_dynamics
