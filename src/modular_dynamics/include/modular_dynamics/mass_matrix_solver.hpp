// Linear equations with the mass matrix: accelerations where joints mimic others, hybrid dynamics, derivatives of forward dynamics.
//
// M = L^T D L, from the last velocity to the first, with a unit lower triangular L that has entries only where joints carry each other
// (Featherstone, Rigid Body Dynamics Algorithms, section 6.5; which ones: set_elimination in model.hpp, also with mimic joints, whose drivers
// move several bodies). Velocities may be held: their rows and columns are left out.
//
// D are the pivots: the inertia that a joint moves while those before it in v are held and those after it are free. M's diagonal element is the
// inertia that it moves while all others are held. A pivot up to 1e-13 of that is mostly rounding: see pivot_rounding. With mimic joints it is
// compared with the sum of what driver and followers move each by itself, since in the diagonal element these may cancel.
//
// Hybrid dynamics (ibid., section 9.2), f: velocities whose torques are known, p: whose accelerations are,
//
//     M_ff a_f = tau_f - h_f - M_fp a_p            tau_p = h_p + M_pf a_f + M_pp a_p
//
// Derivatives of forward dynamics (Carpentier & Mansard, Analytical derivatives of rigid body dynamics algorithms, 2018), ID being the
// torques of q, v and the accelerations a(q, v, tau):
//
//     da/dq = -M^-1 dID/dq          da/dv = -M^-1 dID/dv          da/dtau = M^-1
//
// Functions that can fail return 1 + the index in v of the first velocity that moves no inertia, in any lane; 0: there is none.
#pragma once
#include "articulated_body.hpp"

