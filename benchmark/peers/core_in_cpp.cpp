// The core called from C++: torques of one state after the other. compiled.py beside this file compiles it with a robot's header.
#include <algorithm>

#include "robot.hpp"

using namespace modular_dynamics;

extern "C" int torques(long count, const double* q, const double* v, const double* a, double* tau) {
  constexpr int nq = robot::nq, nv = robot::nv;
  int bad = 0;
#ifdef CLOSED_LOOPS
  static const LoopRobot model(robot::description(), robot::loops());
  static LoopFunction<LoopQuantity::inverse_dynamics> function(model);
  double all[robot::all_nq];
  std::copy(std::begin(robot::closed), std::end(robot::closed), all);
  for (long k = 0; k < count; ++k, q += nq, v += nv, a += nv, tau += nv) bad += function({q, v, a, all, tau, all}) != LoopStatus::good;
#else
  static RobotModel model(robot::description());
  static Function<InverseDynamics> function(model);
  for (long k = 0; k < count; ++k, q += nq, v += nv, a += nv, tau += nv) bad += function({q, v, a}, tau).status != Status::good;
#endif
  return bad;
}
