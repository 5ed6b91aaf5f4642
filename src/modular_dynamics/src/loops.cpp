// The type Loops of the Python module: closed loops of a Robot, and the functions of loop_kernels.hpp on NumPy arrays.
#define PY_ARRAY_UNIQUE_SYMBOL modular_dynamics_arrays
#define NO_IMPORT_ARRAY
#include "loops.hpp"

#include "loop_kernels.hpp"
#include "recording.hpp"
#include "threads.hpp"

#include <cstring>

namespace modular_dynamics {

extern const LoopKernels loop_kernels_baseline;
#ifdef __x86_64__
extern const LoopKernels loop_kernels_v2, loop_kernels_v3, loop_kernels_v4;
#endif

const LoopKernels* loop_kernels_for(const char* name) {
  for (const LoopKernels* one : {
#ifdef __x86_64__
           &loop_kernels_v2, &loop_kernels_v3, &loop_kernels_v4,
#endif
           &loop_kernels_baseline})
    if (std::strcmp(name, one->name) == 0) return one;
  return nullptr;
}

} // namespace modular_dynamics

using namespace modular_dynamics;

namespace {

struct Loops : LoopRobot {
  const LoopKernels* kernels;
  LoopRequest request; // without friction
  Memory memory;       // of single calls, which hold the GIL

