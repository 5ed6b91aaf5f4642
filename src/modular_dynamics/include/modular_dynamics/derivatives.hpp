// Derivatives of inverse dynamics with respect to q, v and a: the closed forms of Singh, Russell & Wensing (2022), "Efficient analytical
// derivatives of rigid-body dynamics using spatial vector algebra".
//
// Everything of one tree is in one frame: that of its first body, taken as at rest, so that a robot far away from the ground's origin
// loses no digits. Twists are [angular, linear], wrenches [force, moment], both about that origin. The ground's acceleration is minus gravity.
// Each velocity k has an axis S_k, and rates of this as fixed in its parent, S' = v x S and S'' = a x S + v x S',
// with the parent's twist v and acceleration a.
//
// Of each body three quantities are summed: its inertia I, its Coriolis matrix B and the wrench f that it needs. For mass points m at x
// and a twist w, I w are the momenta m (w at x), and B w the forces m (angular w) x xdot. So linear motion has no part in B w, and the
// parts of B are p = sum m xdot and D = sum m (x . xdot - xdot x^T). With I, B and f summed over the body of i and all beyond it, and j on
// the way from i to the ground, or of the same joint:
//
//     dtau_i/dq_j = S_i^T (2 B S_j' + I S_j'')         dtau_j/dq_i = S_j^T (2 B S_i' + I S_i'' + S_i x* f)
//     dtau_i/dv_j = 2 S_i^T (B S_j + I S_j'')          with the mean of S_j' and (v of j's body) x S_j for S_j'', and the same with i
//     dtau_i/da_j = dtau_j/da_i = S_i^T I S_j          for j's rows
//
// Between axes of one joint the first form of each line holds for both. Directions of q are those of v: of floating and spherical joints
// twists in the body's axes.
//
// Contract: q (nq), v, a (nv) -> out (3, nv, nv): dtau/dq, dtau/dv, dtau/da, each row by row. Masses may be regrouped. work.positions are
// known. q, v and a are not read after out is written to. external: as of `outward`, fixed in the bodies.
#pragma once
#include "batch.hpp"
#include "composite_body.hpp"

