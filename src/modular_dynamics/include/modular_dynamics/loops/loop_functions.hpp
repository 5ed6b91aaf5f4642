// Functions of one state of a robot with closed loops: what the Python module calls, and C++ programs.
//
//   LoopRobot robot(description, loops);                                 // written by graph.to_cpp, or by hand
//   LoopFunction<LoopQuantity::inverse_dynamics> torques(robot);         // takes its memory
//   LoopStatus status = torques({q, v, a, guess, tau, guess});           // allocates nothing, throws nothing; its loops are the next guess
//
// Contract: q, v, a, tau (p) of the independent joints, in their order, a guess (nq) and coordinates (nq) of all joints. The assembly mode is that
// of the guess, to which the way is walked (closure.hpp). A LoopRobot may be read by any number of threads, a LoopFunction belongs to one.
#pragma once
#include "../functions.hpp"
#include "loop_dynamics.hpp"
#include "loop_plan.hpp"

namespace modular_dynamics {

/// Of the p independent velocities: torques (p) of q, v, a; the mass matrix (p, p) of q; accelerations (p) of q, v and torques.
enum class LoopQuantity { inverse_dynamics, mass_matrix, forward_dynamics };
constexpr int loop_quantities = 3;

/// Arguments of a function other than the states; of those of trees only models and terms are read.
struct LoopRequest : Request<double> {
  LoopModel loops;
  bool undetermined = false; ///< see LoopArrays: nothing is solved
};

/// A robot with closed loops: its tree in both forms, and the order in which loops are solved.
struct LoopRobot : RobotModel {
  LoopArrays loops;

  LoopRobot(const Description& robot, const LoopsDescription& given) : RobotModel(robot), loops(make_loops(robot, whole, given)) {}

