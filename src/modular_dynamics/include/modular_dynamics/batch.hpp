// Many states: rows of arrays become lanes, and lanes become rows again.
//
// A row holds the numbers of one state; T holds one number of as many states as it has lanes. Blocks of rows are transposed by
// shuffles of vector registers.
#pragma once
#include "numbers.hpp"

namespace modular_dynamics {

namespace detail {

/// Lanes K of a and b, counted through both.
template <int... K, class T> MD_INLINE T shuffled(T a, T b) {
#if defined(__clang__) || __GNUC__ > 11
  return __builtin_shufflevector(a, b, K...);
#else
  return __builtin_shuffle(a, b, decltype(a == b){K...});
#endif
}

// A square of N x N numbers is transposed by log2(N) rounds; in the round of H, elements K & H of two rows change places.
template <int H, class T, std::size_t... K> MD_INLINE void exchange(T& a, T& b, std::index_sequence<K...>) {
  constexpr int N = sizeof...(K);
  T low = shuffled<(K & H ? N + K - H : K)...>(a, b);
  b = shuffled<(K & H ? N + K : K + H)...>(a, b);
  a = low;
}
template <int H, class T> MD_INLINE void rounds(T* row) {
  if constexpr (H > 0) {
    for (int k = 0; k < lanes_of<T>; ++k)
      if (!(k & H)) exchange<H>(row[k], row[k + H], std::make_index_sequence<lanes_of<T>>());
    rounds<H / 2>(row);
  }
}
template <class T, std::size_t... K> MD_INLINE T joined(const Element<T>* a, const Element<T>* b, std::index_sequence<K...>) {
  if constexpr (lanes_of<T> == 2) return T{a[0], b[0]};
  else {
#if defined(__clang__) || __GNUC__ > 11
    typedef Lanes<Element<T>, lanes_of<T> / 2> Half;
    return __builtin_shufflevector(load<Half>(a), load<Half>(b), K...);
#else
    return T{(K < lanes_of<T> / 2 ? a[K] : b[K - lanes_of<T> / 2])...};
#endif
  }
}
/// N numbers of N rows, `step` apart, become N numbers of N lanes, `to_step` apart. The first round is done by loads of halves.
template <class T> MD_INLINE void transpose(const Element<T>* from, long step, Element<T>* to, long to_step) {
  constexpr int N = lanes_of<T>, H = N / 2;
  T row[N];
  for (int k = 0; k < H; ++k)
    for (int h = 0; h < 2; ++h)
      row[k + h * H] = joined<T>(from + k * step + h * H, from + (k + H) * step + h * H, std::make_index_sequence<N>());
  rounds<H / 2>(row);
  for (int k = 0; k < N; ++k) store<T>(to + k * to_step, row[k]);
}

} // namespace detail

/// `count` numbers of each row become T's. With fewer rows than lanes, the remaining lanes repeat the last row.
template <class T> MD_INLINE void rows_to_lanes(int count, long rows, const Element<T>* from, T* to) {
  constexpr int N = lanes_of<T>;
  if constexpr (N > 1) {
    if (rows >= N && count >= N) {
      for (int k = 0; k < count; k += N) {
        int first = k < count - N ? k : count - N; // the last square overlaps the one before
        detail::transpose<T>(from + first, count, reinterpret_cast<Element<T>*>(to + first), N);
      }
      return;
    }
  }
  Element<T>* lanes = reinterpret_cast<Element<T>*>(to);
  for (int k = 0; k < count; ++k)
    for (int l = 0; l < N; ++l) lanes[k * N + l] = from[(l < rows ? l : rows - 1) * count + k];
}

template <class T> MD_INLINE void lanes_to_rows(int count, long rows, const T* from, Element<T>* to) {
  constexpr int N = lanes_of<T>;
  if constexpr (N > 1) {
    if (rows >= N && count >= N) {
      for (int k = 0; k < count; k += N) {
        int first = k < count - N ? k : count - N;
        detail::transpose<T>(reinterpret_cast<const Element<T>*>(from + first), N, to + first, count);
      }
      return;
    }
  }
  for (int k = 0; k < count; ++k)
    for (int l = 0; l < N && l < rows; ++l) to[l * count + k] = lane(from[k], l);
}

/// Asks for memory that is needed later.
template <class E> MD_INLINE void fetch_ahead(const E* from, long count) {
  for (long k = 0; k < count; k += 64 / long(sizeof(E))) __builtin_prefetch(from + k, 0, 2);
}

} // namespace modular_dynamics
