// Compiled once for each generation of processors, with -march= and MD_KERNELS, the name of the table that it defines, MD_NAME, the
// processor's name, and MD_LANES, the number of doubles in a vector register.
//
// No inline function of the standard library may be emitted here, and no template that is not static: the linker would keep one copy
// of those in all files, perhaps the newest processor's.
#include "algorithms.hpp"

#include "modular_dynamics/batch.hpp"

namespace modular_dynamics {
namespace {

typedef Lanes<double, MD_LANES> D;
typedef Lanes<float, 2 * MD_LANES> F;

template <class E> MD_INLINE bool finite_array(const E* values, long count) {
  FiniteCheck<E> check;
  for (long k = 0; k < count; ++k) check.add(values[k]);
  return check.all_finite();
}

/// Have the quaternions of one state, or of all lanes, a direction?
template <class T> MD_INLINE bool have_direction(const Model<Element<T>>& model, const T* q) {
  typedef Element<T> E;
  for (int i = 1; i <= model.joints; ++i) {
    const Body<E>& b = model.bodies[i];
    if (!has_quaternion(b.type)) continue;
    const T* at = q + b.q + (b.type == JointType::floating ? 3 : 0);
    if (any(at[0] * at[0] + at[1] * at[1] + at[2] * at[2] + at[3] * at[3] < T{} + E(smallest_norm * smallest_norm))) return false;
  }
  return true;
}

/// Positions of one state's joints: sines and cosines of as many angles at once as a vector register holds.
template <class E> MD_INLINE void positions_of_one(const Model<E>& model, const E* q, JointPosition<E>* positions) {
  typedef std::conditional_t<sizeof(E) == 8, D, F> V;
  const int n = model.joints;
  for (int first = 0; first < n; first += lanes_of<V>) {
    const int count = n - first < lanes_of<V> ? n - first : lanes_of<V>;
    V angles{}, sines, cosines;
    for (int k = 0; k < count; ++k) {
      const Body<E>& body = model.bodies[first + k + 1];
      if (has_quaternion(body.type)) continue;
      E value = body.multiplier * q[body.q];
      if (body.type == JointType::prismatic) positions[first + k].shift = value + body.offset;
      else set_lane(angles, k, (absolute(value) > E(1e3) ? wrapped(value) : value) + body.offset);
    }
    sine_cosine(angles, sines, cosines);
    for (int k = 0; k < count; ++k) positions[first + k].sine = lane(sines, k), positions[first + k].cosine = lane(cosines, k);
  }
}

/// The numbers of a row of loads.
template <class E> long numbers_in_loads(const Request<E>& r) { return r.loaded ? 6L * r.model.joints : 0; }

/// Does the algorithm read only some of its third and fourth input?
template <class A> constexpr bool reads_parts = A::algorithm == Algorithm::hybrid_dynamics;

/// Memory of a call: an algorithm's, and inputs as it reads them.
template <class A, class T> struct CallWork {
  const RequestOf<T>& request;
  const Shape shape;
  typename A::template Work<T> work;
  Wrench<T>* external;
  T* zeros;

  CallWork(Arena& arena, const RequestOf<T>& r)
      : request(r), shape(shape_of(A::algorithm, r)), work(arena, r), external(arena.take<Wrench<T>>(r.loaded ? r.model.joints + 1 : 0)),
        zeros(arena.take<T>(r.model.nv)) {}

  MD_FORCE_INLINE int run(const T* const* inputs, T* out) const {
    return A::run(request, State<T>{inputs[0], inputs[1], inputs[2], inputs[3], request.loaded ? external : nullptr}, out, work);
  }
};

template <class A, class E> struct OneWork : CallWork<A, E> {
  E* parts[2];
  OneWork(Arena& arena, const Request<E>& r) : CallWork<A, E>(arena, r) {
    for (E*& part : parts) part = arena.take<E>(reads_parts<A> ? r.model.nv : 0);
  }
};

template <class A, class E> Outcome one(const Request<E>& request, const Arguments<E>& x, void* memory) {
  const int nv = request.model.nv;
  Arena arena(memory);
  const OneWork<A, E> call(arena, request);
  const E* inputs[4] = {x.inputs[0], nullptr, nullptr, nullptr};
  if (!finite_array(x.inputs[0], request.model.nq) || !have_direction(request.model, x.inputs[0])) return {Status::not_finite};
  bool any_zeros = false;
  for (int k = 1; k < call.shape.inputs; ++k) {
    inputs[k] = x.inputs[k] ? x.inputs[k] : call.zeros;
    any_zeros = any_zeros || !x.inputs[k];
    if (reads_parts<A> && k >= 2 && x.inputs[k]) {
      for (int i = 0; i < nv; ++i) call.parts[k - 2][i] = request.prescribed[i] == (k == 2) ? x.inputs[k][i] : E(0);
      inputs[k] = call.parts[k - 2];
    }
    if (x.inputs[k] && !finite_array(inputs[k], nv)) return {Status::not_finite};
  }
  if (any_zeros)
    for (int k = 0; k < nv; ++k) call.zeros[k] = 0;
  if (request.loaded) {
    if (!finite_array(x.loads, numbers_in_loads(request))) return {Status::not_finite};
    to_model_frames(request.model.joints, request.joints, request.body_axes, x.loads, call.external);
  }
  positions_of_one(request.model, x.inputs[0], call.work.positions);
  if (const int body = call.run(inputs, x.out)) return {Status::no_inertia, request.joints[body - 1]};
  if (!finite_array(x.out, call.shape.numbers())) return {Status::overflow};
  A::finish(request, x.out);
  return {};
}

template <class A, class T> struct ManyWork : CallWork<A, T> {
  T *inputs[4], *loads, *out;
  ManyWork(Arena& arena, const RequestOf<T>& r) : CallWork<A, T>(arena, r) {
    constexpr int square = lanes_of<T>; // the last square of a transposition may be wider than a row
    for (int k = 0; k < 4; ++k) inputs[k] = arena.take<T>(k < this->shape.inputs ? (k == 0 ? r.model.nq : r.model.nv) + square : 0);
    loads = arena.take<T>(r.loaded ? numbers_in_loads(r) + square : 0);
    out = arena.take<T>(this->shape.numbers() + square);
  }
};

template <class A, class E> std::size_t bytes_of_one(const Request<E>& request) {
  Arena arena;
  const OneWork<A, E> counted(arena, request);
  return arena.bytes();
}

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
  return arena.bytes() + 6 * MD_LANES * sizeof(D); // squares of floats, which are twice as wide: of inputs, loads and the result
}

template <class... A> constexpr Kernels table() {
  return {MD_NAME, MD_LANES, {bytes_of_one<A, double>...}, {bytes<A>...}, {one<A, double>...}, {many<A, D>...}, {many<InverseDynamics, F>, many<InverseDynamicsLoaded, F>}};
}

} // namespace

extern const Kernels MD_KERNELS;
const Kernels MD_KERNELS = table<InverseDynamics, InverseDynamicsLoaded, JointWrenches, ForwardDynamics, HybridDynamics, MassMatrix, CoriolisMatrix,
                                 Derivatives, ForwardDerivatives, FramePoses, FrameMotions, FrameVelocities, FrameAccelerations, Jacobian,
                                 OfWholeBody, MomentumMatrix, Regressor>();

} // namespace modular_dynamics
