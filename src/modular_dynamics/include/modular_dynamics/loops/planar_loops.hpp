// Planar loops in closed form: circles that meet circles or lines, one loop after the other.
//
// Seen from the predecessor, a loop is one chain of joints, T_1 .. T_m S = 0. Known joints move G = T_(i-1)^-1 .. T_1^-1 0 and
// C = T_(j+1) .. T_m S. For the unknown joints i and j, with B = T_(i+1) .. T_(j-1), remains T_i^-1 G = B T_j C =: X. A rotation leaves X
// on a circle about its centre (O_i, or B O_j), a translation on a line: X is where both cross, and angles or shifts follow, as sines and
// cosines. Of the two crossings, mirrored, the branch is that of the guess: its sign is the side of X on the line from O_i to B O_j, or
// along the slide. With r, p and d the radii and the distance of the centres, m = r^2 + p^2 - d^2,
//
//     X - O_i = (r^2 - p^2 + d^2, +- sqrt(4 r^2 p^2 - m^2)) / (2 d^2)   along and across (B O_j - O_i)
//
// With f = T_1 .. T_m S and theta_k the joints' amounts, d f / d theta_k = g_k: of a rotation |_ (T_1 .. T_m S - its centre), of a translation its
// direction; |_ turns by a right angle. Then
//
//     v_u = W v_k,   W = -(g_i g_j)^-1 g_k            a_u = W a_k - (g_i g_j)^-1 sum theta'_k (2 Omega_k + [k rotates] theta'_k) |_ g_k
//
// with Omega_k the sum of the rates of all rotations before k. Torques: tau_k += W^T tau_u.
//
// What rounding leaves of f is closed by a step of Newton's method. No branches on numbers: where circles do not meet, or nearly touch (a
// singular configuration), a mask is false or results are not finite.
#pragma once
#include "loop_model.hpp"