  Loops(const Description& robot, const LoopsDescription& given, const LoopKernels* chosen)
      : LoopRobot(robot, given), kernels(chosen), request(LoopRobot::request(armature_terms | spring_terms)), memory(chosen->bytes(request)) {
    kernels->prepare(request, memory.get());
  }
};

AnchorDescription anchor(npy_int64 body, const double* pose) { // rotation row by row, then position
  AnchorDescription one;
  one.body = int(body);
  std::memcpy(&one.R, pose, sizeof one.R);
  one.p = {pose[9], pose[10], pose[11]};
  return one;
}

bool read_loops(PyObject* arrays, const Description& robot, LoopsDescription& loops) {
  typedef npy_int64 I;
  npy_intp n = -1, gears = -1, terms = -1, springs = -1, independent = -1;
  const I *type = nullptr, *bodies = nullptr, *gear = nullptr, *gear_joints = nullptr, *spring_bodies = nullptr, *joints = nullptr;
  const double *poses = nullptr, *axes = nullptr, *offsets = nullptr, *ratios = nullptr, *spring_poses = nullptr, *laws = nullptr;
  if (!(type = column<I>(arrays, "loop_type", NPY_INT64, n)) || !(bodies = column<I>(arrays, "loop_bodies", NPY_INT64, n, 2)) ||
      !(poses = column<double>(arrays, "loop_poses", NPY_DOUBLE, n, 2, 12)) || !(axes = column<double>(arrays, "loop_axis", NPY_DOUBLE, n, 3)) ||
      !(offsets = column<double>(arrays, "gear_offset", NPY_DOUBLE, gears)) || !(gear = column<I>(arrays, "term_gear", NPY_INT64, terms)) ||
      !(gear_joints = column<I>(arrays, "term_joint", NPY_INT64, terms)) || !(ratios = column<double>(arrays, "term_ratio", NPY_DOUBLE, terms)) ||
      !(spring_bodies = column<I>(arrays, "spring_bodies", NPY_INT64, springs, 2)) ||
      !(spring_poses = column<double>(arrays, "spring_poses", NPY_DOUBLE, springs, 2, 12)) ||
      !(laws = column<double>(arrays, "spring_law", NPY_DOUBLE, springs, 4)) || !(joints = column<I>(arrays, "independent", NPY_INT64, independent)))
    return false;
  const I count = I(robot.joints.size());
  if (!in_range(type, n, 0, 6, "loop_type") || !in_range(bodies, 2 * n, -1, count, "loop_bodies") || !in_range(gear, terms, 0, gears, "term_gear") ||
      !in_range(gear_joints, terms, 0, count, "term_joint") || !in_range(spring_bodies, 2 * springs, -1, count, "spring_bodies") ||
      !in_range(joints, independent, 0, count, "independent"))
    return false;
  for (npy_intp k = 0; k < terms; ++k)
    if (has_quaternion(robot.joints[gear_joints[k]].type)) {
      PyErr_Format(PyExc_ValueError, "term_joint[%zd] is %lld: a joint with several coordinates", k, (long long)gear_joints[k]);
      return false;
    }
  std::vector<bool> taken(robot.joints.size(), false);
  for (npy_intp k = 0; k < independent; ++k) {
    if (taken[joints[k]] || robot.joints[joints[k]].mimics) {
      PyErr_Format(PyExc_ValueError, "independent[%zd] is %lld: a joint that is named twice, or mimics another", k, (long long)joints[k]);
      return false;
    }
    taken[joints[k]] = true;
  }
  for (npy_intp k = 0; k < n; ++k)
    loops.loops.push_back({LoopType(type[k]), {anchor(bodies[2 * k], poses + 24 * k), anchor(bodies[2 * k + 1], poses + 24 * k + 12)},
                           {axes[3 * k], axes[3 * k + 1], axes[3 * k + 2]}});
  for (npy_intp k = 0; k < gears; ++k) loops.gears.push_back({offsets[k], {}, {}});
  for (npy_intp k = 0; k < terms; ++k)
    loops.gears[gear[k]].joints.push_back(int(gear_joints[k])), loops.gears[gear[k]].ratios.push_back(ratios[k]);
  for (npy_intp k = 0; k < springs; ++k)
    loops.springs.push_back({{anchor(spring_bodies[2 * k], spring_poses + 24 * k), anchor(spring_bodies[2 * k + 1], spring_poses + 24 * k + 12)},
                             laws[4 * k], laws[4 * k + 1], laws[4 * k + 2], laws[4 * k + 3]});
  for (npy_intp k = 0; k < independent; ++k) loops.independent.push_back(int(joints[k]));
  return true;
}

PyObject* new_loops(PyTypeObject* type, PyObject* positional, PyObject* arrays) {
  const char* kernels = nullptr;
  const Description* robot = PyTuple_Size(positional) == 1 ? robot_description(PyTuple_GetItem(positional, 0), &kernels) : nullptr;
  if (!robot) {
    PyErr_SetString(PyExc_TypeError, "Loops(robot, loop_type=, ...) is needed, with a Robot");
    return nullptr;
  }
  return new_object<Loops>(type, [&] {
    LoopsDescription given;
    return read_loops(arrays, *robot, given) ? std::make_unique<Loops>(*robot, given, loop_kernels_for(kernels)) : nullptr;
  });
}

constexpr int inputs_of(LoopQuantity quantity) { return quantity == LoopQuantity::mass_matrix ? 1 : 3; }

/// Reads inputs, guess, out, coordinates and details; the last two may be None or, of one state, be left out. Only torques have details.
bool read_arrays(const LoopRequest& r, LoopQuantity quantity, PyObject* const* arguments, Py_ssize_t count, bool many, LoopRows& rows, npy_intp& number, bool& each) {
  const npy_intp pq = r.loops.independent_q.count, p = r.loops.independent_v.count, nq = r.loops.nq;
  auto read = [&](const char* name, npy_intp width, bool written) {
    return static_cast<double*>(data_of(*arguments, {name, NPY_DOUBLE, many ? 2 : 1, {many ? number : width, width, 0}, written}));
  };
  auto next = [&] { ++arguments, --count; };
  if (!(rows.q = read("q", pq, false))) return false;
  if (many) number = PyArray_DIM(as_array(*arguments), 0);
  next();
  if (inputs_of(quantity) == 3) {
    if (!(rows.v = read("v", p, false))) return false;
    next();
    if (!(rows.third = read(quantity == LoopQuantity::forward_dynamics ? "tau" : "a", p, false))) return false;
    next();
  }
  each = many && PyArray_Check(*arguments) && PyArray_NDIM(as_array(*arguments)) == 2;
  const Expected guess{"guess", NPY_DOUBLE, each ? 2 : 1, {each ? number : nq, nq, 0}};
  if (!(rows.guess = static_cast<const double*>(data_of(*arguments, guess)))) return false;
  next();
  const bool matrix = quantity == LoopQuantity::mass_matrix;
  const Expected out{"out", NPY_DOUBLE, 1 + matrix + many, {many ? number : p, p, p}, true};
  if (!(rows.out = static_cast<double*>(data_of(*arguments, out)))) return false;
  next();
  if (count > 0 && *arguments != Py_None && !(rows.coordinates = read("coordinates", nq, true))) return false;
  if (count > 1 && arguments[1] != Py_None) {
    next();
    if (quantity != LoopQuantity::inverse_dynamics) {
      PyErr_SetString(PyExc_TypeError, "details must be None: only inverse dynamics has them");
      return false;
    }
    if (!(rows.details = read("details", details_of(r), true))) return false;
  }
  return true;
}

/// Reads wrenches from outside, the same in all states; None: there are none.
bool read_loads(const LoopRequest& r, PyObject* argument, LoopRows& rows) {
  if (argument == Py_None) return true;
  rows.loads = static_cast<const double*>(data_of(argument, {"loads", NPY_DOUBLE, 2, {r.whole.joints, 6, 0}}));
  return rows.loads;
}

/// One state: (q[, v, a or tau], guess, out[, coordinates[, details[, friction[, loads]]]]) -> status, the number of a LoopStatus.
template <LoopQuantity quantity> PyObject* one(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  Loops& loops = value_of<Loops>(self);
  constexpr Py_ssize_t needed = inputs_of(quantity) + 2;
  constexpr Py_ssize_t most = needed + 3 + (quantity == LoopQuantity::inverse_dynamics);
  if (!has_count(count, needed, most)) return nullptr;
  const int friction = count > needed + 2 ? PyObject_IsTrue(arguments[needed + 2]) : 0; // first: it may run Python
  if (friction < 0) return nullptr;
  LoopRows rows;
  npy_intp number = 1;
  bool each = false;
  if (!read_arrays(loops.request, quantity, arguments, count, false, rows, number, each)) return nullptr;
  if (count > needed + 3 && !read_loads(loops.request, arguments[needed + 3], rows)) return nullptr;
  if (friction && loops.whole.has_friction) {
    LoopRequest request = loops.request;
    request.friction = true;
    return PyLong_FromLong(long(loops.kernels->one[int(quantity)](request, rows, loops.memory.get())));
  }
  return PyLong_FromLong(long(loops.kernels->one[int(quantity)](loops.request, rows, loops.memory.get())));
}

constexpr long piece = 256; // of rows, that one thread takes

/// Where pieces of a motion start: each from the one before it, whatever the number of threads.
std::vector<double> starts_of(const LoopRequest& r, const LoopKernels& kernels, const LoopRows& rows, long number) {
  const int pq = r.loops.independent_q.count, p = r.loops.independent_v.count, nq = r.loops.nq;
  std::vector<double> starts(rows.guess, rows.guess + nq), rest(p, 0.0), tau(p);
  Memory memory(kernels.bytes(r));
  kernels.prepare(r, memory.get());
  for (long row = piece; row < number; row += piece) {
    const std::size_t last = starts.size() - nq;
    starts.resize(starts.size() + nq);
    std::copy_n(starts.begin() + long(last), nq, starts.end() - nq);
    double* here = starts.data() + last + nq;
    kernels.one[0](r, {rows.q + row * pq, rest.data(), rest.data(), starts.data() + last, tau.data(), here, nullptr}, memory.get());
  }
  return starts;
}

/// Computes many states. False: memory cannot be allocated.
bool run_rows(const Loops& loops, const LoopRequest& r, LoopQuantity quantity, const LoopRows& rows, long number, bool each, npy_int64* statuses, long threads) {
  const int pq = r.loops.independent_q.count, p = r.loops.independent_v.count, nq = r.loops.nq;
  const int results = quantity == LoopQuantity::mass_matrix ? p * p : p, wide = details_of(r);
  std::vector<double> starts;
  if (!each) starts = starts_of(r, *loops.kernels, rows, number);
  RowsOutcome all;
  return on_threads(loops.kernels->bytes(r), number, piece, threads, all, [&](long first, long count, void* memory) -> RowsOutcome {
    LoopRows part = rows;
    part.q += first * pq, part.out += first * results;
    part.guess = each ? rows.guess + first * nq : starts.data() + first / piece * nq;
    if (rows.v) part.v += first * p, part.third += first * p;
    if (rows.coordinates) part.coordinates += first * nq;
    if (rows.details) part.details += first * wide;
    loops.kernels->many[int(quantity)](r, part, count, each, statuses + first, memory);
    return {count, {}};
  });
}

/// Many states: (q[, v, a or tau], guess, out, coordinates, details, statuses, friction, threads). The guess is one configuration, from which
/// each state follows the one before it, or one for each. Writes a status for each.
template <LoopQuantity quantity> PyObject* many(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  const Loops& loops = value_of<Loops>(self);
  constexpr Py_ssize_t needed = inputs_of(quantity) + 7;
  if (!has_count(count, needed, needed + (quantity == LoopQuantity::inverse_dynamics))) return nullptr;
  const int friction = PyObject_IsTrue(arguments[needed - 2]);
  long threads = 0;
  if (friction < 0 || !read_number(arguments[needed - 1], "threads", 1, 1024, threads)) return nullptr;
  LoopRows rows;
  npy_intp number = -1;
  bool each = false;
  if (!read_arrays(loops.request, quantity, arguments, needed - 3, true, rows, number, each)) return nullptr;
  if (count > needed && !read_loads(loops.request, arguments[needed], rows)) return nullptr;
  auto statuses = static_cast<npy_int64*>(data_of(arguments[needed - 3], {"statuses", NPY_INT64, 1, {number, 0, 0}, true}));
  if (!statuses) return nullptr;
  LoopRequest request = loops.request;
  request.friction = friction && loops.whole.has_friction;
  bool done = true;
  Py_BEGIN_ALLOW_THREADS
  try {
    if (!request.undetermined) done = run_rows(loops, request, quantity, rows, number, each, statuses, threads);
    else std::fill_n(statuses, number, npy_int64(LoopStatus::elsewhere));
  } catch (const std::bad_alloc&) {
    done = false;
  }
  Py_END_ALLOW_THREADS
  if (!done) return PyErr_NoMemory();
  return Py_NewRef(Py_None);
}

/// (q, v, phi, J, gamma[, wrenches]): rows of all loops and gears, or of springs, at coordinates and velocities of all joints.
template <bool springs> PyObject* constraints(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  Loops& loops = value_of<Loops>(self);
  const LoopModel& model = loops.request.loops;
  const npy_intp m = model.sets[springs].rows, nv = model.nv;
  if (!has_count(count, 5, 6)) return nullptr;
  const Expected expected[6] = {{"q", NPY_DOUBLE, 1, {model.nq, 0, 0}}, {"v", NPY_DOUBLE, 1, {nv, 0, 0}}, {"phi", NPY_DOUBLE, 1, {m, 0, 0}, true},
                                {"J", NPY_DOUBLE, 2, {m, nv, 0}, true}, {"gamma", NPY_DOUBLE, 1, {m, 0, 0}, true},
                                {"wrenches", NPY_DOUBLE, 2, {m, 6, 0}, true}};
  double* data[6] = {};
  for (int k = 0; k < count; ++k)
    if (!(data[k] = static_cast<double*>(data_of(arguments[k], expected[k])))) return nullptr;
  loops.kernels->constraints(loops.request, springs, data[0], data[1], data[2], data[3], data[4], data[5], loops.memory.get());
  return Py_NewRef(Py_None);
}

/// (q, guess, configurations): all assembly modes; returns how many, or -1.
PyObject* modes(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  Loops& loops = value_of<Loops>(self);
  const LoopModel& model = loops.request.loops;
  if (!has_count(count, 3, 3)) return nullptr;
  auto q = static_cast<double*>(data_of(arguments[0], {"q", NPY_DOUBLE, 1, {model.independent_q.count, 0, 0}}));
  auto guess = q ? static_cast<double*>(data_of(arguments[1], {"guess", NPY_DOUBLE, 1, {model.nq, 0, 0}})) : nullptr;
  if (!guess) return nullptr;
  const npy_intp most = PyArray_Check(arguments[2]) && PyArray_NDIM(as_array(arguments[2])) == 2 ? PyArray_DIM(as_array(arguments[2]), 0) : 0;
  auto out = static_cast<double*>(data_of(arguments[2], {"configurations", NPY_DOUBLE, 2, {most, model.nq, 0}, true}));
  if (!out) return nullptr;
  if (loops.request.undetermined) return PyLong_FromLong(-1);
  return PyLong_FromLong(loops.kernels->modes(loops.request, q, guess, int(most > 1 << 20 ? 1 << 20 : most), out, loops.memory.get()));
}

/// (name, inputs, springs, near, farthest): a function's operations.
PyObject* record(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  const Loops& loops = value_of<Loops>(self);
  if (!has_count(count, 5, 5)) return nullptr;
  const int springs = PyObject_IsTrue(arguments[2]); // first: it may run Python
  const char* name = PyUnicode_AsUTF8AndSize(arguments[0], nullptr);
  const long inputs = PyLong_AsLong(arguments[1]);
  if (springs < 0 || !name || (inputs == -1 && PyErr_Occurred())) return nullptr;
  auto near = static_cast<const double*>(data_of(arguments[3], {"near", NPY_DOUBLE, 1, {loops.loops.nq}}));
  auto farthest = near ? static_cast<const double*>(data_of(arguments[4], {"farthest", NPY_DOUBLE, 1, {npy_intp(loops.loops.independent_q.size())}})) : nullptr;
  if (!farthest) return nullptr;
  if (loops.request.undetermined) {
    PyErr_SetString(PyExc_ValueError, "independent coordinates and loops do not determine all others: nothing is recorded");
    return nullptr;
  }
  return recorded(name, loops.request, int(inputs), springs, near, farthest);
}

/// The clusters in order: (kind, velocities of its unknowns).
PyObject* clusters(PyObject* self, void*) {
  static const char* const names[] = {"gear", "circles", "circle_line", "line_circle", "lines", "newton"};
  const LoopArrays& loops = value_of<Loops>(self).loops;
  PyObject* list = PyList_New(0);
  for (const Cluster& cluster : loops.clusters) {
    std::vector<int> unknowns;
    for (int k = 0; k < cluster.unknowns; ++k) unknowns.push_back(loops.columns[cluster.first_column + k].v);
    PyObject* one = list ? Py_BuildValue("(sN)", names[int(cluster.kind)], list_of(unknowns)) : nullptr;
    if (!one || PyList_Append(list, one) < 0) Py_CLEAR(list);
    Py_XDECREF(one);
  }
  return list;
}

/// Velocities that are not solved for, so that all calls are refused.
PyObject* undetermined(PyObject* self, void*) { return list_of(value_of<Loops>(self).loops.undetermined); }
PyObject* spatial(PyObject* self, void*) { return list_of(value_of<Loops>(self).loops.spatial); }
PyObject* detail_count(PyObject* self, void*) { return PyLong_FromLong(details_of(value_of<Loops>(self).request)); }
PyObject* row_count(PyObject* self, void*) { return PyLong_FromLong(value_of<Loops>(self).request.loops.sets[0].rows); }

#define MD_LOOP_METHODS(name, inputs, loads)                                                                                            \
  method(#name, one<LoopQuantity::name>, #name "(" inputs ", guess, out[, coordinates[, details[, friction" loads "]]]) -> status"),     \
      method(#name "_rows", many<LoopQuantity::name>,                                                                                    \
             #name "_rows(" inputs ", guess, out, coordinates, details, statuses, friction, threads" loads ")")
PyMethodDef methods[] = {MD_LOOP_METHODS(inverse_dynamics, "q, v, a", "[, loads]"), MD_LOOP_METHODS(mass_matrix, "q", ""),
                         MD_LOOP_METHODS(forward_dynamics, "q, v, tau", ""),
                         method("constraints", constraints<false>, "constraints(q, v, phi, J, gamma[, wrenches])"),
                         method("spring_lengths", constraints<true>, "spring_lengths(q, v, lengths, J, gamma[, wrenches])"),
                         method("modes", modes, "modes(q, guess, configurations) -> how many"),
                         method("record", record, "record(name, inputs, springs, near, farthest): a function's operations"),
                         {nullptr, nullptr, 0, nullptr}};
PyGetSetDef members[] = {{"clusters", clusters, nullptr, "The order in which loops are solved: kinds, and velocities of unknowns.", nullptr},
                         {"undetermined", undetermined, nullptr, "Velocities because of which all calls are refused.", nullptr},
                         {"spatial", spatial, nullptr, "Loop joints, by their numbers, of loops that do not move in a plane.", nullptr},
                         {"details", detail_count, nullptr, "How many numbers the details of a state have.", nullptr},
                         {"rows", row_count, nullptr, "The number of constraint rows.", nullptr},
                         {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(new_loops)},
                       {Py_tp_dealloc, reinterpret_cast<void*>(destroy<Loops>)},
                       {Py_tp_methods, methods},
                       {Py_tp_getset, members},
                       {Py_tp_doc, const_cast<char*>("The closed loops of a robot as the compiled functions read them.")},
                       {0, nullptr}};
PyType_Spec spec = {"modular_dynamics._core.Loops", sizeof(Object<Loops>), 0, Py_TPFLAGS_DEFAULT, slots};

} // namespace

bool modular_dynamics::add_loops(PyObject* module) { return add_type(module, "Loops", spec); }
