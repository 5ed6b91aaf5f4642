// The order in which closed loops are solved, made once: see loop_model.hpp.
//
// Repeated until all are solved: gears with one unknown coordinate; planar loops with two; if there are neither, all remaining loops and gears,
// in a cluster for Newton's method for each set that shares unknown coordinates. Loops that know all their coordinates are clusters
// without unknowns, which are checked. A planar loop is a chain of joints that all turn about one normal or slide across it, cut where
// two points must meet in the plane.
#pragma once
#include <numeric>

#include "loop_model.hpp"

namespace modular_dynamics {
namespace detail {

class LoopPlanner {
 public:
  LoopPlanner(const Description& robot, const ModelArrays<double>& tree, const LoopsDescription& given)
      : robot(robot), tree(tree), given(given), index(robot.joints.size() + 1, 0), q_of(robot.nv, -1), known(robot.nv, false) {
    for (std::size_t i = 0; i < tree.joints.size(); ++i) index[tree.joints[i] + 1] = int(i) + 1;
    for (const JointDescription& joint : robot.joints)
      if (!has_quaternion(joint.type)) q_of[joint.v] = joint.q;
    for (std::size_t k = 0; k < robot.joints.size(); ++k) { // poses with all joints at zero
      const JointDescription& joint = robot.joints[k];
      const AnchorDescription before = joint.parent < 0 ? AnchorDescription{} : at_zero[joint.parent];
      at_zero.push_back({int(k), before.R * joint.R_parent_joint, before.p + before.R * joint.p_parent_joint});
    }
  }

  LoopArrays make() {
    out.nq = robot.nq, out.nv = robot.nv, out.loops = int(given.loops.size());
    set_independent();
    const std::vector<int> all = numbers_to(robot.nv);
    std::vector<int> loops = numbers_to(given.loops.size()), gears = numbers_to(given.gears.size());
    add_set(loops, gears, false, all, true);
    add_set({}, {}, true, all, false);
    std::vector<PlanarChain> chains;
    for (int loop : loops) {
      chains.push_back(planar_chain(loop));
      if (chains.back().loop < 0) out.spatial.push_back(loop);
    }
    while (!loops.empty() || !gears.empty()) {
      if (take(gears, [&](int gear) { return add_gear(gear); })) continue;
      if (take(loops, [&](int loop) { return add_planar(chains[loop]); })) continue;
      add_newton(loops, gears);
    }
    for (int v = 0; v < robot.nv; ++v)
      if (!known[v]) out.undetermined.push_back(v);
    for (const Cluster& cluster : out.clusters) {
      if (cluster.kind != ClusterKind::newton) continue;
      const bool too_few = out.sets[cluster.part].rows < cluster.unknowns; // rows: some unknowns stay open
      for (int k = 0; k < cluster.unknowns + cluster.knowns; ++k) {
        const Column& column = out.columns[cluster.first_column + k];
        if (k < cluster.unknowns ? too_few : column.q < 0) out.undetermined.push_back(column.v); // a given quaternion cannot be walked
      }
    }
    set_late_angles();
    return std::move(out);
  }

 private:
  const Description& robot;
  const ModelArrays<double>& tree;
  const LoopsDescription& given;
  std::vector<int> index;                  // body of joint k at k + 1
  std::vector<int> q_of;                   // by velocity
  std::vector<bool> known;                 // by velocity
  std::vector<AnchorDescription> at_zero;  // joints' frames
  LoopArrays out;

  struct PlanarChain {
    int loop = -1; // -1: the loop is not planar
    std::vector<ChainJoint> joints;
    PlanarLoop planar;
  };

  void set_independent() {
    for (int joint : given.independent) {
      const JointDescription& one = robot.joints[joint];
      for (int k = 0; k < coordinates_of(one.type); ++k) out.independent_q.push_back(one.q + k);
      for (int k = 0; k < velocities_of(one.type); ++k) out.independent_v.push_back(one.v + k), known[one.v + k] = true;
    }
    for (std::size_t i = 1; i < tree.bodies.size(); ++i)
      if (known[tree.bodies[i].v] && !has_quaternion(tree.bodies[i].type)) out.given.push_back(int(i));
  }

  static std::vector<int> numbers_to(std::size_t count) { // 0 ... count - 1
    std::vector<int> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
  }

