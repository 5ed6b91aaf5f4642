// Which kernels this processor can run. Compiled for the oldest processor.
#include "kernels.hpp"

#include <cstring>

namespace modular_dynamics {

extern const Kernels kernels_baseline;
#ifdef __x86_64__
extern const Kernels kernels_v2, kernels_v3, kernels_v4;
#endif

#ifdef __x86_64__
#define MD_HAS(feature) __builtin_cpu_supports(feature)
// The levels of the x86-64 psABI by their instructions: GCC 11 does not know the levels' names.
static bool has_v2() { return MD_HAS("popcnt") && MD_HAS("sse4.2") && MD_HAS("ssse3"); }
static bool has_v3() {
  return has_v2() && MD_HAS("avx2") && MD_HAS("bmi") && MD_HAS("bmi2") && MD_HAS("f16c") && MD_HAS("fma") && MD_HAS("lzcnt") && MD_HAS("movbe");
}
static bool has_v4() {
  return has_v3() && MD_HAS("avx512f") && MD_HAS("avx512bw") && MD_HAS("avx512cd") && MD_HAS("avx512dq") && MD_HAS("avx512vl");
}
#endif

const Kernels* kernels_for(const char* name) {
  auto wanted = [name](const Kernels& one) { return !name || std::strcmp(name, one.name) == 0; };
#ifdef __x86_64__
  __builtin_cpu_init();
  if (wanted(kernels_v4) && has_v4()) return &kernels_v4;
  if (wanted(kernels_v3) && has_v3()) return &kernels_v3;
  if (wanted(kernels_v2) && has_v2()) return &kernels_v2;
#endif
  return wanted(kernels_baseline) ? &kernels_baseline : nullptr;
}

} // namespace modular_dynamics
