// Torque of a pendulum, beside its closed form (I + m c^2) a + m g c sin q. After the start nothing is allocated.
#include <cmath>
#include <cstdio>
#include <vector>

#include <modular_dynamics/newton_euler.hpp>

namespace md = modular_dynamics;

int main() {
  md::JointDescription joint; // in SI units, as in a URDF
  joint.axis = {0, 1, 0};
  joint.mass = 2, joint.com = {0, 0, -0.5}, joint.inertia = {0.1, 0.1, 0.1, 0, 0, 0};
  md::Description robot;
  robot.joints = {joint}, robot.nq = 1, robot.nv = 1;

  const md::ModelArrays<double> arrays = md::make_model(robot, true);
  const md::Model<double> model = arrays.view();
  std::vector<md::JointPosition<double>> positions(model.joints);
  std::vector<md::Motion<double>> motions(model.joints + 1); // the ground is one of them
  std::vector<md::Wrench<double>> wrenches(model.joints + 1);
  const md::NewtonEulerWork<double> work{positions.data(), motions.data(), wrenches.data()};

  const std::vector<double> q{0.3}, v{0.7}, a{1.1};
  std::vector<double> tau(model.nv);
  md::joint_positions(model, q.data(), positions.data());
  md::inverse_dynamics(model, md::CountedTerms{}, arrays.has_mimics, q.data(), v.data(), a.data(), tau.data(), work);

  const double expected = (0.1 + 2 * 0.5 * 0.5) * a[0] + 2 * 9.81 * 0.5 * std::sin(q[0]);
  std::printf("%.12f N m, %.12f N m\n", tau[0], expected);
  return std::fabs(tau[0] - expected) < 1e-13 ? 0 : 1;
}