  /// Calls `function` for each member of a list, and removes those for which it returns true. Returns whether there were any.
  template <class Function> static bool take(std::vector<int>& list, Function function) {
    const std::size_t before = list.size();
    list.erase(std::remove_if(list.begin(), list.end(), function), list.end());
    return list.size() < before;
  }

  std::vector<int> to_ground(int joint) const { // a joint and those that carry it
    std::vector<int> chain;
    for (; joint >= 0; joint = robot.joints[joint].parent) chain.push_back(joint);
    return chain;
  }
  static int place_in(const std::vector<int>& list, int value) { // -1: it is not there
    const auto at = std::find(list.begin(), list.end(), value);
    return at == list.end() ? -1 : int(at - list.begin());
  }
  static bool contains(const std::vector<int>& list, int value) { return place_in(list, value) >= 0; }

  /// Joints from the predecessor inward, with sense -1, and outward to the successor, with sense 1.
  std::vector<std::pair<int, int>> way_between(const AnchorDescription* ends) const {
    const std::vector<int> inward = to_ground(ends[0].body), outward = to_ground(ends[1].body);
    std::vector<std::pair<int, int>> way;
    for (int k : inward)
      if (!contains(outward, k)) way.push_back({k, -1});
    for (auto k = outward.rbegin(); k != outward.rend(); ++k)
      if (!contains(inward, *k)) way.push_back({*k, 1});
    return way;
  }

  void add_columns(Cluster& cluster, const std::vector<int>& unknowns, const std::vector<int>& knowns) {
    cluster.first_column = int(out.columns.size());
    cluster.unknowns = int(unknowns.size()), cluster.knowns = int(knowns.size());
    for (const auto* part : {&unknowns, &knowns})
      for (int v : *part) out.columns.push_back({q_of[v], v});
    cluster.first_W = out.W_entries;
    out.W_entries += cluster.unknowns * cluster.knowns;
    out.ratios.resize(out.W_entries, 0.0);
    cluster.first_follower = int(out.followers.size());
    for (int v : unknowns) known[v] = true;
  }
  /// Adds the bodies that unknowns move, except those whose positions the planar loop gives.
  void add_followers(Cluster& cluster, const std::vector<int>& unknowns, const std::vector<int>& placed) {
    for (std::size_t i = 1; i < tree.bodies.size(); ++i)
      if (!has_quaternion(tree.bodies[i].type) && contains(unknowns, tree.bodies[i].v) && !contains(placed, int(i)))
        out.followers.push_back(int(i));
    cluster.followers = int(out.followers.size()) - cluster.first_follower;
    out.clusters.push_back(cluster);
  }

  bool add_gear(int number) {
    const GearDescription& gear = given.gears[number];
    std::vector<int> names; // velocities, each once
    std::vector<double> ratios;
    for (std::size_t k = 0; k < gear.joints.size(); ++k) {
      const int v = robot.joints[gear.joints[k]].v;
      if (const int at = place_in(names, v); at < 0) names.push_back(v), ratios.push_back(gear.ratios[k]);
      else ratios[at] += gear.ratios[k];
    }
    int missing = -1;
    for (std::size_t k = 0; k < names.size(); ++k)
      if (!known[names[k]]) {
        if (missing >= 0) return false;
        missing = int(k);
      }
    if (missing < 0 || ratios[missing] == 0) return false;
    std::vector<int> knowns;
    std::vector<double> own;
    const double share = -1 / ratios[missing];
    for (std::size_t k = 0; k < names.size(); ++k)
      if (int(k) != missing) knowns.push_back(names[k]), own.push_back(share * ratios[k]);
    Cluster cluster;
    cluster.offset = share * gear.offset;
    add_columns(cluster, {names[missing]}, knowns);
    std::copy(own.begin(), own.end(), out.ratios.begin() + cluster.first_W);
    add_followers(cluster, {names[missing]}, {});
    return true;
  }

  static bool parallel(Vector3<double> a, Vector3<double> b) {
    const Vector3<double> sine = cross(a, b);
    return dot(sine, sine) < 1e-18;
  }

