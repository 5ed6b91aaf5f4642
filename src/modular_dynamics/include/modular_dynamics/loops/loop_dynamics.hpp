// Dynamics of closed loops in independent coordinates, where the loops are closed (closure.hpp).
//
//   torques            tau_1 = W^T (tau of the tree + J_L^T F), F the tensions of springs between links
//   mass matrix        M_1 = W^T M W
//   accelerations      M_1 a_1 = tau_1 - h_1, h_1 the torques at a_1 = 0
//   wrenches at cuts   J_d^T lambda = tau_d of each cluster, the shortest lambda where rows are redundant
//
// (Schappler et al., section 3.4; springs: Goncalves et al., eqs. 5, 15.) W is applied cluster by cluster, each in its few columns.
//
// Contract: p independent velocities; results in their order.
#pragma once
#include "closure.hpp"

namespace modular_dynamics {

/// Adds to work.tau what joints hold against the springs, and writes their tensions.
template <class T> static void add_springs(const Model<double>& tree, const LoopModel& loops, T* tensions, const LoopWork<T>& work) {
  const RowSet& set = loops.sets[1];
  if (set.rows == 0) return;
  evaluate_rows(tree, loops, set, work.q, work.tree.positions, work.rows);
  const Column* columns = loops.columns.data + set.first_column;
  const T* J = work.rows.J + set.first_entry;
  for (int s = 0; s < set.rows; ++s) {
    const SpringLaw& law = loops.springs[s];
    T tension = law.initial_force + law.stiffness * (work.rows.phi[set.first_row + s] - law.free_length);
    if (law.damping != 0) {
      T rate{};
      for (int k = 0; k < set.columns; ++k) rate = rate + J[k * set.rows + s] * work.v[columns[k].v];
      tension = tension + law.damping * rate;
    }
    tensions[s] = tension;
    for (int k = 0; k < set.columns; ++k) work.tau[columns[k].v] = work.tau[columns[k].v] + J[k * set.rows + s] * tension;
  }
}

/// work.tau of the independent velocities, from work.q, v, a; those of dependent ones are what their cluster holds.
///
/// Loaded: with wrenches from outside, by a model whose masses are as they are; after it work.tree.wrenches hold those of the open tree's joints.
template <class T>
static void closed_inverse_dynamics(const Model<double>& tree, const LoopModel& loops, CountedTerms counted, bool mimics,
                                       const Wrench<T>* external, bool keep, T* tensions, const LoopWork<T>& work) {
  complete_motion(tree, loops, counted.friction, work);
  if (external || keep) inverse_dynamics_under<true, T>(external, nullptr, tree, counted, work.q, work.v, work.a, work.tau, work.tree);
  else inverse_dynamics(tree, counted, mimics, work.q, work.v, work.a, work.tau, work.tree);
  add_springs(tree, loops, tensions, work);
  transmit(loops, 1, work.tau, work);
}

/// [force, moment] of each predecessor on its successor, at and in the successor's anchor: 6 for each loop joint.
template <class T> static void cut_wrenches(const LoopModel& loops, T* wrenches, const LoopWork<T>& work) {
  for (int k = 0; k < 6 * loops.loops; ++k) wrenches[k] = T{};
  for (const Cluster& cluster : loops.clusters) {
    const Column* unknowns = loops.columns.data + cluster.first_column;
    if (cluster.kind == ClusterKind::gear || cluster.unknowns == 0) continue;
    if (cluster.kind == ClusterKind::newton) {
      const RowSet& set = loops.sets[cluster.part];
      for (int u = 0; u < cluster.unknowns; ++u) work.solution[u] = work.tau[unknowns[u].v];
      solve_shortest(set.rows, cluster.unknowns, detail::triangle_of(work, set), work.solution, work.right);
      for (int r = 0; r < set.rows; ++r) {
        const Row& row = loops.rows[set.first_row + r];
        if (row.kind == RowKind::coupling) continue;
        const Matrix3<T>& S = work.rows.ends[2 * row.pair + 1].R;
        const Wrench<T>& wrench = work.rows.wrenches[set.first_row + r];
        T* to = wrenches + 6 * loops.pairs[row.pair].number;
        add_to(to, 1, work.right[r] * transposed_product(S, wrench.force)), add_to(to + 3, 1, work.right[r] * transposed_product(S, wrench.moment));
      }
    } else {
      const PlanarLoop& loop = loops.planar[cluster.part];
      const T *inverse = work.planar.inverses + 4 * cluster.part, first = work.tau[unknowns[0].v], second = work.tau[unknowns[1].v];
      const Vector2<T> force = detail::turned(detail::back(work.planar.tips[cluster.part]),
                                              Vector2<T>{inverse[0] * first + inverse[2] * second, inverse[1] * first + inverse[3] * second});
      write(force.x * loop.x + force.y * loop.y, wrenches + 6 * loop.loop);
    }
  }
}

/// Pivots of M_1 relative to its entry on the diagonal, and such entries relative to the largest of M, up to which M_1 may be singular but
/// for rounding.
constexpr double no_inertia = 1e-10, little_inertia = 1e-13;

/// M_1 (p, p) row by row, by the memory of the tree's mass matrix, M (nv, nv) and a table (nv, p). Masses may be regrouped.
/// largest: the largest entry on M's diagonal, where it is given.
template <class T>
static void closed_mass_matrix(const Model<double>& tree, const LoopModel& loops, bool armature, T* M, T* table, T* result,
                               const CompositeBodyWork<T>& composite, const LoopWork<T>& work, T* largest = nullptr) {
  const int p = loops.independent_v.count, nv = loops.nv;
  mass_matrix(tree, armature, work.q, M, composite);
  if (largest) *largest = T{};
  for (int k = 0; largest && k < nv; ++k) *largest = select(M[k * nv + k] > *largest, M[k * nv + k], *largest);
  transmit(loops, nv, M, work);
  for (int k = 0; k < p; ++k)
    for (int c = 0; c < nv; ++c) table[c * p + k] = M[loops.independent_v[k] * nv + c];
  transmit(loops, p, table, work);
  for (int k = 0; k < p; ++k)
    for (int m = 0; m <= k; ++m) result[k * p + m] = result[m * p + k] = table[loops.independent_v[k] * p + m]; // rounding apart, it is symmetric
}

} // namespace modular_dynamics
