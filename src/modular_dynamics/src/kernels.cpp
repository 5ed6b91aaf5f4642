// Compiled once for each generation of processors, with -march= and MD_KERNELS, the name of the table that it defines, and MD_NAME, the
// processor's name.
//
// No inline function of the standard library may be emitted here, and no template that is not static: the linker would keep one copy
// of those in all files, perhaps the newest processor's.
#include "kernels.hpp"

#include "modular_dynamics/batch.hpp"

namespace modular_dynamics {
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
  auto shifted = [&](long row) {
    Arguments<E> at = x;
    for (int k = 0; k < inputs; ++k)
      if (x.inputs[k]) at.inputs[k] = x.inputs[k] + row * (k == 0 ? request.model.nq : nv);
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
  for (long row = 0; row < rows;) {
    const Arguments<E> at = shifted(row);
    const InputRows<T> from[5] = {{at.inputs[0], request.model.nq, call.inputs[0]},
                                  {at.inputs[1], nv, call.inputs[1]},
                                  {at.inputs[2], nv, call.inputs[2], reads_parts<A> ? request.prescribed : nullptr, true},
                                  {at.inputs[3], nv, call.inputs[3], reads_parts<A> ? request.prescribed : nullptr, false},
                                  {request.loads_by_row ? at.loads : nullptr, int(loads), call.loads}};
    const long last = (rows - row) % N;
    row += for_rows<T>(
        rows - row - (last <= N / 4 ? last : 0), from, at.out, int(results), out,
        [&] {
          if (!have_direction(request.model, call.inputs[0])) return false;
          if (request.loads_by_row) to_model_frames(request.model.joints, request.joints, request.body_axes, call.loads, call.external);
          joint_positions(request.model, call.inputs[0], call.work.positions);
          const T* lanes[4];
          for (int k = 0; k < 4; ++k) lanes[k] = k < inputs ? call.inputs[k] : nullptr;
          return call.run(lanes, out) == 0;
        },
        [&](T* made) { A::finish(request, made); });
    // one by one: those that lanes would not be worth; or of lanes that are not good, which say so themselves
    for (const long stop = row + N < rows ? row + N : rows; row < stop; ++row)
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
  return {MD_NAME, lanes_of<D>, {bytes_of_one<A, double>...}, {bytes<A>...}, {one<A, double>...}, {many<A, D>...}, {many<InverseDynamics, F>, many<InverseDynamicsLoaded, F>}};
}

} // namespace

extern const Kernels MD_KERNELS;
const Kernels MD_KERNELS = table<InverseDynamics, InverseDynamicsLoaded, JointWrenches, ForwardDynamics, HybridDynamics, MassMatrix, CoriolisMatrix,
                                 Derivatives, ForwardDerivatives, FramePoses, FrameMotions, FrameVelocities, FrameAccelerations, Jacobian,
                                 OfWholeBody, MomentumMatrix, Regressor>();

} // namespace modular_dynamics