  PlanarChain planar_chain(int number) const {
    const LoopJointDescription& loop = given.loops[number];
    PlanarChain chain;
    if (loop.type != LoopType::revolute && loop.type != LoopType::spherical && loop.type != LoopType::planar) return chain;
    Matrix3<double> R[2];
    Vector3<double> p[2], axes[2];
    for (int side = 0; side < 2; ++side) {
      const AnchorDescription &end = loop.ends[side], body = end.body < 0 ? AnchorDescription{} : at_zero[end.body];
      R[side] = body.R * end.R, p[side] = body.p + body.R * end.p, axes[side] = R[side] * loop.axis;
    }
    const auto way = way_between(loop.ends);
    Vector3<double> normal = axes[0];
    auto joint_axis = [&](int k) { return at_zero[k].R * robot.joints[k].axis; };
    if (loop.type == LoopType::spherical) {
      for (auto step = way.rbegin(); step != way.rend(); ++step)
        if (robot.joints[step->first].type == JointType::revolute) normal = joint_axis(step->first);
    } else if (!parallel(axes[1], normal) || (loop.type == LoopType::revolute && dot(axes[0], axes[1]) < 0)) {
      return chain;
    }
    if (loop.type != LoopType::planar && !(std::fabs(dot(p[1] - p[0], normal)) < 1e-9)) return chain;
    const Matrix3<double> plane = with_z_along(normal);
    const Vector3<double> x = axis_of(plane, 0), y = axis_of(plane, 1);
    for (auto [k, sense] : way) {
      const JointDescription& joint = robot.joints[k];
      if (has_quaternion(joint.type)) return chain;
      const Vector3<double> axis = joint_axis(k);
      ChainJoint one;
      one.slides = joint.type == JointType::prismatic;
      if (one.slides ? !(std::fabs(dot(axis, normal)) < 1e-9) : !parallel(axis, normal)) return chain;
      one.body = index[k + 1], one.q = joint.q, one.v = joint.v;
      one.sense = one.slides || dot(axis, normal) > 0 ? sense : -sense;
      one.scale = one.sense * joint.multiplier, one.offset = one.sense * joint.offset;
      const double rest = tree.bodies[one.body].offset - joint.offset;
      one.rest_sine = std::sin(rest), one.rest_cosine = std::cos(rest);
      const Vector3<double> at = one.slides ? axis : at_zero[k].p - p[0];
      one.x = dot(x, at), one.y = dot(y, at);
      chain.joints.push_back(one);
    }
    chain.planar.S = {dot(x, p[1] - p[0]), dot(y, p[1] - p[0])};
    chain.planar.x = transposed(R[1]) * x, chain.planar.y = transposed(R[1]) * y;
    chain.planar.loop = chain.loop = number;
    return chain;
  }

  bool add_planar(const PlanarChain& chain) {
    if (chain.loop < 0) return false;
    std::vector<int> missing, unknowns, knowns;
    for (std::size_t k = 0; k < chain.joints.size(); ++k) {
      const ChainJoint& joint = chain.joints[k];
      if (known[joint.v]) knowns.push_back(joint.v);
      else if (joint.scale != 0) missing.push_back(int(k)), unknowns.push_back(joint.v);
      else return false;
    }
    if (missing.size() != 2 || unknowns[0] == unknowns[1]) return false;
    PlanarLoop planar = chain.planar;
    planar.first = int(out.chain.size()), planar.stop = planar.first + int(chain.joints.size());
    planar.i = planar.first + missing[0], planar.j = planar.first + missing[1];
    planar.from_second = planar.stop - planar.j <= planar.i - planar.first + 1;
    out.chain.insert(out.chain.end(), chain.joints.begin(), chain.joints.end());
    const bool first_slides = out.chain[planar.i].slides, second_slides = out.chain[planar.j].slides;
    Cluster cluster;
    cluster.kind = first_slides ? (second_slides ? ClusterKind::lines : ClusterKind::line_circle)
                                : (second_slides ? ClusterKind::circle_line : ClusterKind::circles);
    cluster.part = int(out.planar.size());
    out.planar.push_back(planar);
    if (cluster.kind != ClusterKind::lines)
      for (int k = planar.first; k < planar.stop; ++k)
        if (!out.chain[k].slides && k != (planar.from_second ? planar.i : planar.j)) out.branch_joints.push_back(k);
    add_columns(cluster, unknowns, knowns);
    add_followers(cluster, unknowns, {out.chain[planar.i].body, out.chain[planar.j].body});
    return true;
  }

