// Closed loops as arrays, and the order in which they are solved.
//
// Loops are cut at loop joints; what remains is the tree of model.hpp. The coordinates of the independent joints are given. All others
// follow from clusters of conditions, one cluster after the other, in an order that is fixed when the model is made (loop_plan.hpp):
//
//   gear                one coordinate that is a sum of known ones
//   circles, ...        a planar loop with two unknown coordinates, in closed form: four-bars, slider-cranks, two slides
//   newton              loops and gears that share unknown coordinates, by Newton's method
//
// Linearised, each cluster says v_u = W v_k: velocities of its unknowns u from those of its knowns k, among them unknowns of clusters
// before it. Torques go the other way, from the last cluster to the first: tau_k += W^T tau_u. What has arrived in the independent
// coordinates in the end is tau_1 = tau_i + (J_d^-1 J_i)^T ... = W^T tau (Schappler et al., section 3.4), without the large W being made.
//
// All lists are parts of a few arrays; a member `first_...` and a number say which part. Indices of bodies are those of a
// Model: 0 is the ground. Double precision only: closed loops need it.
#pragma once
#include "../model.hpp"

namespace modular_dynamics {

// What a robot's loops are, in SI units. Joints are numbered as in its Description; -1: the ground.

enum class LoopType { revolute, spherical, universal, fixed, prismatic, planar };

/// A frame fixed in a joint's body: axes and origin in the body's frame.
struct AnchorDescription {
  int body = -1;
  Matrix3<double> R{1, 0, 0, 0, 1, 0, 0, 0, 1};
  Vector3<double> p{0, 0, 0};
};
/// The anchors on predecessor and successor coincide but for the motion that the type leaves about or along the axis, which both share.
struct LoopJointDescription {
  LoopType type = LoopType::revolute;
  AnchorDescription ends[2];
  Vector3<double> axis{0, 0, 1}; ///< unit vector
};
/// 0 = offset + sum of ratio q over joints with one coordinate each, which mimic no other.
struct GearDescription {
  double offset = 0;
  std::vector<int> joints;
  std::vector<double> ratios;
};
/// Tension F = initial_force + stiffness (L - free_length) + damping dL/dt along the line between the anchors' origins.
struct SpringDescription {
  AnchorDescription ends[2];
  double stiffness = 0, free_length = 0, initial_force = 0, damping = 0;
};
struct LoopsDescription {
  std::vector<LoopJointDescription> loops;
  std::vector<GearDescription> gears;
  std::vector<SpringDescription> springs;
  std::vector<int> independent; ///< joints, in the order of independent coordinates
};

/// A part of an array.
template <class S> struct List {
  const S* data = nullptr;
  int count = 0;
  MD_FORCE_INLINE const S& operator[](int k) const { return data[k]; }
  MD_FORCE_INLINE const S* begin() const { return data; }
  MD_FORCE_INLINE const S* end() const { return data + count; }
};
template <class S> List<S> list(const std::vector<S>& all) { return {all.data(), int(all.size())}; }

template <class T> struct Vector2 { T x, y; };

/// A velocity, and the coordinate that it changes; -1: those of a quaternion joint.
struct Column { int q, v; };

enum class ClusterKind { gear, circles, circle_line, line_circle, lines, newton };

struct Cluster {
  ClusterKind kind = ClusterKind::gear;
  int first_column = 0, unknowns = 0, knowns = 0; ///< columns: of unknowns, then of knowns, which a planar loop may name twice
  int first_W = 0;                                ///< W (unknowns, knowns), row by row
  int first_follower = 0, followers = 0;          ///< bodies that unknowns move, but those that a planar loop places itself
  int part = 0;                                   ///< its planar loop, or its set of rows
  double offset = 0;                              ///< of a gear; its ratios are those of `ratios` from first_W on
};

/// A joint round a planar loop: its amount [rad or m] = scale q + offset, seen in the plane from the predecessor.
struct ChainJoint {
  int body = 0, q = 0, v = 0;
  bool slides = false;
  double scale = 1, offset = 0;
  double sense = 1;                      ///< amount = sense (angle of the model - rest) or sense times its shift
  double rest_sine = 0, rest_cosine = 1;
  double x = 0, y = 0;                   ///< centre of rotation, or direction, with all joints at zero [m or 1]
};

/// A planar loop: T_1 .. T_m S = 0, each T a rotation about a centre or a translation, where 0 is the predecessor's anchor and S the
/// successor's, with all joints at zero, in axes of the plane that are fixed in the predecessor.
struct PlanarLoop {
  int loop = 0;             ///< its loop joint
  int first = 0, stop = 0;  ///< its chain
  int i = 0, j = 0;         ///< the unknown joints among the chain joints
  bool angles_now = false;  ///< angles of unknown joints are needed before all loops are closed
  bool from_second = false; ///< the branch is seen from the chain's end
  Vector2<double> S{0, 0};
  Vector3<double> x{0, 0, 0}, y{0, 0, 0}; ///< the plane's axes in the successor's anchor, all joints at zero
};

/// Rows of conditions: see constraint_rows.hpp.
enum class RowKind { along, across, aligned, about, distance, coupling };

struct Row {
  RowKind kind = RowKind::along;
  int pair = 0;                                 ///< of anchors
  Vector3<double> first{0, 0, 0}, second{0, 0, 0};
  int first_term = 0, terms = 0;                ///< of a coupling: 0 = offset + sum of ratio q
  double offset = 0;
};
struct Term { int column, q; double ratio; };
/// An anchor on a body of the set; -1: on one that moves no row. In the model's frame of that body.
struct End { int body; Matrix3<double> R; Vector3<double> p; };
/// Two anchors, and the joints between them: bodies of the set, those of the successor's side with sign 1, of the other with -1. Of a
/// loop joint or a spring with this number.
struct Pair { End ends[2]; int first_joint, joints, number; };
struct PathJoint { int body; double sign; };
/// A body, its parent in the set (-1: a body that moves no row, from which its pose is seen), and the first of its columns.
struct SetBody { int body, parent, column; };

struct RowSet {
  int first_body = 0, bodies = 0, first_pair = 0, pairs = 0, first_row = 0, rows = 0;
  int first_column = 0, columns = 0;
  int first_entry = 0; ///< of its Jacobian (columns, rows), column by column
};

struct SpringLaw { double stiffness, free_length, initial_force, damping; };

/// A revolute unknown of a planar loop, whose angle is found when all loops are closed.
struct LateAngle { int body, q; };

/// The model of a robot's loops; Array: what holds each list.
template <template <class> class Array> struct LoopLists {
  Array<Cluster> clusters;
  Array<Column> columns;
  Array<double> ratios;        ///< of gears, at the places of their W
  Array<int> followers, given; ///< bodies; `given`: those that independent coordinates move
  Array<PlanarLoop> planar;
  Array<ChainJoint> chain;
  Array<int> branch_joints;    ///< chain joints whose angles in the guess select the branch
  Array<LateAngle> late_angles;
  Array<RowSet> sets;          ///< 0: all loops and gears, from the ground, with all velocities as columns; 1: springs; then of clusters
  Array<SetBody> set_bodies;
  Array<Pair> pairs;
  Array<PathJoint> path;
  Array<Row> rows;
  Array<Term> terms;
  Array<SpringLaw> springs;
  Array<int> independent_q, independent_v;
  int nq = 0, nv = 0, loops = 0, W_entries = 0, J_entries = 0;
};

/// In memory that it does not own: see LoopArrays.
typedef LoopLists<List> LoopModel;

template <class S> using Vector = std::vector<S>;

/// The memory of a LoopModel.
struct LoopArrays : LoopLists<Vector> {
  std::vector<int> undetermined; ///< velocities because of which this robot is not solved here: neither independent coordinates nor loops
                                 ///< determine them; or given ones of a quaternion that moves loops
  std::vector<int> spatial;      ///< loop joints that do not close planar loops

  LoopModel view() const {
    return {list(clusters), list(columns), list(ratios), list(followers), list(given), list(planar), list(chain), list(branch_joints),
            list(late_angles), list(sets), list(set_bodies), list(pairs), list(path), list(rows), list(terms), list(springs),
            list(independent_q), list(independent_v), nq, nv, loops, W_entries, J_entries};
  }
};

} // namespace modular_dynamics