  LoopRequest request(int terms) const { return {RobotModel::request(terms), loops.view(), !loops.undetermined.empty()}; }
};

/// Rows of numbers, one for each state.
struct LoopRows {
  const double *q = nullptr, *v = nullptr, *third = nullptr; ///< of the independent joints: coordinates, velocities, accelerations or torques
  const double* guess = nullptr;                             ///< (nq): of each state, or of the first one
  double* out = nullptr;
  double* coordinates = nullptr; ///< (nq) of all joints; may be the guess, or nullptr
  double* details = nullptr;     ///< see details_of; or nullptr
  const double* loads = nullptr; ///< [force, moment] (n, 6) from outside on each joint's body, at and in its frame, in all states; or nullptr
};

/// Of inverse dynamics: velocities (nv), accelerations (nv), tensions of springs, and the wrenches [force, moment] of loop joints, each on
/// the successor at and in its anchor, and of the open tree's joints, each on its body at and in its frame; last the smallest sine of a planar
/// loop, or 1.
MD_INLINE int details_of(const LoopRequest& request) {
  const LoopModel& loops = request.loops;
  return 2 * loops.nv + loops.springs.count + 6 * loops.loops + 6 * request.whole.joints + 1;
}

/// How many numbers a quantity of one state has.
MD_INLINE int results_of(const LoopRequest& request, LoopQuantity quantity) {
  const int p = request.loops.independent_v.count;
  return quantity == LoopQuantity::mass_matrix ? p * p : p;
}

/// The rows from one of many on, with another guess.
MD_INLINE LoopRows rows_from(const LoopRequest& request, LoopQuantity quantity, LoopRows rows, long first, const double* guess) {
  const LoopModel& loops = request.loops;
  rows.q += first * loops.independent_q.count, rows.out += first * results_of(request, quantity), rows.guess = guess;
  if (rows.v) rows.v += first * loops.independent_v.count;
  if (rows.third) rows.third += first * loops.independent_v.count;
  if (rows.coordinates) rows.coordinates += first * loops.nq;
  if (rows.details) rows.details += first * details_of(request);
  return rows;
}

enum class LoopStatus {
  good,
  not_finite, ///< a number that was given
  overflow,   ///< a result is not finite
  no_inertia, ///< independent coordinates move too little inertia for these accelerations
  elsewhere   ///< the loops were not closed: out of reach, near a singular configuration, far from the guess; another method may know
};

/// Memory of a call: of closing loops, and of the mass matrix.
template <class T> struct LoopCallWork : LoopWork<T> {
  CompositeBodyWork<T> composite;
  T *guess, *independent, *v_given, *third, *out, *details, *tensions, *M, *table, *M1, *loads;
  Wrench<T>* external;

  LoopCallWork(Arena& arena, const LoopRequest& r) {
    const LoopModel& loops = r.loops;
    NewtonEulerWork<T>& tree = this->tree;
    const int n = r.whole.joints, nq = loops.nq, nv = loops.nv, p = loops.independent_v.count, columns = r.whole.bodies[0].columns_end;
    constexpr int pack = 16; // room for whole packs and squares
    int rows = 1, most = 1;
    for (const RowSet& set : loops.sets) {
      rows = set.rows > rows ? set.rows : rows;
      most = set.columns > most ? set.columns : most;
    }
    arena.take(n, tree.positions, this->positions_before);
    arena.take(n + 1, tree.motions, tree.wrenches, composite.composites, external);
    arena.take(nq + pack, this->q, this->before, guess, independent);
    arena.take(nv + pack, this->v, this->a, this->tau, v_given, third);
    arena.take(loops.chain.count, this->planar.turns, this->planar.slopes);
    arena.take(loops.planar.count, this->planar.tips, this->planar.signs, this->planar.determinants);
    arena.take(4 * loops.planar.count, this->planar.inverses);
    arena.take(loops.W_entries, this->W);
    arena.take(loops.set_bodies.count, this->rows.bodies, this->rows.drifts);
    arena.take(2 * loops.pairs.count, this->rows.ends);
    arena.take(loops.rows.count, this->rows.wrenches, this->rows.phi, this->rows.gamma);
    arena.take(loops.J_entries, this->rows.J, this->J_before, this->triangles.matrix);
    arena.take(loops.columns.count, this->triangles.diagonal, this->triangles.factors);
    arena.take(rows, this->right), arena.take(most, this->solution);
    arena.take((n > loops.chain.count ? n : loops.chain.count) + pack, this->angles, this->sines, this->cosines);
    composite.positions = tree.positions;
    composite.columns = WrenchColumns<T>(arena.take<T>(WrenchColumns<T>::numbers(columns)), columns);
    arena.take(nv * nv, M), arena.take(nv * p, table), arena.take(p * p + pack, M1, out);
    arena.take(details_of(r) + pack, details), arena.take(loops.springs.count, tensions), arena.take(6 * n, loads);
  }
};

template <class T> MD_INLINE void write_details(const LoopRequest& r, T* to, const LoopCallWork<T>& work) {
  const LoopModel& loops = r.loops;
  for (int k = 0; k < loops.nv; ++k) *to++ = work.v[k];
  for (int k = 0; k < loops.nv; ++k) *to++ = work.a[k];
  for (int k = 0; k < loops.springs.count; ++k) *to++ = work.tensions[k];
  cut_wrenches(loops, to, work);
  to += 6 * loops.loops;
  from_model_frames(r.whole.joints, r.joints, r.body_axes, work.tree.wrenches, to);
  to += 6 * r.whole.joints;
  T least = T{} + 1.0;
  for (int k = 0; k < loops.planar.count; ++k) {
    const T sine = sine_of(loops.planar[k], k, work.planar);
    least = sine < least ? sine : least;
  }
  *to = least;
}

/// The quantity where loops are closed, from v and the third input of the independent joints. Returns where that is possible.
template <LoopQuantity quantity, class T>
MD_INLINE Mask<T> quantity_of(const LoopRequest& r, const T* v, const T* third, const double* loads, T* out, T* details, const LoopCallWork<T>& work) {
  const LoopModel& loops = r.loops;
  const int p = loops.independent_v.count;
  const T zero{};
  Mask<T> good = zero <= zero;
  if constexpr (quantity == LoopQuantity::mass_matrix) {
    closed_mass_matrix<T>(r.model, loops, r.counted.armature, work.M, work.table, out, work.composite, work);
    if (!have_direction<T>(r.model, work.q)) good = zero < zero; // other quantities are NaN there
  } else {
    for (int k = 0; k < p; ++k) {
      work.v[loops.independent_v[k]] = v[k];
      work.a[loops.independent_v[k]] = quantity == LoopQuantity::inverse_dynamics ? third[k] : zero;
    }
    const bool loaded = quantity == LoopQuantity::inverse_dynamics && loads;
    if (loaded) {
      for (int k = 0; k < 6 * r.whole.joints; ++k) work.loads[k] = zero + loads[k];
      to_model_frames(r.whole.joints, r.joints, r.body_axes, work.loads, work.external);
    }
    closed_inverse_dynamics<T>(loaded || details ? r.whole : r.model, loops, r.counted, r.mimics, loaded ? work.external : nullptr, details,
                               work.tensions, work);
    if constexpr (quantity == LoopQuantity::inverse_dynamics) {
      for (int k = 0; k < p; ++k) out[k] = work.tau[loops.independent_v[k]];
      if (details) write_details<T>(r, details, work);
    } else {
      for (int k = 0; k < p; ++k) out[k] = third[k] - work.tau[loops.independent_v[k]];
      T largest;
      closed_mass_matrix<T>(r.model, loops, r.counted.armature, work.M, work.table, work.M1, work.composite, work, &largest);
      for (int k = 0; k < p; ++k) good = good & (work.M1[k * p + k] > little_inertia * largest);
      good = good & solve_definite(p, no_inertia, work.M1, out);
    }
  }
  return good;
}

/// Largest coordinate [rad or m] at which loops are closed: neighbouring numbers are 1e-4 apart there.
constexpr double largest_coordinate = 1e12;

MD_INLINE bool too_large(const double* values, int count) {
  for (int k = 0; k < count; ++k)
    if (!(absolute(values[k]) <= largest_coordinate)) return true;
  return false;
}

template <LoopQuantity quantity> MD_INLINE LoopStatus run_one(const LoopRequest& r, const LoopRows& at, const LoopCallWork<double>& work) {
  const LoopModel& loops = r.loops;
  const int p = loops.independent_v.count;
  if (r.undetermined) return LoopStatus::elsewhere;
  if (!finite_array(at.q, loops.independent_q.count) || !finite_array(at.guess, loops.nq)) return LoopStatus::not_finite;
  if (quantity != LoopQuantity::mass_matrix && !(finite_array(at.v, p) && finite_array(at.third, p))) return LoopStatus::not_finite;
  if (at.loads && !finite_array(at.loads, 6 * r.whole.joints)) return LoopStatus::not_finite;
  if (too_large(at.q, loops.independent_q.count) || too_large(at.guess, loops.nq)) return LoopStatus::elsewhere;
  if (!close_loops(r.model, loops, at.q, at.guess, work)) return LoopStatus::elsewhere;
  if (!quantity_of<quantity, double>(r, at.v, at.third, at.loads, work.out, at.details ? work.details : nullptr, work)) return LoopStatus::no_inertia;
  const int results = results_of(r, quantity);
  if (!finite_array(work.out, results)) return LoopStatus::overflow;
  for (int k = 0; k < results; ++k) at.out[k] = work.out[k];
  if (at.coordinates)
    for (int k = 0; k < loops.nq; ++k) at.coordinates[k] = work.q[k];
  if (at.details)
    for (int k = 0; k < details_of(r); ++k) at.details[k] = work.details[k];
  return LoopStatus::good;
}

/// A quantity of one robot, with its memory.
template <LoopQuantity quantity> class LoopFunction {
 public:
  explicit LoopFunction(const LoopRobot& robot, int terms = armature_terms | spring_terms)
      : request(robot.request(terms)), memory(bytes_of<LoopCallWork<double>>(request)), work(in(memory, request)) {}
  LoopStatus operator()(const LoopRows& state) { return run_one<quantity>(request, state, work); }

 private:
  LoopRequest request;
  Memory memory;
  LoopCallWork<double> work;

  static LoopCallWork<double> in(const Memory& memory, const LoopRequest& request) {
    Arena arena(memory.get());
    return {arena, request};
  }
};

} // namespace modular_dynamics
