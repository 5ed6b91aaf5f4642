// Rows of arrays on threads.
#pragma once
#include "kernels.hpp"

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace modular_dynamics {

/// Runs `function(first, count, memory) -> RowsOutcome` for all rows, in pieces, on threads. False: there is no memory.
template <class Function> bool on_threads(std::size_t bytes, long rows, long piece, long threads, RowsOutcome& result, Function function) {
  std::atomic<long> next{0}, first_bad{rows};
  std::mutex lock;
  result = {rows, {}};
  auto work = [&] {
    Memory memory;
    void* data = memory.at_least(bytes);
    while (data) {
      const long first = next.fetch_add(piece);
      if (first >= rows || first > first_bad.load()) return;
      RowsOutcome own = function(first, first + piece < rows ? piece : rows - first, data);
      if (own.outcome.status == Status::good) continue;
      own.rows += first;
      std::lock_guard<std::mutex> guard(lock);
      if (own.rows < result.rows) result = own, first_bad = own.rows;
    }
  };
  std::vector<std::thread> others;
  try {
    for (long k = 1; k < threads && k * piece < rows; ++k) others.emplace_back(work);
  } catch (const std::exception&) {
    // the system has no more threads: the others do the work
  }
  work();
  for (std::thread& other : others) other.join();
  return next.load() >= rows || result.rows < rows;
}

} // namespace modular_dynamics
