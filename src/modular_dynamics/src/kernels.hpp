// What kernels.cpp, compiled once for each generation of processors, offers to the rest of the module.
#pragma once
#include "modular_dynamics/functions.hpp"

namespace modular_dynamics {

/// Of many states: the number of those before the first one that is not good, and the status of that one.
struct RowsOutcome {
  long rows;
  Outcome outcome;
};

struct LoopKernels;

/// Functions for one processor. `memory` is at a multiple of 64 and belongs to the call.
struct Kernels {
  typedef Outcome One(const Request<double>&, const Arguments<double>&, void* memory);
  template <class E> using Many = RowsOutcome(const Request<E>&, const Arguments<E>&, long rows, void* memory);

  const char* name;
  int lanes;                      ///< states side by side in double precision; twice as many in single
  std::size_t (*bytes_of_one[algorithms])(const Request<double>&); ///< of memory that a call for one state needs,
  std::size_t (*bytes[algorithms])(const Request<double>&);        ///< and one for many, of any number type
  One* one[algorithms];           ///< of torques and accelerations, out may be an input
  Many<double>* many[algorithms]; ///< rows before a bad one are written
  Many<float>* many_float[algorithms]; ///< nullptr where single precision is not offered
  const LoopKernels* loops;       ///< those of closed loops: loop_kernels.hpp
};

/// The kernels of this processor: the newest of "baseline", "x86-64-v2", "x86-64-v3", "x86-64-v4" that it can run, or those of
/// the given name; nullptr where there are none or the processor cannot run them.
const Kernels* kernels_for(const char* name = nullptr);

} // namespace modular_dynamics
