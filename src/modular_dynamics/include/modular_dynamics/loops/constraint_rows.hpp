// Conditions of loop joints, gears and spring lengths: value phi, Jacobian J, and gamma, with d phi/dt = J v, d^2 phi/dt^2 = J a + gamma.
//
// With P and S the axes of the anchors on predecessor and successor, r the vector from P's origin to S's, n, p, d fixed in P, and a in S:
//
//   along      d . r                      no displacement along d
//   across     f = n . a                  the two stay perpendicular
//   aligned    f sqrt(2 / (1 + p . a))    p is a's copy in P, n is perpendicular to it: a lies along p
//   about      2 d . eps                  eps: vector part, with a scalar part eta >= 0, of the quaternion that turns P into S
//   distance   |r|                        no condition, but the length of a spring
//   coupling   offset + sum ratio q       a gear
//
// `aligned` is Lambert's azimuthal projection of a on the plane across p; two such rows, and three rows `about`, have the norm
// 2 sin(angle / 2): they are zero only where the frames agree. Each row is moved by a force at S's origin and a moment, per unit of its
// multiplier on the successor; the opposite acts on the predecessor. Along (R a) x n, or eta d + eps x d: with eps' = (eta omega + omega
// x eps) / 2 (Diebel 2006, eq. 110), `about` has gamma = omega' . moment - |omega|^2 phi / 4.
//
// Contract: positions of all bodies of the set are known. phi, gamma (rows), J (columns, rows): column by column. One state of T = double
// may be anywhere; of exactly reversed frames the rows are those of frames turned by 1e-4 rad. Lanes are for states that are nearly closed.
#pragma once
#include "../composite_body.hpp"
#include "loop_model.hpp"

