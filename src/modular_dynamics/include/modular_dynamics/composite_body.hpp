// The mass matrix by composite bodies (Featherstone, Rigid Body Dynamics Algorithms, chapter 6), also known as CRBA.
//
// A composite body is a body with everything beyond it. Column k is the wrench that accelerates the composite body of velocity k's joint by
// one unit. Its components along the joints from there to the ground are entries of M. Descendants of a
// body follow it in the model, so that their columns are neighbours: all of them are carried to the parent's frame by one loop. Of one state
// it takes a vector register full of columns at a time.
//
// Contract: q (nq) -> M (nv, nv) row by row. Masses may be regrouped. work.positions are known.
#pragma once
#include "newton_euler.hpp"

namespace modular_dynamics {

template <class T> struct Composite { T mass; Vector3<T> moment; SymmetricMatrix3<T> J; };

/// What is done with columns is done with so many neighbours at once: of one state a register full, of states side by side a single column.
template <class T, class = void> struct ColumnPackOf { typedef T type; };
template <class T> struct ColumnPackOf<T, std::enable_if_t<std::is_floating_point_v<T>>> { typedef Pack<T> type; };
template <class T> using ColumnPack = typename ColumnPackOf<T>::type;
template <class T> constexpr int columns_at_once = sizeof(ColumnPack<T>) / sizeof(T);

/// Wrenches of many velocities: forces along x, y, z, then moments, each an array. In front of each is room for all but one of a pack.
template <class T> struct WrenchColumns {
  T* components[6]{};

  static constexpr int room = columns_at_once<T> - 1; // differs from processor to processor: so nothing here may have a symbol
  MD_FORCE_INLINE static long numbers(int columns) { return 6L * (room + columns); }
  WrenchColumns() = default;
  MD_FORCE_INLINE WrenchColumns(T* memory, int columns) {
    for (int k = 0; k < 6; ++k) components[k] = memory + long(k) * (room + columns) + room;
  }
  MD_FORCE_INLINE T* operator[](int component) const { return components[component]; }
};

template <class T> struct CompositeBodyWork {
  JointPosition<T>* positions;
  RigidBody<T>* composites; ///< joints + 1
  WrenchColumns<T> columns; ///< as many as joints have velocities, mimic joints included
};

namespace detail {

/// Rotation from the frame of a body on a tilted revolute joint to its parent's.
template <class T> struct TiltedRotation {
  const Body<Element<T>>& body;
  T sine, cosine;
  template <class A> MD_FORCE_INLINE Vector3<A> operator()(Vector3<A> a) const { return about_x(body, turned_about_z(sine, cosine, a)); }
};
/// The same of any body.
template <class T> struct MatrixRotation {
  Matrix3<T> R;
  template <class A> MD_FORCE_INLINE Vector3<A> operator()(Vector3<A> a) const { return R * a; }
};

/// R J R^T
template <class R, class T> MD_INLINE SymmetricMatrix3<T> rotated(const R& rotate, const SymmetricMatrix3<T>& J) {
  const Vector3<T> a = rotate(Vector3<T>{J.xx, J.xy, J.xz}), b = rotate(Vector3<T>{J.xy, J.yy, J.yz}), c = rotate(Vector3<T>{J.xz, J.yz, J.zz});
  const Vector3<T> x = rotate(Vector3<T>{a.x, b.x, c.x}), y = rotate(Vector3<T>{a.y, b.y, c.y}), z = rotate(Vector3<T>{a.z, b.z, c.z});
  return {x.x, y.y, z.z, x.y, x.z, y.z};
}

/// A composite body in its parent's frame: h' = R h + m p, J' = R J R^T + p (R h)^T + (R h) p^T + m p p^T.
template <class R, class T> MD_INLINE RigidBody<T> carried(const R& rotate, Vector3<T> p, const RigidBody<T>& body) {
  const SymmetricMatrix3<T> J = rotated(rotate, body.J);
  const Vector3<T> g = rotate(body.moment), e = g + body.mass * p;
  return {body.mass, e,
          {J.xx + p.x * g.x + e.x * p.x, J.yy + p.y * g.y + e.y * p.y, J.zz + p.z * g.z + e.z * p.z,
           J.xy + p.x * g.y + e.x * p.y, J.xz + p.x * g.z + e.x * p.z, J.yz + p.y * g.z + e.y * p.z}};
}

/// The wrench that accelerates a composite body by one: along x y z (0 1 2) or about them (3 4 5).
template <class T> MD_INLINE Wrench<T> unit_wrench(const RigidBody<T>& c, int axis) {
  const Vector3<T>& h = c.moment;
  const SymmetricMatrix3<T>& J = c.J;
  T o{};
  switch (axis) {
    case 0: return {{c.mass, o, o}, {o, h.z, o - h.y}};
    case 1: return {{o, c.mass, o}, {o - h.z, o, h.x}};
    case 2: return {{o, o, c.mass}, {h.y, o - h.x, o}};
    case 3: return {{o, o - h.z, h.y}, {J.yy + J.zz, o - J.xy, o - J.xz}};
    case 4: return {{h.z, o, o - h.x}, {o - J.xy, J.xx + J.zz, o - J.yz}};
    default: return {{o - h.y, h.x, o}, {o - J.xz, o - J.yz, J.xx + J.yy}};
  }
}

/// f' = R f, n' = R n + p x f' for columns first ... stop - 1. own: column `first`, if it is not there yet.
template <class T, class R>
MD_INLINE void carry(const R& rotate, Vector3<T> p, const WrenchColumns<T>& c, int first, int stop, const Wrench<T>* own) {
  typedef ColumnPack<T> V;
  constexpr int N = columns_at_once<T>;
  auto get = [&](int component, int k) {
    V columns;
    std::memcpy(&columns, c[component] + k, sizeof columns);
    return columns;
  };
  auto set = [&](int component, int k, V columns) { std::memcpy(c[component] + k, &columns, sizeof columns); };
  auto move = [&](int k, Wrench<V> w) {
    const Vector3<V> f = rotate(w.force), n = plus_cross(rotate(w.moment), p, f);
    set(0, k, f.x), set(1, k, f.y), set(2, k, f.z), set(3, k, n.x), set(4, k, n.y), set(5, k, n.z);
  };
  auto given = [&](int k) -> Wrench<V> { return {{get(0, k), get(1, k), get(2, k)}, {get(3, k), get(4, k), get(5, k)}}; };
  // Whole packs, the last one of which begins before `first`: columns there are not yet in use.
  int k = stop - N;
  for (; k > first; k -= N) move(k, given(k));
  if constexpr (N == 1) {
    move(first, own ? *own : given(first));
  } else if (own) {
    // inserted here, not read from memory: numbers that are stored one by one cannot be loaded as a pack at once
    Bits<V> index{};
    for (int lane = 0; lane < N; ++lane) index[lane] = lane;
    const auto here = index == Integer<T>(first - k);
    const Wrench<V> w = given(k);
    auto inserted = [&](T value, V others) { return select(here, all_lanes<V>(value), others); };
    move(k, {{inserted(own->force.x, w.force.x), inserted(own->force.y, w.force.y), inserted(own->force.z, w.force.z)},
             {inserted(own->moment.x, w.moment.x), inserted(own->moment.y, w.moment.y), inserted(own->moment.z, w.moment.z)}});
  } else {
    for (; k > first - N; k -= N) move(k, given(k));
  }
}

/// Entries of M between a velocity and those of columns first ... stop - 1.
template <class T>
MD_INLINE void add_row(const Model<Element<T>>& model, Element<T> factor, const T* component, int row, int first, int stop, T* M) {
  const long nv = model.nv;
  const ColumnOwner* owners = model.columns;
  T *along = M + row * nv, *down = M + row;
  if (model.bodies[0].columns_end == nv) { // no joint mimics another: no entry has two terms
    for (int c = first; c < stop; ++c) {
      const long other = owners[c].v;
      along[other] = down[other * nv] = factor * component[c];
    }
    return;
  }
  for (int c = first; c < stop; ++c) {
    const long other = owners[c].v;
    const T value = factor * component[c];
    T &above = along[other], &below = down[other * nv];
    above = above + value;
    below = below + value;
  }
}

} // namespace detail

/// x_parent_joint of any body.
template <class T>
MD_INLINE void pose_of(const Body<Element<T>>& b, const T* q, const JointPosition<T>& at, Matrix3<T>& R, Vector3<T>& p) {
  if (has_quaternion(b.type)) return place_by_quaternion(b, q, R, p);
  p = detail::origin_of(b, at);
  const Matrix3<Element<T>>& k = b.R;
  const T s = at.sine, c = at.cosine;
  if (b.type == JointType::prismatic) R = all_lanes<T>(k);
  else if (b.tilted) R = {c, T{} - s, T{}, k.yy * s, k.yy * c, T{} + k.yz, k.zy * s, k.zy * c, T{} + k.zz};
  else R = {k.xx * c + k.xy * s, k.xy * c - k.xx * s, T{} + k.xz, k.yx * c + k.yy * s, k.yy * c - k.yx * s, T{} + k.yz,
            k.zx * c + k.zy * s, k.zy * c - k.zx * s, T{} + k.zz};
}

/// M (nv, nv). largest (nv), if given: the sums of the positive terms of M's diagonal elements. With joints that mimic each other terms may
/// cancel there up to rounding.
template <class T>
static void mass_matrix(const Model<Element<T>>& model, bool armature, const T* q, T* M, const CompositeBodyWork<T>& work,
                           T* largest = nullptr) {
  typedef Element<T> E;
  using namespace detail;
  const int n = model.joints, nv = model.nv;
  const WrenchColumns<T>& columns = work.columns;
  for (int k = 0; k < nv * nv; ++k) M[k] = T{};
  for (int k = 0; largest && k < nv; ++k) largest[k] = T{};
  for (int i = 1; i <= n; ++i)
    if (model.bodies[i].has_other_children) work.composites[i] = all_lanes<T>(model.bodies[i]);
  if constexpr (columns_at_once<T> > 1) // packs read columns before they are known
    for (long k = 0; k < columns.numbers(model.bodies[0].columns_end); ++k) columns[0][k - columns.room] = T{};
  RigidBody<T> from_next{}; // of body i + 1, if it is a child of body i
  for (int i = n; i > 0; --i) {
    const Body<E>& b = model.bodies[i];
    const RigidBody<T> composite = (b.has_other_children ? work.composites[i] : all_lanes<T>(b)) + from_next;
    const int first = b.column, count = b.columns, stop = b.columns_end; // own columns, and those of all descendants
    auto diagonal = [&](int row, T value) {
      if (largest) largest[row] = largest[row] + value;
      M[row * nv + row] = M[row * nv + row] + value;
    };
    if (count == 1) {
      const bool turns = b.type == JointType::revolute;
      auto pass_on = [&](const auto& rotate, Vector3<T> p) {
        Wrench<T> own = unit_wrench(composite, turns ? 5 : 2);
        own = {b.multiplier * own.force, b.multiplier * own.moment};
        if (b.parent > 0) from_next = carried(rotate, p, composite);
        diagonal(b.v, b.multiplier * (turns ? own.moment.z : own.force.z));
        add_row(model, b.multiplier, columns[turns ? 5 : 2], b.v, first + 1, stop, M);
        if (b.parent > 0) carry(rotate, p, columns, first, stop, &own);
      };
      const JointPosition<T>& at = work.positions[i - 1];
      if (lanes_of<T> == 1 && turns && b.tilted) { // two turns have fewer constants than a matrix, but take lanes longer
        pass_on(TiltedRotation<T>{b, at.sine, at.cosine}, all_lanes<T>(b.p));
      } else {
        MatrixRotation<T> rotate;
        Vector3<T> p;
        pose_of(b, q, at, rotate.R, p);
        pass_on(rotate, p);
      }
    } else {
      const int first_axis = first_axis_of(b.type);
      for (int k = 0; k < count; ++k) {
        T numbers[6];
        const Wrench<T> w = unit_wrench(composite, first_axis + k);
        write(w.force, numbers), write(w.moment, numbers + 3);
        for (int component = 0; component < 6; ++component) columns[component][first + k] = numbers[component];
      }
      for (int k = 0; k < count; ++k) { // no joint mimics one of several axes
        const T* component = columns[first_axis + k];
        diagonal(b.v + k, component[first + k]);
        add_row(model, E(1), component, b.v + k, first + k + 1, stop, M);
      }
      MatrixRotation<T> rotate;
      Vector3<T> p;
      pose_of(b, q, work.positions[i - 1], rotate.R, p);
      if (b.parent > 0) from_next = carried(rotate, p, composite), carry<T>(rotate, p, columns, first, stop, nullptr);
    }
    if (b.parent == i - 1) continue;
    if (b.parent > 0) work.composites[b.parent] = work.composites[b.parent] + from_next;
    from_next = RigidBody<T>{};
  }
  if (!armature) return;
  for (int i = 1; i <= n; ++i)
    for (int k = model.bodies[i].v; k < model.bodies[i].v + model.bodies[i].velocities; ++k) {
      M[k * nv + k] = M[k * nv + k] + model.terms[i - 1].armature;
      if (largest) largest[k] = largest[k] + model.terms[i - 1].armature;
    }
}

} // namespace modular_dynamics
