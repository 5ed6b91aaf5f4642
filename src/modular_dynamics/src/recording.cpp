// Algorithms run on the number type that records, and what they have recorded as NumPy arrays.
#define PY_ARRAY_UNIQUE_SYMBOL modular_dynamics_arrays
#define NO_IMPORT_ARRAY
#include "recording.hpp"

#include "modular_dynamics/recording.hpp"

#include <string>

namespace modular_dynamics {

/// Recorded loops are solved nearer to singular configurations than others: nothing else takes over there.
template <> constexpr double least_sine<Recorded> = 1e-6;
/// Their equations are met but for rounding, which would take half as many operations again to correct.
template <> constexpr bool closes_rounding<Recorded> = false;

} // namespace modular_dynamics

using namespace modular_dynamics;

namespace {

typedef std::vector<Recorded> Numbers;
typedef std::vector<Recorder::Place> Places;

std::vector<Numbers> inputs_of(int given, std::initializer_list<int> lengths) {
  std::vector<Numbers> inputs;
  for (int length : lengths) {
    const int array = int(inputs.size());
    inputs.emplace_back(length);
    for (int k = 0; array < given && k < length; ++k) inputs[array][k] = Recorded::line(Recorder::active->input(array, k));
  }
  return inputs;
}

void append(const Numbers& numbers, Places& to) {
  for (Recorded x : numbers) to.push_back(x.at);
}

template <class S> PyObject* array_of(const std::vector<S>& values, int type, npy_intp width = 0) {
  npy_intp shape[2] = {npy_intp(values.size()), width};
  PyObject* array = PyArray_SimpleNew(width ? 2 : 1, shape, type);
  if (array && !values.empty()) std::memcpy(PyArray_DATA(as_array(array)), values.data(), values.size() * sizeof(S));
  return array;
}

/// Runs `record(results, reach)` with a recorder, and returns what it has recorded.
template <class Function> PyObject* recorded_by(Function record) {
  Recorder recorder;
  Recorder::active = &recorder;
  PyObject* made = nullptr;
  try {
    Places results, reach;
    record(results, reach);
    recorder.keep({&results, &recorder.pivots, &reach});
    auto wide = [](const Places& places) { return array_of(std::vector<std::int64_t>(places.begin(), places.end()), NPY_INT64); };
    static_assert(sizeof(Line) == 3 * sizeof(std::int64_t), "a row of an array");
    made = Py_BuildValue("(NNNNN)", array_of(recorder.lines, NPY_INT64, 3), array_of(recorder.constants, NPY_DOUBLE), wide(results),
                         wide(recorder.pivots), wide(reach));
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::logic_error& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  }
  Recorder::active = nullptr;
  return made;
}

/// An algorithm's memory of recorded numbers, which are zeros.
template <class Work, class R> Work work_in(std::vector<std::int64_t>& memory, const R& request) {
  memory.assign(bytes_of<Work>(request) / sizeof(std::int64_t), 0);
  Arena arena(memory.data());
  return Work(arena, request);
}

template <class A> void run(const Request<double>& r, const std::vector<Numbers>& x, Places& results) {
  std::vector<std::int64_t> memory;
  const auto call = work_in<CallWork<A, Recorded>>(memory, r);
  Numbers out(call.shape.numbers());
  joint_positions(r.model, x[0].data(), call.positions);
  const Recorded* const inputs[] = {x[0].data(), x[1].data(), x[2].data(), nullptr};
  call.run(inputs, out.data());
  append(out, results);
}

void run_loops(const std::string& name, const LoopRequest& r, int inputs, const double* near, const double* farthest, Places& results, Places& reach) {
  const LoopModel& loops = r.loops;
  const int p = loops.independent_v.count, nv = loops.nv;
  for (const Cluster& cluster : loops.clusters)
    if (cluster.kind == ClusterKind::newton) throw std::logic_error("loops that are closed by Newton's method are not recorded");
  const auto x = inputs_of(inputs, {loops.independent_q.count, p, p});
  std::vector<std::int64_t> memory;
  const auto work = work_in<LoopCallWork<Recorded>>(memory, r);
  for (int k = 0; k < loops.nq; ++k) work.guess[k] = near[k];
  for (int k = 0; k < loops.independent_q.count; ++k) {
    work.q[loops.independent_q[k]] = x[0][k];
    const Recorded away = x[0][k] - near[loops.independent_q[k]];
    if (std::isfinite(farthest[k])) reach.push_back((farthest[k] * farthest[k] - away * away).at);
  }
  set_branch(loops, work.guess, work);
  append(close_directly(r.model, loops, work.guess, work).positive, reach);
  auto velocities_of = [&](auto value) { // and no accelerations
    for (int k = 0; k < p; ++k) work.v[loops.independent_v[k]] = value(k), work.a[loops.independent_v[k]] = Recorded();
  };
  auto torques = [&](bool accelerated) {
    velocities_of([&](int k) { return x[1][k]; });
    for (int k = 0; k < p && accelerated; ++k) work.a[loops.independent_v[k]] = x[2][k];
    closed_inverse_dynamics<Recorded>(r.model, loops, {r.counted.armature, r.counted.springs, false}, r.mimics, nullptr, false, work.tensions, work);
    Numbers tau;
    for (int v : loops.independent_v) tau.push_back(work.tau[v]);
    return tau;
  };
  auto matrix = [&] {
    Numbers M(p * p);
    closed_mass_matrix<Recorded>(r.model, loops, r.counted.armature, work.M, work.table, M.data(), work.composite, work);
    return M;
  };
  if (name == "coordinates") {
    append(Numbers(work.q, work.q + loops.nq), results);
  } else if (name == "projection") {
    Numbers W(nv * p);
    for (int column = 0; column < p; ++column) {
      velocities_of([&](int k) { return Recorded(k == column); });
      complete_motion(r.model, loops, false, work);
      for (int k = 0; k < nv; ++k) W[k * p + column] = work.v[k];
    }
    append(W, results);
  } else if (name == "inverse_dynamics") {
    append(torques(true), results);
  } else if (name == "mass_matrix") {
    append(matrix(), results);
  } else if (name == "forward_dynamics") {
    const Numbers bias = torques(false);
    Numbers a, M = matrix();
    for (int k = 0; k < p; ++k) a.push_back(x[2][k] - bias[k]);
    append(solve_definite(p, detail::pivot_rounding, M.data(), a.data()).positive, Recorder::active->pivots);
    append(a, results);
  } else {
    throw std::logic_error("of loops, '" + name + "' is not recorded");
  }
}

} // namespace

