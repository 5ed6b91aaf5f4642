// Forward dynamics by articulated bodies (Featherstone, Rigid Body Dynamics Algorithms, chapter 7), also known as ABA.
//
// Seen from its parent, a body with everything beyond it answers an acceleration (alpha, a) with a wrench that is linear in it:
//
//     [moment]   [A    H] [alpha]   [bias]
//     [force ] = [H^T  M] [  a  ] + [bias]
//
// The articulated inertia and the bias are all that a predecessor needs of a successor. Accelerations are those of points. They are the sum
// of gamma, which velocities and gravity give the origin, and of what the joints' accelerations add. A joint of several axes,
// which are the body's x, y, z, is eliminated axis by axis: with the column U of the inertia along the axis, the pivot d = U_axis +
// armature and the remaining torque u = tau - bias_axis,
//
//     I' = I - U U^T / d          bias' = bias + U u / d          qddot = (u - U^T (alpha, a)) / d
//
// Without an armature the axis' row and column of I' are zero. A pivot is the inertia that the joint moves while the joints beyond it are
// free. A pivot up to the body's `least` is mostly rounding: some motion moves no inertia, and the result is not valid.
//
// Contract: q (nq), v, tau (nv) -> a (nv). No joint mimics another: mass_matrix_solver.hpp serves the others. Masses are as they are.
// work.positions are known. a may be v or tau.
#pragma once
#include "derivatives.hpp"

