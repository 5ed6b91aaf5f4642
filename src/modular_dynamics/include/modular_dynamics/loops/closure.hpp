// Closing loops: coordinates, velocities and accelerations of all joints from those of the independent ones.
//
// Clusters are solved in the order of the model: gears; planar loops in closed form, on the branch of a guess; the rest by Newton's method
// from the guess. A result is accepted where the way from the guess to it is short relative to the distance from a singular configuration, so that the
// assembly mode is that of the guess. A longer way is walked in strides. Lanes call the same functions; states that these do not close are
// then closed one at a time.
//
// Contract: q, v, a (nq, nv) of all joints, of which those of independent joints are given. A guess (nq) is nearly closed.
#pragma once
#include "../newton_euler.hpp"
#include "constraint_rows.hpp"
#include "least_squares.hpp"
#include "planar_loops.hpp"

namespace modular_dynamics {

/// Newton's method: largest number of steps, largest step [rad or m], the step with which it ends (the Jacobian is of the point before), the
/// largest last step that is accepted, and the largest residual [m or 1] of a closed loop.
constexpr int most_newton_steps = 8;
constexpr double largest_newton_step = 0.3, last_newton_step = 1e-12, accepted_newton_step = 1e-10, closed_residual = 1e-9;
/// Ratio of the smallest to the largest entry of R's diagonal up to which a singular configuration is near; largest rate of a row by a unit of an
/// independent coordinate: beyond it there are too many of these.
constexpr double least_pivot = 1e-6, largest_violation = 1e-6;
/// Walking: the shortest part of a way [rad or m], and the largest number of strides.
constexpr double shortest_stride = 1e-7;
constexpr int most_strides = 100000;
/// Velocities of dependent coordinates up to this part of the known ones are rounding, to which dry friction would give a sign.
constexpr double still = 1e-12;

/// Memory of a call; belongs to one thread.
template <class T> struct LoopWork {
  NewtonEulerWork<T> tree;
  T *q, *v, *a, *tau;   ///< of all joints
  T *before;            ///< (nq) where the way to q starts
  PlanarWork<T> planar;
  T* W;                 ///< of all clusters
  RowWork<T> rows;
  Triangle<T> triangles; ///< of the dependent columns of all sets: from first_entry, and from first_column on
  T* J_before;          ///< of the same, where the way starts
  JointPosition<T>* positions_before;
  T *right, *solution;  ///< (rows), (columns) of the largest set
  T *angles, *sines, *cosines; ///< of many joints side by side, with room for a whole pack behind them
};

namespace detail {

/// Sines and cosines. Of one state as many angles at once as a register holds: arrays have room for full registers.
template <class T> MD_INLINE void sines_cosines(int count, const T* angles, T* sines, T* cosines) {
  if constexpr (std::is_same_v<T, double>) {
    for (int k = 0; k < count; k += lanes_of<Pack<T>>) {
      Pack<T> s, c;
      sine_cosine(load<Pack<T>>(angles + k), s, c);
      store(sines + k, s), store(cosines + k, c);
    }
  } else {
    for (int k = 0; k < count; ++k) sine_cosine(angles[k], sines[k], cosines[k]);
  }
}

/// Positions of bodies with one axis, from their coordinates. body_at(k): the k-th of them.
template <class T, class Bodies>
MD_INLINE void place_each(const Model<double>& tree, int count, Bodies body_at, const T* q, JointPosition<T>* positions, const LoopWork<T>& work) {
  int angles = 0;
  for (int k = 0; k < count; ++k) {
    const Body<double>& body = tree.bodies[body_at(k)];
    if (has_quaternion(body.type)) continue;
    const T amount = body.multiplier * q[body.q];
    if (body.type == JointType::revolute) work.angles[angles++] = without_turns(amount) + body.offset;
    else positions[body_at(k) - 1].shift = amount + body.offset;
  }
  sines_cosines(angles, work.angles, work.sines, work.cosines);
  angles = 0;
  for (int k = 0; k < count; ++k)
    if (tree.bodies[body_at(k)].type == JointType::revolute) {
      JointPosition<T>& at = positions[body_at(k) - 1];
      at.sine = work.sines[angles], at.cosine = work.cosines[angles++];
    }
}
template <class T>
static void place_bodies(const Model<double>& tree, const int* bodies, int count, const T* q, const LoopWork<T>& work) {
  place_each(tree, count, [&](int k) { return bodies[k]; }, q, work.tree.positions, work);
}

/// Coordinates of revolute joints from sines and cosines of their angles; of equal angles those nearest to the guess.
template <class T>
static void set_angles(const Model<double>& tree, const LateAngle* joints, int count, const T* guess, const LoopWork<T>& work) {
  for (int k = 0; k < count; ++k) {
    const JointPosition<T>& at = work.tree.positions[joints[k].body - 1];
    work.sines[k] = at.sine, work.cosines[k] = at.cosine;
  }
  if constexpr (std::is_same_v<T, double>) {
    constexpr int N = lanes_of<Pack<T>>;
    for (int k = count; k % N; ++k) work.sines[k] = 0, work.cosines[k] = 1;
    for (int k = 0; k < count; k += N) store(work.angles + k, arctangent(load<Pack<T>>(work.sines + k), load<Pack<T>>(work.cosines + k)));
  } else {
    for (int k = 0; k < count; ++k) work.angles[k] = arctangent(work.sines[k], work.cosines[k]);
  }
  for (int k = 0; k < count; ++k) {
    const Body<double>& body = tree.bodies[joints[k].body];
    const int index = joints[k].q;
    const double by_multiplier = 1 / body.multiplier, period = 6.28318530717958647693 * by_multiplier;
    const T q = by_multiplier * (work.angles[k] - body.offset);
    work.q[index] = q + period * rounded(T((guess[index] - q) * (body.multiplier * 0.15915494309189533577)));
  }
}

/// Reads turns of a loop's known joints, and leaves positions of its unknown ones.
template <class T> MD_INLINE void turn_known(const LoopModel& loops, const PlanarLoop& loop, const LoopWork<T>& work) {
  for (int k = loop.first; k < loop.stop; ++k) {
    const ChainJoint& joint = loops.chain[k];
    if (joint.slides || k == loop.i || k == loop.j) continue;
    const JointPosition<T>& at = work.tree.positions[joint.body - 1];
    work.planar.turns[k] = {at.cosine * joint.rest_cosine + at.sine * joint.rest_sine,
                            joint.sense * (at.sine * joint.rest_cosine - at.cosine * joint.rest_sine)};
  }
}
template <class T> MD_INLINE void place_unknown(const LoopModel& loops, const PlanarLoop& loop, const LoopWork<T>& work) {
  for (int k : {loop.i, loop.j}) {
    const ChainJoint& joint = loops.chain[k];
    JointPosition<T>& at = work.tree.positions[joint.body - 1];
    if (joint.slides) {
      at.shift = joint.sense * amount_of(joint, work.q);
    } else {
      const T sine = joint.sense * work.planar.turns[k].sine, cosine = work.planar.turns[k].cosine;
      at.cosine = cosine * joint.rest_cosine - sine * joint.rest_sine;
      at.sine = sine * joint.rest_cosine + cosine * joint.rest_sine;
    }
  }
}

template <class T>
static Mask<T> close_planar(const Model<double>& tree, const LoopModel& loops, const Cluster& cluster, const T* guess, const LoopWork<T>& work) {
  const PlanarLoop& loop = loops.planar[cluster.part];
  turn_known(loops, loop, work);
  Mask<T> good = cross_circles(loops, cluster.kind, loop, work.planar.signs[cluster.part], work.q, work.planar.turns);
  good = good & place_slopes(loops, loop, cluster.part, work.q, work.W + cluster.first_W, work.planar);
  place_unknown(loops, loop, work);
  if (loop.angles_now) {
    LateAngle joints[2];
    int count = 0;
    for (int k : {loop.i, loop.j})
      if (!loops.chain[k].slides) joints[count++] = {loops.chain[k].body, loops.chain[k].q};
    set_angles(tree, joints, count, guess, work);
    place_bodies(tree, loops.followers.data + cluster.first_follower, cluster.followers, work.q, work);
  }
  return good;
}

/// q' = q r of a quaternion, r by half a small rotation vector, normalised; p' = p + R(q) x.
template <class T> MD_INLINE void move_quaternion(const Body<double>& body, const T* x, T* q) {
  T* r = q;
  if (body.type == JointType::floating) {
    r += 3;
    add_to(q, 1, rotation_of(r[0], r[1], r[2], r[3]) * vector_at(x));
    x += 3;
  }
  const T by_norm = 1.0 / square_root(T(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]));
  const T w = by_norm * r[0], i = by_norm * r[1], j = by_norm * r[2], k = by_norm * r[3], a = 0.5 * x[0], b = 0.5 * x[1], c = 0.5 * x[2];
  const T to[4] = {w - i * a - j * b - k * c, i + w * a + j * c - k * b, j + w * b + k * a - i * c, k + w * c + i * b - j * a};
  const T scale = 1.0 / square_root(T(to[0] * to[0] + to[1] * to[1] + to[2] * to[2] + to[3] * to[3]));
  for (int n = 0; n < 4; ++n) r[n] = scale * to[n];
}

/// Moves the unknowns of a cluster by x (unknowns), and the bodies that follow.
template <class T>
static void move_unknowns(const Model<double>& tree, const LoopModel& loops, const Cluster& cluster, const T* x, const LoopWork<T>& work) {
  const RowSet& set = loops.sets[cluster.part];
  for (int k = 0; k < cluster.unknowns; ++k) {
    const Column& column = loops.columns[cluster.first_column + k];
    if (column.q >= 0) work.q[column.q] = work.q[column.q] + x[k];
  }
  for (int k = 0; k < set.bodies; ++k) {
    const SetBody& one = loops.set_bodies[set.first_body + k];
    const Body<double>& body = tree.bodies[one.body];
    if (has_quaternion(body.type) && one.column < cluster.unknowns) move_quaternion(body, x + one.column, work.q + body.q);
  }
  place_bodies(tree, loops.followers.data + cluster.first_follower, cluster.followers, work.q, work);
}

template <class T> MD_INLINE Triangle<T> triangle_of(const LoopWork<T>& work, const RowSet& set) {
  return {work.triangles.matrix + set.first_entry, work.triangles.diagonal + set.first_column, work.triangles.factors + set.first_column};
}

/// A first step along the tangent at the guess, as far as the known coordinates have moved since; then Newton's.
template <class T>
static Mask<T> close_by_newton(const Model<double>& tree, const LoopModel& loops, const Cluster& cluster, const T* guess, const LoopWork<T>& work) {
  const RowSet& set = loops.sets[cluster.part];
  const int m = set.rows, d = cluster.unknowns;
  const T zero{};
  const T *J = work.rows.J + set.first_entry, *phi = work.rows.phi + set.first_row;
  const Triangle<T> A = triangle_of(work, set);
  const Column* columns = loops.columns.data + cluster.first_column;
  for (int k = 0; k < d; ++k)
    if (columns[k].q >= 0) work.q[columns[k].q] = guess[columns[k].q];
  for (int k = 0; k < set.bodies; ++k) {
    const SetBody& one = loops.set_bodies[set.first_body + k];
    const Body<double>& body = tree.bodies[one.body];
    if (has_quaternion(body.type) && one.column < d)
      for (int n = 0; n < coordinates_of(body.type); ++n) work.q[body.q + n] = guess[body.q + n];
  }
  place_each(tree, set.bodies, [&](int k) { return loops.set_bodies[set.first_body + k].body; }, guess, work.positions_before, work);
  Mask<T> good = zero <= zero;
  T step = zero, residual = zero;
  for (int steps = 0;; ++steps) {
    evaluate_rows(tree, loops, set, steps ? work.q : guess, steps ? work.tree.positions : work.positions_before, work.rows);
    residual = zero;
    for (int r = 0; r < m; ++r) { // sums, where NaN stays
      residual = residual + absolute(phi[r]);
      work.right[r] = zero - phi[r];
    }
    if (steps == 0) {
      for (int k = 0; k < m * d; ++k) work.J_before[set.first_entry + k] = J[k];
      for (int k = d; k < set.columns; ++k) {
        const T change = work.q[columns[k].q] - guess[columns[k].q];
        for (int r = 0; r < m; ++r) work.right[r] = work.right[r] - J[k * m + r] * change;
      }
    }
    if (d > 0) {
      for (int k = 0; k < m * d; ++k) A.matrix[k] = J[k];
      triangularize(m, d, A);
      solve_least_squares(m, d, A, work.right, work.solution);
    }
    step = zero;
    for (int k = 0; k < d; ++k) step = step + absolute(work.solution[k]);
    if (steps == 0) good = step < 2 * largest_newton_step;
    else if (steps == 1) good = good & (step < largest_newton_step);
    move_unknowns(tree, loops, cluster, work.solution, work);
    if (steps > 0 && (steps == most_newton_steps || !any(good & (step > last_newton_step)))) break;
  }
  good = good & (step <= accepted_newton_step) & (residual < closed_residual);
  if (d == 0) return good;
  T largest, smallest;
  diagonal_range(d, A, largest, smallest);
  return good & (smallest > least_pivot * largest);
}

/// W of a cluster that Newton's method has closed. Returns where the known coordinates may move independently.
template <class T> static Mask<T> project_newton(const LoopModel& loops, const Cluster& cluster, const LoopWork<T>& work) {
  const RowSet& set = loops.sets[cluster.part];
  const int m = set.rows, d = cluster.unknowns;
  const T zero{};
  T violation{};
  T* W = work.W + cluster.first_W;
  for (int k = 0; k < cluster.knowns; ++k) {
    for (int r = 0; r < m; ++r) work.right[r] = zero - work.rows.J[set.first_entry + (d + k) * m + r];
    solve_least_squares(m, d, triangle_of(work, set), work.right, work.solution);
    for (int u = 0; u < d; ++u) W[u * cluster.knowns + k] = work.solution[u];
    for (int r = d; r < m; ++r) violation = violation + absolute(work.right[r]);
  }
  return violation < largest_violation;
}

/// Where J_d, of work.J_before where the way started, has changed by less than half of its smallest pivot: a matrix does not become singular
/// by less than its smallest singular value (Weyl).
template <class T> static Mask<T> newton_way_is_regular(const LoopModel& loops, const Cluster& cluster, const LoopWork<T>& work) {
  const RowSet& set = loops.sets[cluster.part];
  T change{}, largest{}, smallest{};
  if (cluster.unknowns == 0) return change <= change;
  for (int k = set.first_entry; k < set.first_entry + set.rows * cluster.unknowns; ++k) {
    const T difference = work.rows.J[k] - work.J_before[k];
    change = change + difference * difference;
  }
  diagonal_range(cluster.unknowns, triangle_of(work, set), largest, smallest);
  return square_root(change) < 0.5 * smallest;
}

} // namespace detail

