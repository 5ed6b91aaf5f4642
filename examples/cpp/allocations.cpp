// Counts calls of operator new, so that the examples can show that none happens after their start.
#include <cstddef>
#include <cstdlib>
#include <new>

long allocations = 0;

void* operator new(std::size_t bytes, std::align_val_t alignment) {
  ++allocations;
  const std::size_t unit = std::size_t(alignment);
  if (void* data = std::aligned_alloc(unit, (bytes / unit + 1) * unit)) return data;
  throw std::bad_alloc();
}
void* operator new(std::size_t bytes) { return operator new(bytes, std::align_val_t(alignof(std::max_align_t))); }
void operator delete(void* data) noexcept { std::free(data); }
void operator delete(void* data, std::size_t) noexcept { std::free(data); }
void operator delete(void* data, std::align_val_t) noexcept { std::free(data); }
void operator delete(void* data, std::size_t, std::align_val_t) noexcept { std::free(data); }