namespace modular_dynamics {

/// Entries of the symmetric matrix [A H; H^T M]: A as xx yy zz xy xz yz, H row by row, M as A.
template <class T> struct ArticulatedInertia {
  T entries[21];

  static constexpr int index(int row, int column) {
    constexpr int symmetric[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    if (row < 3 && column < 3) return symmetric[row][column];
    if (row < 3) return 6 + 3 * row + column - 3;
    if (column < 3) return 6 + 3 * column + row - 3;
    return 15 + symmetric[row - 3][column - 3];
  }
  template <int row, int column> MD_FORCE_INLINE T& at() {
    constexpr int k = index(row, column);
    return entries[k];
  }
};

/// An eliminated axis: U, u and 1 / d.
template <class T> struct EliminatedAxis { T U[6], u, inverse; };

template <class T> struct ArticulatedBody {
  Vector3<T> w, gamma;       ///< angular velocity; acceleration of the origin by velocities and gravity
  Vector3<T> sway;           ///< angular acceleration by velocities, that the joint adds to its parent's
  Vector3<T> moment, force;  ///< bias
  Vector3<T> alpha, a;       ///< change of acceleration
  T slid;                    ///< what slides from here on may add to the least pivots of what carries them
  ArticulatedInertia<T> inertia;
};

template <class T> struct ArticulatedBodyWork {
  JointPosition<T>* positions;
  ArticulatedBody<T>* bodies;  ///< joints + 1
  EliminatedAxis<T>* axes;     ///< as many as joints have velocities
  T* torques;                  ///< nv
};

namespace detail {

/// R X R^T of a rotation by an angle in the plane of two axes. Blocks that are square turn by two numbers,
/// e = s^2 (xx - yy) + c s (xy + yx) and g = c s (xx - yy) - s^2 (xy + yx).
template <int x, int y, int z, class T> MD_INLINE void turn_in_plane(T s, T c, ArticulatedInertia<T>& I) {
  const T ss = s * s, cs = c * s;
  auto symmetric = [&](T& xx, T& yy, T& xy, T& xz, T& yz) {
    const T difference = xx - yy, twice = xy + xy, e = ss * difference + cs * twice, g = cs * difference - ss * twice, a = xz;
    xx = xx - e, yy = yy + e, xy = xy + g;
    xz = c * a - s * yz, yz = s * a + c * yz;
  };
  auto A = [&](auto row, auto column) -> T& { return I.template at<row, column>(); };
  std::integral_constant<int, x> X;
  std::integral_constant<int, y> Y;
  std::integral_constant<int, z> Z;
  std::integral_constant<int, x + 3> LX;
  std::integral_constant<int, y + 3> LY;
  std::integral_constant<int, z + 3> LZ;
  symmetric(A(X, X), A(Y, Y), A(X, Y), A(X, Z), A(Y, Z));
  symmetric(A(LX, LX), A(LY, LY), A(LX, LY), A(LX, LZ), A(LY, LZ));
  T &xx = A(X, LX), &yy = A(Y, LY), &xy = A(X, LY), &yx = A(Y, LX), &xz = A(X, LZ), &yz = A(Y, LZ), &zx = A(Z, LX), &zy = A(Z, LY);
  const T difference = xx - yy, sum = xy + yx, e = ss * difference + cs * sum, g = cs * difference - ss * sum, a = xz, b = zx;
  xx = xx - e, yy = yy + e, xy = xy + g, yx = yx + g;
  xz = c * a - s * yz, yz = s * a + c * yz;
  zx = c * b - s * zy, zy = s * b + c * zy;
}

/// The same for any rotation.
template <class T, class E> MD_INLINE void turn(const Matrix3<E>& R, ArticulatedInertia<T>& I) {
  const T* x = I.entries;
  auto turned = [&](const Matrix3<T>& X) { return (R * X) * transposed(R); };
  const Matrix3<T> A = turned(full(SymmetricMatrix3<T>{x[0], x[1], x[2], x[3], x[4], x[5]}));
  const Matrix3<T> H = turned(Matrix3<T>{x[6], x[7], x[8], x[9], x[10], x[11], x[12], x[13], x[14]});
  const Matrix3<T> M = turned(full(SymmetricMatrix3<T>{x[15], x[16], x[17], x[18], x[19], x[20]}));
  I = {{A.xx, A.yy, A.zz, A.xy, A.xz, A.yz, H.xx, H.xy, H.xz, H.yx, H.yy, H.yz, H.zx, H.zy, H.zz, M.xx, M.yy, M.zz, M.xy, M.xz, M.yz}};
}

/// About a point from which the origin is seen at p: H' = H + [p]x M, A' = A - H [p]x + [p]x H'^T.
template <class T> MD_INLINE void shift(Vector3<T> p, ArticulatedInertia<T>& I) {
  T* x = I.entries;
  const Vector3<T> h0{x[6], x[7], x[8]}, h1{x[9], x[10], x[11]}, h2{x[12], x[13], x[14]};
  const Vector3<T> m0{x[15], x[18], x[19]}, m1{x[18], x[16], x[20]}, m2{x[19], x[20], x[17]};
  const Vector3<T> g0 = h0 + (p.y * m2 - p.z * m1), g1 = h1 + (p.z * m0 - p.x * m2), g2 = h2 + (p.x * m1 - p.y * m0); // rows of H'
  // rows of -H [p]x are p x h; those of [p]x H'^T have the rows of H' as columns
  const Vector3<T> c0 = cross(p, h0), c1 = cross(p, h1), d1 = cross(p, g1), d2 = cross(p, g2);
  x[0] = x[0] + cross(p, h0 + g0).x, x[1] = x[1] + cross(p, h1 + g1).y, x[2] = x[2] + cross(p, h2 + g2).z;
  x[3] = x[3] + c0.y + d1.x, x[4] = x[4] + c0.z + d2.x, x[5] = x[5] + c1.z + d2.y;
  x[6] = g0.x, x[7] = g0.y, x[8] = g0.z, x[9] = g1.x, x[10] = g1.y, x[11] = g1.z, x[12] = g2.x, x[13] = g2.y, x[14] = g2.z;
}

/// Calls `function` with the constants 0 ... count - 1, so that indices of entries are known when it is compiled.
template <std::size_t... K, class Function> MD_INLINE void for_constants(std::index_sequence<K...>, Function function) {
  (function(std::integral_constant<int, int(K)>()), ...);
}
using Three = std::make_index_sequence<3>;
using Six = std::make_index_sequence<6>;

/// A component of a motion or a wrench: 0 1 2 of its angular part, 3 4 5 of its linear one.
template <int axis, class T> MD_INLINE T& component(Vector3<T>& angular, Vector3<T>& linear) {
  Vector3<T>& part = axis < 3 ? angular : linear;
  return axis % 3 == 0 ? part.x : axis % 3 == 1 ? part.y : part.z;
}

/// Eliminate an axis: 0 1 2 about x y z, 3 4 5 along them. Returns the pivot.
template <int axis, class T>
MD_INLINE T eliminate(T torque, Element<T> armature, ArticulatedInertia<T>& I, Vector3<T>& moment, Vector3<T>& force, EliminatedAxis<T>& to) {
  typedef Element<T> E;
  for_constants(Six(), [&](auto k) { to.U[k] = I.template at<k, axis>(); });
  const T pivot = to.U[axis] + armature, inverse = E(1) / pivot;
  T& bias = component<axis>(moment, force);
  to.inverse = inverse, to.u = torque - bias;
  const T push = to.u * inverse, kept = armature * inverse;
  for_constants(Six(), [&](auto row) {
    if constexpr (row != axis) {
      const T share = to.U[row] * inverse;
      for_constants(Six(), [&](auto column) {
        if constexpr (column != axis && column >= row) {
          T& entry = I.template at<row, column>();
          entry = entry - share * to.U[column];
        }
      });
    }
  });
  for_constants(Six(), [&](auto k) { I.template at<k, axis>() = kept * to.U[k]; });
  moment = moment + push * vector_at(to.U), force = force + push * vector_at(to.U + 3);
  bias = torque - armature * push; // without rounding
  return pivot;
}

/// Returns qddot of an eliminated axis, and adds it to its body's acceleration.
template <int axis, class T> MD_INLINE T accelerate(const EliminatedAxis<T>& of, Vector3<T>& alpha, Vector3<T>& a) {
  const T qddot = (of.u - dot(vector_at(of.U), alpha) - dot(vector_at(of.U + 3), a)) * of.inverse;
  T& changed = component<axis>(alpha, a);
  changed = changed + qddot;
  return qddot;
}

/// Bias of a body by itself, with rotational inertia I about its origin.
template <class T, class M>
MD_INLINE Wrench<T> rigid_bias(M mass, const Vector3<M>& h, const SymmetricMatrix3<T>& I, const Vector3<T>& w, const Vector3<T>& gamma) {
  const T square = dot(w, w), along = dot(h, w);
  return {(mass * gamma + along * w) - square * h, plus_cross(cross(w, I * w), h, gamma)};
}

/// Inertia and bias of a body by itself.
template <class T> MD_INLINE void start_articulated(const Body<Element<T>>& b, ArticulatedBody<T>& body) {
  typedef Element<T> E;
  const Vector3<E>& h = b.moment;
  const SymmetricMatrix3<T> I = all_lanes<T>(inertia_of(b.J));
  const Wrench<T> bias = rigid_bias(b.mass, h, I, body.w, body.gamma);
  body.force = bias.force, body.moment = bias.moment;
  T o{};
  body.slid = o;
  body.inertia = {{I.xx, I.yy, I.zz, I.xy, I.xz, I.yz, o, o - h.z, o + h.y, o + h.z, o, o - h.x, o - h.y, o + h.x, o, o + b.mass, o + b.mass,
                   o + b.mass, o, o, o}};
}

/// Torques that are left for moving bodies: less those of springs and friction.
template <class T>
MD_INLINE void remaining_torques(const Model<Element<T>>& model, CountedTerms counted, const T* q, const T* v, const T* tau, T* torques) {
  counted.armature = false; // it counts as inertia
  if (counted.any()) joint_torques(model, counted, q, v, v, torques);
  for (int k = 0; k < model.nv; ++k) torques[k] = counted.any() ? T(tau[k] - torques[k]) : tau[k];
}

/// Motion of a body by velocities and gravity, from its parent's.
template <class T>
MD_INLINE void move_on(const Body<Element<T>>& b, const JointPosition<T>& at, const T* q, const T* v, const ArticulatedBody<T>& parent,
                       ArticulatedBody<T>& body) {
  const T zero{};
  if (has_quaternion(b.type)) {
    Matrix3<T> R;
    Vector3<T> p;
    place_by_quaternion(b, q, R, p);
    const T* rates = v + b.v;
    const Vector3<T> carried = transposed_product(R, parent.w);
    body.gamma = transposed_product(R, (parent.gamma + dot(parent.w, p) * parent.w) - dot(parent.w, parent.w) * p);
    if (b.type == JointType::floating) {
      const Vector3<T> linear = vector_at(rates), angular = vector_at(rates + 3), crossed = cross(carried, linear);
      body.gamma = plus_cross(body.gamma, angular, linear) + (crossed + crossed);
      rates += 3;
    }
    const Vector3<T> angular = vector_at(rates);
    body.sway = cross(carried, angular);
    body.w = carried + angular;
    return;
  }
  const Vector3<T> p = origin_of(b, at);
  body.gamma = to_body(b, (parent.gamma + dot(parent.w, p) * parent.w) - dot(parent.w, parent.w) * p);
  body.w = to_body(b, parent.w);
  const T rate = b.multiplier * v[b.v];
  if (b.type == JointType::revolute) {
    body.gamma = turned_back_about_z(at.sine, at.cosine, body.gamma), body.w = turned_back_about_z(at.sine, at.cosine, body.w);
    body.sway = {body.w.y * rate, zero - body.w.x * rate, zero};
    body.w.z = body.w.z + rate;
  } else {
    const T twice = rate + rate;
    body.gamma = {body.gamma.x + body.w.y * twice, body.gamma.y - body.w.x * twice, body.gamma.z};
    body.sway = zero_vector<T>();
  }
}

/// Eliminates the axes of a body's joint, whose torques are given, and adds what remains to its parent. Returns whether a pivot is lost in any
/// lane.
template <class T>
MD_INLINE bool pass_on(const Body<Element<T>>& b, const JointPosition<T>& at, const T* q, const T* torques, Element<T> armature,
                       ArticulatedBody<T>& body, EliminatedAxis<T>* axes, ArticulatedBody<T>& parent) {
  bool lost = false;
  const T least_inertia = body.slid + b.least_inertia, least_mass = T{} + b.least_mass;
  ArticulatedInertia<T>& I = body.inertia;
  auto eliminate_axis = [&](auto axis, int k) { // the k-th of the joint
    const T pivot = eliminate<axis>(torques[k], armature, I, body.moment, body.force, axes[k]);
    lost = lost || any(is_lost(pivot, axis < 3 ? least_inertia : least_mass));
  };
  if (b.type == JointType::revolute) eliminate_axis(std::integral_constant<int, 2>(), 0);
  else if (b.type == JointType::prismatic) eliminate_axis(std::integral_constant<int, 5>(), 0);
  else {
    const int angular = b.type == JointType::floating ? 3 : 0;
    if (angular) for_constants(Three(), [&](auto k) { eliminate_axis(std::integral_constant<int, k + 3>(), k); });
    for_constants(Three(), [&](auto k) { eliminate_axis(k, angular + k); });
  }
  if (b.parent == 0) return lost; // the ground does not move
  // I' times what velocities add: about a revolute joint's axis `sway` has no component
  parent.slid = parent.slid + body.slid;
  if (b.type == JointType::prismatic) {
    parent.slid = parent.slid + b.slide * (at.shift * at.shift);
  } else {
    const T* x = I.entries;
    const Vector3<T>& c = body.sway;
    body.moment = body.moment + Vector3<T>{x[0] * c.x + x[3] * c.y + x[4] * c.z, x[3] * c.x + x[1] * c.y + x[5] * c.z, x[4] * c.x + x[5] * c.y + x[2] * c.z};
    body.force = body.force + Vector3<T>{x[6] * c.x + x[9] * c.y + x[12] * c.z, x[7] * c.x + x[10] * c.y + x[13] * c.z, x[8] * c.x + x[11] * c.y + x[14] * c.z};
  }
  Vector3<T> p;
  if (has_quaternion(b.type)) {
    Matrix3<T> R;
    place_by_quaternion(b, q, R, p);
    turn(R, I);
    body.force = R * body.force, body.moment = R * body.moment;
  } else {
    p = origin_of(b, at);
    if (b.type == JointType::revolute) {
      turn_in_plane<0, 1, 2>(at.sine, at.cosine, I);
      body.force = turned_about_z(at.sine, at.cosine, body.force), body.moment = turned_about_z(at.sine, at.cosine, body.moment);
    }
    if (b.tilted) turn_in_plane<1, 2, 0>(T{} + b.R.zy, T{} + b.R.yy, I);
    else turn(b.R, I);
    body.force = to_parent(b, body.force), body.moment = to_parent(b, body.moment);
  }
  shift(p, I);
  for (int k = 0; k < 21; ++k) parent.inertia.entries[k] = parent.inertia.entries[k] + I.entries[k];
  parent.force = parent.force + body.force;
  parent.moment = plus_cross(parent.moment + body.moment, p, body.force);
  return lost;
}

/// Accelerations of a joint, and of its body.
template <class T>
MD_INLINE void accelerate(const Body<Element<T>>& b, const JointPosition<T>& at, const T* q, const ArticulatedBody<T>& parent,
                          const EliminatedAxis<T>* axes, ArticulatedBody<T>& body, T* own) {
  if (has_quaternion(b.type)) {
    Matrix3<T> R;
    Vector3<T> p;
    place_by_quaternion(b, q, R, p);
    body.a = transposed_product(R, plus_cross(parent.a, parent.alpha, p));
    body.alpha = transposed_product(R, parent.alpha) + body.sway;
    const int angular = b.type == JointType::floating ? 3 : 0;
    for_constants(Three(), [&](auto k) { own[angular + 2 - k] = accelerate<2 - k>(axes[angular + 2 - k], body.alpha, body.a); });
    if (angular) for_constants(Three(), [&](auto k) { own[2 - k] = accelerate<5 - k>(axes[2 - k], body.alpha, body.a); });
    return;
  }
  body.a = to_body(b, plus_cross(parent.a, parent.alpha, origin_of(b, at)));
  body.alpha = to_body(b, parent.alpha);
  if (b.type == JointType::revolute) {
    body.a = turned_back_about_z(at.sine, at.cosine, body.a);
    body.alpha = turned_back_about_z(at.sine, at.cosine, body.alpha) + body.sway;
    own[0] = accelerate<2>(axes[0], body.alpha, body.a);
  } else {
    own[0] = accelerate<5>(axes[0], body.alpha, body.a);
  }
}

} // namespace detail

/// Returns the index of the first body, of those eliminated, with a pivot up to its least one in any lane; 0: there is none.
/// external: a wrench on each body from outside, in the model's frames; or nullptr.
template <class T>
static int forward_dynamics(const Model<Element<T>>& model, CountedTerms counted, const T* q, const T* v, const T* tau, T* a,
                                const ArticulatedBodyWork<T>& work, const Wrench<T>* external = nullptr) {
  typedef Element<T> E;
  using namespace detail;
  const int n = model.joints;
  const Vector3<T> none = zero_vector<T>();
  ArticulatedBody<T>& ground = work.bodies[0];
  ground.w = ground.alpha = ground.a = ground.sway = none;
  ground.gamma = none - model.gravity;
  for (int i = 1; i <= n; ++i) {
    const Body<E>& b = model.bodies[i];
    ArticulatedBody<T>& body = work.bodies[i];
    move_on(b, work.positions[i - 1], q, v, work.bodies[b.parent], body);
    start_articulated(b, body);
    if (external) body.force = body.force - external[i].force, body.moment = body.moment - external[i].moment;
  }
  remaining_torques(model, counted, q, v, tau, work.torques);
  int without_inertia = 0;
  for (int i = n; i > 0; --i) {
    const Body<E>& b = model.bodies[i];
    const E armature = counted.armature ? model.terms[i - 1].armature : E(0);
    const bool lost = pass_on(b, work.positions[i - 1], q, work.torques + b.v, armature, work.bodies[i], work.axes + b.column, work.bodies[b.parent]);
    if (lost && without_inertia == 0) without_inertia = i;
  }
  // v and tau are not read from here on
  for (int i = 1; i <= n; ++i) {
    const Body<E>& b = model.bodies[i];
    accelerate(b, work.positions[i - 1], q, work.bodies[b.parent], work.axes + b.column, work.bodies[i], a + b.v);
  }
  return without_inertia;
}

} // namespace modular_dynamics
