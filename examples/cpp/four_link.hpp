// The robot 'four_link' for the headers of modular_dynamics 0.1.0, by graph.to_cpp.
//
// Order of joints (a and tau as v):
//   q[0], v[0]: turn (continuous; rad, N m)
//   q[1], v[1]: bend (revolute; rad, N m)
//   q[2], v[2]: left (revolute; rad, N m)
//   q[3], v[3]: right (revolute; rad, N m)
#pragma once
#include <modular_dynamics/functions.hpp>

namespace four_link {

constexpr int nq = 4;
enum Q { Q_TURN = 0, Q_BEND = 1, Q_LEFT = 2, Q_RIGHT = 3 };
constexpr int nv = 4;
enum V { V_TURN = 0, V_BEND = 1, V_LEFT = 2, V_RIGHT = 3 };

inline modular_dynamics::Description description() {
  using T [[maybe_unused]] = modular_dynamics::JointType;
  modular_dynamics::Description robot;
  robot.nq = 4, robot.nv = 4;
  robot.gravity = {0.0, 0.0, -9.81};
  robot.joints = {
      // 0: turn
      {-1, T::revolute, 0, 0, false, {0.0, 0.0, 1.0}, {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, {0.0, 0.0, 0.0}, 2.0, {0.0, 0.0, 0.15}, {0.016, 0.016, 0.0016, 0.0, 0.0, 0.0}, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
      // 1: bend
      {0, T::revolute, 1, 1, false, {0.0, 1.0, 0.0}, {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, {0.0, 0.0, 0.3}, 1.5, {0.0, 0.0, 0.15}, {0.012, 0.012, 0.0012, 0.0, 0.0, 0.0}, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
      // 2: left
      {1, T::revolute, 2, 2, false, {1.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, {0.0, 0.0, 0.3}, 0.5, {0.0, 0.1, 0.0}, {0.0018, 0.0002, 0.0018, 0.0, 0.0, 0.0}, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
      // 3: right
      {1, T::revolute, 3, 3, false, {1.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, {0.0, 0.0, 0.3}, 0.5, {0.0, -0.1, 0.0}, {0.0018, 0.0002, 0.0018, 0.0, 0.0, 0.0}, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
  };
  return robot;
}

} // namespace four_link
