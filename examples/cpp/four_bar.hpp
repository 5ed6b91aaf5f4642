// The robot 'four_bar' for the headers of modular_dynamics 0.1.0, by graph.to_cpp.
//
// Order of the independent joints (a and tau as v):
//   q[0], v[0]: J1 (continuous; rad, N m)
//
// Order of all joints, in `closed`, guesses and coordinates, and of functions of the tree:
//   q[0], v[0]: J1 (continuous; rad, N m)
//   q[1], v[1]: J4 (revolute; rad, N m)
//   q[2], v[2]: J3 (revolute; rad, N m)
#pragma once
#include <modular_dynamics/loops/loop_functions.hpp>

namespace four_bar {

constexpr int nq = 1;
enum Q { Q_J1 = 0 };
constexpr int nv = 1;
enum V { V_J1 = 0 };

constexpr int all_nq = 3;
enum AllQ { ALL_Q_J1 = 0, ALL_Q_J4 = 1, ALL_Q_J3 = 2 };
constexpr int all_nv = 3;
enum AllV { ALL_V_J1 = 0, ALL_V_J4 = 1, ALL_V_J3 = 2 };

/// A configuration with closed loops.
constexpr double closed[] = {0.0, 2.2783807635202526, 2.2783807635202526};

inline modular_dynamics::Description description() {
  using T [[maybe_unused]] = modular_dynamics::JointType;
  modular_dynamics::Description robot;
  robot.nq = 3, robot.nv = 3;
  robot.gravity = {0.0, 0.0, -9.81};
  robot.joints = {
      // 0: J1
      {-1, T::revolute, 0, 0, false, {0.0, 0.0, 1.0}, {1.0, 0.0, 0.0, 0.0, 2.220446049250313e-16, -1.0, 0.0, 1.0, 2.220446049250313e-16}, {0.0, 0.0, 0.0}, 1.5, {0.025000000000000005, 0.0, 0.0}, {1.875e-05, 0.0003125, 0.0003125, 0.0, 0.0, 0.0}, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
      // 1: J4
      {-1, T::revolute, 1, 1, false, {0.0, 0.0, 1.0}, {1.0, 0.0, 0.0, 0.0, 2.220446049250313e-16, -1.0, 0.0, 1.0, 2.220446049250313e-16}, {0.15, 0.0, 0.0}, 5.0, {0.065, 0.0, 0.0}, {6.25e-05, 0.0070416666666666666, 0.0070416666666666666, 0.0, 0.0, 0.0}, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
      // 2: J3
      {1, T::revolute, 2, 2, false, {0.0, 0.0, 1.0}, {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, {0.13, 0.0, 0.0}, 3.0, {0.05000000000000001, 0.0, 0.0}, {3.75e-05, 0.0025, 0.0025, 0.0, 0.0, 0.0}, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
  };
  return robot;
}

inline modular_dynamics::LoopsDescription loops() {
  using T [[maybe_unused]] = modular_dynamics::LoopType;
  modular_dynamics::LoopsDescription robot;
  robot.loops = {
      // J2
      {T::revolute, {{0, {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, {0.05, 0.0, 0.0}}, {2, {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, {0.1, 0.0, 0.0}}}, {0.0, 0.0, 1.0}},
  };
  robot.independent = {0};
  return robot;
}

} // namespace four_bar
