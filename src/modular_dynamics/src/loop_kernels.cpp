// Closed loops, compiled once for each generation of processors as kernels.cpp is, with the same definitions.
#include "loop_kernels.hpp"

#include "modular_dynamics/batch.hpp"

namespace modular_dynamics {
namespace {

typedef Pack<double> D;

/// Memory of single calls begins with the places of all arrays in it: to find them takes as long as a small robot's tree.
void prepare(const LoopRequest& r, void* memory) {
  Arena arena(memory);
  LoopCallWork<double>* places;
  arena.take(1, places);
  *places = LoopCallWork<double>(arena, r);
}

template <LoopQuantity quantity> LoopStatus one(const LoopRequest& r, const LoopRows& at, void* memory) {
  return run_one<quantity>(r, at, *static_cast<const LoopCallWork<double>*>(memory));
}

/// x one lane later, with another number in the first.
template <class T, std::size_t... K> MD_INLINE T shifted(T x, double first, std::index_sequence<K...>) {
  if constexpr (lanes_of<T> == 1) return first;
  else return detail::shuffled<(K == 0 ? lanes_of<T> : int(K) - 1)...>(x, T{} + first);
}

/// Where angles of joints in planar loops are the nearest to those of the state before, too, and not of where all lanes start.
template <class T> MD_INLINE Mask<T> turns_follow(const LoopRequest& r, const LoopCallWork<T>& work) {
  const LoopModel& loops = r.loops;
  const T zero{};
  Mask<T> good = zero <= zero;
  for (const ChainJoint& joint : loops.chain)
    if (!joint.slides) good = good & (absolute(joint.scale * (work.q[joint.q] - work.before[joint.q])) < 3.15);
  return good;
}

/// Rows that may be a single number wide; asks for those that follow two groups later.
template <class T> MD_INLINE void read_rows(int count, long rows, const double* from, T* to) {
  if (count == 1 && rows >= lanes_of<T>) *to = load<T>(from);
  else rows_to_lanes(count, rows, from, to);
  if (rows >= 3 * lanes_of<T>) fetch_ahead(from + 2 * lanes_of<T> * count, lanes_of<T> * count);
}
template <class T> MD_INLINE void write_rows(int count, long rows, const T* from, double* to) {
  if (count == 1 && rows >= lanes_of<T>) store(to, *from);
  else lanes_to_rows(count, rows, from, to);
}

template <LoopQuantity quantity>
void many(const LoopRequest& r, const LoopRows& at, long rows, bool each, std::int64_t* statuses, void* memory) {
  constexpr int N = lanes_of<D>;
  const LoopModel& loops = r.loops;
  const int pq = loops.independent_q.count, p = loops.independent_v.count, nq = loops.nq, results = results_of(r, quantity), wide = details_of(r);
  Arena arena(memory);
  const LoopCallWork<D> work(arena, r);
  const LoopCallWork<double> single(arena, r);
  double *start, *last_J; // the last configuration that is closed, or the guess, and its Jacobians
  arena.take(nq, start), arena.take(loops.J_entries, last_J);
  if (!each)
    for (int k = 0; k < nq; ++k) start[k] = at.guess[k];
  auto from = [&](long row) { return rows_from(r, quantity, at, row, each ? at.guess + row * nq : start); };
  const int first_J = loops.sets.count > 2 ? loops.sets[2].first_entry : loops.J_entries; // of clusters
  bool fresh = true;
  long side_by_side = 0; // the row from which on lanes are tried
  for (long row = 0; row < rows;) {
    long good = 0;
    const LoopRows here = from(row);
    const long left = rows - row;
    if (row >= side_by_side) {
      if (each) read_rows(nq, left, here.guess, work.guess);
      else
        for (int k = 0; k < nq; ++k) work.guess[k] = D{} + start[k];
      if (left >= 3 * N) {
        fetch_ahead(here.out + 2 * N * results, N * results);
        if (at.coordinates) fetch_ahead(here.coordinates + 2 * N * nq, N * nq);
      }
      if (each || fresh) set_branch(loops, work.guess, work);
      read_rows(pq, left, here.q, work.independent);
      for (int k = 0; k < pq; ++k) work.q[loops.independent_q[k]] = work.independent[k];
      Mask<D> mask = close_directly(r.model, loops, work.guess, work);
      for (int k = 0; k < pq; ++k) mask = mask & (absolute(work.independent[k]) <= largest_coordinate);
      for (int k = 0; k < nq && each; ++k) mask = mask & (absolute(work.guess[k]) <= largest_coordinate);
      if (each) {
        mask = mask & way_is_regular<D>(loops, work.guess, work);
      } else {
        for (int k = 0; k < nq; ++k) work.before[k] = shifted(work.q[k], start[k], std::make_index_sequence<N>());
        for (int k = first_J; k < loops.J_entries && !fresh; ++k)
          work.J_before[k] = shifted(work.rows.J[k], last_J[k], std::make_index_sequence<N>());
        mask = mask & way_is_regular<D>(loops, work.before, work) & turns_follow<D>(r, work);
      }
      if (any(mask)) {
        if (quantity != LoopQuantity::mass_matrix) read_rows(p, left, here.v, work.v_given), read_rows(p, left, here.third, work.third);
        mask = mask & quantity_of<quantity, D>(r, work.v_given, work.third, at.loads, work.out, at.details ? work.details : nullptr, work);
        for (int k = 0; k < results; ++k) mask = mask & (absolute(work.out[k]) < 1e308);
        while (good < N && good < left && mask[good]) ++good;
      }
      if (good > 0) {
        write_rows(results, good, work.out, here.out);
        if (at.coordinates) write_rows(nq, good, work.q, here.coordinates);
        if (at.details) write_rows(wide, good, work.details, here.details);
        for (long k = 0; k < good; ++k) statuses[row + k] = 0;
        for (int k = 0; k < nq && !each; ++k) start[k] = work.q[k][good - 1];
        for (int k = first_J; k < loops.J_entries && !each; ++k) last_J[k] = work.rows.J[k][good - 1];
        row += good, fresh = false;
      } else {
        side_by_side = row + N; // what is not plain is often followed by more of it
      }
    }
    if (row < rows && good < N) {
      const LoopStatus status = run_one<quantity>(r, from(row), single);
      statuses[row] = std::int64_t(status);
      for (int k = 0; k < nq && !each && status == LoopStatus::good; ++k) start[k] = single.q[k];
      ++row, fresh = true;
    }
  }
}

void constraints(const LoopRequest& r, bool springs, const double* q, const double* v, double* phi, double* J, double* gamma, double* wrenches,
                 void* memory) {
  const LoopCallWork<double>& work = *static_cast<const LoopCallWork<double>*>(memory);
  const LoopModel& loops = r.loops;
  const RowSet& set = loops.sets[springs];
  joint_positions(r.whole, q, work.tree.positions);
  evaluate_rows<double>(r.whole, loops, set, q, work.tree.positions, work.rows);
  evaluate_drift<double>(r.whole, loops, set, v, work.rows);
  for (int m = 0; m < set.rows * loops.nv; ++m) J[m] = 0;
  for (int m = 0; m < set.rows; ++m) {
    phi[m] = work.rows.phi[set.first_row + m], gamma[m] = work.rows.gamma[set.first_row + m];
    for (int k = 0; k < set.columns; ++k)
      J[m * loops.nv + loops.columns[set.first_column + k].v] = work.rows.J[set.first_entry + k * set.rows + m];
    if (!wrenches) continue;
    const Row& row = loops.rows[set.first_row + m];
    for (int k = 0; k < 6; ++k) wrenches[6 * m + k] = 0;
    if (row.kind == RowKind::coupling) continue;
    const Matrix3<double>& S = work.rows.ends[2 * row.pair + 1].R;
    const Wrench<double>& wrench = work.rows.wrenches[set.first_row + m];
    write(transposed_product(S, wrench.force), wrenches + 6 * m), write(transposed_product(S, wrench.moment), wrenches + 6 * m + 3);
  }
}

int modes(const LoopRequest& r, const double* q, const double* guess, int most, double* configurations, void* memory) {
  const LoopCallWork<double>& work = *static_cast<const LoopCallWork<double>*>(memory);
  const LoopModel& loops = r.loops;
  long combinations = 1;
  for (const Cluster& cluster : loops.clusters) {
    if (cluster.kind == ClusterKind::gear || cluster.kind == ClusterKind::lines) continue;
    combinations *= 2;
    if (cluster.kind == ClusterKind::newton || combinations > most) return -1;
  }
  int found = 0;
  for (long combination = 0; combination < combinations; ++combination) {
    set_branch(loops, guess, work);
    long left = combination;
    for (const Cluster& cluster : loops.clusters) {
      if (cluster.kind == ClusterKind::gear || cluster.kind == ClusterKind::lines) continue;
      work.planar.signs[cluster.part] = left % 2 ? -1.0 : 1.0;
      left /= 2;
    }
    for (int k = 0; k < loops.independent_q.count; ++k) work.q[loops.independent_q[k]] = q[k];
    const bool good = close_directly(r.model, loops, guess, work);
    if (!good && found > 0) continue;
    for (int k = 0; k < loops.nq; ++k) configurations[found * loops.nq + k] = work.q[k];
    found += good;
  }
  return found;
}

std::size_t bytes(const LoopRequest& r) {
  Arena arena;
  const LoopCallWork<D> work(arena, r);
  const LoopCallWork<double> single(arena, r);
  LoopCallWork<double>* places;
  double* start;
  arena.take(1, places), arena.take(r.loops.nq, start), arena.take(r.loops.J_entries, start);
  return arena.bytes();
}

/// Lanes of the arrays of ReactionRows, and work.
template <class T> struct ReactionLanes : ReactionWork<T> {
  T *numbers, *x;
  Pose<T>* poses;
  Wrench<T> *required, *wrenches, *residual;
  Vector3<T>* points;
  ReactionLanes(Arena& arena, const ReactionRules& rules) {
    const int n = rules.components.count, bodies = rules.bodies.count, joints = rules.joints.count;
    arena.take(16 * rules.links + 8, numbers), arena.take(n + 8, x), arena.take(rules.links, poses), arena.take(rules.required.count + 2, required);
    arena.take(joints + 2, wrenches), arena.take(bodies + 2, residual), arena.take(2 * joints + 3, points);
    arena.take(n, this->directions), arena.take(bodies, this->needed);
  }
};

void share(const ReactionRules& rules, const ReactionRows& at, long rows, bool* shared, void* memory) {
  constexpr int N = lanes_of<D>;
  Arena arena(memory);
  const ReactionLanes<D> work(arena, rules);
  const int links = rules.links, n = rules.components.count, joints = rules.joints.count, bodies = rules.bodies.count, required = rules.required.count;
  for (long row = 0; row < rows; row += N) {
    const long left = rows - row;
    rows_to_lanes(16 * links, left, at.poses + row * 16 * links, work.numbers);
    for (int k = 0; k < links; ++k) {
      const D* p = work.numbers + 16 * k;
      work.poses[k] = {{p[0], p[1], p[2], p[4], p[5], p[6], p[8], p[9], p[10]}, {p[3], p[7], p[11]}};
    }
    rows_to_lanes(6 * required, left, at.required + row * 6 * required, &work.required[0].force.x);
    rows_to_lanes(n, left, at.components + row * n, work.x);
    const Mask<D> good = share_reactions(rules, work.poses, work.required, work.x, work.wrenches, work.points, work.residual, work);
    lanes_to_rows(n, left, work.x, at.components + row * n);
    lanes_to_rows(6 * joints, left, &work.wrenches[0].force.x, at.wrenches + row * 6 * joints);
    lanes_to_rows(6 * joints, left, &work.points[0].x, at.points + row * 6 * joints);
    lanes_to_rows(6 * bodies, left, &work.residual[0].force.x, at.residual + row * 6 * bodies);
    for (long k = 0; k < N && k < left; ++k) shared[row + k] = good[k] != 0;
  }
}

std::size_t bytes_of_rules(const ReactionRules& rules) { return bytes_of<ReactionLanes<D>>(rules); }

constexpr auto id = LoopQuantity::inverse_dynamics, mm = LoopQuantity::mass_matrix, fd = LoopQuantity::forward_dynamics;

} // namespace

extern const LoopKernels MD_LOOP_KERNELS;
const LoopKernels MD_LOOP_KERNELS = {bytes, prepare, {one<id>, one<mm>, one<fd>}, {many<id>, many<mm>, many<fd>}, constraints, modes, bytes_of_rules, share};

} // namespace modular_dynamics