  /// Clusters of loops and gears that share unknowns; both lists are empty afterwards.
  void add_newton(std::vector<int>& loops, std::vector<int>& gears) {
    struct Group { std::vector<int> loops, gears, unknowns, knowns; };
    std::vector<Group> groups;
    auto add = [&](Group group, const std::vector<int>& moved) {
      for (int v : moved) {
        std::vector<int>& to = known[v] ? group.knowns : group.unknowns;
        if (!contains(to, v)) to.push_back(v);
      }
      for (std::size_t k = 0; k < groups.size();) {
        bool meets = false;
        for (int v : groups[k].unknowns) meets |= contains(group.unknowns, v);
        if (!meets) {
          ++k;
          continue;
        }
        Group& met = groups[k];
        for (auto [to, from] : {std::pair(&group.loops, &met.loops), std::pair(&group.gears, &met.gears),
                                std::pair(&group.unknowns, &met.unknowns), std::pair(&group.knowns, &met.knowns)})
          for (int value : *from)
            if (!contains(*to, value)) to->push_back(value);
        groups.erase(groups.begin() + long(k));
      }
      groups.push_back(group);
    };
    for (int loop : loops) {
      std::vector<int> moved;
      for (auto [k, sense] : way_between(given.loops[loop].ends))
        for (int c = 0; c < velocities_of(robot.joints[k].type); ++c) moved.push_back(robot.joints[k].v + c);
      add({{loop}, {}, {}, {}}, moved);
    }
    for (int gear : gears) {
      std::vector<int> moved;
      for (int joint : given.gears[gear].joints) moved.push_back(robot.joints[joint].v);
      add({{}, {gear}, {}, {}}, moved);
    }
    loops.clear(), gears.clear();
    for (Group& group : groups) {
      for (std::vector<int>* list : {&group.loops, &group.gears, &group.unknowns, &group.knowns}) std::sort(list->begin(), list->end());
      std::vector<int> columns = group.unknowns;
      columns.insert(columns.end(), group.knowns.begin(), group.knowns.end());
      Cluster cluster;
      cluster.kind = ClusterKind::newton, cluster.part = int(out.sets.size());
      add_set(group.loops, group.gears, false, columns, false);
      add_columns(cluster, group.unknowns, group.knowns);
      add_followers(cluster, group.unknowns, {});
    }
  }

  /// Conditions of loops and gears, or lengths of all springs, with these velocities as columns.
  void add_set(const std::vector<int>& loops, const std::vector<int>& gears, bool springs, const std::vector<int>& columns, bool from_ground) {
    RowSet set;
    set.first_body = int(out.set_bodies.size()), set.first_pair = int(out.pairs.size()), set.first_row = int(out.rows.size());
    set.first_column = int(out.columns.size());
    std::vector<const AnchorDescription*> ends;
    for (int loop : loops) ends.push_back(given.loops[loop].ends);
    if (springs)
      for (const SpringDescription& spring : given.springs) ends.push_back(spring.ends);
    int root = -1; // the last body that carries all anchors
    if (!from_ground && !ends.empty()) {
      std::vector<int> common = to_ground(ends[0][0].body);
      for (const AnchorDescription* pair : ends)
        for (int side = 0; side < 2; ++side) {
          const std::vector<int> chain = to_ground(pair[side].body);
          common.erase(std::remove_if(common.begin(), common.end(), [&](int k) { return !contains(chain, k); }), common.end());
        }
      if (!common.empty()) root = common.front();
    }
    // Bodies of the model between root and anchors. Those that move no row are left out: what they carry has a root of its own.
    std::vector<int> bodies, used = columns;
    for (const AnchorDescription* pair : ends)
      for (int side = 0; side < 2; ++side)
        for (int k = pair[side].body; k != root; k = robot.joints[k].parent)
          if (!contains(bodies, index[k + 1]) && contains(columns, robot.joints[k].v)) bodies.push_back(index[k + 1]);
    std::sort(bodies.begin(), bodies.end());
    if (springs) { // only what they need
      used.clear();
      for (int body : bodies)
        for (int c = 0; c < tree.bodies[body].columns; ++c)
          if (!contains(used, tree.bodies[body].v + c)) used.push_back(tree.bodies[body].v + c);
    }
    for (int v : used) out.columns.push_back({q_of[v], v});
    for (int body : bodies)
      out.set_bodies.push_back({body, place_in(bodies, tree.bodies[body].parent), place_in(used, tree.bodies[body].v)});
    auto add_pair = [&](const AnchorDescription* both, int number) {
      Pair pair;
      for (int side = 0; side < 2; ++side) {
        const int body = index[both[side].body + 1];
        const Matrix3<double> into = body ? transposed(tree.axes[body - 1]) : unit_matrix();
        pair.ends[side] = {place_in(bodies, body), into * both[side].R, into * both[side].p};
      }
      pair.first_joint = int(out.path.size());
      for (auto [k, sense] : way_between(both)) out.path.push_back({place_in(bodies, index[k + 1]), double(sense)});
      pair.joints = int(out.path.size()) - pair.first_joint;
      pair.number = number;
      out.pairs.push_back(pair);
    };
    for (int loop : loops) {
      add_conditions(given.loops[loop], int(out.pairs.size()));
      add_pair(given.loops[loop].ends, loop);
    }
    for (int number : gears) {
      const GearDescription& gear = given.gears[number];
      Row row;
      row.kind = RowKind::coupling, row.first_term = int(out.terms.size()), row.terms = int(gear.joints.size());
      double largest = 0;
      for (double ratio : gear.ratios) largest = std::max(largest, std::fabs(ratio));
      const double scale = from_ground || largest == 0 ? -1 : -1 / largest; // as q_j - sum c q_k - o
      row.offset = scale * gear.offset;
      for (std::size_t k = 0; k < gear.joints.size(); ++k) {
        const JointDescription& joint = robot.joints[gear.joints[k]];
        out.terms.push_back({place_in(used, joint.v), joint.q, scale * gear.ratios[k]});
      }
      out.rows.push_back(row);
    }
    if (springs)
      for (std::size_t k = 0; k < given.springs.size(); ++k) {
        const SpringDescription& spring = given.springs[k];
        Row row;
        row.kind = RowKind::distance, row.pair = int(out.pairs.size());
        out.rows.push_back(row);
        add_pair(spring.ends, int(k));
        out.springs.push_back({spring.stiffness, spring.free_length, spring.initial_force, spring.damping});
      }
    set.bodies = int(out.set_bodies.size()) - set.first_body, set.pairs = int(out.pairs.size()) - set.first_pair;
    set.rows = int(out.rows.size()) - set.first_row, set.columns = int(used.size());
    set.first_entry = out.J_entries;
    out.J_entries += set.rows * set.columns;
    out.sets.push_back(set);
  }

