// Torques of a tree: reads q, v, a of one state after the other from standard input, and prints tau. After the start nothing is allocated.
#include <modular_dynamics/functions.hpp>

#include "four_link.hpp" // graph.to_cpp("four_link.hpp", name="four_link"), of urdf/four_link.urdf
#include "states.hpp"

namespace md = modular_dynamics;

int main() {
  md::RobotModel robot(four_link::description());
  md::Function<md::InverseDynamics> inverse_dynamics(robot);
  std::vector<double> q(four_link::nq), v(four_link::nv), a(four_link::nv), tau(four_link::nv);
  const long at_start = allocations;
  while (read(q) && read(v) && read(a)) {
    if (inverse_dynamics({q.data(), v.data(), a.data()}, tau.data()).status != md::Status::good) return 1;
    print(tau);
  }
  return allocations == at_start ? 0 : 2;
}