/// The branch of all planar loops at a configuration.
template <class T> static void set_branch(const LoopModel& loops, const T* guess, const LoopWork<T>& work) {
  using namespace detail;
  for (int k = 0; k < loops.branch_joints.count; ++k) work.angles[k] = without_turns(amount_of(loops.chain[loops.branch_joints[k]], guess));
  sines_cosines(loops.branch_joints.count, work.angles, work.sines, work.cosines);
  for (int k = 0; k < loops.branch_joints.count; ++k) work.planar.turns[loops.branch_joints[k]] = {work.cosines[k], work.sines[k]};
  for (const Cluster& cluster : loops.clusters)
    if (cluster.kind != ClusterKind::gear && cluster.kind != ClusterKind::newton)
      work.planar.signs[cluster.part] = cluster.kind == ClusterKind::lines
          ? T(T{} + 1.0) : branch_sign(loops, cluster.kind, loops.planar[cluster.part], guess, work.planar.turns);
}

/// Dependent coordinates of work.q from the independent ones in it, on the branch that is set, nearest to a guess; also positions of all
/// joints, and W. Returns where that succeeded.
template <class T>
static Mask<T> close_directly(const Model<double>& tree, const LoopModel& loops, const T* guess, const LoopWork<T>& work) {
  using namespace detail;
  place_bodies(tree, loops.given.data, loops.given.count, work.q, work);
  const T zero{};
  Mask<T> good = zero <= zero;
  for (const Cluster& cluster : loops.clusters) {
    if (cluster.kind == ClusterKind::gear) {
      T sum = zero + cluster.offset;
      for (int k = 0; k < cluster.knowns; ++k) {
        const double ratio = loops.ratios[cluster.first_W + k];
        sum = sum + ratio * work.q[loops.columns[cluster.first_column + 1 + k].q];
        work.W[cluster.first_W + k] = zero + ratio;
      }
      work.q[loops.columns[cluster.first_column].q] = sum;
      place_bodies(tree, loops.followers.data + cluster.first_follower, cluster.followers, work.q, work);
    } else if (cluster.kind == ClusterKind::newton) {
      good = good & close_by_newton(tree, loops, cluster, guess, work);
      good = good & project_newton(loops, cluster, work);
    } else {
      good = good & close_planar(tree, loops, cluster, guess, work);
    }
  }
  set_angles(tree, loops.late_angles.data, loops.late_angles.count, guess, work);
  return good;
}