namespace modular_dynamics {

/// The sine of the angle between g_i and g_j below which a singular configuration is near.
template <class T> constexpr double least_sine = 1e-3;
/// Whether what rounding leaves of f is closed by a step of Newton's method.
template <class T> constexpr bool closes_rounding = true;
/// A correction of two unknown coordinates [rad or m]: the largest that is rounding, and one after which slopes need not be computed again.
constexpr double largest_correction = 1e-9, small_correction = 1e-12;

template <class T> struct Turn { T cosine, sine; };

/// Memory for all planar loops; parts of a loop begin at its first chain joint, or at its own number.
template <class T> struct PlanarWork {
  Turn<T>* turns;       ///< of rotations of chain joints
  Vector2<T>* slopes;   ///< g_k per unit of the coordinate
  T* inverses;          ///< 4 for each loop: (g_i g_j)^-1 row by row
  Turn<T>* tips;        ///< of all rotations of a chain
  T* signs;             ///< the branch
  T* determinants;      ///< of (g_i g_j)
};

namespace detail {

template <class A, class B> MD_INLINE auto operator+(Vector2<A> a, Vector2<B> b) -> Vector2<decltype(a.x + b.x)> { return {a.x + b.x, a.y + b.y}; }
template <class A, class B> MD_INLINE auto operator-(Vector2<A> a, Vector2<B> b) -> Vector2<decltype(a.x - b.x)> { return {a.x - b.x, a.y - b.y}; }
template <class S, class A> MD_INLINE auto operator*(S s, Vector2<A> a) -> Vector2<decltype(s * a.x)> { return {s * a.x, s * a.y}; }
template <class A, class B> MD_INLINE auto dot(Vector2<A> a, Vector2<B> b) { return a.x * b.x + a.y * b.y; }
template <class A, class B> MD_INLINE auto cross(Vector2<A> a, Vector2<B> b) { return a.x * b.y - a.y * b.x; }
template <class T> MD_INLINE Turn<T> after(Turn<T> a, Turn<T> b) { // a b
  return {a.cosine * b.cosine - a.sine * b.sine, a.sine * b.cosine + a.cosine * b.sine};
}
template <class T> MD_INLINE Turn<T> back(Turn<T> a) { return {a.cosine, T{} - a.sine}; }
template <class T, class A> MD_INLINE Vector2<T> turned(Turn<T> by, Vector2<A> v) {
  return {by.cosine * v.x - by.sine * v.y, by.sine * v.x + by.cosine * v.y};
}
/// The turn from a to b; `scale` is 1 / |b|^2 and, but for rounding times ratios of lengths, 1 / |a|^2. A step of Newton's method makes up for that.
template <class T, class A, class B> MD_INLINE Turn<T> between(Vector2<A> a, Vector2<B> b, T scale) {
  const T c = scale * dot(a, b), s = scale * cross(a, b), correction = 1.5 - 0.5 * (s * s + c * c);
  return {correction * c, correction * s};
}
/// At least the length of a, and at most 1.12 times as much.
template <class T> MD_INLINE T length_bound(Vector2<T> a) {
  const T x = absolute(a.x), y = absolute(a.y);
  return x > y ? T(x + 0.5 * y) : T(y + 0.5 * x);
}
MD_INLINE Vector2<double> point_of(const ChainJoint& joint) { return {joint.x, joint.y}; }

template <class T> MD_INLINE T amount_of(const ChainJoint& joint, const T* q) { return joint.scale * q[joint.q] + joint.offset; }

/// A point under T_k, or, with sense -1, under its inverse.
template <class T> MD_INLINE Vector2<T> displaced(const ChainJoint& joint, Turn<T> turn, double sense, const T* q, Vector2<T> point) {
  const Vector2<double> own = point_of(joint);
  if (joint.slides) return point + T(sense * amount_of(joint, q)) * own;
  turn.sine = sense * turn.sine;
  return turned(turn, point - own) + own;
}

/// G, C, B O_j (B C where j slides), and the turn of B.
template <class T> struct KnownEnds { Vector2<T> G, C, B; Turn<T> turn; };

template <class T>
MD_INLINE KnownEnds<T> known_ends(const LoopModel& loops, const PlanarLoop& loop, const T* q, const Turn<T>* turns) {
  const T zero{};
  KnownEnds<T> e{{zero, zero}, {zero + loop.S.x, zero + loop.S.y}, {zero, zero}, {zero + 1.0, zero}};
  for (int k = loop.first; k < loop.i; ++k) e.G = displaced(loops.chain[k], turns[k], -1.0, q, e.G);
  for (int k = loop.stop - 1; k > loop.j; --k) e.C = displaced(loops.chain[k], turns[k], 1.0, q, e.C);
  const ChainJoint& second = loops.chain[loop.j];
  e.B = second.slides ? e.C : Vector2<T>{zero + second.x, zero + second.y};
  for (int k = loop.j - 1; k > loop.i; --k) {
    e.B = displaced(loops.chain[k], turns[k], 1.0, q, e.B);
    if (!loops.chain[k].slides) e.turn = after(turns[k], e.turn);
  }
  return e;
}

} // namespace detail

/// The sign of the branch at a configuration q, with the turns of its branch joints.
template <class T> static T branch_sign(const LoopModel& loops, ClusterKind kind, const PlanarLoop& loop, const T* q, const Turn<T>* turns) {
  using namespace detail;
  const KnownEnds<T> e = known_ends(loops, loop, q, turns);
  const ChainJoint &first = loops.chain[loop.i], &second = loops.chain[loop.j];
  Vector2<T> X; // in axes that T_i leaves behind
  if (!loop.from_second) {
    X = displaced(first, turns[loop.i], -1.0, q, e.G);
  } else if (second.slides) {
    X = e.B + amount_of(second, q) * turned(e.turn, point_of(second));
  } else {
    X = e.B + turned(e.turn, turned(turns[loop.j], e.C - point_of(second)));
  }
  T side;
  if (kind == ClusterKind::circles) side = cross(e.B - point_of(first), X - point_of(first));
  else if (kind == ClusterKind::circle_line) side = dot(X - point_of(first), turned(e.turn, point_of(second)));
  else side = dot(X - e.B, point_of(first));
  const T zero{}, one = zero + 1.0;
  return select(side < zero, T(zero - one), one);
}

/// Turns and shifts of the unknown joints from the turns and coordinates of the known ones, on the branch of `sign`. Shifts go to q. Returns
/// where circles and lines cross at an angle with more than the least sine: that between g_i and g_j.
template <class T>
static Mask<T> cross_circles(const LoopModel& loops, ClusterKind kind, const PlanarLoop& loop, T sign, T* q, Turn<T>* turns) {
  using namespace detail;
  const KnownEnds<T> e = known_ends(loops, loop, q, turns);
  const ChainJoint &first = loops.chain[loop.i], &second = loops.chain[loop.j];
  const T zero{};
  auto shift = [&](const ChainJoint& joint, T amount) { q[joint.q] = (amount - joint.offset) / joint.scale; };
  constexpr double least = least_sine<T> * least_sine<T>;
  if (kind == ClusterKind::circles) {
    const Vector2<T> D = e.B - point_of(first), g = e.G - point_of(first), c = e.C - point_of(second);
    const T rr = dot(g, g), pp = dot(c, c), dd = dot(D, D), m = rr + pp - dd, scale = 0.5 / dd;
    const T largest = 4.0 * rr * pp, square = largest - m * m, along = scale * (rr - pp + dd), beside = scale * sign * square_root(square);
    const Vector2<T> X{along * D.x - beside * D.y, along * D.y + beside * D.x};
    turns[loop.i] = between(X, g, T(1.0 / rr));
    turns[loop.j] = after(back(e.turn), between(c, X - D, T(1.0 / pp)));
    return square > least * largest;
  } else if (kind == ClusterKind::circle_line) {
    const Vector2<T> D = e.B - point_of(first), g = e.G - point_of(first), u = turned(e.turn, point_of(second));
    const T rr = dot(g, g), along = dot(D, u), h = cross(u, D), square = rr - h * h, amount = sign * square_root(square) - along;
    turns[loop.i] = between(D + amount * u, g, T(1.0 / rr));
    shift(second, amount);
    return square > least * rr;
  } else if (kind == ClusterKind::line_circle) {
    const Vector2<double> u = point_of(first);
    const Vector2<T> D = e.G - e.B, c = e.C - point_of(second);
    const T pp = dot(c, c), along = dot(D, u), h = cross(u, D), square = pp - h * h, amount = along - sign * square_root(square);
    turns[loop.j] = after(back(e.turn), between(c, D - amount * u, T(1.0 / pp)));
    shift(first, amount);
    return square > least * pp;
  } else {
    const Vector2<double> u = point_of(first);
    const Vector2<T> D = e.G - e.B, w = turned(e.turn, point_of(second));
    const T sine = cross(u, w), by_sine = 1.0 / sine;
    shift(first, T(by_sine * cross(D, w)));
    shift(second, T(by_sine * cross(u, D)));
    return sine * sine > zero + least;
  }
}

/// Writes slopes, their inverse, W and the tip of a loop, and corrects its unknown coordinates (turns, and shifts in q) by the remainder of f.
/// Returns where the loop is closed.
template <class T>
static Mask<T> place_slopes(const LoopModel& loops, const PlanarLoop& loop, int number, T* q, T* W, const PlanarWork<T>& work) {
  using namespace detail;
  const T zero{};
  Vector2<T>* slopes = work.slopes;
  Mask<T> good = zero <= zero;
  T* inverse = work.inverses + 4 * number;
  for (int attempt = 0;; ++attempt) {
    Turn<T> turn{zero + 1.0, zero};
    Vector2<T> tip{zero, zero};
    for (int k = loop.first; k < loop.stop; ++k) {
      const ChainJoint& joint = loops.chain[k];
      const Vector2<T> point = turned(turn, point_of(joint));
      if (joint.slides) {
        slopes[k] = point;
        tip = tip + amount_of(joint, q) * point;
      } else {
        slopes[k] = tip + point;
        turn = after(turn, work.turns[k]);
        tip = slopes[k] - turned(turn, point_of(joint));
      }
    }
    tip = closes_rounding<T> ? tip + turned(turn, loop.S) : Vector2<T>{zero, zero};
    work.tips[number] = turn;
    for (int k = loop.first; k < loop.stop; ++k) {
      const ChainJoint& joint = loops.chain[k];
      slopes[k] = joint.scale * (joint.slides ? slopes[k] : Vector2<T>{slopes[k].y - tip.y, tip.x - slopes[k].x});
    }
    const Vector2<T> a = slopes[loop.i], b = slopes[loop.j];
    const T det = cross(a, b), scale = 1.0 / det;
    inverse[0] = scale * b.y, inverse[1] = zero - scale * b.x, inverse[2] = zero - scale * a.y, inverse[3] = scale * a.x;
    work.determinants[number] = det;
    const T changes[2] = {inverse[0] * tip.x + inverse[1] * tip.y, inverse[2] * tip.x + inverse[3] * tip.y};
    for (int end = 0; end < 2; ++end) {
      const int k = end ? loop.j : loop.i;
      const ChainJoint& joint = loops.chain[k];
      if (joint.slides) {
        q[joint.q] = q[joint.q] - changes[end];
      } else {
        Turn<T>& at = work.turns[k];
        const T angle = joint.scale * changes[end];
        at = {at.cosine + angle * at.sine, at.sine - angle * at.cosine};
      }
    }
    const T change = changes[0] * changes[0] + changes[1] * changes[1];
    if (attempt == 0) good = change < largest_correction * largest_correction;
    if (attempt == 2 || !any(good & (change > small_correction * small_correction))) break;
  }
  const int knowns = loop.stop - loop.first - 2;
  int column = 0;
  for (int k = loop.first; k < loop.stop; ++k) {
    if (k == loop.i || k == loop.j) continue;
    W[column] = zero - (inverse[0] * slopes[k].x + inverse[1] * slopes[k].y);
    W[knowns + column] = zero - (inverse[2] * slopes[k].x + inverse[3] * slopes[k].y);
    ++column;
  }
  return good;
}

/// (g_i g_j)^-1 sum theta'_k (2 Omega_k + [k rotates] theta'_k) |_ g_k
template <class T>
MD_INLINE Vector2<T> planar_drift(const LoopModel& loops, const PlanarLoop& loop, int number, const T* v, const PlanarWork<T>& work) {
  Vector2<T> sum{T{}, T{}};
  T turning{};
  for (int k = loop.first; k < loop.stop; ++k) {
    const ChainJoint& joint = loops.chain[k];
    const T rate = v[joint.v]; // times the scale, which is in the slope
    T factor = turning + turning;
    if (!joint.slides) {
      const T own = joint.scale * rate;
      factor = factor + own, turning = turning + own;
    }
    factor = factor * rate;
    sum = {sum.x - factor * work.slopes[k].y, sum.y + factor * work.slopes[k].x};
  }
  const T* inverse = work.inverses + 4 * number;
  return {inverse[0] * sum.x + inverse[1] * sum.y, inverse[2] * sum.x + inverse[3] * sum.y};
}

/// The sine of the angle between g_i and g_j: small near a singular configuration.
template <class T> MD_INLINE T sine_of(const PlanarLoop& loop, int number, const PlanarWork<T>& work) {
  using namespace detail;
  const Vector2<T> a = work.slopes[loop.i], b = work.slopes[loop.j];
  return absolute(work.determinants[number]) / square_root(T(dot(a, a) * dot(b, b)));
}

/// Where a way from coordinates `before` to q, closed by this loop, cannot have met a singular configuration.
///
/// In axes that T_i leaves behind, g_i is perpendicular to X - O_i and g_j to X - B O_j, so that a singular configuration is where these are parallel. On
/// the way X moves relative to O_i by at most the motions a of the joints up to i, and relative to B O_j by b of those from j on; B turns by c.
/// Of the sine of the angle between them at the end these may take a half: a / |g_i| + b / |g_j| + a b / (|g_i| |g_j|) + c.
template <class T>
MD_INLINE Mask<T> planar_way_is_regular(const LoopModel& loops, const PlanarLoop& loop, int number, const T* before, const T* q, const PlanarWork<T>& work) {
  using namespace detail;
  const ChainJoint &first = loops.chain[loop.i], &second = loops.chain[loop.j];
  T a{}, b{}, c{};
  for (int k = loop.first; k < loop.stop; ++k) {
    const ChainJoint& joint = loops.chain[k];
    const T change = absolute(T(q[joint.q] - before[joint.q])), motion = change * length_bound(work.slopes[k]);
    if (k <= loop.i && !first.slides) a = a + std::fabs(first.scale) * motion;
    if (k >= loop.j && !second.slides) b = b + std::fabs(second.scale) * motion;
    if (k > loop.i && k < loop.j && !joint.slides) c = c + std::fabs(joint.scale) * change;
  }
  const T length_i = length_bound(work.slopes[loop.i]), length_j = length_bound(work.slopes[loop.j]);
  return a * length_j + b * length_i + a * b + c * (length_i * length_j) < 0.5 * absolute(work.determinants[number]);
}

} // namespace modular_dynamics
