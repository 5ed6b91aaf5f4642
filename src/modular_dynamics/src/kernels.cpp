// Compiled once for each generation of processors, with -march= and MD_KERNELS and MD_LOOP_KERNELS, the names of the tables that this file
// and loop_kernels.cpp define, and MD_NAME, the processor's name.
//
// No inline function of the standard library may be emitted here, and no template that is not static: the linker would keep one copy
// of those in all files, perhaps the newest processor's.
#include "kernels.hpp"

#include "modular_dynamics/batch.hpp"

namespace modular_dynamics {

extern const LoopKernels MD_LOOP_KERNELS;

namespace {

typedef Pack<double> D;
typedef Pack<float> F;

template <class A, class T> struct ManyWork : CallWork<A, T> {
  T *inputs[4], *loads, *out;
  ManyWork(Arena& arena, const RequestOf<T>& r) : CallWork<A, T>(arena, r) {
    constexpr int square = lanes_of<T>; // the last square of a transposition may be wider than a row
    for (int k = 0; k < 4; ++k) inputs[k] = arena.take<T>(k < this->shape.inputs ? (k == 0 ? r.model.nq : r.model.nv) + square : 0);
    loads = arena.take<T>(r.loaded ? numbers_in_loads(r) + square : 0);
    out = arena.take<T>(this->shape.numbers() + square);
  }
};

template <class A, class T> RowsOutcome many(const RequestOf<T>& request, const Arguments<Element<T>>& x, long rows, void* memory) {
  typedef Element<T> E;
  constexpr int N = lanes_of<T>;
  const int nv = request.model.nv;
  Arena arena(memory);
  void* memory_of_one = arena.take<char>(long(bytes_of_one<A, E>(request)));
  const ManyWork<A, T> call(arena, request);
  const int inputs = call.shape.inputs;
  const long results = call.shape.numbers(), loads = numbers_in_loads(request), load_step = request.loads_by_row ? loads : 0;
  // less memory is better, but zeros must stay
  T* out = call.shape.dimensions == 1 && results == nv && x.inputs[2] ? call.inputs[2] : call.out;
  auto width = [&](int input) { return input == 0 ? request.model.nq : nv; };
  auto shifted = [&](long row) {
    Arguments<E> at = x;
    for (int k = 0; k < inputs; ++k)
      if (x.inputs[k]) at.inputs[k] = x.inputs[k] + row * width(k);
    if (x.loads) at.loads = x.loads + row * load_step;
    at.out = x.out + row * results;
    return at;
  };
  for (int k = 1; k < inputs; ++k)
    for (int i = 0; i < nv; ++i) call.inputs[k][i] = T{};
  if (request.loaded && !request.loads_by_row) {
    if (!finite_array(x.loads, loads) && rows > 0) return {0, {Status::not_finite}};
    for (long k = 0; k < loads; ++k) call.loads[k] = T{} + x.loads[k];
    to_model_frames(request.model.joints, request.joints, request.body_axes, call.loads, call.external);
  }
  /// Rows in lanes; memory of those two groups later is prefetched. Returns whether all are good, and are written.
  auto side_by_side = [&](const Arguments<E>& at, long left) {
    FiniteCheck<T> arguments, made;
    const long next = left >= 3L * N ? N : 0;
    auto read = [&](const E* from, int count, T* lanes) {
      rows_to_lanes(count, left, from, lanes);
      fetch_ahead(from + 2L * N * count, next * count);
    };
    auto check = [&](int count, const T* lanes) {
      for (int k = 0; k < count; ++k) arguments.add(lanes[k]);
    };
    for (int k = 0; k < inputs; ++k) {
      if (!at.inputs[k]) continue;
      read(at.inputs[k], width(k), call.inputs[k]);
      if (reads_parts<A> && k >= 2)
        for (int i = 0; i < nv; ++i)
          if (request.prescribed[i] != (k == 2)) call.inputs[k][i] = T{};
      check(width(k), call.inputs[k]);
    }
    if (request.loads_by_row) read(at.loads, int(loads), call.loads), check(int(loads), call.loads);
    if (!arguments.all_finite() || !have_direction(request.model, call.inputs[0])) return false;
    fetch_ahead(at.out + 2L * N * results, next * results);
    if (request.loads_by_row) to_model_frames(request.model.joints, request.joints, request.body_axes, call.loads, call.external);
    joint_positions(request.model, call.inputs[0], call.positions);
    const T* lanes[4];
    for (int k = 0; k < 4; ++k) lanes[k] = k < inputs ? call.inputs[k] : nullptr;
    if (call.run(lanes, out) != 0) return false;
    for (long k = 0; k < results; ++k) made.add(out[k]);
    if (!made.all_finite()) return false;
    A::finish(request, out);
    lanes_to_rows(int(results), left, out, at.out);
    return true;
  };
  for (long row = 0; row < rows;) {
    const long left = rows - row, stop = left > N ? row + N : rows;
    if (left > N / 4 && side_by_side(shifted(row), left)) {
      row = stop;
      continue;
    }
    // one by one: those that lanes would not be worth; or of lanes that are not good, which say so themselves
    for (; row < stop; ++row)
      if (const Outcome outcome = one<A, E>(request, shifted(row), memory_of_one); outcome.status != Status::good) return {row, outcome};
  }
  return {rows, {}};
}

template <class A> std::size_t bytes(const Request<double>& request) {
  Arena arena;
  arena.take<char>(long(bytes_of_one<A, double>(request)));
  const ManyWork<A, D> counted(arena, request);
  return arena.bytes() + 6 * lanes_of<D> * sizeof(D); // squares of floats, which are twice as wide: of inputs, loads and the result
}

template <class... A> constexpr Kernels table() {
  static_assert(sizeof...(A) == algorithms, "each algorithm that algorithms.hpp numbers is needed here, in that order");
  return {MD_NAME, lanes_of<D>, {bytes_of_one<A, double>...}, {bytes<A>...}, {one<A, double>...}, {many<A, D>...}, {many<InverseDynamics, F>, many<InverseDynamicsLoaded, F>},
          &MD_LOOP_KERNELS};
}

} // namespace

extern const Kernels MD_KERNELS;
const Kernels MD_KERNELS = table<InverseDynamics, InverseDynamicsLoaded, JointWrenches, ForwardDynamics, HybridDynamics, MassMatrix, CoriolisMatrix,
                                 Derivatives, ForwardDerivatives, FramePoses, FrameMotions, FrameVelocities, FrameAccelerations, Jacobian,
                                 OfWholeBody, MomentumMatrix, Regressor>();

} // namespace modular_dynamics
