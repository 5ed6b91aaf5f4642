// Accelerations of a tree in one state: articulated_body.hpp's equations, with numbers of the same kind side by side in registers.
//
// The blocks A, M and H of an articulated inertia, and H^T, turn alike: R X R^T. So do moment and force. Entry xy of all four blocks is one vector
// of four numbers, and H_yx stands in that as the entry xy of H^T. A shift by p along the axis x is
//
//     H_y' = H_y - p M_z      A_xy' = A_xy - p H_xz      A_yy' = A_yy - p (H_yz + H_yz')      A_yz' = A_yz + p (H_yy - H_zz')
//     H_z' = H_z + p M_y      A_xz' = A_xz + p H_xy      A_zz' = A_zz + p (H_zy + H_zy')      with rows H_y, M_z, ...
//
// and the elimination of an axis z, whose column U has the halves a (of A) and l (of H^T),
//
//     A_ij' = A_ij - a_i a_j / d      M_ij' = M_ij - l_i l_j / d      H_ij' = H_ij - a_i l_j / d
//
// Bodies are in breadth-first order, and what each needs by itself is computed for several at once: see newton_euler_of_one.hpp. Joints that are
// not revolute are those of articulated_body.hpp.
//
// Contract: as forward_dynamics of articulated_body.hpp, on double. For processors whose registers hold four numbers.
#pragma once
#include "articulated_body.hpp"
#include "newton_euler_of_one.hpp"

