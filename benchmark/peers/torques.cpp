// Torques of a robot with closed loops at closed states: Pinocchio's rnea and constraint Jacobians, Eigen's LU.
// compiled.py beside this file compiles and calls it.
#include <cstdint>
#include <string>

#include <Eigen/LU>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/constraints.hpp>
#include <pinocchio/multibody.hpp>
#include <pinocchio/parsers/urdf.hpp>

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vectors = Eigen::Map<const Matrix>;
namespace pin = pinocchio;

struct Robot
{
  pin::Model model;
  pin::Data data;
  std::vector<pin::RigidConstraintModel> loops;
  std::vector<pin::RigidConstraintData> loop_data;
  Matrix motions;  // (nv, passive + independent): velocities of all joints by those of these
  Eigen::MatrixXd full, across, reduced;
  Eigen::VectorXd torques, own;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu;
  int64_t count;
  const double * states[4];  // q, v, a, torques of the springs: a row for each state
  double * tau;
};

// joints: two of each loop; placements: of the cut joint on both, rotation by rows and position
extern "C" void * make(const char * urdf, double gx, double gy, double gz, int64_t count, const int64_t * joints,
                       const double * placements, int64_t width, const double * motions)
{
  auto * robot = new Robot;
  pin::urdf::buildModelFromXML(std::string(urdf), robot->model);
  robot->model.gravity.linear() << gx, gy, gz;
  robot->data = pin::Data(robot->model);
  for (int64_t k = 0; k < count; ++k) {
    pin::SE3 ends[2];
    for (int64_t end = 0; end < 2; ++end) {
      const double * numbers = placements + 12 * (2 * k + end);
      ends[end].rotation() = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(numbers);
      ends[end].translation() = Eigen::Map<const Eigen::Vector3d>(numbers + 9);
    }
    robot->loops.emplace_back(pin::CONTACT_3D, robot->model, joints[2 * k], ends[0], joints[2 * k + 1], ends[1],
                              pin::LOCAL);
    robot->loop_data.emplace_back(robot->loops.back());
  }
  robot->motions = Vectors(motions, robot->model.nv, width);
  robot->full = Eigen::MatrixXd::Zero(3 * count, robot->model.nv);
  robot->across = Eigen::MatrixXd::Zero(2 * count, robot->model.nv);
  robot->lu = Eigen::PartialPivLU<Eigen::MatrixXd>(2 * count);
  return robot;
}

extern "C" void bind(void * pointer, int64_t count, const double * q, const double * v, const double * a,
                     const double * springs, double * tau)
{
  Robot & robot = *static_cast<Robot *>(pointer);
  robot.count = count;
  robot.states[0] = q;
  robot.states[1] = v;
  robot.states[2] = a;
  robot.states[3] = springs;
  robot.tau = tau;
}

static void run(Robot & robot, int64_t count)
{
  const int64_t nq = robot.model.nq, nv = robot.model.nv, rows = robot.across.rows();
  const int64_t independent = robot.motions.cols() - rows;
  using Vector = Eigen::Map<const Eigen::VectorXd>;
  for (int64_t k = 0; k < count; ++k) {
    const Vector q(robot.states[0] + k * nq, nq), v(robot.states[1] + k * nv, nv);
    const Vector a(robot.states[2] + k * nv, nv), springs(robot.states[3] + k * nv, nv);
    robot.torques.noalias() = pin::rnea(robot.model, robot.data, q, v, a) - springs;
    pin::computeJointJacobians(robot.model, robot.data, q);
    for (size_t i = 0; i < robot.loops.size(); ++i)
      robot.loops[i].calc(robot.model, robot.data, robot.loop_data[i]);
    pin::getConstraintsJacobian(robot.model, robot.data, robot.loops, robot.loop_data, robot.full);
    for (int64_t i = 0; i < rows; ++i)  // two rows of three: the third is along the cut axis
      robot.across.row(i) = robot.full.row(i / 2 * 3 + i % 2);
    robot.reduced.noalias() = robot.across * robot.motions;
    robot.own.noalias() = robot.motions.transpose() * robot.torques;
    robot.lu.compute(robot.reduced.leftCols(rows).transpose());
    Eigen::Map<Eigen::VectorXd> result(robot.tau + k * independent, independent);
    result = robot.own.tail(independent);
    result.noalias() -= robot.reduced.rightCols(independent).transpose() * robot.lu.solve(robot.own.head(rows));
  }
}

// Of a tree, without loops: torques as Pinocchio orders them.
extern "C" void tree(void * pointer)
{
  Robot & robot = *static_cast<Robot *>(pointer);
  const int64_t nq = robot.model.nq, nv = robot.model.nv;
  using Vector = Eigen::Map<const Eigen::VectorXd>;
  for (int64_t k = 0; k < robot.count; ++k) {
    const Vector q(robot.states[0] + k * nq, nq), v(robot.states[1] + k * nv, nv), vdot(robot.states[2] + k * nv, nv);
    Eigen::Map<Eigen::VectorXd>(robot.tau + k * nv, nv) = pin::rnea(robot.model, robot.data, q, v, vdot);
  }
}

extern "C" void first(void * pointer)
{
  run(*static_cast<Robot *>(pointer), 1);
}

extern "C" void all(void * pointer)
{
  Robot & robot = *static_cast<Robot *>(pointer);
  run(robot, robot.count);
}
