// Vectors, matrices and wrenches in three dimensions, over any number type of numbers.hpp.
//
// Operands may be of different types: constants of a robot (Element<T>) beside states (T); what is made of constants alone becomes a state by
// all_lanes. Functions that begin with plus_ add to their first argument, so that a compiler may fuse product and sum.
#pragma once
#include "numbers.hpp"

namespace modular_dynamics {

template <class T> struct Vector3 { T x, y, z; };

/// Entries row by row: column j of a rotation R_a_b is axis j of frame b in the axes of a.
template <class T> struct Matrix3 { T xx, xy, xz, yx, yy, yz, zx, zy, zz; };

template <class T> struct SymmetricMatrix3 { T xx, yy, zz, xy, xz, yz; };

/// Force [N] and moment [N m] about the origin of the frame in whose axes they are.
template <class T> struct Wrench { Vector3<T> force, moment; };

/// Mass [kg], mass times centre of mass, and second moment J of the mass about the origin (pseudo-inertia: tr(I)/2 - I).
template <class T> struct RigidBody { T mass; Vector3<T> moment; SymmetricMatrix3<T> J; };

template <class T> MD_INLINE Vector3<T> zero_vector() { return {T{}, T{}, T{}}; }
template <class T> MD_INLINE Wrench<T> zero_wrench() { return {zero_vector<T>(), zero_vector<T>()}; }

// Constants in all lanes.
template <class T> MD_INLINE Vector3<T> all_lanes(const Vector3<Element<T>>& a) { return {T{} + a.x, T{} + a.y, T{} + a.z}; }
template <class T> MD_INLINE SymmetricMatrix3<T> all_lanes(const SymmetricMatrix3<Element<T>>& m) {
  return {T{} + m.xx, T{} + m.yy, T{} + m.zz, T{} + m.xy, T{} + m.xz, T{} + m.yz};
}
template <class T> MD_INLINE Matrix3<T> all_lanes(const Matrix3<Element<T>>& m) {
  return {T{} + m.xx, T{} + m.xy, T{} + m.xz, T{} + m.yx, T{} + m.yy, T{} + m.yz, T{} + m.zx, T{} + m.zy, T{} + m.zz};
}
template <class T> MD_INLINE RigidBody<T> all_lanes(const RigidBody<Element<T>>& b) {
  return {T{} + b.mass, all_lanes<T>(b.moment), all_lanes<T>(b.J)};
}

/// The vector of three numbers in memory, and the other way.
template <class T> MD_INLINE Vector3<T> vector_at(const T* from) { return {from[0], from[1], from[2]}; }
template <class T> MD_INLINE void write(const Vector3<T>& a, T* to) { to[0] = a.x, to[1] = a.y, to[2] = a.z; }
/// Adds a vector to three numbers, `step` apart.
template <class T> MD_INLINE void add_to(T* to, long step, const Vector3<T>& a) {
  to[0] = to[0] + a.x, to[step] = to[step] + a.y, to[2 * step] = to[2 * step] + a.z;
}

template <class A, class B> MD_INLINE auto operator+(Vector3<A> a, Vector3<B> b) -> Vector3<decltype(a.x + b.x)> {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class A, class B> MD_INLINE auto operator-(Vector3<A> a, Vector3<B> b) -> Vector3<decltype(a.x - b.x)> {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class S, class A> MD_INLINE auto operator*(S s, Vector3<A> a) -> Vector3<decltype(s * a.x)> {
  return {s * a.x, s * a.y, s * a.z};
}
template <class T> MD_INLINE Wrench<T> operator+(const Wrench<T>& a, const Wrench<T>& b) { return {a.force + b.force, a.moment + b.moment}; }
template <class T> MD_INLINE Wrench<T> operator-(const Wrench<T>& a, const Wrench<T>& b) { return {a.force - b.force, a.moment - b.moment}; }
template <class T> MD_INLINE SymmetricMatrix3<T> operator+(const SymmetricMatrix3<T>& a, const SymmetricMatrix3<T>& b) {
  return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}
template <class T> MD_INLINE Matrix3<T> operator+(const Matrix3<T>& a, const Matrix3<T>& b) {
  return {a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yx + b.yx, a.yy + b.yy, a.yz + b.yz, a.zx + b.zx, a.zy + b.zy, a.zz + b.zz};
}
template <class T> MD_INLINE RigidBody<T> operator+(const RigidBody<T>& a, const RigidBody<T>& b) {
  return {a.mass + b.mass, a.moment + b.moment, a.J + b.J};
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

/// S b
template <class A, class B> MD_INLINE auto operator*(const SymmetricMatrix3<A>& s, Vector3<B> b) -> Vector3<decltype(s.xx * b.x)> {
  return {s.xx * b.x + s.xy * b.y + s.xz * b.z, s.xy * b.x + s.yy * b.y + s.yz * b.z, s.xz * b.x + s.yz * b.y + s.zz * b.z};
}

template <class T> MD_INLINE Matrix3<T> transposed(const Matrix3<T>& m) { return {m.xx, m.yx, m.zx, m.xy, m.yy, m.zy, m.xz, m.yz, m.zz}; }
template <class T> MD_INLINE Matrix3<T> full(const SymmetricMatrix3<T>& s) { return {s.xx, s.xy, s.xz, s.xy, s.yy, s.yz, s.xz, s.yz, s.zz}; }
template <class E = double> MD_INLINE Matrix3<E> unit_matrix() { return {1, 0, 0, 0, 1, 0, 0, 0, 1}; }

/// Column x, y or z (0, 1, 2): of a rotation R_a_b an axis of b in the axes of a.
template <class T> MD_INLINE Vector3<T> axis_of(const Matrix3<T>& R, int axis) {
  return axis == 0 ? Vector3<T>{R.xx, R.yx, R.zx} : axis == 1 ? Vector3<T>{R.xy, R.yy, R.zy} : Vector3<T>{R.xz, R.yz, R.zz};
}

/// The rotational inertia of a second moment J of mass: tr(J) - J.
template <class T> MD_INLINE SymmetricMatrix3<T> inertia_of(const SymmetricMatrix3<T>& J) {
  return {J.yy + J.zz, J.xx + J.zz, J.xx + J.yy, T{} - J.xy, T{} - J.xz, T{} - J.yz};
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