  /// The rows of one loop joint, of the pair with this number.
  void add_conditions(const LoopJointDescription& loop, int pair) {
    const Matrix3<double> frame = with_z_along(loop.axis);
    const Vector3<double> along = loop.axis, first = axis_of(frame, 0), second = axis_of(frame, 1), none{0, 0, 0};
    auto add = [&](RowKind kind, Vector3<double> one, Vector3<double> other) {
      Row row;
      row.kind = kind, row.pair = pair, row.first = one, row.second = other;
      out.rows.push_back(row);
    };
    const LoopType type = loop.type;
    if (type != LoopType::prismatic && type != LoopType::planar) add(RowKind::along, along, none);
    add(RowKind::along, first, none);
    add(RowKind::along, second, none);
    if (type == LoopType::revolute) add(RowKind::aligned, first, along), add(RowKind::aligned, second, along);
    if (type == LoopType::universal) add(RowKind::across, along, first); // its second axis is fixed in the successor
    if (type == LoopType::fixed || type == LoopType::prismatic)
      for (Vector3<double> axis : {first, second, along}) add(RowKind::about, axis, none);
  }

  /// Angles of planar loops that gears, or joints that mimic, need at once; the others are found when all loops are closed.
  void set_late_angles() {
    for (const Cluster& cluster : out.clusters) {
      if (cluster.kind == ClusterKind::gear || cluster.kind == ClusterKind::newton) continue;
      PlanarLoop& planar = out.planar[cluster.part];
      planar.angles_now = cluster.followers > 0;
      for (const Cluster& other : out.clusters) {
        if (other.kind != ClusterKind::gear && other.kind != ClusterKind::newton) continue;
        for (int k = 0; k < other.unknowns + other.knowns; ++k)
          for (int u = 0; u < 2; ++u)
            planar.angles_now |= out.columns[other.first_column + k].v == out.columns[cluster.first_column + u].v;
      }
      for (int k : {planar.i, planar.j})
        if (!planar.angles_now && !out.chain[k].slides) out.late_angles.push_back({out.chain[k].body, out.chain[k].q});
    }
  }
};

} // namespace detail

/// The model of a robot's loops; `tree` is the model of its tree, with masses of either form.
inline LoopArrays make_loops(const Description& robot, const ModelArrays<double>& tree, const LoopsDescription& loops) {
  return detail::LoopPlanner(robot, tree, loops).make();
}

} // namespace modular_dynamics
