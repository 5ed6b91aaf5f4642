// Closed loops, compiled once for each generation of processors as kernels.cpp is, with the same definitions.
#include "arena.hpp"
#include "loop_kernels.hpp"

#include "modular_dynamics/batch.hpp"
#include "modular_dynamics/loops/loop_dynamics.hpp"

namespace modular_dynamics {
namespace {

typedef Lanes<double, MD_LANES> D;

/// Memory of a call: of closing loops, and of the mass matrix.
template <class T> struct Work : LoopWork<T> {
  CompositeBodyWork<T> composite;
  T *guess, *independent, *v_given, *third, *out, *details, *tensions, *M, *table, *M1, *loads;
  Wrench<T>* external;

  Work(Arena& arena, const LoopRequest& r) {
    const LoopModel& loops = r.loops;
    const int n = r.whole.joints, nq = loops.nq, nv = loops.nv, p = loops.independent_v.count, columns = r.whole.bodies[0].columns_end;
    constexpr int pack = 16; // room for whole packs and squares
    int rows = 1, most = 1;
    for (const RowSet& set : loops.sets) {
      rows = set.rows > rows ? set.rows : rows;
      most = set.columns > most ? set.columns : most;
    }
    arena.take(this->tree.positions, n), arena.take(this->positions_before, n), arena.take(this->tree.motions, n + 1), arena.take(this->tree.wrenches, n + 1);
    for (T** one : {&this->q, &this->before, &guess, &independent}) arena.take(*one, nq + pack);
    for (T** one : {&this->v, &this->a, &this->tau, &v_given, &third}) arena.take(*one, nv + pack);
    const int joints = loops.chain.count, planar = loops.planar.count;
    arena.take(this->planar.turns, joints), arena.take(this->planar.slopes, joints), arena.take(this->planar.inverses, 4 * planar);
    arena.take(this->planar.tips, planar), arena.take(this->planar.signs, planar), arena.take(this->planar.determinants, planar);
    arena.take(this->W, loops.W_entries);
    arena.take(this->rows.bodies, loops.set_bodies.count), arena.take(this->rows.drifts, loops.set_bodies.count);
    arena.take(this->rows.ends, 2 * loops.pairs.count), arena.take(this->rows.wrenches, loops.rows.count);
    arena.take(this->rows.phi, loops.rows.count), arena.take(this->rows.gamma, loops.rows.count), arena.take(this->rows.J, loops.J_entries);
    arena.take(this->triangles.matrix, loops.J_entries), arena.take(this->J_before, loops.J_entries);
    arena.take(this->triangles.diagonal, loops.columns.count), arena.take(this->triangles.factors, loops.columns.count);
    arena.take(this->right, rows), arena.take(this->solution, most);
    const int angles = (n > joints ? n : joints) + pack;
    for (T** one : {&this->angles, &this->sines, &this->cosines}) arena.take(*one, angles);
    arena.take(composite.composites, n + 1);
    composite.positions = this->tree.positions;
    WrenchColumns<T>& c = composite.columns;
    for (T** one : {&c.fx, &c.fy, &c.fz, &c.nx, &c.ny, &c.nz}) arena.take(*one, columns);
    arena.take(M, nv * nv), arena.take(table, nv * p), arena.take(M1, p * p + pack), arena.take(out, p * p + pack);
    arena.take(details, details_of(r) + pack), arena.take(tensions, loops.springs.count);
    arena.take(loads, 6 * n), arena.take(external, n + 1);
  }
};

template <class T> MD_INLINE void write_details(const LoopRequest& r, T* to, const Work<T>& work) {
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
MD_INLINE Mask<T> quantity_of(const LoopRequest& r, const T* v, const T* third, const double* loads, T* out, T* details, const Work<T>& work) {
  const LoopModel& loops = r.loops;
  const int p = loops.independent_v.count;
  const CountedTerms counted{r.armature, r.springs, r.friction};
  const T zero{};
  Mask<T> good = zero <= zero;
  if constexpr (quantity == LoopQuantity::mass_matrix) {
    closed_mass_matrix<T>(r.regrouped, loops, r.armature, work.M, work.table, out, work.composite, work);
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
    closed_inverse_dynamics<T>(loaded || details ? r.whole : r.regrouped, loops, counted, r.mimics, loaded ? work.external : nullptr, details,
                               work.tensions, work);
    if constexpr (quantity == LoopQuantity::inverse_dynamics) {
      for (int k = 0; k < p; ++k) out[k] = work.tau[loops.independent_v[k]];
      if (details) write_details<T>(r, details, work);
    } else {
      for (int k = 0; k < p; ++k) out[k] = third[k] - work.tau[loops.independent_v[k]];
      T largest;
      closed_mass_matrix<T>(r.regrouped, loops, r.armature, work.M, work.table, work.M1, work.composite, work, &largest);
      for (int k = 0; k < p; ++k) good = good & (work.M1[k * p + k] > little_inertia * largest);
      good = good & solve_definite(p, no_inertia, work.M1, out);
    }
  }
  return good;
}

/// Coordinates beyond are not closed [rad or m]: neighbouring numbers are 1e-4 apart there.
constexpr double largest_coordinate = 1e12;

MD_INLINE bool too_large(const double* values, int count) {
  for (int k = 0; k < count; ++k)
    if (!(absolute(values[k]) <= largest_coordinate)) return true;
  return false;
}

MD_INLINE bool finite_array(const double* values, int count) {
  FiniteCheck<double> check;
  for (int k = 0; k < count; ++k) check.add(values[k]);
  return check.all_finite();
}

template <LoopQuantity quantity> int results_of(const LoopRequest& r) {
  const int p = r.loops.independent_v.count;
  return quantity == LoopQuantity::mass_matrix ? p * p : p;
}

template <LoopQuantity quantity> MD_INLINE LoopStatus run_one(const LoopRequest& r, const LoopRows& at, const Work<double>& work) {
  const LoopModel& loops = r.loops;
  const int p = loops.independent_v.count;
  if (!finite_array(at.q, loops.independent_q.count) || !finite_array(at.guess, loops.nq)) return LoopStatus::not_finite;
  if (quantity != LoopQuantity::mass_matrix && !(finite_array(at.v, p) && finite_array(at.third, p))) return LoopStatus::not_finite;
  if (at.loads && !finite_array(at.loads, 6 * r.whole.joints)) return LoopStatus::not_finite;
  if (too_large(at.q, loops.independent_q.count) || too_large(at.guess, loops.nq)) return LoopStatus::elsewhere;
  if (!close_loops<D>(r.regrouped, loops, at.q, at.guess, work)) return LoopStatus::elsewhere;
  if (!quantity_of<quantity, double>(r, at.v, at.third, at.loads, work.out, at.details ? work.details : nullptr, work)) return LoopStatus::no_inertia;
  const int results = results_of<quantity>(r);
  if (!finite_array(work.out, results)) return LoopStatus::overflow;
  for (int k = 0; k < results; ++k) at.out[k] = work.out[k];
  if (at.coordinates)
    for (int k = 0; k < loops.nq; ++k) at.coordinates[k] = work.q[k];
  if (at.details)
    for (int k = 0; k < details_of(r); ++k) at.details[k] = work.details[k];
  return LoopStatus::good;
}

/// Memory of single calls begins with the places of all arrays in it: to find them takes as long as a small robot's tree.
void prepare(const LoopRequest& r, void* memory) {
  Arena arena(memory);
  Work<double>* places;
  arena.take(places, 1);
  *places = Work<double>(arena, r);
}

template <LoopQuantity quantity> LoopStatus one(const LoopRequest& r, const LoopRows& at, void* memory) {
  return run_one<quantity>(r, at, *static_cast<const Work<double>*>(memory));
}

/// x one lane later, with another number in the first.
template <class T, std::size_t... K> MD_INLINE T shifted(T x, double first, std::index_sequence<K...>) {
  if constexpr (lanes_of<T> == 1) return first;
  else return detail::shuffled<(K == 0 ? lanes_of<T> : int(K) - 1)...>(x, T{} + first);
}

/// Where angles of joints in planar loops are the nearest to those of the state before, too, and not of where all lanes start.
template <class T> MD_INLINE Mask<T> turns_follow(const LoopRequest& r, const Work<T>& work) {
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
  constexpr int N = MD_LANES;
  const LoopModel& loops = r.loops;
  const int pq = loops.independent_q.count, p = loops.independent_v.count, nq = loops.nq, results = results_of<quantity>(r), wide = details_of(r);
  Arena arena(memory);
  const Work<D> work(arena, r);
  const Work<double> single(arena, r);
  double *start, *last_J; // the last configuration that is closed, or the guess, and its Jacobians
  arena.take(start, nq), arena.take(last_J, loops.J_entries);
  if (!each)
    for (int k = 0; k < nq; ++k) start[k] = at.guess[k];
  auto from = [&](long row) {
    LoopRows one = at;
    one.q += row * pq, one.guess = each ? at.guess + row * nq : start, one.out += row * results;
    if (at.v) one.v += row * p;
    if (at.third) one.third += row * p;
    if (at.coordinates) one.coordinates += row * nq;
    if (at.details) one.details += row * wide;
    return one;
  };
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
      if (each || fresh) set_branch<D, D>(loops, work.guess, work);
      read_rows(pq, left, here.q, work.independent);
      for (int k = 0; k < pq; ++k) work.q[loops.independent_q[k]] = work.independent[k];
      Mask<D> mask = close_directly<D, D>(r.regrouped, loops, work.guess, work);
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
  const Work<double>& work = *static_cast<const Work<double>*>(memory);
  const LoopModel& loops = r.loops;
  const RowSet& set = loops.sets[springs];
  detail::place_each<D>(r.whole, r.whole.joints, [](int k) { return k + 1; }, q, work.tree.positions, work);
  evaluate_rows<double>(r.whole, loops, set, q, work.tree.positions, work.rows);
  evaluate_drift<double>(r.whole, loops, set, v, work.rows);
  for (int m = 0; m < set.rows * loops.nv; ++m) J[m] = 0;
  for (int m = 0; m < set.rows; ++m) {
    phi[m] = work.rows.phi[set.first_row + m], gamma[m] = work.rows.gamma[set.first_row + m];
    for (int k = 0; k < set.columns; ++k)
      J[m * loops.nv + loops.columns[set.first_column + k].v] = work.rows.J[set.first_entry + k * set.rows + m];
    if (!wrenches) continue;
    const Row& row = loops.rows[set.first_row + m];
    Wrench<double> wrench{zero_vector<double>(), zero_vector<double>()};
    if (row.kind != RowKind::coupling) {
      const Matrix3<double>& S = work.rows.ends[2 * row.pair + 1].R;
      wrench = {transposed_product(S, work.rows.wrenches[set.first_row + m].force), transposed_product(S, work.rows.wrenches[set.first_row + m].moment)};
    }
    const double parts[6] = {wrench.force.x, wrench.force.y, wrench.force.z, wrench.moment.x, wrench.moment.y, wrench.moment.z};
    for (int k = 0; k < 6; ++k) wrenches[6 * m + k] = parts[k];
  }
}

int modes(const LoopRequest& r, const double* q, const double* guess, int most, double* configurations, void* memory) {
  const Work<double>& work = *static_cast<const Work<double>*>(memory);
  const LoopModel& loops = r.loops;
  long combinations = 1;
  for (const Cluster& cluster : loops.clusters) {
    if (cluster.kind == ClusterKind::gear || cluster.kind == ClusterKind::lines) continue;
    combinations *= 2;
    if (cluster.kind == ClusterKind::newton || combinations > most) return -1;
  }
  int found = 0;
  for (long combination = 0; combination < combinations; ++combination) {
    set_branch<D>(loops, guess, work);
    long left = combination;
    for (const Cluster& cluster : loops.clusters) {
      if (cluster.kind == ClusterKind::gear || cluster.kind == ClusterKind::lines) continue;
      work.planar.signs[cluster.part] = left % 2 ? -1.0 : 1.0;
      left /= 2;
    }
    for (int k = 0; k < loops.independent_q.count; ++k) work.q[loops.independent_q[k]] = q[k];
    const bool good = close_directly<D>(r.regrouped, loops, guess, work);
    if (!good && found > 0) continue;
    for (int k = 0; k < loops.nq; ++k) configurations[found * loops.nq + k] = work.q[k];
    found += good;
  }
  return found;
}

std::size_t bytes(const LoopRequest& r) {
  Arena arena;
  const Work<D> work(arena, r);
  const Work<double> single(arena, r);
  Work<double>* places;
  double* start;
  arena.take(places, 1), arena.take(start, r.loops.nq), arena.take(start, r.loops.J_entries);
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
    arena.take(numbers, 16 * rules.links + 8), arena.take(x, n + 8), arena.take(poses, rules.links), arena.take(required, rules.required.count + 2);
    arena.take(wrenches, joints + 2), arena.take(residual, bodies + 2), arena.take(points, 2 * joints + 3);
    arena.take(this->directions, n), arena.take(this->needed, bodies);
  }
};

void share(const ReactionRules& rules, const ReactionRows& at, long rows, bool* shared, void* memory) {
  constexpr int N = MD_LANES;
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

std::size_t bytes_of_rules(const ReactionRules& rules) {
  Arena arena;
  const ReactionLanes<D> work(arena, rules);
  return arena.bytes();
}

constexpr auto id = LoopQuantity::inverse_dynamics, mm = LoopQuantity::mass_matrix, fd = LoopQuantity::forward_dynamics;

} // namespace

#define MD_JOINED_(a, b) a##b
#define MD_JOINED(a, b) MD_JOINED_(a, b)
extern const LoopKernels MD_JOINED(loop_, MD_KERNELS);
const LoopKernels MD_JOINED(loop_, MD_KERNELS) = {MD_NAME, bytes, prepare, {one<id>, one<mm>, one<fd>}, {many<id>, many<mm>, many<fd>}, constraints, modes,
                                                      bytes_of_rules, share};

} // namespace modular_dynamics
