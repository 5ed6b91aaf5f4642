// Least squares and shortest solutions by Householder's triangularisation A = Q R (Golub & Van Loan, section 5.2), and Cholesky's method.
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
    const T norm = square_root(square), alpha = column[k] > zero ? T(zero - norm) : norm;
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
    largest = size > largest ? size : largest;
    smallest = size < smallest ? size : smallest;
  }
}

/// M x = b by Cholesky's method, x in the place of b, and M's factor in that of M (p, p). Whether M is positive definite: each pivot is
/// more than `least` of its entry on the diagonal.
template <class T> static Mask<T> solve_definite(int p, double least, T* M, T* b) {
  Mask<T> definite = T{} <= T{};
  for (int k = 0; k < p; ++k) {
    const T before = M[k * p + k];
    for (int m = 0; m <= k; ++m) {
      T total = M[k * p + m];
      for (int c = 0; c < m; ++c) total = total - M[k * p + c] * M[m * p + c];
      if (m == k) definite = definite & (total > least * before);
      M[k * p + m] = m < k ? T(total / M[m * p + m]) : square_root(total);
    }
    for (int c = 0; c < k; ++c) b[k] = b[k] - M[k * p + c] * b[c];
    b[k] = b[k] / M[k * p + k];
  }
  for (int k = p - 1; k >= 0; --k) {
    for (int c = k + 1; c < p; ++c) b[k] = b[k] - M[c * p + k] * b[c];
    b[k] = b[k] / M[k * p + k];
  }
  return definite;
}

} // namespace modular_dynamics