/// Where the way from `before`, with the Jacobians J_before, to work.q, closed by `close_directly`, keeps clear of singular configurations.
template <class T> static Mask<T> way_is_regular(const LoopModel& loops, const T* before, const LoopWork<T>& work) {
  const T zero{};
  Mask<T> good = zero <= zero;
  for (const Cluster& cluster : loops.clusters) {
    if (cluster.kind == ClusterKind::newton) good = good & detail::newton_way_is_regular(loops, cluster, work);
    else if (cluster.kind != ClusterKind::gear)
      good = good & planar_way_is_regular(loops, loops.planar[cluster.part], cluster.part, before, work.q, work.planar);
  }
  return good;
}

/// Closes the loops of one state at independent coordinates (in their order), in the assembly mode of a guess (nq): directly, or by strides
/// from the guess. Returns whether that succeeded.
static inline bool close_loops(const Model<double>& tree, const LoopModel& loops, const double* independent, const double* guess, const LoopWork<double>& work) {
  double* before = work.before;
  for (int k = 0; k < loops.nq; ++k) before[k] = guess[k];
  set_branch(loops, guess, work);
  const int count = loops.independent_q.count;
  double distance = 0;
  for (int k = 0; k < count; ++k) {
    const double change = absolute(independent[k] - guess[loops.independent_q[k]]);
    distance = change > distance ? change : distance;
  }
  double done = 0, stride = 1;
  for (int strides = 0; strides < most_strides; ++strides) {
    const double part = done + stride < 1 - 1e-9 ? done + stride : 1; // no rest that is rounding only
    for (int k = 0; k < count; ++k) {
      const int q = loops.independent_q[k];
      work.q[q] = part == 1 ? independent[k] : guess[q] + part * (independent[k] - guess[q]);
    }
    if (close_directly(tree, loops, before, work) && way_is_regular(loops, before, work)) {
      if (part == 1) return true;
      for (int k = 0; k < loops.nq; ++k) before[k] = work.q[k];
      done = part, stride *= 2;
    } else {
      stride *= 0.5;
      if (!(stride * distance > shortest_stride)) return false;
    }
  }
  return false;
}

