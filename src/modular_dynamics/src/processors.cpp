// Which kernels this processor can run. Compiled for the oldest processor.
#include "kernels.hpp"

#include <cstring>

namespace modular_dynamics {

extern const Kernels kernels_baseline;
#ifdef __x86_64__
extern const Kernels kernels_v2, kernels_v3, kernels_v4;
#endif

const Kernels* kernels_for(const char* name) {
  auto wanted = [name](const Kernels& one) { return !name || std::strcmp(name, one.name) == 0; };
#ifdef __x86_64__
  __builtin_cpu_init();
  if (wanted(kernels_v4) && __builtin_cpu_supports("x86-64-v4")) return &kernels_v4;
  if (wanted(kernels_v3) && __builtin_cpu_supports("x86-64-v3")) return &kernels_v3;
  if (wanted(kernels_v2) && __builtin_cpu_supports("x86-64-v2")) return &kernels_v2;
#endif
  return wanted(kernels_baseline) ? &kernels_baseline : nullptr;
}

} // namespace modular_dynamics