Description modular_dynamics::with_short_arms(Description robot) {
  const auto frames = model_frames(robot);
  std::vector<JointDescription>& joints = robot.joints;
  for (int k = int(joints.size()) - 1; k >= 0; --k) {
    JointDescription& joint = joints[k];
    if (joint.type != JointType::revolute) continue;
    const double height = dot(joint.com, joint.axis);
    std::vector<double> heights; // of children's origins
    double reach = joint.mass > 0 ? std::sqrt(dot(joint.com, joint.com)) : 0;
    for (const JointDescription& child : joints)
      if (child.parent == k) {
        heights.push_back(dot(child.p_parent_joint, joint.axis));
        reach = std::max(reach, std::sqrt(dot(child.p_parent_joint, child.p_parent_joint)));
      }
    const Vector3<double> axis = joint.R_parent_joint * joint.axis;
    auto cost = [&](double slide) { // operations, about
      const Vector3<double> moved = joint.p_parent_joint + slide * axis, arm = joint.parent < 0 ? moved : transposed_product(frames[joint.parent], moved);
      const double tiny = 1e-15 * (reach + std::sqrt(dot(arm, arm)));
      int components = (std::fabs(arm.x) > tiny) + (std::fabs(arm.y) > tiny); // along z the parent may move
      for (double one : heights) components += std::fabs(one - slide) > tiny;
      return 14 * components + 5 * (joint.mass > 0 && std::fabs(height - slide) > tiny);
    };
    std::vector<double> slides = heights;
    if (joint.mass > 0) slides.push_back(height);
    double best = 0;
    for (double slide : slides) // an origin far from its body would cost accuracy
      if (std::fabs(slide) <= 2 * reach && cost(slide) < cost(best)) best = slide;
    joint.p_parent_joint = joint.p_parent_joint + best * axis;
    joint.com = joint.com - best * joint.axis;
    for (JointDescription& child : joints)
      if (child.parent == k) child.p_parent_joint = child.p_parent_joint - best * joint.axis;
  }
  return robot;
}

PyObject* modular_dynamics::recorded(const char* name, const Request<double>& request, int inputs) {
  return recorded_by([&](Places& results, Places&) {
    const auto x = inputs_of(inputs, {request.model.nq, request.model.nv, request.model.nv});
    const std::string given = name;
    if (given == "inverse_dynamics") run<InverseDynamics>(request, x, results);
    else if (given == "mass_matrix") run<MassMatrix>(request, x, results);
    else if (given == "forward_dynamics") run<ForwardDynamics>(request, x, results);
    else if (given == "inverse_dynamics_derivatives") run<Derivatives>(request, x, results);
    else if (given == "frame_poses") run<FramePoses>(request, x, results);
    else if (given == "jacobian") {
      Request<double> one = request; // a jacobian is of one frame
      one.frame_count = 1;
      for (int k = 0; k < request.frame_count; ++k, ++one.frames) run<Jacobian>(one, x, results);
    } else throw std::logic_error("'" + given + "' is not recorded");
  });
}

PyObject* modular_dynamics::recorded(const char* name, const LoopRequest& request, int inputs, bool springs, const double* near,
                                     const double* farthest) {
  return recorded_by([&](Places& results, Places& reach) {
    LoopRequest r = request;
    std::vector<RowSet> sets(r.loops.sets.begin(), r.loops.sets.end());
    if (!springs) r.counted.springs = false, sets[1].rows = 0; // of springs between links
    r.loops.sets.data = sets.data();
    run_loops(name, r, inputs, near, farthest, results, reach);
  });
}
