// Number types on which every algorithm of this library is written once:
//
//   double, float            one state
//   Lanes<double, N>, ...    N states side by side, by vector types of GCC and Clang: element k belongs to state k
//
// A template parameter T stands for any of them, Element<T> for the type of one number: constants of a robot are Element<T>,
// its states are T. Functions here are static, so that each translation unit, compiled for its own processor, has its own.
//
// Pitfalls that this file avoids: `using V = double __attribute__((vector_size(8 * N)))` in a template is a plain double (GCC 12);
// vectors wider than the processor's registers go through memory; -ffast-math would remove the rounding in sine_cosine.
#pragma once
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#define MD_INLINE static inline __attribute__((always_inline))
#define MD_FORCE_INLINE inline __attribute__((always_inline)) // of members
#define MD_APART static __attribute__((noinline)) // of rare cases, which would take registers from the others

namespace modular_dynamics {

template <class E, int N> struct LanesOf { typedef E type __attribute__((vector_size(N * sizeof(E)))); };
template <class E> struct LanesOf<E, 1> { typedef E type; };
template <class E, int N> using Lanes = typename LanesOf<E, N>::type;

/// Size of a vector register of the processor that is compiled for.
#if defined(__AVX512F__)
constexpr int register_bytes = 64;
#elif defined(__AVX2__)
constexpr int register_bytes = 32;
#else
constexpr int register_bytes = 16;
#endif
template <class E> using Pack = Lanes<E, register_bytes / int(sizeof(E))>;

template <class T, class = void> struct ElementOf { typedef T type; };
template <class T> struct ElementOf<T, std::void_t<decltype(std::declval<T&>()[0])>> {
  typedef std::decay_t<decltype(std::declval<T&>()[0])> type;
};
template <class T> using Element = typename ElementOf<T>::type;

/// Number of states in one T.
template <class T> constexpr int lanes_of = sizeof(T) / sizeof(Element<T>);

/// Result of comparing two T: true or false in each lane.
template <class T> using Mask = decltype(std::declval<T>() < std::declval<T>());

// The integers that share the bits of a number, for signs and for the last bits of a rounded one.
template <class E> using Integer = std::conditional_t<sizeof(E) == 8, std::int64_t, std::int32_t>;
template <class T, class = void> struct BitsOf { typedef Integer<T> type; };
template <class T> struct BitsOf<T, std::enable_if_t<(lanes_of<T> > 1)>> { typedef Mask<T> type; };
template <class T> using Bits = typename BitsOf<T>::type;

template <class To, class From> MD_INLINE To bit_cast(From x) {
  static_assert(sizeof(To) == sizeof(From), "as many bits");
  To y;
  std::memcpy(&y, &x, sizeof y);
  return y;
}

/// The same number in all lanes.
template <class T> MD_INLINE T all_lanes(Element<T> x) { return T{} + x; }

template <class T> MD_INLINE T load(const Element<T>* from) {
  T x;
  std::memcpy(&x, from, sizeof x);
  return x;
}
template <class T> MD_INLINE void store(Element<T>* to, T x) { std::memcpy(to, &x, sizeof x); }

template <class T> MD_INLINE Element<T> lane(T x, int k) {
  if constexpr (lanes_of<T> == 1) return x;
  else return x[k];
}
template <class T> MD_INLINE void set_lane(T& x, int k, Element<T> value) {
  if constexpr (lanes_of<T> == 1) x = value;
  else x[k] = value;
}

/// Detects numbers that are not finite, by their bits: compilers that ignore the signs of zeros replace x * 0 and x - x by zero.
template <class T> class FiniteCheck {
 public:
  MD_FORCE_INLINE void add(T x) {
    const Bits<T> exponent = bit_cast<Bits<T>>(x) & largest;
    bad = bad | Bits<T>(exponent == largest);
  }
  MD_FORCE_INLINE bool all_finite() const {
    Integer<Element<T>> any{};
    if constexpr (lanes_of<T> == 1) any = bad;
    else for (int k = 0; k < lanes_of<T>; ++k) any |= bad[k];
    return any == 0;
  }

 private:
  static constexpr Integer<Element<T>> largest = sizeof(Element<T>) == 8 ? Integer<Element<T>>(0x7ff0000000000000) : Integer<Element<T>>(0x7f800000);
  Bits<T> bad{};
};

template <class E> MD_INLINE bool finite_array(const E* values, long count) {
  FiniteCheck<E> check;
  for (long k = 0; k < count; ++k) check.add(values[k]);
  return check.all_finite();
}

/// Whether the mask is true in any lane.
template <class M> MD_INLINE bool any(M mask) {
  if constexpr (lanes_of<M> == 1) return mask;
  else {
    Element<M> bits{};
    for (int k = 0; k < lanes_of<M>; ++k) bits |= mask[k];
    return bits != 0;
  }
}

/// In each lane a where the mask is true, else b.
template <class M, class T> MD_INLINE T select(M mask, T a, T b) { return mask ? a : b; }

template <class T> MD_INLINE T absolute(T x) {
  typedef Integer<Element<T>> I;
  return bit_cast<T>(bit_cast<Bits<T>>(x) & ~(I(1) << (8 * sizeof(I) - 1)));
}

/// Square root; one instruction where compiled with -fno-math-errno.
template <class T> MD_INLINE T square_root(T x) {
  if constexpr (std::is_same_v<T, float>) return __builtin_sqrtf(x);
  else if constexpr (lanes_of<T> == 1) return __builtin_sqrt(x);
  else {
    for (int k = 0; k < lanes_of<T>; ++k) x[k] = square_root(Element<T>(x[k]));
    return x;
  }
}

/// Sine and cosine for |angle| < 1e5 (float: 1e3), to 1 unit in the last place: less quarter turns by Cody and Waite in three
/// parts, each product exact with and without fused multiplication; then the minimax polynomials of the Cephes library.
template <class T> MD_INLINE void sine_cosine(T angle, T& sine, T& cosine) {
  typedef Element<T> E;
  T marked, r, z, s, c; // marked: the number of quarter turns stands in its last bits
  if constexpr (sizeof(E) == 8) {
    marked = angle * 0.63661977236758134308 + 6755399441055744.0;
    T k = marked - 6755399441055744.0;
    r = ((angle - k * 1.57079625129699707031) - k * 7.54978941586159635335e-8) - k * 5.39030285815811905290e-15;
    z = r * r;
    s = r + r * z * (-1.66666666666666307295e-1 + z * (8.33333333332211858878e-3 + z * (-1.98412698295895385996e-4
        + z * (2.75573136213857245213e-6 + z * (-2.50507477628578072866e-8 + z * 1.58962301576546568060e-10)))));
    c = (1.0 - 0.5 * z) + z * z * (4.16666666666665929218e-2 + z * (-1.38888888888730564116e-3 + z * (2.48015872888517045348e-5
        + z * (-2.75573141792967388112e-7 + z * (2.08757008419747316778e-9 - z * 1.13585365213876817300e-11)))));
  } else {
    marked = angle * 0.63661977236758134308f + 12582912.0f;
    T k = marked - 12582912.0f;
    r = ((angle - k * 1.5703125f) - k * 4.837512969970703125e-4f) - k * 7.54978995489188216e-8f;
    z = r * r;
    s = r + r * z * (-1.6666654611e-1f + z * (8.3321608736e-3f - z * 1.9515295891e-4f));
    c = (1.0f - 0.5f * z) + z * z * (4.166664568298827e-2f + z * (-1.388731625493765e-3f + z * 2.443315711809948e-5f));
  }
  auto n = bit_cast<Bits<T>>(marked);
  auto odd = (n & 1) != 0;
  auto negated = [](T x, Bits<T> turns) { // where bit 1 of the number of quarter turns is set
    return bit_cast<T>(bit_cast<Bits<T>>(x) ^ ((turns & 2) << (8 * sizeof(E) - 2)));
  };
  sine = negated(odd ? c : s, n);
  cosine = negated(odd ? s : c, n + 1);
}

/// The same angle between -pi and pi; the C library reduces it exactly.
template <class T> MD_INLINE T wrapped(T angle) {
  for (int k = 0; k < lanes_of<T>; ++k) {
    double one = double(lane(angle, k));
    set_lane(angle, k, Element<T>(__builtin_atan2(__builtin_sin(one), __builtin_cos(one))));
  }
  return angle;
}

/// The same angle, without whole turns where it is large in some lane: an offset that is added to a large angle would lose its digits.
template <class T> MD_INLINE T without_turns(T angle) { return any(absolute(angle) > Element<T>(1e3)) ? wrapped(angle) : angle; }

/// The nearest integer, of numbers below 2^51. Double precision.
template <class T> MD_INLINE T rounded(T x) { return (x + 6755399441055744.0) - 6755399441055744.0; }

/// The angle of (x, y) in [-pi, pi] to 2 units in the last place, for finite numbers below 1e150 of which one is above 1e-150; by the
/// rational function of the Cephes library. Double precision.
template <class T> MD_INLINE T arctangent(T y, T x) {
  const T height = absolute(y), width = absolute(x), zero{};
  const auto steep = height > width;
  const T large = steep ? height : width, small = steep ? width : height;
  const auto diagonal = small > 0.66 * large;
  const T t = (diagonal ? T(small - large) : small) / (diagonal ? T(small + large) : large), z = t * t;
  const T above = -6.485021904942025371773e1 + z * (-1.228866684490136173410e2 + z * (-7.500855792314704667340e1
      + z * (-1.615753718733365076637e1 - z * 8.750608600031904122785e-1)));
  const T below = 1.945506571482613964425e2 + z * (4.853903996359136964868e2 + z * (4.328810604912902668951e2
      + z * (1.650270098316988542046e2 + z * (2.485846490142306297962e1 + z))));
  T angle = (diagonal ? T(zero + 0.78539816339744830962) : zero) + (t + t * (z * (above / below)));
  angle = steep ? T(1.57079632679489661923 - angle) : angle;
  angle = x < zero ? T(3.14159265358979323846 - angle) : angle;
  return y < zero ? T(zero - angle) : angle;
}

} // namespace modular_dynamics
