// Torques of the motors of a robot with closed loops: reads q, v, a of the motors from standard input, one state after the other, and prints tau
// and the coordinates of all joints. Each state starts from where the last one closed its loops. After the start nothing is allocated.
#include <modular_dynamics/loops/loop_functions.hpp>

#include "four_bar.hpp" // graph.to_cpp("four_bar.hpp", name="four_bar"), of urdf/four_bar.urdf
#include "states.hpp"

namespace md = modular_dynamics;

int main() {
  const md::LoopRobot robot(four_bar::description(), four_bar::loops());
  md::LoopFunction<md::LoopQuantity::inverse_dynamics> inverse_dynamics(robot);
  std::vector<double> q(four_bar::nq), v(four_bar::nv), a(four_bar::nv), tau(four_bar::nv);
  std::vector<double> coordinates(four_bar::closed, four_bar::closed + four_bar::all_nq);
  const long at_start = allocations;
  while (read(q) && read(v) && read(a)) {
    const md::LoopStatus status = inverse_dynamics({q.data(), v.data(), a.data(), coordinates.data(), tau.data(), coordinates.data()});
    if (status != md::LoopStatus::good) return 1; // out of reach, or near a singular configuration
    print(tau), print(coordinates);
  }
  return allocations == at_start ? 0 : 2;
}
