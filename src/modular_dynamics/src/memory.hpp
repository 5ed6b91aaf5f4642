// Memory of calls, at a multiple of 64.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace modular_dynamics {

/// Owns its memory.
class Memory {
 public:
  Memory() = default;
  /// So many bytes. Throws std::bad_alloc where there are not so many.
  explicit Memory(std::size_t bytes) {
    if (!at_least(bytes)) throw std::bad_alloc();
  }
  ~Memory() { std::free(data); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  void* get() const { return data; }
  /// At least so many bytes; what was there is lost. nullptr: there are not so many.
  void* at_least(std::size_t bytes) {
    if (bytes > size || !data) {
      std::free(data);
      data = std::aligned_alloc(64, (bytes + 64) / 64 * 64);
      size = data ? bytes : 0;
    }
    return data;
  }

 private:
  void* data = nullptr;
  std::size_t size = 0;
};

} // namespace modular_dynamics
