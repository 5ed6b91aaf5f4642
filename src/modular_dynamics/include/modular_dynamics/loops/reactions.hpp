// Reactions of an over-constrained mechanism, shared by rules, one balance after the other.
//
// Body b needs the wrench D_b, [force, moment] about its origin o_b. With x_k the k-th component of the joints between bodies, f_k and m_k
// its force and moment per unit on the body that it acts on, at p_k, and s_bk = 1 on that body, -1 on the one that exerts it, 0 else,
// equilibrium of all bodies is (Goncalves et al., right-hand sides of eqs. 1, 2)
//
//     D_b = sum_k s_bk [f_k, m_k + (p_k - o_b) x f_k] x_k
//
// which leaves x open where the mechanism is over-constrained. Each balance is one of these equations, along an axis and about a point,
// and gives components in proportion to their weights: x_k += w_k (needed - sum of known parts) / sum_k part_k w_k.
//
// Contract: poses (links) of all links, required wrenches (w, 6) [force, moment] at and in frames of links, x (n): known components, and
// zeros. Nothing branches on numbers. Written: x, wrenches (joints, 6) at the joints' points along their axes, points (joints, 2, 3) in the
// root's frame, residual (bodies, 6): D_b - E_b x at the bodies' origins in their axes.
#pragma once
#include "constraint_rows.hpp"

namespace modular_dynamics {

/// A joint of the rules: the link whose axes its components have, and the points `from` and `at`, each fixed in a link.
struct ReactionJoint { int axes_link, links[2]; Vector3<double> points[2]; };
/// Along axis 0, 1, 2 of the joint; or -1: along the line from `from` to `at`, times `along`, 1 or -1.
struct ReactionComponent { int joint, axis; bool moment; double along; };
/// Of a body, along an axis of joint `frame`, moments about the point of joint `about`.
struct ReactionBalance { int body, frame, axis, about; bool moment; };

/// Array: what holds each list.
template <template <class> class Array> struct ReactionLists {
  Array<int> bodies;            ///< their links
  Array<ReactionJoint> joints;
  Array<ReactionComponent> components;
  Array<ReactionBalance> balances;
  Array<int> required;          ///< links of the required wrenches
  Array<double> signs;          ///< s (bodies, components)
  Array<double> weights;        ///< (balances, components)
  Array<double> later;          ///< (balances, components): 1 where a balance must not contain a component, which is given later
  Array<double> required_signs; ///< (bodies, required)
  int links = 0;
};
typedef ReactionLists<List> ReactionRules;

/// Coefficient [1 or m] below which a component has no part in a balance: rounding.
constexpr double no_part = 1e-9;

template <class T> struct ReactionWork { Vector3<T>* directions; Wrench<T>* needed; };

/// Returns where every balance gives its components.
template <class T>
static Mask<T> share_reactions(const ReactionRules& rules, const Pose<T>* poses, const Wrench<T>* required, T* x, Wrench<T>* wrenches, Vector3<T>* points,
                               Wrench<T>* residual, const ReactionWork<T>& work) {
  using namespace detail;
  const T zero{};
  const int n = rules.components.count;
  Mask<T> good = zero <= zero;
  auto joint_axis = [&](int joint, int axis) { return axis_of(poses[rules.joints[joint].axes_link].R, axis); };
  auto at = [&](int joint) { return points[2 * joint + 1]; };
  for (int j = 0; j < rules.joints.count; ++j)
    for (int end = 0; end < 2; ++end) {
      const Pose<T>& link = poses[rules.joints[j].links[end]];
      points[2 * j + end] = plus_product(link.p, link.R, rules.joints[j].points[end]);
    }
  for (int k = 0; k < n; ++k) {
    const ReactionComponent& one = rules.components[k];
    if (one.axis >= 0) {
      work.directions[k] = joint_axis(one.joint, one.axis);
    } else {
      const Vector3<T> line = at(one.joint) - points[2 * one.joint];
      const T length = square_root(T(dot(line, line)));
      good = good & (length > zero);
      work.directions[k] = T(one.along / length) * line;
    }
  }
  for (int b = 0; b < rules.bodies.count; ++b) { // D_b in the root's axes
    Wrench<T> sum = zero_wrench<T>();
    for (int k = 0; k < rules.required.count; ++k) {
      const double sign = rules.required_signs[b * rules.required.count + k];
      if (sign == 0) continue;
      const Pose<T>& link = poses[rules.required[k]];
      const Vector3<T> force = sign * (link.R * required[k].force), moment = sign * (link.R * required[k].moment);
      sum = {sum.force + force, plus_cross(sum.moment + moment, link.p - poses[rules.bodies[b]].p, force)};
    }
    work.needed[b] = sum;
  }
  for (int r = 0; r < rules.balances.count; ++r) {
    const ReactionBalance& balance = rules.balances[r];
    const Vector3<T> unit = joint_axis(balance.frame, balance.axis), about = at(balance.about);
    const Wrench<T>& D = work.needed[balance.body];
    T needed = balance.moment ? dot(unit, plus_cross(D.moment, poses[rules.bodies[balance.body]].p - about, D.force)) : dot(unit, D.force);
    T lever{};
    for (int k = 0; k < n; ++k) {
      const double sign = rules.signs[balance.body * n + k], weight = rules.weights[r * n + k];
      const ReactionComponent& one = rules.components[k];
      if (sign == 0 || (one.moment && !balance.moment)) continue;
      const Vector3<T>& direction = work.directions[k];
      const T part = sign * (one.moment == balance.moment ? dot(unit, direction) : dot(unit, cross(at(one.joint) - about, direction)));
      if (rules.later[r * n + k] != 0) good = good & (absolute(part) <= no_part);
      needed = needed - part * x[k];
      lever = lever + weight * part;
    }
    good = good & (absolute(lever) > no_part);
    for (int k = 0; k < n; ++k)
      if (const double weight = rules.weights[r * n + k]; weight != 0) x[k] = x[k] + weight * (needed / lever);
  }
  for (int b = 0; b < rules.bodies.count; ++b) {
    const Pose<T>& body = poses[rules.bodies[b]];
    Wrench<T> rest = work.needed[b];
    for (int k = 0; k < n; ++k) {
      const double sign = rules.signs[b * n + k];
      if (sign == 0) continue;
      const ReactionComponent& one = rules.components[k];
      const Vector3<T> part = T(sign * x[k]) * work.directions[k];
      if (one.moment) rest.moment = rest.moment - part;
      else rest = {rest.force - part, rest.moment - cross(at(one.joint) - body.p, part)};
    }
    residual[b] = {transposed_product(body.R, rest.force), transposed_product(body.R, rest.moment)};
  }
  for (int j = 0; j < rules.joints.count; ++j) wrenches[j] = zero_wrench<T>();
  for (int k = 0; k < n; ++k) {
    const ReactionComponent& one = rules.components[k];
    const Vector3<T> part = x[k] * transposed_product(poses[rules.joints[one.joint].axes_link].R, work.directions[k]);
    Vector3<T>& to = one.moment ? wrenches[one.joint].moment : wrenches[one.joint].force;
    to = to + part;
  }
  return good;
}

} // namespace modular_dynamics