namespace modular_dynamics {

/// Writes D in place of M's diagonal and L below it; entries above the diagonal stay. held: whether each velocity is held, or nullptr.
/// largest (nv): inertias that the pivots are compared with.
template <class T> static int factorize(const Model<Element<T>>& model, const bool* held, T* M, const T* largest) {
  using namespace detail;
  const int nv = model.nv;
  const Elimination& e = model.elimination;
  int failed = 0;
  for (int k = nv - 1; k >= 0; --k) {
    if (held && held[k]) continue;
    T* row = M + long(k) * nv;
    if (failed == 0 && any(is_lost(row[k], T(Element<T>(pivot_rounding) * largest[k])))) failed = 1 + k;
    const T inverse = Element<T>(1) / row[k];
    for (int at = e.first[k + 1] - 1; at >= e.first[k]; --at) { // from the last one on: those before it are still M's
      const int i = e.others[at];
      if (held && held[i]) continue;
      const T factor = row[i] * inverse;
      T* other = M + long(i) * nv;
      for (int b = e.first[k]; b <= at; ++b) other[e.others[b]] = other[e.others[b]] - factor * row[e.others[b]];
      row[i] = factor;
    }
  }
  return failed;
}

/// x = M^-1 x for `columns` right-hand sides side by side, x (nv, columns); rows that are held are neither read nor written.
template <class T> static void solve(const Model<Element<T>>& model, const bool* held, const T* factors, int columns, T* x) {
  const int nv = model.nv;
  const Elimination& e = model.elimination;
  auto subtract = [&](int from, T factor, int to) {
    const T* a = x + long(from) * columns;
    T* b = x + long(to) * columns;
    for (int c = 0; c < columns; ++c) b[c] = b[c] - factor * a[c];
  };
  for (int k = nv - 1; k >= 0; --k) {
    if (held && held[k]) continue;
    const T* row = factors + long(k) * nv;
    for (int at = e.first[k]; at < e.first[k + 1]; ++at)
      if (const int i = e.others[at]; !(held && held[i])) subtract(k, row[i], i);
    const T inverse = Element<T>(1) / row[k];
    for (int c = 0; c < columns; ++c) x[long(k) * columns + c] = x[long(k) * columns + c] * inverse;
  }
  for (int k = 0; k < nv; ++k) {
    if (held && held[k]) continue;
    const T* row = factors + long(k) * nv;
    for (int at = e.first[k]; at < e.first[k + 1]; ++at)
      if (const int i = e.others[at]; !(held && held[i])) subtract(i, row[i], k);
  }
}

template <class T> struct MassMatrixWork {
  NewtonEulerWork<T> newton_euler;
  CompositeBodyWork<T> composite; ///< with the same positions
  T *M, *largest, *torques;       ///< nv nv, nv, nv
};

/// a (nv) of q, v, tau. Masses may be regrouped. positions are known. a may be v or tau.
template <class T>
static int forward_dynamics_by_matrix(const Model<Element<T>>& model, CountedTerms counted, const T* q, const T* v, const T* tau, T* a,
                                         const MassMatrixWork<T>& work, const Wrench<T>* external = nullptr) {
  const int nv = model.nv;
  T* h = work.torques;
  for (int k = 0; k < nv; ++k) h[k] = T{};
  inverse_dynamics_under<false>(external, nullptr, model, counted, q, v, h, h, work.newton_euler);
  mass_matrix(model, counted.armature, q, work.M, work.composite, work.largest);
  const int failed = factorize(model, nullptr, work.M, work.largest);
  for (int k = 0; k < nv; ++k) a[k] = tau[k] - h[k];
  solve(model, nullptr, work.M, 1, a);
  return failed;
}

/// Accelerations and torques (2, nv) of q, v, a and tau. prescribed: whether each acceleration is known. a must be zero where it is not, tau where it is.
template <class T>
MD_INLINE int hybrid_dynamics(const Model<Element<T>>& model, CountedTerms counted, const bool* prescribed, const T* q, const T* v, const T* a,
                              const T* tau, T* out, const MassMatrixWork<T>& work, const Wrench<T>* external = nullptr) {
  const int nv = model.nv;
  T *needed = work.torques, *accelerations = out, *torques = out + nv;
  inverse_dynamics_under<false>(external, nullptr, model, counted, q, v, a, needed, work.newton_euler);
  mass_matrix(model, counted.armature, q, work.M, work.composite, work.largest);
  const int failed = factorize(model, prescribed, work.M, work.largest);
  for (int k = 0; k < nv; ++k) accelerations[k] = prescribed[k] ? a[k] : T(tau[k] - needed[k]);
  solve(model, prescribed, work.M, 1, accelerations);
  for (int p = 0; p < nv; ++p) {
    T sum = needed[p];
    for (int f = 0; f < nv; ++f) // above the diagonal M is as it was
      if (!prescribed[f]) sum = sum + work.M[p < f ? long(p) * nv + f : long(f) * nv + p] * accelerations[f];
    torques[p] = prescribed[p] ? sum : tau[p];
  }
  return failed;
}

/// da/dq, da/dv, da/dtau (nv, nv each) and, behind them, a (nv), which is there already. derivatives (3, nv, nv): of ID at these accelerations;
/// the last one, M, becomes its factors. largest (nv): memory.
template <class T> MD_INLINE int forward_dynamics_derivatives(const Model<Element<T>>& model, T* derivatives, T* out, T* largest) {
  typedef Element<T> E;
  const int nv = model.nv;
  const long square = long(nv) * nv;
  T *M = derivatives + 2 * square, *inverse = out + 2 * square;
  for (int k = 0; k < nv; ++k) largest[k] = M[long(k) * nv + k];
  int failed = factorize(model, nullptr, M, largest);
  for (long k = 0; k < 2 * square; ++k) out[k] = T{} - derivatives[k];
  for (long k = 0; k < square; ++k) inverse[k] = T{};
  for (int k = 0; k < nv; ++k) inverse[long(k) * nv + k] = T{} + E(1);
  for (int part = 0; part < 3; ++part) solve(model, nullptr, M, nv, out + part * square);
  for (int k = 0; k < nv; ++k) {
    // 1 / (M^-1)_kk is the inertia that the joint moves while all others are free
    const T freedom = inverse[long(k) * nv + k] * largest[k];
    if (failed == 0 && any((freedom <= T{}) | (freedom >= T{} + E(1 / detail::pivot_rounding)))) failed = 1 + k;
    for (int i = 0; i < k; ++i) {
      T &below = inverse[long(k) * nv + i], &above = inverse[long(i) * nv + k];
      below = above = E(0.5) * (below + above);
    }
  }
  return failed;
}

} // namespace modular_dynamics
