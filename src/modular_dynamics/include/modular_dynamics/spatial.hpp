// Vectors, matrices and wrenches in three dimensions, over any number type of numbers.hpp.
//
// Operands may be of different types: constants of a robot (Element<T>) beside states (T). Functions that begin with plus_ add to
// their first argument, so that a compiler may fuse product and sum.
#pragma once
#include "numbers.hpp"

namespace modular_dynamics {

template <class T> struct Vector3 { T x, y, z; };

/// Entries row by row: column j of a rotation R_a_b is axis j of frame b in the axes of a.
template <class T> struct Matrix3 { T xx, xy, xz, yx, yy, yz, zx, zy, zz; };

template <class T> struct SymmetricMatrix3 { T xx, yy, zz, xy, xz, yz; };

/// Force [N] and moment [N m] about the origin of the frame in whose axes they are.
template <class T> struct Wrench { Vector3<T> force, moment; };

template <class T> MD_INLINE Vector3<T> zero_vector() { return {T{}, T{}, T{}}; }

/// A vector of constants, in all lanes.
template <class T> MD_INLINE Vector3<T> all_lanes(const Vector3<Element<T>>& a) { return {T{} + a.x, T{} + a.y, T{} + a.z}; }

template <class A, class B> MD_INLINE auto operator+(Vector3<A> a, Vector3<B> b) -> Vector3<decltype(a.x + b.x)> {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class A, class B> MD_INLINE auto operator-(Vector3<A> a, Vector3<B> b) -> Vector3<decltype(a.x - b.x)> {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class S, class A> MD_INLINE auto operator*(S s, Vector3<A> a) -> Vector3<decltype(s * a.x)> {
  return {s * a.x, s * a.y, s * a.z};
}
template <class A, class B> MD_INLINE auto dot(Vector3<A> a, Vector3<B> b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

template <class A, class B> MD_INLINE auto cross(Vector3<A> a, Vector3<B> b) -> Vector3<decltype(a.x * b.x)> {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
/// u + a x b.
template <class T, class A, class B> MD_INLINE Vector3<T> plus_cross(Vector3<T> u, Vector3<A> a, Vector3<B> b) {
  return {u.x + a.y * b.z - a.z * b.y, u.y + a.z * b.x - a.x * b.z, u.z + a.x * b.y - a.y * b.x};
}
/// u + M b
template <class T, class A, class B> MD_INLINE Vector3<T> plus_product(Vector3<T> u, const Matrix3<A>& m, Vector3<B> b) {
  return {u.x + m.xx * b.x + m.xy * b.y + m.xz * b.z, u.y + m.yx * b.x + m.yy * b.y + m.yz * b.z,
          u.z + m.zx * b.x + m.zy * b.y + m.zz * b.z};
}
/// M b
template <class A, class B> MD_INLINE auto operator*(const Matrix3<A>& m, Vector3<B> b) -> Vector3<decltype(m.xx * b.x)> {
  return {m.xx * b.x + m.xy * b.y + m.xz * b.z, m.yx * b.x + m.yy * b.y + m.yz * b.z, m.zx * b.x + m.zy * b.y + m.zz * b.z};
}
/// M^T b
template <class A, class B> MD_INLINE auto transposed_product(const Matrix3<A>& m, Vector3<B> b) -> Vector3<decltype(m.xx * b.x)> {
  return {m.xx * b.x + m.yx * b.y + m.zx * b.z, m.xy * b.x + m.yy * b.y + m.zy * b.z, m.xz * b.x + m.yz * b.y + m.zz * b.z};
}
template <class A, class B> MD_INLINE auto operator*(const Matrix3<A>& a, const Matrix3<B>& b) -> Matrix3<decltype(a.xx * b.xx)> {
  return {a.xx * b.xx + a.xy * b.yx + a.xz * b.zx, a.xx * b.xy + a.xy * b.yy + a.xz * b.zy, a.xx * b.xz + a.xy * b.yz + a.xz * b.zz,
          a.yx * b.xx + a.yy * b.yx + a.yz * b.zx, a.yx * b.xy + a.yy * b.yy + a.yz * b.zy, a.yx * b.xz + a.yy * b.yz + a.yz * b.zz,
          a.zx * b.xx + a.zy * b.yx + a.zz * b.zx, a.zx * b.xy + a.zy * b.yy + a.zz * b.zy, a.zx * b.xz + a.zy * b.yz + a.zz * b.zz};
}

/// Rz v: turned about z by the angle with this sine and cosine.
template <class T, class A> MD_INLINE auto turned_about_z(T sine, T cosine, Vector3<A> v) -> Vector3<decltype(sine * v.x)> {
  return {cosine * v.x - sine * v.y, sine * v.x + cosine * v.y, v.z};
}
/// Rz^T v
template <class T, class A> MD_INLINE auto turned_back_about_z(T sine, T cosine, Vector3<A> v) -> Vector3<decltype(sine * v.x)> {
  return {cosine * v.x + sine * v.y, cosine * v.y - sine * v.x, v.z};
}

} // namespace modular_dynamics
