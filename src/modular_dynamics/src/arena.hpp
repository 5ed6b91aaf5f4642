// How kernels divide the memory of a call. Each file that is compiled for several generations of processors has an Arena of its own.
#pragma once
#include <cstddef>
#include <cstdint>

namespace modular_dynamics {
namespace {

/// Hands out pieces of memory, one after the other; without memory it counts them.
class Arena {
 public:
  explicit Arena(void* memory = nullptr) : first(reinterpret_cast<std::uintptr_t>(memory)), next(first) {}
  template <class S> S* take(long count) {
    auto at = reinterpret_cast<S*>(next);
    next += (sizeof(S) * std::size_t(count) + 63) / 64 * 64;
    return at;
  }
  template <class S> void take(S*& to, long count) { to = take<S>(count); }
  std::size_t bytes() const { return next - first; }

 private:
  std::uintptr_t first, next;
};

} // namespace
} // namespace modular_dynamics
