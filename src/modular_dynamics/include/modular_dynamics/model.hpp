// The robot as arrays: a kinematic tree of joints, each with the body that it carries.
//
// Joint k carries body k; the ground is body -1 of a description, and parents come before children. Coordinates of joint k start at q[k.q],
// velocities at v[k.v]: one each (revolute, prismatic), x y z and quaternion w x y z beside a twist [linear, angular] in the body's
// axes (floating), or a quaternion and an angular velocity in the body's axes (spherical).
//
// A Description has all numbers in the frames of the URDF. A Model is made of it for the recursions: frames are turned so that each
// joint's axis is z of its body, and about that axis so that x is along the common normal with one child's axis (Denavit & Hartenberg).
// Then the constant rotation before most joints is one about x alone. Origins stay where they are.
//
// The masses of a Model are as they are, or regrouped: assigned to the parent where that leaves all torques unchanged, but not the wrenches
// between bodies (base inertial parameters: Gautier & Khalil 1990). These are a mass on a revolute joint's axis, which turns without moving, and
// a second moment on a prismatic joint, which without mass and first moment exerts no force.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "spatial.hpp"

namespace modular_dynamics {

enum class JointType { revolute, prismatic, floating, spherical };

constexpr bool has_quaternion(JointType type) { return type == JointType::floating || type == JointType::spherical; }
constexpr int velocities_of(JointType type) { return type == JointType::floating ? 6 : type == JointType::spherical ? 3 : 1; }
constexpr int coordinates_of(JointType type) { return velocities_of(type) + has_quaternion(type); }
/// Its first axis among x y z of the body, along (0 1 2) and about them (3 4 5); it has as many as velocities.
constexpr int first_axis_of(JointType type) {
  return type == JointType::floating ? 0 : type == JointType::prismatic ? 2 : type == JointType::spherical ? 3 : 5;
}

/// One joint and its body, in SI units and the frames of the URDF.
struct JointDescription {
  int parent = -1; ///< joint that carries this one; -1: the ground
  JointType type = JointType::revolute;
  int q = 0, v = 0; ///< first coordinate and first velocity; those of its driver, where it mimics one
  bool mimics = false;
  Vector3<double> axis{0, 0, 1};                           ///< unit vector in the body's axes, which are the joint's
  Matrix3<double> R_parent_joint{1, 0, 0, 0, 1, 0, 0, 0, 1}; ///< at q = 0
  Vector3<double> p_parent_joint{0, 0, 0};                 ///< [m]
  double mass = 0;                                         ///< [kg]
  Vector3<double> com{0, 0, 0};                            ///< centre of mass in the body's frame [m]
  SymmetricMatrix3<double> inertia{0, 0, 0, 0, 0, 0};      ///< about the centre of mass, in the body's axes [kg m^2]
  double multiplier = 1, offset = 0;                       ///< angle or shift = multiplier q + offset
  double armature = 0;                                     ///< of the drive [kg m^2 or kg]
  double stiffness = 0, rest_position = 0;                 ///< of a spring [N m/rad or N/m], and q where it is relaxed
  double damping = 0, friction = 0;                        ///< viscous [N m s/rad or N s/m] and dry [N m or N]
};

struct Description {
  std::vector<JointDescription> joints;
  int nq = 0, nv = 0;
  Vector3<double> gravity{0, 0, -9.81}; ///< acceleration in the ground's axes [m/s^2]
};

/// The numbers of one joint and its body, in which designs of one robot differ; all but the joint's axis. Torques are linear in the mass, in
/// `moment`, in `J` and in armature, damping and friction.
struct JointNumbers {
  Matrix3<double> R_parent_joint;
  Vector3<double> p_parent_joint;
  double mass;
  Vector3<double> moment;     ///< mass times centre of mass, in the body's frame
  SymmetricMatrix3<double> J; ///< second moment of the mass about the body's origin, in its axes: tr(I)/2 - I
  double multiplier, offset, armature, stiffness, rest_position, damping, friction;
};
constexpr int joint_numbers = 29;
static_assert(sizeof(JointNumbers) == joint_numbers * sizeof(double), "a row of an array");

/// One joint and its body as the recursions read them. Index 0 of a Model's bodies is the ground; each body is followed by all that it
/// carries.
template <class E> struct Body : RigidBody<E> {
  Body() : RigidBody<E>() {} // without mass
  int parent = 0; ///< index; 0: the ground
  JointType type = JointType::revolute;
  int q = 0, v = 0;
  int velocities = 1;              ///< of its own: 1, 3 or 6; 0 of a joint that mimics another
  int column = 0, columns = 1;     ///< where its velocities stand among those of all joints, and how many it has even if it mimics
  int columns_end = 0;             ///< behind those of its descendants, which follow its own
  bool has_other_children = false; ///< than the body that follows it in the list
  bool tilted = false;             ///< R turns about x alone
  bool reduced = false;            ///< revolute, without mass, moment.z and J.zz: they are its parent's
  Matrix3<E> R{1, 0, 0, 0, 1, 0, 0, 0, 1}; ///< parent's frame <- joint's frame at q = 0
  Vector3<E> p{0, 0, 0};                   ///< the joint's origin in the parent's frame
  E multiplier = 1, offset = 0;
  E least_inertia = 0, least_mass = 0; ///< pivots of forward dynamics up to these are mostly rounding: see `set_least_pivots`
  E slide = 0;                         ///< of a prismatic joint: what the square of its shift adds to least_inertia before it
};

/// The velocity to which a column belongs, and the factor of a joint that mimics another.
struct ColumnOwner { int v; double multiplier; };

/// Which entries M = L^T D L fills: row k of L has, left of its diagonal, the velocities others[first[k]] ... others[first[k + 1] - 1] in
/// increasing order. See set_elimination.
struct Elimination { const int *first = nullptr, *others = nullptr; };

/// What the joint itself adds to its torque: see joint_torques in newton_euler.hpp.
template <class E> struct JointTerms { E armature = 0, stiffness = 0, rest_position = 0, damping = 0, friction = 0; };

/// The model, in memory that it does not own: see ModelArrays.
template <class E> struct Model {
  const Body<E>* bodies = nullptr;      ///< joints + 1; bodies[0] is the ground
  const JointTerms<E>* terms = nullptr; ///< joints
  const ColumnOwner* columns = nullptr;
  Elimination elimination;
  const int* breadth_first = nullptr;   ///< joints: bodies by their distance from the ground
  const E* inertias = nullptr;          ///< (10, padded(joints)) mass, moment, J of all bodies; of other types than double: nullptr
  int joints = 0, nq = 0, nv = 0;
  Vector3<E> gravity{0, 0, 0};
};

/// A number of bodies that fills whole vector registers.
constexpr int padded(int bodies) { return (bodies + 7) / 8 * 8; }

/// Bodies first + 1, first + 2, ..., as many as V has lanes.
template <class V> MD_INLINE RigidBody<V> rigid_bodies(const Model<Element<V>>& model, int first) {
  auto number = [&](int k) { return load<V>(model.inertias + k * padded(model.joints) + first); };
  return {number(0), {number(1), number(2), number(3)}, {number(4), number(5), number(6), number(7), number(8), number(9)}};
}

/// The memory of a model.
template <class E> struct ModelArrays {
  std::vector<Body<E>> bodies;
  std::vector<JointTerms<E>> terms;
  std::vector<ColumnOwner> columns;
  std::vector<int> joints;               ///< joints of the description in the order of bodies[1], bodies[2], ...
  std::vector<Matrix3<E>> axes;          ///< their rotations body's axes <- model frame
  std::vector<int> drivers;              ///< index in terms of the joint to whose velocity they belong: of mimic joints that of their driver
  std::vector<int> elimination_first, elimination_others; ///< empty until set_elimination
  std::vector<int> breadth_first;
  std::vector<E> inertias;
  int nq = 0, nv = 0;
  Vector3<E> gravity{0, 0, 0};
  bool has_armature = false, has_springs = false, has_friction = false, has_mimics = false;

  Model<E> view() const {
    return {bodies.data(), terms.data(), columns.data(), {elimination_first.data(), elimination_others.data()},
            breadth_first.data(), inertias.data(), int(terms.size()), nq, nv, gravity};
  }
};

namespace detail {

inline Matrix3<double> about_z(double sine, double cosine) { return {cosine, -sine, 0, sine, cosine, 0, 0, 0, 1}; }

/// A + factor b b^T
inline void add_square(SymmetricMatrix3<double>& a, double factor, Vector3<double> b) {
  a.xx += factor * b.x * b.x, a.yy += factor * b.y * b.y, a.zz += factor * b.z * b.z;
  a.xy += factor * b.x * b.y, a.xz += factor * b.x * b.z, a.yz += factor * b.y * b.z;
}
/// A + a b^T + b a^T
inline void add_mixed(SymmetricMatrix3<double>& m, Vector3<double> a, Vector3<double> b) {
  m.xx += 2 * a.x * b.x, m.yy += 2 * a.y * b.y, m.zz += 2 * a.z * b.z;
  m.xy += a.x * b.y + a.y * b.x, m.xz += a.x * b.z + a.z * b.x, m.yz += a.y * b.z + a.z * b.y;
}
/// R S R^T
inline SymmetricMatrix3<double> in_axes(const Matrix3<double>& R, const SymmetricMatrix3<double>& s) {
  Matrix3<double> m = (R * full(s)) * transposed(R);
  return {m.xx, m.yy, m.zz, 0.5 * (m.xy + m.yx), 0.5 * (m.xz + m.zx), 0.5 * (m.yz + m.zy)};
}

/// A rotation whose third column is the axis; exact for axes along x, y and z.
inline Matrix3<double> with_z_along(Vector3<double> axis) {
  double x = std::fabs(axis.x), y = std::fabs(axis.y), z = std::fabs(axis.z);
  Vector3<double> least = x <= y && x <= z ? Vector3<double>{1, 0, 0} : y <= z ? Vector3<double>{0, 1, 0} : Vector3<double>{0, 0, 1};
  Vector3<double> first = least - dot(axis, least) * axis;
  first = (1 / std::sqrt(dot(first, first))) * first;
  Vector3<double> second = cross(axis, first);
  return {first.x, second.x, axis.x, first.y, second.y, axis.y, first.z, second.z, axis.z};
}

/// x, or zero where it is a rounding error beside the size `beside`.
inline double cleaned(double x, double beside) { return std::fabs(x) < 1e-15 * beside ? 0 : x; }
inline Vector3<double> cleaned(Vector3<double> a) {
  const double size = std::sqrt(dot(a, a));
  return {cleaned(a.x, size), cleaned(a.y, size), cleaned(a.z, size)};
}
inline SymmetricMatrix3<double> cleaned(const SymmetricMatrix3<double>& s) {
  const double size = std::fabs(s.xx) + std::fabs(s.yy) + std::fabs(s.zz);
  return {s.xx, s.yy, s.zz, cleaned(s.xy, size), cleaned(s.xz, size), cleaned(s.yz, size)};
}

} // namespace detail

/// Rotations body <- model frame for each joint of a description: z along the joint's axis, x as the head of this file says.
inline std::vector<Matrix3<double>> model_frames(const Description& robot) {
  using namespace detail;
  const int n = int(robot.joints.size());
  std::vector<Matrix3<double>> frames(n);
  std::vector<bool> turned(n, false);
  for (int k = 0; k < n; ++k) {
    const JointDescription& joint = robot.joints[k];
    frames[k] = has_quaternion(joint.type) ? unit_matrix() : with_z_along(joint.axis);
  }
  for (int k = 0; k < n; ++k) { // the first child with an axis of its own decides the turn of its parent about z
    const JointDescription& joint = robot.joints[k];
    const int parent = joint.parent;
    if (parent < 0 || has_quaternion(joint.type) || turned[parent] || has_quaternion(robot.joints[parent].type)) continue;
    Vector3<double> axis = transposed(frames[parent]) * (joint.R_parent_joint * joint.axis); // in the parent's model frame
    double sine = std::hypot(axis.x, axis.y);
    if (sine < 1e-15) continue; // parallel axes: any turn will do
    // x along the common normal: z cross axis = (-axis.y, axis.x, 0)
    frames[parent] = frames[parent] * about_z(cleaned(axis.x / sine, 1), cleaned(-axis.y / sine, 1));
    turned[parent] = true;
  }
  return frames;
}

namespace detail {

/// Joints depth first: each is followed by all that it carries.
inline std::vector<int> depth_first(const Description& robot) {
  const int n = int(robot.joints.size());
  std::vector<std::vector<int>> children(n + 1); // of the ground at index 0
  for (int k = n - 1; k >= 0; --k) children[robot.joints[k].parent + 1].push_back(k);
  std::vector<int> order, waiting = children[0];
  while (!waiting.empty()) {
    const int k = waiting.back();
    waiting.pop_back();
    order.push_back(k);
    waiting.insert(waiting.end(), children[k + 1].begin(), children[k + 1].end());
  }
  return order;
}

/// Writes rotation and offset of a joint. frame: body's axes <- model frame; back: its parent's model frame <- axes.
inline void set_rotation(const JointNumbers& joint, const Matrix3<double>& frame, const Matrix3<double>& back, Body<double>& body) {
  body.offset = joint.offset;
  body.R = back * (joint.R_parent_joint * frame);
  if (body.type == JointType::revolute) {
    // R = Rz(turn) Rx(tilt) Rz(rest): the joint's own angle takes the rest, and the whole turn where its axis is parallel to the parent's
    const double sine = std::hypot(body.R.xz, body.R.yz), turn = sine > 1e-15 ? std::atan2(body.R.xz, -body.R.yz) : 0;
    const Matrix3<double> without = about_z(-std::sin(turn), std::cos(turn)) * body.R; // Rx(tilt) Rz(rest)
    const double rest = std::atan2(-without.xy, without.xx);
    body.R = body.R * about_z(-std::sin(rest), std::cos(rest));
    body.offset += rest;
  }
  for (double* entry = &body.R.xx; entry <= &body.R.zz; ++entry) {
    *entry = cleaned(*entry, 1);
    if (std::fabs(std::fabs(*entry) - 1) < 1e-15) *entry = std::copysign(1.0, *entry);
  }
}

/// Regroups masses: see the head of this file. Bodies on the ground keep theirs.
inline void regroup(std::vector<Body<double>>& bodies) {
  for (int i = int(bodies.size()) - 1; i > 0; --i) {
    Body<double>&body = bodies[i], &parent = bodies[body.parent];
    if (body.parent == 0 || has_quaternion(body.type)) continue;
    if (body.type == JointType::prismatic) {
      parent.J = parent.J + in_axes(body.R, body.J);
      body.J = {0, 0, 0, 0, 0, 0};
    } else {
      const Vector3<double> axis = axis_of(body.R, 2);
      parent.mass += body.mass;
      parent.moment = parent.moment + (body.moment.z * axis + body.mass * body.p);
      add_square(parent.J, body.J.zz, axis);
      add_mixed(parent.J, body.moment.z * axis, body.p);
      add_square(parent.J, body.mass, body.p);
      body.mass = body.moment.z = body.J.zz = 0;
    }
  }
}

/// Writes what joints add to the torques of their own velocities. A joint that mimics, q = m q_d + o, adds m^2 times its armature, stiffness
/// and damping and |m| times its friction to its driver's (virtual power). joints, drivers: as of ModelArrays.
inline void set_terms(const JointNumbers* numbers, const std::vector<int>& joints, const std::vector<int>& drivers, JointTerms<double>* terms) {
  const int n = int(joints.size());
  for (int i = 0; i < n; ++i) terms[i] = {};
  for (int i = 0; i < n; ++i) {
    const JointNumbers& joint = numbers[joints[i]];
    const bool mimics = drivers[i] != i;
    const double m = mimics ? joint.multiplier : 1, offset = mimics ? joint.offset : 0;
    JointTerms<double>& to = terms[drivers[i]];
    to.armature += m * m * joint.armature, to.stiffness += m * m * joint.stiffness, to.damping += m * m * joint.damping;
    to.friction += std::fabs(m) * joint.friction;
    to.rest_position += m * joint.stiffness * (joint.rest_position - offset); // at first the springs' torque at q = 0
  }
  for (int i = 0; i < n; ++i) terms[i].rest_position = terms[i].stiffness != 0 ? terms[i].rest_position / terms[i].stiffness : 0;
}

/// The smallest pivot of forward dynamics that is more than rounding, relative to the inertia about the joint's axis (or the mass) of all
/// that the joint moves while the joints beyond it are held. A pivot is what remains of that when these are free. Eliminating them is
/// Cholesky's method on M: pivots are exact for a matrix that differs by about n eps of its diagonal (Higham, Accuracy and Stability of
/// Numerical Algorithms, section 10.1), eps = 2.2e-16 and n = 450 joints at 1e-13. Where a direction is lost, what remains is less.
constexpr double pivot_rounding = 1e-13;

/// Whether a pivot is at most `least`. False where numbers overflow, which the results show.
template <class T> MD_INLINE auto is_lost(T pivot, T least) {
  constexpr Element<T> huge = sizeof(Element<T>) == 8 ? Element<T>(1e300) : Element<T>(1e37);
  return (pivot <= least) & (least < huge + T{});
}

/// Bounds of the inertia that each joint moves: the reach of a body is the sum of m |r|^2 of all that moves with it, r from its origin at
/// most. A child's about its parent's origin is at most (arm sqrt(mass) + sqrt(reach))^2. Left out is what a joint passes on exactly
/// nothing of: a floating body, a ball's moment, the moment about an axis that is parallel to the joint's.
inline void set_least_pivots(std::vector<Body<double>>& bodies) {
  const int n = int(bodies.size()) - 1;
  std::vector<double> mass(n + 1), reach(n + 1), about_axis(n + 1);
  int slides = 1; // a sum of so many terms is at most, squared, as many times the sum of the squares
  for (int i = 1; i <= n; ++i) {
    const SymmetricMatrix3<double>& J = bodies[i].J;
    mass[i] = bodies[i].mass, reach[i] = about_axis[i] = std::max(J.xx + J.yy + J.zz, 0.0);
    slides += bodies[i].type == JointType::prismatic;
  }
  auto square = [](double x) { return x * x; };
  for (int i = n; i > 0; --i) {
    const Body<double>& b = bodies[i];
    if (b.type == JointType::floating) continue;
    const double arm = std::sqrt(dot(b.p, b.p) * mass[i]), rest = b.type == JointType::spherical ? 0 : std::sqrt(reach[i]);
    const bool parallel = b.type == JointType::revolute && b.R.xz == 0 && b.R.yz == 0;
    mass[b.parent] += mass[i];
    reach[b.parent] += square(arm + rest);
    about_axis[b.parent] += parallel ? mass[i] * (square(b.p.x) + square(b.p.y)) : square(arm + rest);
  }
  for (int i = 1; i <= n; ++i) {
    Body<double>& b = bodies[i];
    b.least_mass = pivot_rounding * mass[i];
    b.least_inertia = pivot_rounding * slides * (has_quaternion(b.type) ? reach[i] : about_axis[i]);
    if (b.type == JointType::prismatic) b.slide = pivot_rounding * slides * mass[i];
  }
}

template <class E> Vector3<E> converted(const Vector3<double>& a) { return {E(a.x), E(a.y), E(a.z)}; }
template <class E> Matrix3<E> converted(const Matrix3<double>& m) {
  return {E(m.xx), E(m.xy), E(m.xz), E(m.yx), E(m.yy), E(m.yz), E(m.zx), E(m.zy), E(m.zz)};
}
template <class E> Body<E> converted(const Body<double>& from) {
  Body<E> to;
  to.parent = from.parent, to.type = from.type, to.q = from.q, to.v = from.v, to.velocities = from.velocities;
  to.column = from.column, to.columns = from.columns, to.columns_end = from.columns_end;
  to.has_other_children = from.has_other_children, to.tilted = from.tilted, to.reduced = from.reduced;
  to.R = converted<E>(from.R), to.p = converted<E>(from.p);
  to.mass = E(from.mass), to.moment = converted<E>(from.moment);
  to.J = {E(from.J.xx), E(from.J.yy), E(from.J.zz), E(from.J.xy), E(from.J.xz), E(from.J.yz)};
  to.multiplier = E(from.multiplier), to.offset = E(from.offset);
  to.least_inertia = E(from.least_inertia), to.least_mass = E(from.least_mass), to.slide = E(from.slide);
  return to;
}

} // namespace detail

/// The numbers of a joint and its body.
inline JointNumbers numbers_of(const JointDescription& joint) {
  const SymmetricMatrix3<double>& I = joint.inertia;
  const double half_trace = 0.5 * (I.xx + I.yy + I.zz);
  JointNumbers numbers{joint.R_parent_joint, joint.p_parent_joint, joint.mass, joint.mass * joint.com,
                       {half_trace - I.xx, half_trace - I.yy, half_trace - I.zz, -I.xy, -I.xz, -I.yz},
                       joint.multiplier, joint.offset, joint.armature, joint.stiffness, joint.rest_position, joint.damping, joint.friction};
  detail::add_square(numbers.J, joint.mass, joint.com);
  return numbers;
}

/// Writes the numbers of a design into a model of the same structure, with masses as they are or regrouped. Nothing is allocated. Pivots of
/// forward dynamics are left as they were.
/// numbers: of the description's joints, in its order. before: those that were written last, or nullptr.
inline void set_numbers(const JointNumbers* numbers, const JointNumbers* before, Vector3<double> gravity, bool regrouped, ModelArrays<double>& model) {
  using namespace detail;
  const int n = int(model.joints.size());
  model.gravity = gravity;
  for (int i = 1; i <= n; ++i) {
    const int k = model.joints[i - 1];
    const JointNumbers& joint = numbers[k];
    Body<double>& body = model.bodies[i];
    const Matrix3<double>& frame = model.axes[i - 1];
    const Matrix3<double> into = transposed(frame), back = body.parent == 0 ? unit_matrix() : transposed(model.axes[body.parent - 1]);
    if (!before || joint.offset != before[k].offset || std::memcmp(&joint.R_parent_joint, &before[k].R_parent_joint, sizeof joint.R_parent_joint) != 0)
      set_rotation(joint, frame, back, body);
    body.multiplier = joint.multiplier;
    body.p = back * joint.p_parent_joint;
    body.mass = joint.mass, body.moment = into * joint.moment, body.J = in_axes(into, joint.J);
  }
  set_terms(numbers, model.joints, model.drivers, model.terms.data());
  if (regrouped) regroup(model.bodies);
  for (Body<double>& b : model.bodies) {
    b.p = cleaned(b.p), b.moment = cleaned(b.moment), b.J = cleaned(b.J);
    b.tilted = b.R.xx == 1 && b.R.xy == 0 && b.R.xz == 0 && b.R.yx == 0 && b.R.zx == 0;
    b.reduced = b.type == JointType::revolute && b.mass == 0 && b.moment.z == 0 && b.J.zz == 0;
  }
  const int step = padded(n);
  for (int i = 1; i <= n; ++i) {
    const Body<double>& b = model.bodies[i];
    const double numbers_of_body[10] = {b.mass, b.moment.x, b.moment.y, b.moment.z, b.J.xx, b.J.yy, b.J.zz, b.J.xy, b.J.xz, b.J.yz};
    for (int k = 0; k < 10; ++k) model.inertias[k * step + i - 1] = numbers_of_body[k];
  }
  model.has_armature = model.has_springs = model.has_friction = false;
  for (const JointTerms<double>& terms : model.terms) {
    model.has_armature |= terms.armature != 0;
    model.has_springs |= terms.stiffness != 0;
    model.has_friction |= terms.damping != 0 || terms.friction != 0;
  }
}

/// The model of a robot, with masses as they are or regrouped.
inline ModelArrays<double> make_model(const Description& robot, bool regrouped) {
  using namespace detail;
  const int n = int(robot.joints.size());
  ModelArrays<double> model;
  model.nq = robot.nq, model.nv = robot.nv;
  model.joints = depth_first(robot);
  model.bodies.resize(n + 1), model.terms.resize(n), model.axes.resize(n);
  std::vector<JointNumbers> numbers;
  for (const JointDescription& joint : robot.joints) numbers.push_back(numbers_of(joint));
  std::vector<int> index(n + 1, 0); // of joint k at k + 1; of the ground at 0
  std::vector<Body<double>>& bodies = model.bodies;
  for (int i = 1; i <= n; ++i) {
    const int k = model.joints[i - 1];
    const JointDescription& joint = robot.joints[k];
    Body<double>& body = bodies[i];
    index[k + 1] = i;
    body.type = joint.type, body.q = joint.q, body.v = joint.v;
    body.columns = velocities_of(joint.type), body.velocities = joint.mimics ? 0 : body.columns;
    body.parent = index[joint.parent + 1], body.column = int(model.columns.size());
    bodies[body.parent].has_other_children |= body.parent != i - 1;
    for (int c = 0; c < body.columns; ++c) model.columns.push_back({body.v + c, joint.multiplier});
    model.has_mimics |= joint.mimics;
  }
  for (int i = 1; i <= n; ++i) { // of a mimic joint the one with its velocity
    int driver = i;
    if (bodies[i].velocities == 0)
      for (driver = 1; driver < n && (bodies[driver].velocities == 0 || bodies[driver].v != bodies[i].v);) ++driver;
    model.drivers.push_back(driver - 1);
  }
  for (int i = n; i > 0; --i) {
    bodies[i].columns_end = std::max(bodies[i].columns_end, bodies[i].column + bodies[i].columns);
    bodies[bodies[i].parent].columns_end = std::max(bodies[bodies[i].parent].columns_end, bodies[i].columns_end);
  }
  std::vector<int> depths(n + 1, 0);
  for (int i = 1; i <= n; ++i) depths[i] = depths[bodies[i].parent] + 1, model.breadth_first.push_back(i);
  std::stable_sort(model.breadth_first.begin(), model.breadth_first.end(), [&](int i, int k) { return depths[i] < depths[k]; });
  model.inertias.resize(10 * padded(n));
  const auto frames = model_frames(robot);
  for (int i = 1; i <= n; ++i) model.axes[i - 1] = frames[model.joints[i - 1]];
  set_numbers(numbers.data(), nullptr, robot.gravity, false, model);
  set_least_pivots(bodies);
  if (regrouped) set_numbers(numbers.data(), numbers.data(), robot.gravity, true, model);
  return model;
}

/// Sets what elimination from the last velocity to the first fills: velocities whose joints carry each other, and pairs that an eliminated
/// one connects. mass_matrix_solver.hpp needs it.
template <class E> void set_elimination(ModelArrays<E>& model) {
  const auto& columns = model.columns;
  std::vector<std::vector<int>> rows(model.nv);
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    const Body<E>& body = model.bodies[i];
    for (int c = body.column; c < body.column + body.columns; ++c)
      for (int k = body.column; k < body.columns_end; ++k)
        if (columns[c].v != columns[k].v) rows[std::max(columns[c].v, columns[k].v)].push_back(std::min(columns[c].v, columns[k].v));
  }
  for (int k = model.nv - 1; k >= 0; --k) {
    std::vector<int>& row = rows[k];
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    if (!row.empty()) rows[row.back()].insert(rows[row.back()].end(), row.begin(), row.end() - 1);
  }
  model.elimination_first.assign(1, 0), model.elimination_others.clear();
  for (const std::vector<int>& row : rows) {
    model.elimination_others.insert(model.elimination_others.end(), row.begin(), row.end());
    model.elimination_first.push_back(int(model.elimination_others.size()));
  }
}

/// The same model in another number type.
template <class E> ModelArrays<E> converted(const ModelArrays<double>& from) {
  using namespace detail;
  ModelArrays<E> to;
  to.columns = from.columns, to.joints = from.joints, to.drivers = from.drivers;
  to.elimination_first = from.elimination_first, to.elimination_others = from.elimination_others, to.breadth_first = from.breadth_first;
  to.nq = from.nq, to.nv = from.nv, to.gravity = converted<E>(from.gravity);
  to.has_armature = from.has_armature, to.has_springs = from.has_springs, to.has_friction = from.has_friction, to.has_mimics = from.has_mimics;
  for (const Body<double>& body : from.bodies) to.bodies.push_back(converted<E>(body));
  for (const JointTerms<double>& terms : from.terms)
    to.terms.push_back({E(terms.armature), E(terms.stiffness), E(terms.rest_position), E(terms.damping), E(terms.friction)});
  for (const Matrix3<double>& axes : from.axes) to.axes.push_back(converted<E>(axes));
  return to;
}

} // namespace modular_dynamics