namespace modular_dynamics {

/// Pose and motion of a body in the frame of its tree.
template <class T> struct TreeMotion {
  Vector3<T> x, y, z, origin; ///< its axes and its origin
  Vector3<T> w, u;            ///< twist: angular, linear
  Vector3<T> alpha, push;     ///< acceleration: angular, linear
};

/// The quantities that are summed over bodies: I, B, and the wrench f as force and moment.
template <class T> struct TreeBody {
  T mass;
  Vector3<T> h;          ///< mass times centre of mass
  SymmetricMatrix3<T> I; ///< rotational inertia
  Vector3<T> p;          ///< momentum
  Matrix3<T> D;
  Vector3<T> force, moment;
};

/// Of each velocity its axis, the axis' rates, and their wrenches by the sums over the bodies beyond. Components are arrays of all velocities.
template <class T> struct TreeColumns {
  enum Component {
    axis_x, axis_y, axis_z, line_x, line_y, line_z,             // S: angular, linear
    turn_x, turn_y, turn_z, slip_x, slip_y, slip_z,             // S'
    mean_x, mean_y, mean_z, drift_x, drift_y, drift_z,          // the mean of S' and (v of the own body) x S
    bend_x, bend_y, bend_z, pull_x, pull_y, pull_z,             // S''
    inertia_fx, inertia_fy, inertia_fz, inertia_nx, inertia_ny, inertia_nz, // I S
    coriolis_x, coriolis_y, coriolis_z,                         // B^T S, which has no linear part
    rate_fx, rate_fy, rate_fz, rate_nx, rate_ny, rate_nz,       // 2 (B S + I S'')
    angle_fx, angle_fy, angle_fz, angle_nx, angle_ny, angle_nz, // 2 B S' + I S''
    load_fx, load_fy, load_fz, load_nx, load_ny, load_nz,       // the same + S x* f
    components
  };
  T* data;
  int count; ///< of velocities, and what fills the last register

  /// Of velocity k; with V = Pack<T> of several at once, from k on.
  template <class V = T> MD_FORCE_INLINE Vector3<V> vector(int component, int k) const {
    auto from = [&](int c) { V x; std::memcpy(&x, data + long(c) * count + k, sizeof x); return x; };
    return {from(component), from(component + 1), from(component + 2)};
  }
  template <class V> MD_FORCE_INLINE void set(int component, int k, const Vector3<V>& a) const {
    auto to = [&](int c, V x) { std::memcpy(data + long(c) * count + k, &x, sizeof x); };
    to(component, a.x), to(component + 1, a.y), to(component + 2, a.z);
  }
};

template <class T> struct DerivativesWork {
  JointPosition<T>* positions;
  TreeMotion<T>* motions; ///< joints + 1
  TreeBody<T>* bodies;    ///< joints + 1
  TreeColumns<T> columns;
};

namespace detail {

template <class T, class E> MD_INLINE Vector3<T> placed(const TreeMotion<T>& m, Vector3<E> a) { return a.x * m.x + a.y * m.y + a.z * m.z; }

/// Pose of a body in the frame of its tree.
template <class T> MD_INLINE void place_in_tree(const Matrix3<T>& R, Vector3<T> p, const TreeMotion<T>& parent, TreeMotion<T>& to) {
  to.origin = parent.origin + placed(parent, p);
  to.x = placed(parent, axis_of(R, 0)), to.y = placed(parent, axis_of(R, 1)), to.z = placed(parent, axis_of(R, 2));
}

/// The summed quantities of one body by itself.
template <class T, class E> MD_INLINE TreeBody<T> body_in_tree(const RigidBody<E>& body, const TreeMotion<T>& m) {
  const E mass = body.mass;
  const SymmetricMatrix3<E>& J = body.J;
  TreeBody<T> to;
  to.mass = T{} + mass;
  const Vector3<T> turned = placed(m, body.moment); // m c - m origin
  to.h = turned + mass * m.origin;
  // second moment: x c^T with c = J_x ... in the body's axes, and what the origin adds: h o^T + o (h - m o)^T
  const Vector3<T> jx = placed(m, Vector3<E>{J.xx, J.xy, J.xz}), jy = placed(m, Vector3<E>{J.xy, J.yy, J.yz}),
                   jz = placed(m, Vector3<E>{J.xz, J.yz, J.zz});
  const Vector3<T>& o = m.origin;
  auto entry = [&](T ax, T ay, T az, T bx, T by, T bz, T ha, T oa, T tb, T ob) {
    return ax * bx + ay * by + az * bz + ha * ob + oa * tb;
  };
  const T xx = entry(m.x.x, m.y.x, m.z.x, jx.x, jy.x, jz.x, to.h.x, o.x, turned.x, o.x);
  const T yy = entry(m.x.y, m.y.y, m.z.y, jx.y, jy.y, jz.y, to.h.y, o.y, turned.y, o.y);
  const T zz = entry(m.x.z, m.y.z, m.z.z, jx.z, jy.z, jz.z, to.h.z, o.z, turned.z, o.z);
  const T xy = entry(m.x.x, m.y.x, m.z.x, jx.y, jy.y, jz.y, to.h.x, o.x, turned.y, o.y);
  const T xz = entry(m.x.x, m.y.x, m.z.x, jx.z, jy.z, jz.z, to.h.x, o.x, turned.z, o.z);
  const T yz = entry(m.x.y, m.y.y, m.z.y, jx.z, jy.z, jz.z, to.h.y, o.y, turned.z, o.z);
  const T zero{};
  to.I = inertia_of(SymmetricMatrix3<T>{xx, yy, zz, xy, xz, yz});
  // C = sum m x xdot^T with xdot = u + w x x; D = tr(C) - C^T
  const Vector3<T> cx = plus_cross(to.h.x * m.u, m.w, Vector3<T>{xx, xy, xz}), cy = plus_cross(to.h.y * m.u, m.w, Vector3<T>{xy, yy, yz}),
                   cz = plus_cross(to.h.z * m.u, m.w, Vector3<T>{xz, yz, zz});
  to.D = {cy.y + cz.z, zero - cy.x, zero - cz.x, zero - cx.y, cx.x + cz.z, zero - cz.y, zero - cx.z, zero - cy.z, cx.x + cy.y};
  to.p = plus_cross(mass * m.u, m.w, to.h);
  // f = I a + B v
  to.force = plus_cross(plus_cross(mass * m.push, m.alpha, to.h), m.w, to.p);
  to.moment = plus_cross(to.I * m.alpha + to.D * m.w, to.h, m.push);
  return to;
}

/// The same of all bodies. Of one state several bodies are computed at once.
template <class T> MD_INLINE void bodies_in_tree(const Model<Element<T>>& model, const DerivativesWork<T>& work) {
  const int n = model.joints;
  if constexpr (std::is_same_v<T, double>) {
    typedef Pack<T> V;
    constexpr int N = lanes_of<V>;
    for (int i = n + 1; i <= (n + N - 1) / N * N; ++i) work.motions[i] = TreeMotion<T>();
    for (int first = 0; first < n; first += N) {
      TreeMotion<V> m;
      rows_to_lanes(sizeof m / sizeof(V), N, reinterpret_cast<const T*>(work.motions + first + 1), reinterpret_cast<V*>(&m));
      const TreeBody<V> bodies = body_in_tree(rigid_bodies<V>(model, first), m);
      lanes_to_rows(sizeof bodies / sizeof(V), N, reinterpret_cast<const V*>(&bodies), reinterpret_cast<T*>(work.bodies + first + 1));
    }
  } else {
    for (int i = 1; i <= n; ++i) work.bodies[i] = body_in_tree(model.bodies[i], work.motions[i]);
  }
}

template <class T> MD_INLINE void add(TreeBody<T>& to, const TreeBody<T>& from) {
  to.mass = to.mass + from.mass, to.h = to.h + from.h, to.I = to.I + from.I, to.p = to.p + from.p, to.D = to.D + from.D;
  to.force = to.force + from.force, to.moment = to.moment + from.moment;
}

/// Axes of a joint, their rates, and motion of its body.
template <class T>
MD_INLINE void move_in_tree(const Body<Element<T>>& b, const T* v, const T* a, const TreeMotion<T>& parent, TreeMotion<T>& body,
                            const TreeColumns<T>& columns) {
  typedef TreeColumns<T> C;
  const Vector3<T> none = zero_vector<T>();
  Vector3<T> own_w = none, own_u = none, own_alpha = none, own_push = none; // S qdot and S qddot, and S' qdot
  for (int k = 0; k < b.columns; ++k) {
    const int axis = first_axis_of(b.type) + k, column = b.column + k;
    const Vector3<T> direction = b.multiplier * (axis % 3 == 0 ? body.x : axis % 3 == 1 ? body.y : body.z);
    const Vector3<T> angular = axis < 3 ? none : direction, linear = axis < 3 ? direction : cross(body.origin, direction);
    const Vector3<T> turn = cross(parent.w, angular), slip = plus_cross(cross(parent.w, linear), parent.u, angular);
    columns.set(C::axis_x, column, angular), columns.set(C::line_x, column, linear);
    columns.set(C::turn_x, column, turn), columns.set(C::slip_x, column, slip);
    columns.set(C::bend_x, column, plus_cross(cross(parent.alpha, angular), parent.w, turn));
    columns.set(C::pull_x, column,
                plus_cross(plus_cross(plus_cross(cross(parent.alpha, linear), parent.push, angular), parent.w, slip), parent.u, turn));
    const T rate = v[b.v + k], gain = a[b.v + k];
    own_w = own_w + rate * angular, own_u = own_u + rate * linear;
    own_alpha = own_alpha + (gain * angular + rate * turn), own_push = own_push + (gain * linear + rate * slip);
  }
  typedef Element<T> E;
  for (int k = b.column; k < b.column + b.columns; ++k) {
    const Vector3<T> angular = columns.vector(C::axis_x, k), linear = columns.vector(C::line_x, k);
    Vector3<T> mean = columns.vector(C::turn_x, k), drift = columns.vector(C::slip_x, k);
    if (b.columns > 1) {
      mean = mean + E(0.5) * cross(own_w, angular);
      drift = drift + E(0.5) * plus_cross(cross(own_w, linear), own_u, angular);
    }
    columns.set(C::mean_x, k, mean), columns.set(C::drift_x, k, drift);
  }
  body.w = parent.w + own_w, body.u = parent.u + own_u;
  body.alpha = parent.alpha + own_alpha, body.push = parent.push + own_push;
}

/// I (w, u) of bodies: force and moment.
template <class T> MD_INLINE Vector3<T> inertia_force(const TreeBody<T>& b, Vector3<T> w, Vector3<T> u) {
  return plus_cross(b.mass * u, w, b.h);
}
template <class T> MD_INLINE Vector3<T> inertia_moment(const TreeBody<T>& b, Vector3<T> w, Vector3<T> u) {
  return plus_cross(b.I * w, b.h, u);
}

/// The wrenches of one velocity's axes by the sums over the bodies beyond; of several at once where T is a pack.
template <class T, class S> MD_INLINE void loads_of_column(const TreeBody<T>& b, const TreeColumns<S>& columns, int k) {
  typedef Element<T> E;
  typedef TreeColumns<S> C;
  auto of = [&](int component) { return columns.template vector<T>(component, k); };
  const Vector3<T> z = of(C::axis_x), s = of(C::line_x);
  columns.set(C::inertia_fx, k, inertia_force(b, z, s)), columns.set(C::inertia_nx, k, inertia_moment(b, z, s));
  columns.set(C::coriolis_x, k, plus_cross(transposed_product(b.D, z), b.p, s));
  const Vector3<T> a = of(C::mean_x), t = of(C::drift_x);
  columns.set(C::rate_fx, k, E(2) * plus_cross(inertia_force(b, a, t), z, b.p));
  columns.set(C::rate_nx, k, E(2) * (b.D * z + inertia_moment(b, a, t)));
  const Vector3<T> c = of(C::turn_x), e = of(C::bend_x), l = of(C::pull_x);
  const Vector3<T> force = inertia_force(b, e, l) + E(2) * cross(c, b.p), moment = inertia_moment(b, e, l) + E(2) * (b.D * c);
  columns.set(C::angle_fx, k, force), columns.set(C::angle_nx, k, moment);
  columns.set(C::load_fx, k, plus_cross(force, z, b.force));
  columns.set(C::load_nx, k, plus_cross(plus_cross(moment, z, b.moment), s, b.force));
}

/// The same of all velocities. Of one state several are computed at once, where each joint has one.
template <class T> MD_INLINE void loads_of_columns(const Model<Element<T>>& model, const DerivativesWork<T>& work) {
  const int n = model.joints;
  if constexpr (std::is_same_v<T, double>)
    if (model.bodies[0].columns_end == n) {
      typedef Pack<T> V;
      constexpr int N = lanes_of<V>;
      for (int first = 0; first < n; first += N) {
        TreeBody<V> bodies;
        rows_to_lanes(sizeof bodies / sizeof(V), N, reinterpret_cast<const T*>(work.bodies + first + 1), reinterpret_cast<V*>(&bodies));
        loads_of_column(bodies, work.columns, first);
      }
      return;
    }
  for (int i = 1; i <= n; ++i)
    for (int k = model.bodies[i].column; k < model.bodies[i].column + model.bodies[i].columns; ++k) loads_of_column(work.bodies[i], work.columns, k);
}

} // namespace detail

template <class T>
static void inverse_dynamics_derivatives(const Model<Element<T>>& model, CountedTerms counted, const T* q, const T* v, const T* a, T* out,
                                            const DerivativesWork<T>& work, const Wrench<T>* external = nullptr) {
  typedef Element<T> E;
  typedef TreeColumns<T> C;
  using namespace detail;
  const int n = model.joints, nv = model.nv;
  const Vector3<T> none = zero_vector<T>();
  const TreeColumns<T>& columns = work.columns;
  for (int i = 1; i <= n; ++i) {
    const Body<E>& b = model.bodies[i];
    TreeMotion<T>& body = work.motions[i];
    Matrix3<T> R;
    Vector3<T> p;
    pose_of(b, q, work.positions[i - 1], R, p);
    if (b.parent == 0) {
      const Matrix3<T> axes = all_lanes<T>(unit_matrix<E>());
      body.x = axis_of(axes, 0), body.y = axis_of(axes, 1), body.z = axis_of(axes, 2), body.origin = none;
      const Vector3<T> upwards = transposed_product(R, E(-1) * model.gravity);
      move_in_tree(b, v, a, TreeMotion<T>{none, none, none, none, none, none, none, upwards}, body, columns);
    } else {
      place_in_tree(R, p, work.motions[b.parent], body);
      move_in_tree(b, v, a, work.motions[b.parent], body, columns);
    }
  }
  bodies_in_tree(model, work);
  for (int i = 1; external && i <= n; ++i) { // the wrench moves with the body
    const TreeMotion<T>& body = work.motions[i];
    const Vector3<T> force = placed(body, external[i].force);
    work.bodies[i].force = work.bodies[i].force - force;
    work.bodies[i].moment = work.bodies[i].moment - plus_cross(placed(body, external[i].moment), body.origin, force);
  }
  for (int i = n; i > 0; --i)
    if (model.bodies[i].parent > 0) add(work.bodies[model.bodies[i].parent], work.bodies[i]);
  loads_of_columns(model, work);
  T *by_q = out, *by_v = out + nv * nv, *by_a = out + 2 * nv * nv;
  for (int k = 0; k < 3 * nv * nv; ++k) out[k] = T{};
  for (int i = n; i > 0; --i) {
    const Body<E>& b = model.bodies[i];
    for (int j = b.column; j < b.column + b.columns; ++j) {
      const Vector3<T> z = columns.vector(C::axis_x, j), s = columns.vector(C::line_x, j);
      const Vector3<T> c = columns.vector(C::turn_x, j), e = columns.vector(C::bend_x, j), l = columns.vector(C::pull_x, j);
      const Vector3<T> a2 = columns.vector(C::mean_x, j), t2 = columns.vector(C::drift_x, j);
      const int row = model.columns[j].v;
      auto along = [&](int force, int k) { // S_j^T of a wrench of column k
        return dot(s, columns.vector(force, k)) + dot(z, columns.vector(force + 3, k));
      };
      for (int k = b.column; k < b.column + b.columns; ++k) { // axes of the same joint
        const long at = long(row) * nv + model.columns[k].v;
        by_q[at] = by_q[at] + along(C::angle_fx, k);
        by_v[at] = by_v[at] + along(C::rate_fx, k);
        by_a[at] = by_a[at] + along(C::inertia_fx, k);
      }
      for (int k = b.column + b.columns; k < b.columns_end; ++k) { // k beyond j
        const int other = model.columns[k].v;
        const long at = long(row) * nv + other, mirrored = long(other) * nv + row;
        const Vector3<T> If = columns.vector(C::inertia_fx, k), In = columns.vector(C::inertia_nx, k), B = columns.vector(C::coriolis_x, k);
        const T inertia = dot(s, If) + dot(z, In);
        by_q[at] = by_q[at] + along(C::load_fx, k);
        by_q[mirrored] = by_q[mirrored] + (E(2) * dot(c, B) + dot(e, In) + dot(l, If));
        by_v[at] = by_v[at] + along(C::rate_fx, k);
        by_v[mirrored] = by_v[mirrored] + E(2) * (dot(z, B) + dot(a2, In) + dot(t2, If));
        by_a[at] = by_a[at] + inertia;
        by_a[mirrored] = by_a[mirrored] + inertia;
      }
    }
  }
  for (int i = 1; i <= n; ++i) {
    const JointTerms<E>& terms = model.terms[i - 1];
    for (int k = model.bodies[i].v; k < model.bodies[i].v + model.bodies[i].velocities; ++k) {
      if (counted.springs && model.bodies[i].velocities == 1) by_q[k * nv + k] = by_q[k * nv + k] + terms.stiffness;
      if (counted.friction) by_v[k * nv + k] = by_v[k * nv + k] + terms.damping;
      if (counted.armature) by_a[k * nv + k] = by_a[k * nv + k] + terms.armature;
    }
  }
}

/// The matrix C (nv, nv) of Coriolis and centrifugal torques, C v = h(q, v) - h(q, 0), for which Mdot = C + C^T. By Christoffel's symbols it
/// is half of d tau/d v, since the torques are quadratic in v. Where velocities are no derivatives of coordinates, half of M ad(v_j) is added
/// to the columns of a joint: the bracket with its own velocity (Echeandia & Wensing, Numerical methods to compute the Coriolis matrix and Christoffel
/// symbols for rigid-body systems, 2021). Armatures are constant and have no part in it.
/// derivatives: (3, nv, nv) of q, v and a = 0, without terms of joints. C may not be part of them.
template <class T> MD_INLINE void coriolis_matrix(const Model<Element<T>>& model, const T* v, const T* derivatives, T* C) {
  typedef Element<T> E;
  const int nv = model.nv;
  const T *by_v = derivatives + long(nv) * nv, *M = by_v + long(nv) * nv;
  for (int k = 0; k < nv * nv; ++k) C[k] = E(0.5) * by_v[k];
  for (int i = 1; i <= model.joints; ++i) {
    const Body<E>& b = model.bodies[i];
    if (b.velocities < 2) continue;
    const bool floats = b.type == JointType::floating;
    const int angular = b.v + (floats ? 3 : 0);
    const Vector3<T> w = vector_at(v + angular), u = floats ? vector_at(v + b.v) : zero_vector<T>();
    for (int row = 0; row < nv; ++row) { // of M (ad): (m w^x, m' w^x + m u^x) with the row's parts m and m'; m w^x = m x w
      const T* from = M + long(row) * nv;
      T* to = C + long(row) * nv;
      Vector3<T> turned = cross(vector_at(from + angular), w);
      if (floats) {
        const Vector3<T> of_linear = vector_at(from + b.v);
        add_to(to + b.v, 1, E(0.5) * cross(of_linear, w));
        turned = plus_cross(turned, of_linear, u);
      }
      add_to(to + angular, 1, E(0.5) * turned);
    }
  }
}

} // namespace modular_dynamics
