// Torques of a tree in one state: newton_euler.hpp's equations, with numbers of the same kind side by side in registers.
//
// A single state leaves a processor waiting for the next body's motion, and most of a vector register empty. So
//   - bodies are in breadth-first order: neighbours in it do not depend on each other, and are worked on at the same time;
//   - angular velocity and angular acceleration turn together, as do force and moment: each pair is one vector of two numbers;
//   - the wrenches that bodies need for their motions are computed for as many bodies at once as a register has numbers.
//
// Contract: as inverse_dynamics of newton_euler.hpp, on double. Nothing from outside acts on the robot.
#pragma once
#include "batch.hpp"
#include "newton_euler.hpp"

namespace modular_dynamics {

typedef Lanes<double, 2> Two;

struct MotionOfOne {
  Vector3<Two> turning; ///< angular velocity, angular acceleration
  Vector3<double> a;    ///< acceleration of the origin minus gravity
  double unused[3];
};
struct WrenchOfOne {
  Vector3<Two> wrench; ///< force, moment
  Two unused;
};

/// Memory of one call, which belongs to one thread: padded(joints) + 1 elements of each, the first for the ground.
struct NewtonEulerOfOneWork {
  JointPosition<double>* positions;
  MotionOfOne* motions;
  WrenchOfOne* wrenches;
};

namespace detail {

MD_INLINE Vector3<double> first_of(const Vector3<Two>& v) { return {v.x[0], v.y[0], v.z[0]}; }
MD_INLINE Vector3<double> second_of(const Vector3<Two>& v) { return {v.x[1], v.y[1], v.z[1]}; }
MD_INLINE Vector3<Two> pair_of(Vector3<double> a, Vector3<double> b) {
  return {Two{a.x, b.x}, Two{a.y, b.y}, Two{a.z, b.z}};
}

/// Adds a wrench in the parent's axes, at p, to the parent's.
MD_INLINE void pass_on(Vector3<double> p, Vector3<Two> wrench, Vector3<Two>& parents) {
  const Vector3<double> f = first_of(wrench);
  parents = plus_cross(parents + wrench, pair_of(zero_vector<double>(), p), pair_of(f, f));
}

// Functions of joints that are not revolute stand apart: inline they would take registers from the others.

MD_APART void move_on_by_other_joint(const Body<double>& b, const JointPosition<double>& at, const double* q, const double* v, const double* a,
                                     const MotionOfOne& parent, MotionOfOne& to) {
  const Vector3<double> w = first_of(parent.turning), alpha = second_of(parent.turning);
  Motion<double> m{w, alpha, parent.a, lambda_of(w, alpha)};
  if (has_quaternion(b.type)) move_on_by_quaternion(b, q, v, a, m);
  else move_on(b, at, b.multiplier * v[b.v], b.multiplier * a[b.v], m);
  to = {pair_of(m.w, m.alpha), m.a, {}};
}
MD_APART void pass_on_by_other_joint(const Body<double>& b, const JointPosition<double>& at, const double* q, const Vector3<Two>& wrench,
                                     Vector3<Two>& parents) {
  Matrix3<double> R = b.R;
  Vector3<double> p;
  if (has_quaternion(b.type)) place_by_quaternion(b, q, R, p);
  else p = origin_of(b, at);
  pass_on(p, R * wrench, parents);
}

MD_INLINE void outward_of_one(const Model<double>& model, const double* q, const double* v, const double* a, const NewtonEulerOfOneWork& work) {
  const Vector3<double> none = zero_vector<double>();
  work.motions[0] = {pair_of(none, none), none - model.gravity, {}};
  for (int k = 0; k < model.joints; ++k) {
    const int i = model.breadth_first[k];
    const Body<double>& b = model.bodies[i];
    const MotionOfOne& parent = work.motions[b.parent];
    MotionOfOne& to = work.motions[i];
    const JointPosition<double>& at = work.positions[i - 1];
    if (b.type != JointType::revolute) {
      move_on_by_other_joint(b, at, q, v, a, parent, to);
      continue;
    }
    const double rate = b.multiplier * v[b.v], push = b.multiplier * a[b.v];
    auto move_on = [&](auto to_axes) { // of a vector, or of both of a pair
      const Vector3<double> w = first_of(parent.turning);
      const Vector3<Two> turning = to_axes(parent.turning), crossed = cross(parent.turning, b.p); // w x p, alpha x p
      const double wx = turning.x[0], wy = turning.y[0];
      const Two sway{0, rate};
      to.a = to_axes(plus_cross(parent.a + second_of(crossed), w, first_of(crossed)));
      to.turning = {turning.x + Two{wy, wy} * sway, turning.y - Two{wx, wx} * sway, turning.z + Two{rate, push}};
    };
    if (b.tilted) move_on([&](auto u) { return turned_back_about_z(at.sine, at.cosine, back_about_x(b, u)); });
    else move_on([&](auto u) { return turned_back_about_z(at.sine, at.cosine, transposed_product(b.R, u)); });
  }
}

/// Wrenches of all bodies, of one register's bodies at a time.
MD_INLINE void wrenches_of_one(const Model<double>& model, const NewtonEulerOfOneWork& work) {
  typedef Pack<double> V;
  constexpr int N = lanes_of<V>;
  constexpr int of_motion = sizeof(MotionOfOne) / sizeof(double), of_wrench = sizeof(WrenchOfOne) / sizeof(double);
  const int n = model.joints;
  for (int i = n + 1; i <= (n + N - 1) / N * N; ++i) work.motions[i] = MotionOfOne();
  for (int first = 0; first < n; first += N) {
    V m[of_motion + N], f[of_wrench + N];
    rows_to_lanes(of_motion, N, reinterpret_cast<const double*>(work.motions + first + 1), m);
    const Vector3<V> w{m[0], m[2], m[4]}, alpha{m[1], m[3], m[5]}, a{m[6], m[7], m[8]};
    const Wrench<V> wrench = wrench_of(rigid_bodies<V>(model, first), a, lambda_of(w, alpha));
    f[0] = wrench.force.x, f[2] = wrench.force.y, f[4] = wrench.force.z, f[6] = V{};
    f[1] = wrench.moment.x, f[3] = wrench.moment.y, f[5] = wrench.moment.z, f[7] = V{};
    lanes_to_rows(of_wrench, N, f, reinterpret_cast<double*>(work.wrenches + first + 1));
  }
}

template <bool Add> MD_INLINE void inward_of_one(const Model<double>& model, const double* q, double* tau, const NewtonEulerOfOneWork& work) {
  auto give = [](double& to, double value) { to = Add ? to + value : value; };
  for (int k = model.joints - 1; k >= 0; --k) {
    const int i = model.breadth_first[k];
    const Body<double>& b = model.bodies[i];
    const Vector3<Two>& wrench = work.wrenches[i].wrench;
    double* own = tau + b.v;
    if (b.type == JointType::revolute) {
      give(own[0], b.multiplier * wrench.z[1]);
    } else if (b.type == JointType::prismatic) {
      give(own[0], b.multiplier * wrench.z[0]);
    } else {
      const Vector3<double> force = first_of(wrench), moment = second_of(wrench);
      if (b.type == JointType::floating) {
        give(own[0], force.x), give(own[1], force.y), give(own[2], force.z);
        own += 3;
      }
      give(own[0], moment.x), give(own[1], moment.y), give(own[2], moment.z);
    }
    if (b.parent == 0) continue;
    Vector3<Two>& parents = work.wrenches[b.parent].wrench;
    const JointPosition<double>& at = work.positions[i - 1];
    if (b.type != JointType::revolute) pass_on_by_other_joint(b, at, q, wrench, parents);
    else if (b.tilted) pass_on(b.p, about_x(b, turned_about_z(at.sine, at.cosine, wrench)), parents);
    else pass_on(b.p, b.R * turned_about_z(at.sine, at.cosine, wrench), parents);
  }
}

} // namespace detail

/// tau of q, v, a, by a model whose masses may be regrouped; work.positions are known. tau may be v or a.
MD_INLINE void inverse_dynamics_of_one(const Model<double>& model, CountedTerms counted, bool mimics, const double* q, const double* v, const double* a,
                                       double* tau, const NewtonEulerOfOneWork& work) {
  using namespace detail;
  outward_of_one(model, q, v, a, work);
  wrenches_of_one(model, work);
  if (counted.any() || mimics) {
    joint_torques(model, counted, q, v, a, tau);
    inward_of_one<true>(model, q, tau, work);
  } else {
    inward_of_one<false>(model, q, tau, work);
  }
}

} // namespace modular_dynamics