/// Velocities and accelerations of the dependent coordinates, from those of the independent ones in work.v and work.a.
/// Stop: velocities that are rounding become zero.
template <class T> static void complete_motion(const Model<double>& tree, const LoopModel& loops, bool stop, const LoopWork<T>& work) {
  const T zero{};
  T *v = work.v, *a = work.a;
  for (const Cluster& cluster : loops.clusters) {
    const Column *unknowns = loops.columns.data + cluster.first_column, *knowns = unknowns + cluster.unknowns;
    const T* W = work.W + cluster.first_W;
    T largest{};
    if (stop && cluster.kind != ClusterKind::gear)
      for (int k = 0; k < cluster.knowns; ++k) {
        const T size = still * absolute(v[knowns[k].v]);
        largest = select(size > largest, size, largest);
      }
    for (int u = 0; u < cluster.unknowns; ++u) {
      T rate{}, change{};
      for (int k = 0; k < cluster.knowns; ++k) {
        const T factor = W[u * cluster.knowns + k];
        rate = rate + factor * v[knowns[k].v], change = change + factor * a[knowns[k].v];
      }
      v[unknowns[u].v] = stop && cluster.kind != ClusterKind::gear ? select(absolute(rate) > largest, rate, zero) : rate;
      a[unknowns[u].v] = change;
    }
    if (cluster.kind == ClusterKind::gear || cluster.unknowns == 0) continue;
    if (cluster.kind == ClusterKind::newton) {
      const RowSet& set = loops.sets[cluster.part];
      evaluate_drift(tree, loops, set, v, work.rows);
      for (int r = 0; r < set.rows; ++r) work.right[r] = work.rows.gamma[set.first_row + r];
      solve_least_squares(set.rows, cluster.unknowns, detail::triangle_of(work, set), work.right, work.solution);
      for (int u = 0; u < cluster.unknowns; ++u) a[unknowns[u].v] = a[unknowns[u].v] - work.solution[u];
    } else {
      const Vector2<T> drift = planar_drift(loops, loops.planar[cluster.part], cluster.part, v, work.planar);
      a[unknowns[0].v] = a[unknowns[0].v] - drift.x;
      a[unknowns[1].v] = a[unknowns[1].v] - drift.y;
    }
  }
}

/// W^T times a table (nv, width): in the rows of the independent velocities; those of the others stay as they arrived.
template <class T> static void transmit(const LoopModel& loops, int width, T* table, const LoopWork<T>& work) {
  for (int n = loops.clusters.count - 1; n >= 0; --n) {
    const Cluster& cluster = loops.clusters[n];
    const Column *unknowns = loops.columns.data + cluster.first_column, *knowns = unknowns + cluster.unknowns;
    const T* W = work.W + cluster.first_W;
    for (int u = 0; u < cluster.unknowns; ++u) {
      const T* from = table + unknowns[u].v * width;
      for (int k = 0; k < cluster.knowns; ++k) {
        T* to = table + knowns[k].v * width;
        const T factor = W[u * cluster.knowns + k];
        for (int c = 0; c < width; ++c) to[c] = to[c] + factor * from[c];
      }
    }
  }
}

} // namespace modular_dynamics