namespace modular_dynamics {

#if defined(__AVX2__)

typedef Lanes<double, 4> Four;

/// Of a body: angular velocity and acceleration of the origin by velocities and gravity; later changes of angular and linear acceleration.
struct ArticulatedMotion {
  Vector3<Two> pair;
  double sway_x, sway_y; ///< of a revolute joint: see ArticulatedBody
};
/// U = (a, l), u and 1 / d of a revolute joint.
struct RevoluteAxis {
  Vector3<Two> U;
  double u, inverse;
};

/// Memory of one call, which belongs to one thread: padded(joints) + 1 elements of each array, the first for the ground. others: for joints that
/// are not revolute; `slid` of its bodies and its torques are those of all.
struct ArticulatedBodyOfOneWork {
  JointPosition<double>* positions;
  ArticulatedMotion* motions;
  Vector3<Four>* wrenches;        ///< bias: moment, 0, 0, force
  SymmetricMatrix3<Four>* blocks; ///< A, M, H, H^T; the last two are not symmetric
  RevoluteAxis* axes;
  ArticulatedBodyWork<double> others;
};

namespace detail {

/// Numbers K of a vector.
template <int... K> MD_INLINE Four numbers(Four x) { return shuffled<K...>(x, x); }
/// Entry yx of all blocks, from entry xy.
MD_INLINE Four opposite(Four xy) { return numbers<0, 1, 3, 2>(xy); }

/// R X R^T of each block, where R turns from the first of three axes to the second: see turn_in_plane.
MD_INLINE void turn_in_plane(double s, double c, Four& xx, Four& yy, Four& xy, Four& xz, Four& yz) {
  const double ss = s * s, cs = c * s;
  const Four difference = xx - yy, sum = xy + opposite(xy), e = ss * difference + cs * sum, g = cs * difference - ss * sum, a = xz;
  xx = xx - e, yy = yy + e, xy = xy + g;
  xz = c * a - s * yz, yz = s * a + c * yz;
}
/// The same for any rotation.
MD_INLINE void turn(const Matrix3<double>& R, SymmetricMatrix3<Four>& X) {
  const Vector3<Four> x = R * Vector3<Four>{X.xx, opposite(X.xy), opposite(X.xz)}, y = R * Vector3<Four>{X.xy, X.yy, opposite(X.yz)},
                      z = R * Vector3<Four>{X.xz, X.yz, X.zz};
  const Vector3<Four> first = R * Vector3<Four>{x.x, y.x, z.x}, second = R * Vector3<Four>{x.y, y.y, z.y}, third = R * Vector3<Four>{x.z, y.z, z.z};
  X = {first.x, second.y, third.z, first.y, first.z, second.z};
}

/// About a point from which the origin is seen at a distance p along the first of three axes: x. Number 0 of what is added is what H
/// adds to A; numbers 2 and 3 are what M adds to H and H^T.
MD_INLINE void shift_along(double p, Four& yy, Four& zz, Four& xy, Four& xz, Four& yz, Four& y, Four& z) {
  const Four before = yz, a = xy;
  xy = xy - Four{p, 0, 0, p} * numbers<2, 1, 1, 1>(xz);
  xz = xz + Four{p, 0, 0, p} * numbers<2, 1, 1, 1>(a);
  yz = yz + Four{0, 0, -p, p} * numbers<0, 1, 0, 1>(shuffled<1, 5, 3, 7>(zz, yy));
  const Four both = before + yz, half = Four{p, 0, 0.5 * p, 0.5 * p}, b = yy;
  yy = yy - half * numbers<2, 1, 1, 1>(both);
  zz = zz + half * numbers<3, 1, 1, 1>(both);
  yz = yz + Four{p, 0, 0, 0} * numbers<2, 3, 2, 3>(b - zz);
  const Four moment_y = numbers<3, 3, 3, 3>(z), moment_z = numbers<3, 3, 3, 3>(y);
  y = y - Four{p, 0, 0, 0} * moment_y, z = z + Four{p, 0, 0, 0} * moment_z;
}
/// The same where the origin is seen at p.
MD_INLINE void shift(const Vector3<double>& p, SymmetricMatrix3<Four>& X, Vector3<Four>& bias) {
  if (p.x != 0) shift_along(p.x, X.yy, X.zz, X.xy, X.xz, X.yz, bias.y, bias.z);
  if (p.y != 0) {
    X.xy = opposite(X.xy), X.xz = opposite(X.xz);
    shift_along(p.y, X.zz, X.xx, X.yz, X.xy, X.xz, bias.z, bias.x);
    X.xy = opposite(X.xy), X.xz = opposite(X.xz);
  }
  if (p.z != 0) {
    X.xz = opposite(X.xz), X.yz = opposite(X.yz);
    shift_along(p.z, X.xx, X.yy, X.xz, X.yz, X.xy, bias.x, bias.y);
    X.xz = opposite(X.xz), X.yz = opposite(X.yz);
  }
}

/// Eliminate the axis z of a revolute joint. Returns the pivot.
MD_INLINE double eliminate_revolute(double torque, double armature, SymmetricMatrix3<Four>& X, Vector3<Four>& bias, RevoluteAxis& axis) {
  const Four Ux = X.xz, Uy = X.yz, Uz = X.zz; // first numbers: a, last numbers: l, the row z of H
  const double pivot = Uz[0] + armature, inverse = 1 / pivot, u = torque - bias.z[0], push = u * inverse, kept = armature * inverse;
  axis = {{Two{Ux[0], Ux[3]}, Two{Uy[0], Uy[3]}, Two{Uz[0], Uz[3]}}, u, inverse};
  auto left = [](Four U) { return numbers<0, 3, 0, 3>(U); };
  auto right = [](Four U) { return numbers<0, 3, 3, 0>(U); };
  const Vector3<Four> i{left(Ux), left(Uy), left(Uz)}, j = inverse * Vector3<Four>{right(Ux), right(Uy), right(Uz)};
  X = {X.xx - i.x * j.x, X.yy - i.y * j.y, X.zz - i.z * j.z, X.xy - i.x * j.y, X.xz - i.x * j.z, X.yz - i.y * j.z};
  // what remains of the axis, without rounding
  X.xz = shuffled<4, 1, 2, 7>(X.xz, kept * Ux), X.yz = shuffled<4, 1, 2, 7>(X.yz, kept * Uy), X.zz = shuffled<4, 1, 6, 7>(X.zz, kept * Uz);
  const Four by{push, 0, 0, push};
  bias = {bias.x + by * Ux, bias.y + by * Uy, bias.z + by * Uz};
  bias.z[0] = torque - armature * push;
  return pivot;
}

// Joints that are not revolute stand apart: inline they would take registers from the others.

MD_APART void move_on_by_other_joint(const Body<double>& b, const double* q, const double* v, int i, const ArticulatedBodyOfOneWork& work) {
  const ArticulatedMotion& from = work.motions[b.parent];
  ArticulatedBody<double> parent;
  parent.w = first_of(from.pair), parent.gamma = second_of(from.pair);
  ArticulatedBody<double>& body = work.others.bodies[i];
  move_on(b, work.positions[i - 1], q, v, parent, body);
  work.motions[i] = {pair_of(body.w, body.gamma), 0, 0};
}

MD_APART bool pass_on_by_other_joint(const Body<double>& b, const double* q, double armature, int i, const ArticulatedBodyOfOneWork& work) {
  ArticulatedBody<double>& body = work.others.bodies[i];
  const SymmetricMatrix3<Four>& X = work.blocks[i];
  const Vector3<Four>& t = work.wrenches[i];
  body.moment = {t.x[0], t.y[0], t.z[0]}, body.force = {t.x[3], t.y[3], t.z[3]};
  body.inertia = {{X.xx[0], X.yy[0], X.zz[0], X.xy[0], X.xz[0], X.yz[0],
                   X.xx[2], X.xy[2], X.xz[2], X.xy[3], X.yy[2], X.yz[2], X.xz[3], X.yz[3], X.zz[2],
                   X.xx[1], X.yy[1], X.zz[1], X.xy[1], X.xz[1], X.yz[1]}};
  ArticulatedBody<double> added{};
  const bool lost = pass_on(b, work.positions[i - 1], q, work.others.torques + b.v, armature, body, work.others.axes + b.column, added);
  if (b.parent == 0) return lost;
  work.others.bodies[b.parent].slid += added.slid;
  const double* x = added.inertia.entries;
  SymmetricMatrix3<Four>& inertia = work.blocks[b.parent];
  inertia = inertia + SymmetricMatrix3<Four>{{x[0], x[15], x[6], x[6]}, {x[1], x[16], x[10], x[10]}, {x[2], x[17], x[14], x[14]},
                                             {x[3], x[18], x[7], x[9]}, {x[4], x[19], x[8], x[12]}, {x[5], x[20], x[11], x[13]}};
  const Vector3<double>&n = added.moment, &f = added.force;
  Vector3<Four>& bias = work.wrenches[b.parent];
  bias = bias + Vector3<Four>{{n.x, 0, 0, f.x}, {n.y, 0, 0, f.y}, {n.z, 0, 0, f.z}};
  return lost;
}

MD_APART void accelerate_by_other_joint(const Body<double>& b, const double* q, double* a, int i, const ArticulatedBodyOfOneWork& work) {
  const ArticulatedMotion& from = work.motions[b.parent];
  ArticulatedBody<double> parent;
  parent.alpha = first_of(from.pair), parent.a = second_of(from.pair);
  ArticulatedBody<double>& body = work.others.bodies[i];
  accelerate(b, work.positions[i - 1], q, parent, work.others.axes + b.column, body, a + b.v);
  work.motions[i].pair = pair_of(body.alpha, body.a);
}

/// Motions of all bodies by velocities and gravity.
MD_INLINE void outward_of_one(const Model<double>& model, const double* q, const double* v, const ArticulatedBodyOfOneWork& work) {
  const Vector3<double> none = zero_vector<double>();
  work.motions[0] = {pair_of(none, none - model.gravity), 0, 0};
  for (int k = 0; k < model.joints; ++k) {
    const int i = model.breadth_first[k];
    const Body<double>& b = model.bodies[i];
    work.others.bodies[i].slid = 0;
    if (b.type != JointType::revolute) {
      move_on_by_other_joint(b, q, v, i, work);
      continue;
    }
    const Vector3<Two>& parent = work.motions[b.parent].pair;
    ArticulatedMotion& to = work.motions[i];
    const JointPosition<double>& at = work.positions[i - 1];
    const double rate = b.multiplier * v[b.v];
    auto move_on = [&](auto to_axes) {
      const Vector3<double> w = first_of(parent);
      const Vector3<Two> pair = to_axes(pair_of(w, plus_cross(second_of(parent), w, cross(w, b.p))));
      to.pair = {pair.x, pair.y, pair.z + Two{rate, 0}};
      to.sway_x = pair.y[0] * rate, to.sway_y = -(pair.x[0] * rate);
    };
    if (b.tilted) move_on([&](auto u) { return turned_back_about_z(at.sine, at.cosine, back_about_x(b, u)); });
    else move_on([&](auto u) { return turned_back_about_z(at.sine, at.cosine, transposed_product(b.R, u)); });
  }
}

/// Inertias and biases of all bodies by themselves, of one register's bodies at a time.
MD_INLINE void rigid_bodies_of_one(const Model<double>& model, const ArticulatedBodyOfOneWork& work) {
  typedef Pack<double> V;
  constexpr int N = lanes_of<V>;
  const int n = model.joints;
  for (int i = n + 1; i <= (n + N - 1) / N * N; ++i) work.motions[i] = ArticulatedMotion();
  for (int first = 0; first < n; first += N) {
    V m[8 + N], f[12 + N] = {}, I[24 + N] = {};
    rows_to_lanes(8, N, reinterpret_cast<const double*>(work.motions + first + 1), m);
    const RigidBody<V> bodies = rigid_bodies<V>(model, first);
    const Vector3<V>&h = bodies.moment, w{m[0], m[2], m[4]}, gamma{m[1], m[3], m[5]};
    const SymmetricMatrix3<V> A = inertia_of(bodies.J);
    const Wrench<V> wrench = rigid_bias(bodies.mass, h, A, w, gamma);
    f[0] = wrench.moment.x, f[3] = wrench.force.x, f[4] = wrench.moment.y, f[7] = wrench.force.y, f[8] = wrench.moment.z, f[11] = wrench.force.z;
    I[0] = A.xx, I[4] = A.yy, I[8] = A.zz, I[12] = A.xy, I[16] = A.xz, I[20] = A.yz;
    I[1] = I[5] = I[9] = bodies.mass;
    I[15] = h.z, I[14] = -h.z, I[18] = h.y, I[19] = -h.y, I[23] = h.x, I[22] = -h.x; // H = [h]x
    lanes_to_rows(12, N, f, reinterpret_cast<double*>(work.wrenches + first + 1));
    lanes_to_rows(24, N, I, reinterpret_cast<double*>(work.blocks + first + 1));
  }
}

/// As pass_on, for a revolute joint.
MD_INLINE bool pass_on_by_revolute(const Body<double>& b, double torque, double armature, int i, const ArticulatedBodyOfOneWork& work) {
  const JointPosition<double>& at = work.positions[i - 1];
  SymmetricMatrix3<Four> X = work.blocks[i];
  Vector3<Four> bias = work.wrenches[i];
  const double slid = work.others.bodies[i].slid;
  const bool lost = is_lost(eliminate_revolute(torque, armature, X, bias, work.axes[i]), slid + b.least_inertia);
  if (b.parent == 0) return lost;
  work.others.bodies[b.parent].slid += slid;
  // what velocities add: A c to the moment, H^T c to the force
  const double cx = work.motions[i].sway_x, cy = work.motions[i].sway_y;
  auto add = [](Four& to, Four product) { to = to + shuffled<0, 5, 6, 3>(product, Four{}); };
  add(bias.x, cx * X.xx + cy * X.xy), add(bias.y, cx * opposite(X.xy) + cy * X.yy), add(bias.z, cx * opposite(X.xz) + cy * opposite(X.yz));
  turn_in_plane(at.sine, at.cosine, X.xx, X.yy, X.xy, X.xz, X.yz);
  bias = turned_about_z(at.sine, at.cosine, bias);
  if (b.tilted) {
    X.xy = opposite(X.xy), X.xz = opposite(X.xz); // yx, zx
    turn_in_plane(b.R.zy, b.R.yy, X.yy, X.zz, X.yz, X.xy, X.xz);
    X.xy = opposite(X.xy), X.xz = opposite(X.xz);
    bias = about_x(b, bias);
  } else {
    turn(b.R, X), bias = b.R * bias;
  }
  shift(b.p, X, bias);
  SymmetricMatrix3<Four>& inertia = work.blocks[b.parent];
  Vector3<Four>& parents = work.wrenches[b.parent];
  inertia = inertia + X, parents = parents + bias;
  return lost;
}

/// As accelerate, for a revolute joint.
MD_INLINE double accelerate_revolute(const Body<double>& b, int i, const ArticulatedBodyOfOneWork& work) {
  const JointPosition<double>& at = work.positions[i - 1];
  const RevoluteAxis& axis = work.axes[i];
  const Vector3<Two>& parent = work.motions[b.parent].pair;
  ArticulatedMotion& to = work.motions[i];
  auto accelerate = [&](auto to_axes) {
    const Vector3<double> alpha = first_of(parent);
    Vector3<Two> pair = to_axes(pair_of(alpha, plus_cross(second_of(parent), alpha, b.p)));
    pair.x = pair.x + Two{to.sway_x, 0}, pair.y = pair.y + Two{to.sway_y, 0};
    const Two needed = dot(axis.U, pair);
    const double a = (axis.u - needed[0] - needed[1]) * axis.inverse;
    to.pair = {pair.x, pair.y, pair.z + Two{a, 0}};
    return a;
  };
  if (b.tilted) return accelerate([&](auto u) { return turned_back_about_z(at.sine, at.cosine, back_about_x(b, u)); });
  return accelerate([&](auto u) { return turned_back_about_z(at.sine, at.cosine, transposed_product(b.R, u)); });
}

} // namespace detail

/// See forward_dynamics of articulated_body.hpp.
MD_INLINE int forward_dynamics_of_one(const Model<double>& model, CountedTerms counted, const double* q, const double* v, const double* tau,
                                      double* a, const ArticulatedBodyOfOneWork& work, const Wrench<double>* external) {
  using namespace detail;
  outward_of_one(model, q, v, work);
  rigid_bodies_of_one(model, work);
  for (int i = 1; external && i <= model.joints; ++i) {
    const Vector3<double>&n = external[i].moment, &f = external[i].force;
    Vector3<Four>& bias = work.wrenches[i];
    bias = bias - Vector3<Four>{{n.x, 0, 0, f.x}, {n.y, 0, 0, f.y}, {n.z, 0, 0, f.z}};
  }
  double* torques = work.others.torques;
  remaining_torques(model, counted, q, v, tau, torques);
  int without_inertia = 0;
  for (int k = model.joints - 1; k >= 0; --k) {
    const int i = model.breadth_first[k];
    const Body<double>& b = model.bodies[i];
    const double armature = counted.armature ? model.terms[i - 1].armature : 0;
    const bool lost = b.type == JointType::revolute ? pass_on_by_revolute(b, torques[b.v], armature, i, work)
                                                    : pass_on_by_other_joint(b, q, armature, i, work);
    if (lost && without_inertia == 0) without_inertia = i;
  }
  const Vector3<double> none = zero_vector<double>();
  work.motions[0].pair = pair_of(none, none);
  for (int k = 0; k < model.joints; ++k) {
    const int i = model.breadth_first[k];
    const Body<double>& b = model.bodies[i];
    if (b.type == JointType::revolute) a[b.v] = accelerate_revolute(b, i, work);
    else accelerate_by_other_joint(b, q, a, i, work);
  }
  return without_inertia;
}

#else
struct ArticulatedBodyOfOneWork {};
#endif

} // namespace modular_dynamics
