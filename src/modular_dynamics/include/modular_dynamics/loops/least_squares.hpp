// Least squares and shortest solutions by Householder's triangularisation A = Q R (Golub & Van Loan, section 5.2), and elimination of
// definite matrices.
//
// A has m rows and d <= m columns, column by column. Columns are not exchanged: where they are nearly dependent, the smallest entry on
// R's diagonal says so, and results are not to be used; of a column of zeros they are not finite. Nothing branches on numbers.
#pragma once
#include "../numbers.hpp"

namespace modular_dynamics {

/// R above the diagonal of `matrix`, reflectors v on and below it; R's diagonal, and 2 / |v|^2.
template <class T> struct Triangle { T *matrix, *diagonal, *factors; };

namespace detail {
template <class T> MD_INLINE void reflect(const T* v, T factor, int first, int m, T* b) {
  T total{};
  for (int i = first; i < m; ++i) total = total + v[i] * b[i];
  total = total * factor;
  for (int i = first; i < m; ++i) b[i] = b[i] - total * v[i];
}
} // namespace detail

template <class T> static void triangularize(int m, int d, const Triangle<T>& A) {
  const T zero{};
  for (int k = 0; k < d; ++k) {
    T* column = A.matrix + k * m;
    T square{};
    for (int i = k; i < m; ++i) square = square + column[i] * column[i];
    const T norm = square_root(square), alpha = select(column[k] > zero, T(zero - norm), norm);
    column[k] = column[k] - alpha;
    A.diagonal[k] = alpha;
    A.factors[k] = -1.0 / (alpha * column[k]);
    for (int j = k + 1; j < d; ++j) detail::reflect(column, A.factors[k], k, m, A.matrix + j * m);
  }
}

/// x (d) with the least |A x - b|; behind its first d entries b (m) holds what is left, turned by Q^T.
template <class T> static void solve_least_squares(int m, int d, const Triangle<T>& A, T* b, T* x) {
  for (int k = 0; k < d; ++k) detail::reflect(A.matrix + k * m, A.factors[k], k, m, b);
  for (int k = d - 1; k >= 0; --k) {
    T total = b[k];
    for (int j = k + 1; j < d; ++j) total = total - A.matrix[j * m + k] * x[j];
    x[k] = total / A.diagonal[k];
  }
}

/// The shortest y (m) with A^T y = c (d).
template <class T> static void solve_shortest(int m, int d, const Triangle<T>& A, const T* c, T* y) {
  for (int k = 0; k < d; ++k) {
    T total = c[k];
    for (int i = 0; i < k; ++i) total = total - A.matrix[k * m + i] * y[i];
    y[k] = total / A.diagonal[k];
  }
  for (int i = d; i < m; ++i) y[i] = T{};
  for (int k = d - 1; k >= 0; --k) detail::reflect(A.matrix + k * m, A.factors[k], k, m, y);
}

/// The largest and the smallest entry of R's diagonal.
template <class T> MD_INLINE void diagonal_range(int d, const Triangle<T>& A, T& largest, T& smallest) {
  largest = smallest = absolute(A.diagonal[0]);
  for (int k = 1; k < d; ++k) {
    const T size = absolute(A.diagonal[k]);
    largest = select(size > largest, size, largest);
    smallest = select(size < smallest, size, smallest);
  }
}

/// M x = b by M = L^T D L from the last row to the first, where zeros of branches stay (Featherstone, Rigid Body Dynamics Algorithms, section
/// 6.5); x in the place of b, L, 1 / D and D L in that of M (p, p). Whether M is positive definite: each pivot is more than `least` of its
/// entry on the diagonal.
template <class T> static Mask<T> solve_definite(int p, double least, T* M, T* b) {
  Mask<T> definite = T{} <= T{};
  for (int k = p - 1; k >= 0; --k) {
    for (int j = k; j >= 0; --j) {
      T total = M[k * p + j];
      for (int c = k + 1; c < p; ++c) total = total - M[c * p + k] * M[j * p + c];
      if (j == k) {
        definite = definite & (total > least * M[k * p + k]);
        M[k * p + k] = 1.0 / total;
      } else {
        M[j * p + k] = total, M[k * p + j] = M[k * p + k] * total;
      }
    }
    for (int j = 0; j < k; ++j) b[j] = b[j] - M[k * p + j] * b[k];
    b[k] = b[k] * M[k * p + k];
  }
  for (int k = 0; k < p; ++k)
    for (int j = 0; j < k; ++j) b[k] = b[k] - M[k * p + j] * b[j];
  return definite;
}

} // namespace modular_dynamics