namespace modular_dynamics {

template <class T> struct Pose { Matrix3<T> R; Vector3<T> p; };

/// Angular velocity, velocity of the origin; accelerations of both where no joint accelerates. Seen from the set's root, in its axes.
template <class T> struct Drift { Vector3<T> w, v, alpha, a; };

/// Memory for all sets: parts of a set begin at its first body, pair, row and entry.
template <class T> struct RowWork {
  Pose<T>* bodies;
  Drift<T>* drifts;
  Pose<T>* ends;        ///< two of each pair
  Wrench<T>* wrenches;  ///< of each row: force and moment per unit of its multiplier, on the successor at its anchor
  T *phi, *gamma, *J;
};

namespace detail {

/// 1 / length; 0 of a spring of length zero, which has no direction.
template <class T> MD_INLINE T inverse_length(T length) { return select(length > T{}, T(1.0 / length), T{}); }

template <class T> struct OrientationRow { T value; Vector3<T> moment; T rate, gamma; };

/// Angular motion of S against P, both without joint accelerations.
template <class T> struct Turning { Vector3<T> w, alpha, wp, ws; };

/// n . a
template <bool Moving, class T> MD_INLINE OrientationRow<T> across(Vector3<T> n, Vector3<T> a, const Turning<T>& turning) {
  OrientationRow<T> row{dot(n, a), cross(a, n), T{}, T{}};
  if (Moving) {
    row.rate = dot(turning.w, row.moment);
    row.gamma = dot(turning.alpha, row.moment) + dot(turning.w, cross(cross(turning.ws, a), n) + cross(a, cross(turning.wp, n)));
  }
  return row;
}

template <bool Moving, class T>
MD_INLINE OrientationRow<T> aligned(Vector3<T> n, Vector3<T> a, Vector3<T> copy, const Turning<T>& turning) {
  const OrientationRow<T> f = across<Moving>(n, a, turning), c = across<Moving>(copy, a, turning);
  T half = 1.0 + c.value;
  if constexpr (lanes_of<T> == 1)
    if (c.value < 0) half = dot(c.moment, c.moment) / (1.0 - c.value); // without cancellation
  const T g = square_root(T(2.0 / half)), g1 = -0.5 * g / half, g2 = -1.5 * g1 / half; // derivatives by c
  OrientationRow<T> row{f.value * g, g * f.moment + f.value * g1 * c.moment, T{}, T{}};
  if (Moving) row.gamma = g * f.gamma + 2.0 * g1 * c.rate * f.rate + f.value * (g1 * c.gamma + g2 * c.rate * c.rate);
  return row;
}

/// a, or, where it is opposite to its copy in P, an axis that is turned a little.
template <class T> MD_INLINE Vector3<T> turned_away(Vector3<T> a, Vector3<T> copy, const Vector3<double>& local, const Matrix3<T>& P) {
  if constexpr (lanes_of<T> == 1) {
    const Vector3<T> sine = cross(a, copy);
    if (dot(a, copy) > 0 || dot(sine, sine) > 1e-8) return a;
    const double x = std::fabs(local.x), y = std::fabs(local.y), z = std::fabs(local.z);
    Vector3<T> side = axis_of(P, x <= y && x <= z ? 0 : y <= z ? 1 : 2);
    side = side - dot(side, copy) * copy;
    return a + (1e-4 / std::sqrt(dot(side, side))) * side;
  } else {
    return a;
  }
}

/// eta >= 0 and eps of the rotation that turns P into S.
template <class T> MD_INLINE void quaternion_between(const Matrix3<T>& P, const Matrix3<T>& S, T& eta, Vector3<T>& eps) {
  const Matrix3<T> R = S * transposed(P);
  const T trace = R.xx + R.yy + R.zz;
  const Vector3<T> skew{R.zy - R.yz, R.xz - R.zx, R.yx - R.xy}; // 4 eta eps
  if constexpr (lanes_of<T> == 1)
    if (!(trace > 0)) { // eta may be small: eps from its squares, the largest first (Shepperd 1978)
      const T xx = 1 - trace + 2 * R.xx, yy = 1 - trace + 2 * R.yy, zz = 1 - trace + 2 * R.zz;
      const T xy = R.xy + R.yx, xz = R.xz + R.zx, yz = R.yz + R.zy;
      eps = xx >= yy && xx >= zz ? (0.5 / square_root(xx)) * Vector3<T>{xx, xy, xz}
            : yy >= zz           ? (0.5 / square_root(yy)) * Vector3<T>{xy, yy, yz}
                                 : (0.5 / square_root(zz)) * Vector3<T>{xz, yz, zz};
      eta = 0.25 * dot(skew, eps) / dot(eps, eps);
      if (eta < 0) eta = -eta, eps = -1.0 * eps;
      if (!(eta > 0.5e-4)) eta = 0.5e-4;
      return;
    }
  eta = 0.5 * square_root(T(1.0 + trace));
  eps = T(0.25 / eta) * skew;
}

template <bool Moving, class T>
MD_INLINE OrientationRow<T> orientation_row(const Row& row, const Matrix3<T>& P, const Matrix3<T>& S, const Turning<T>& turning) {
  const Vector3<T> direction = P * row.first;
  if (row.kind == RowKind::across) return across<Moving>(direction, S * row.second, turning);
  if (row.kind == RowKind::aligned) {
    const Vector3<T> copy = P * row.second;
    return aligned<Moving>(direction, turned_away(S * row.second, copy, row.second, P), copy, turning);
  }
  T eta;
  Vector3<T> eps;
  quaternion_between(P, S, eta, eps);
  OrientationRow<T> result{2.0 * dot(direction, eps), plus_cross(eta * direction, eps, direction), T{}, T{}};
  if (Moving)
    result.gamma = dot(turning.alpha - cross(turning.wp, turning.ws), result.moment) - 0.25 * dot(turning.w, turning.w) * result.value;
  return result;
}

/// Poses of the set's bodies and anchors.
template <class T>
static void place_set(const Model<double>& tree, const LoopModel& loops, const RowSet& set, const T* q, const JointPosition<T>* positions,
                         const RowWork<T>& work) {
  Pose<T>* poses = work.bodies + set.first_body;
  for (int k = 0; k < set.bodies; ++k) {
    const SetBody& body = loops.set_bodies[set.first_body + k];
    Pose<T> at;
    pose_of(tree.bodies[body.body], q, positions[body.body - 1], at.R, at.p);
    poses[k] = body.parent < 0 ? at : Pose<T>{poses[body.parent].R * at.R, plus_product(poses[body.parent].p, poses[body.parent].R, at.p)};
  }
  for (int k = set.first_pair; k < set.first_pair + set.pairs; ++k)
    for (int side = 0; side < 2; ++side) {
      const End& end = loops.pairs[k].ends[side];
      Pose<T>& to = work.ends[2 * k + side];
      if (end.body < 0) to = {all_lanes<T>(end.R), all_lanes<T>(end.p)};
      else to = {poses[end.body].R * end.R, plus_product(poses[end.body].p, poses[end.body].R, end.p)};
    }
}

/// Adds to a row of J what its wrench does at a body's joint.
template <class T>
MD_INLINE void add_joint(const Body<double>& body, const Pose<T>& pose, double sign, const Wrench<T>& wrench, const Vector3<T>& at, T* J, int rows) {
  const Vector3<T> moment = plus_cross(wrench.moment, at - pose.p, wrench.force);
  if (!has_quaternion(body.type)) {
    const Vector3<T> axis = axis_of(pose.R, 2);
    J[0] = J[0] + sign * (body.multiplier * (body.type == JointType::prismatic ? dot(axis, wrench.force) : dot(axis, moment)));
    return;
  }
  if (body.type == JointType::floating) {
    add_to(J, rows, sign * transposed_product(pose.R, wrench.force));
    J += 3 * rows;
  }
  add_to(J, rows, sign * transposed_product(pose.R, moment));
}

} // namespace detail

/// phi and J of a set of rows at q, with the positions of its bodies; also poses, anchors and wrenches of the rows.
template <class T>
static void evaluate_rows(const Model<double>& tree, const LoopModel& loops, const RowSet& set, const T* q, const JointPosition<T>* positions,
                             const RowWork<T>& work) {
  using namespace detail;
  place_set(tree, loops, set, q, positions, work);
  T* J = work.J + set.first_entry;
  for (int k = 0; k < set.rows * set.columns; ++k) J[k] = T{};
  for (int r = 0; r < set.rows; ++r) {
    const Row& row = loops.rows[set.first_row + r];
    T& phi = work.phi[set.first_row + r];
    if (row.kind == RowKind::coupling) {
      phi = T{} + row.offset;
      for (int k = row.first_term; k < row.first_term + row.terms; ++k) {
        const Term& term = loops.terms[k];
        phi = phi + term.ratio * q[term.q];
        J[term.column * set.rows + r] = J[term.column * set.rows + r] + term.ratio;
      }
      continue;
    }
    const Pose<T>&P = work.ends[2 * row.pair], &S = work.ends[2 * row.pair + 1];
    const Vector3<T> none = zero_vector<T>(), arm = S.p - P.p;
    Wrench<T> wrench = zero_wrench<T>();
    if (row.kind == RowKind::along) {
      wrench.force = P.R * row.first;
      phi = dot(wrench.force, arm);
    } else if (row.kind == RowKind::distance) {
      phi = square_root(dot(arm, arm));
      wrench.force = inverse_length(phi) * arm;
    } else {
      const OrientationRow<T> one = orientation_row<false>(row, P.R, S.R, Turning<T>{none, none, none, none});
      phi = one.value, wrench.moment = one.moment;
    }
    work.wrenches[set.first_row + r] = wrench;
    const Pair& pair = loops.pairs[row.pair];
    for (int k = pair.first_joint; k < pair.first_joint + pair.joints; ++k) {
      const SetBody& body = loops.set_bodies[set.first_body + loops.path[k].body];
      add_joint(tree.bodies[body.body], work.bodies[set.first_body + loops.path[k].body], loops.path[k].sign, wrench, S.p,
                J + body.column * set.rows + r, set.rows);
    }
  }
}

/// gamma of a set of rows that `evaluate_rows` has left, at v.
template <class T>
static void evaluate_drift(const Model<double>& tree, const LoopModel& loops, const RowSet& set, const T* v, const RowWork<T>& work) {
  using namespace detail;
  const Vector3<T> none = zero_vector<T>();
  const Drift<T> rest{none, none, none, none};
  const Pose<T>* poses = work.bodies + set.first_body;
  Drift<T>* drifts = work.drifts + set.first_body;
  auto carried = [&](int body, const Vector3<T>& to) { // of a point of a body
    if (body < 0) return rest;
    const Drift<T>& d = drifts[body];
    const Vector3<T> arm = to - poses[body].p, swing = cross(d.w, arm);
    return Drift<T>{d.w, d.v + swing, d.alpha, plus_cross(d.a + cross(d.alpha, arm), d.w, swing)};
  };
  for (int k = 0; k < set.bodies; ++k) {
    const SetBody& one = loops.set_bodies[set.first_body + k];
    const Body<double>& body = tree.bodies[one.body];
    const Matrix3<T>& R = poses[k].R;
    Drift<T> d = carried(one.parent, poses[k].p);
    if (has_quaternion(body.type)) {
      const T* rates = v + body.v;
      const Vector3<T> before = d.w;
      if (body.type == JointType::floating) {
        const Vector3<T> along = R * vector_at(rates), spin = R * vector_at(rates + 3);
        d.v = d.v + along;
        d.a = plus_cross(d.a, spin + before + before, along);
        rates += 3;
      }
      const Vector3<T> spin = R * vector_at(rates);
      d.w = before + spin, d.alpha = plus_cross(d.alpha, before, spin);
    } else {
      const T rate = body.multiplier * v[body.v];
      const Vector3<T> axis = rate * axis_of(R, 2), swung = cross(d.w, axis);
      if (body.type == JointType::prismatic) d.v = d.v + axis, d.a = d.a + (swung + swung);
      else d.w = d.w + axis, d.alpha = d.alpha + swung;
    }
    drifts[k] = d;
  }
  int last = -1;
  Drift<T> P = rest, S = rest;
  for (int r = set.first_row; r < set.first_row + set.rows; ++r) {
    const Row& row = loops.rows[r];
    T& gamma = work.gamma[r];
    if (row.kind == RowKind::coupling) {
      gamma = T{};
      continue;
    }
    const Pose<T>&at_P = work.ends[2 * row.pair], &at_S = work.ends[2 * row.pair + 1];
    if (row.pair != last) P = carried(loops.pairs[row.pair].ends[0].body, at_P.p), S = carried(loops.pairs[row.pair].ends[1].body, at_S.p);
    last = row.pair;
    const Vector3<T> arm = at_S.p - at_P.p, relative = S.v - P.v;
    if (row.kind == RowKind::along) {
      const Vector3<T> swing = cross(P.w, arm), seen = relative - swing; // rate of r as P sees it
      gamma = dot(work.wrenches[r].force, S.a - P.a - cross(P.alpha, arm) - cross(P.w, swing + seen + seen));
    } else if (row.kind == RowKind::distance) {
      const Vector3<T> n = work.wrenches[r].force;
      const T along = dot(n, relative);
      gamma = dot(n, S.a - P.a) + (dot(relative, relative) - along * along) / work.phi[r];
    } else {
      gamma = orientation_row<true>(row, at_P.R, at_S.R, Turning<T>{S.w - P.w, S.alpha - P.alpha, P.w, S.w}).gamma;
    }
  }
}

} // namespace modular_dynamics
