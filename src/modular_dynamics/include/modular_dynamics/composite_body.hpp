// The mass matrix by composite bodies (Featherstone, Rigid Body Dynamics Algorithms, chapter 6), also known as CRBA.
//
// A composite body is a body with everything beyond it. Column k is the wrench that accelerates the composite body of velocity k's joint by
// one unit. Its components along the joints from there to the ground are entries of M. Descendants of a
// body follow it in the model, so that their columns are neighbours: all of them are carried to the parent's frame by one loop.
//
// Contract: q (nq) -> M (nv, nv) row by row. Masses may be regrouped. work.positions are known.
#pragma once
#include "newton_euler.hpp"

namespace modular_dynamics {

template <class T> struct Composite { T mass; Vector3<T> moment; SymmetricMatrix3<T> J; };

/// Wrenches of many velocities, component by component.
template <class T> struct WrenchColumns { T *fx, *fy, *fz, *nx, *ny, *nz; };

template <class T> struct CompositeBodyWork {
  JointPosition<T>* positions;
  Composite<T>* composites; ///< joints + 1
  WrenchColumns<T> columns; ///< as many as joints have velocities, mimic joints included
};

namespace detail {

/// Add a composite body to its parent's: h' = R h + m p, J' = R J R^T + p (R h)^T + (R h) p^T + m p p^T.
template <class T> MD_INLINE void join(const Matrix3<T>& R, Vector3<T> p, const Composite<T>& body, Composite<T>& parent) {
  const SymmetricMatrix3<T>& J = body.J;
  const Vector3<T> g = R * body.moment, e = g + body.mass * p;
  const Matrix3<T> a = R * Matrix3<T>{J.xx, J.xy, J.xz, J.xy, J.yy, J.yz, J.xz, J.yz, J.zz};
  parent.mass = parent.mass + body.mass;
  parent.moment = parent.moment + e;
  SymmetricMatrix3<T>& to = parent.J;
  to.xx = to.xx + (a.xx * R.xx + a.xy * R.xy + a.xz * R.xz + p.x * g.x + e.x * p.x);
  to.yy = to.yy + (a.yx * R.yx + a.yy * R.yy + a.yz * R.yz + p.y * g.y + e.y * p.y);
  to.zz = to.zz + (a.zx * R.zx + a.zy * R.zy + a.zz * R.zz + p.z * g.z + e.z * p.z);
  to.xy = to.xy + (a.xx * R.yx + a.xy * R.yy + a.xz * R.yz + p.x * g.y + e.x * p.y);
  to.xz = to.xz + (a.xx * R.zx + a.xy * R.zy + a.xz * R.zz + p.x * g.z + e.x * p.z);
  to.yz = to.yz + (a.yx * R.zx + a.yy * R.zy + a.yz * R.zz + p.y * g.z + e.y * p.z);
}

/// The wrench that accelerates a composite body by one: along x y z (0 1 2) or about them (3 4 5).
template <class T> MD_INLINE void unit_wrench(const Composite<T>& c, int axis, const WrenchColumns<T>& to, int k) {
  const Vector3<T>& h = c.moment;
  const SymmetricMatrix3<T>& J = c.J;
  T o{};
  auto set = [&](T fx, T fy, T fz, T nx, T ny, T nz) {
    to.fx[k] = fx, to.fy[k] = fy, to.fz[k] = fz, to.nx[k] = nx, to.ny[k] = ny, to.nz[k] = nz;
  };
  switch (axis) {
    case 0: return set(c.mass, o, o, o, h.z, o - h.y);
    case 1: return set(o, c.mass, o, o - h.z, o, h.x);
    case 2: return set(o, o, c.mass, h.y, o - h.x, o);
    case 3: return set(o, o - h.z, h.y, J.yy + J.zz, o - J.xy, o - J.xz);
    case 4: return set(h.z, o, o - h.x, o - J.xy, J.xx + J.zz, o - J.yz);
    default: return set(o - h.y, h.x, o, o - J.xz, o - J.yz, J.xx + J.yy);
  }
}

/// f' = R f, n' = R n + p x f' for columns first ... stop - 1.
template <class T> MD_INLINE void carry(const Matrix3<T>& R, Vector3<T> p, const WrenchColumns<T>& c, int first, int stop) {
  T *__restrict__ fx = c.fx, *__restrict__ fy = c.fy, *__restrict__ fz = c.fz;
  T *__restrict__ nx = c.nx, *__restrict__ ny = c.ny, *__restrict__ nz = c.nz;
  for (int k = first; k < stop; ++k) {
    const Vector3<T> f = R * Vector3<T>{fx[k], fy[k], fz[k]}, n = plus_cross(R * Vector3<T>{nx[k], ny[k], nz[k]}, p, f);
    fx[k] = f.x, fy[k] = f.y, fz[k] = f.z, nx[k] = n.x, ny[k] = n.y, nz[k] = n.z;
  }
}

} // namespace detail

/// x_parent_joint of any body.
template <class T>
MD_INLINE void pose_of(const Body<Element<T>>& b, const T* q, const JointPosition<T>& at, Matrix3<T>& R, Vector3<T>& p) {
  if (has_quaternion(b.type)) return place_by_quaternion(b, q, R, p);
  p = detail::origin_of(b, at);
  const Matrix3<Element<T>>& k = b.R;
  if (b.type == JointType::prismatic) {
    R = {T{} + k.xx, T{} + k.xy, T{} + k.xz, T{} + k.yx, T{} + k.yy, T{} + k.yz, T{} + k.zx, T{} + k.zy, T{} + k.zz};
    return;
  }
  const T s = at.sine, c = at.cosine;
  if (b.tilted) R = {c, T{} - s, T{}, k.yy * s, k.yy * c, T{} + k.yz, k.zy * s, k.zy * c, T{} + k.zz};
  else R = {k.xx * c + k.xy * s, k.xy * c - k.xx * s, T{} + k.xz, k.yx * c + k.yy * s, k.yy * c - k.yx * s, T{} + k.yz,
            k.zx * c + k.zy * s, k.zy * c - k.zx * s, T{} + k.zz};
}

/// M (nv, nv). largest (nv), if given: the sums of the positive terms of M's diagonal elements. With joints that mimic each other terms may
/// cancel there up to rounding.
template <class T>
MD_SHARED void mass_matrix(const Model<Element<T>>& model, bool armature, const T* q, T* M, const CompositeBodyWork<T>& work,
                           T* largest = nullptr) {
  typedef Element<T> E;
  using namespace detail;
  const int n = model.joints, nv = model.nv;
  const WrenchColumns<T>& columns = work.columns;
  for (int k = 0; k < nv * nv; ++k) M[k] = T{};
  for (int k = 0; largest && k < nv; ++k) largest[k] = T{};
  for (int i = 1; i <= n; ++i) {
    const Body<E>& b = model.bodies[i];
    work.composites[i] = {T{} + b.mass, all_lanes<T>(b.moment),
                          {T{} + b.J.xx, T{} + b.J.yy, T{} + b.J.zz, T{} + b.J.xy, T{} + b.J.xz, T{} + b.J.yz}};
  }
  for (int i = n; i > 0; --i) {
    const Body<E>& b = model.bodies[i];
    const int first = b.column, count = b.columns, stop = b.columns_end; // own columns, and those of all descendants
    const int first_axis = b.type == JointType::floating ? 0 : b.type == JointType::prismatic ? 2 : b.type == JointType::spherical ? 3 : 5;
    for (int k = 0; k < count; ++k) unit_wrench(work.composites[i], first_axis + k, columns, first + k);
    for (int k = 0; k < count; ++k) { // the row of this velocity: its own column and those beyond
      const int axis = first_axis + k;
      const T* component = axis == 0 ? columns.fx : axis == 1 ? columns.fy : axis == 2 ? columns.fz
                         : axis == 3 ? columns.nx : axis == 4 ? columns.ny : columns.nz;
      const int row = b.v + k;
      if (largest) largest[row] = largest[row] + b.multiplier * b.multiplier * component[first + k];
      for (int c = first; c < first + count; ++c) {
        T& entry = M[row * nv + b.v + (c - first)];
        entry = entry + b.multiplier * b.multiplier * component[c];
      }
      for (int c = first + count; c < stop; ++c) {
        const ColumnOwner& owner = model.columns[c];
        T value = (b.multiplier * E(owner.multiplier)) * component[c];
        T &above = M[row * nv + owner.v], &below = M[owner.v * nv + row];
        above = above + value;
        below = below + value;
      }
    }
    if (b.parent > 0) {
      Matrix3<T> R;
      Vector3<T> p;
      pose_of(b, q, work.positions[i - 1], R, p);
      carry(R, p, columns, first, stop);
      join(R, p, work.composites[i], work.composites[b.parent]);
    }
  }
  if (armature)
    for (int i = 1; i <= n; ++i)
      for (int k = model.bodies[i].v; k < model.bodies[i].v + model.bodies[i].velocities; ++k)
        M[k * nv + k] = M[k * nv + k] + model.terms[i - 1].armature;
  if (armature && largest)
    for (int i = 1; i <= n; ++i)
      for (int k = model.bodies[i].v; k < model.bodies[i].v + model.bodies[i].velocities; ++k)
        largest[k] = largest[k] + model.terms[i - 1].armature;
}

} // namespace modular_dynamics
