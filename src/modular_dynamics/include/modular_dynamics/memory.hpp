// Memory of calls: a block at an address that is a multiple of 64, and its division into the arrays of an algorithm.
#pragma once
#include <cstddef>
#include <cstdint>
#include <new>

namespace modular_dynamics {

/// A block of memory that this object owns.
class Memory {
 public:
  Memory() = default;
  /// Allocates this number of bytes. Throws std::bad_alloc.
  explicit Memory(std::size_t bytes) {
    if (!at_least(bytes)) throw std::bad_alloc();
  }
  ~Memory() { release(); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  void* get() const { return data; }
  /// Returns at least this number of bytes; their contents are lost. nullptr: they cannot be allocated; what was there stays.
  void* at_least(std::size_t bytes) {
    if (bytes <= size && data) return data;
    void* more = ::operator new(bytes, alignment, std::nothrow);
    if (!more) return nullptr;
    release();
    size = bytes;
    return data = more;
  }

 private:
  static constexpr std::align_val_t alignment{64};
  void release() { ::operator delete(data, alignment); }
  void* data = nullptr;
  std::size_t size = 0;
};

namespace { // each file that is compiled for several generations of processors has an Arena of its own

/// Hands out pieces of memory, one after the other; without memory it counts them.
class Arena {
 public:
  explicit Arena(void* memory = nullptr) : first(reinterpret_cast<std::uintptr_t>(memory)), next(first) {}
  template <class S> S* take(long count) {
    auto at = reinterpret_cast<S*>(next);
    next += (sizeof(S) * std::size_t(count) + 63) / 64 * 64;
    return at;
  }
  template <class... S> void take(long count, S*&... to) { ((to = take<S>(count)), ...); }
  std::size_t bytes() const { return next - first; }

 private:
  std::uintptr_t first, next;
};

/// The number of bytes that a Work(arena, request) takes.
template <class Work, class Request> std::size_t bytes_of(const Request& request) {
  Arena arena;
  const Work counted(arena, request);
  return arena.bytes();
}

} // namespace
} // namespace modular_dynamics
