// The type Loops of the Python module: closed loops of a Robot, and the functions of loop_kernels.hpp on NumPy arrays.
#define PY_ARRAY_UNIQUE_SYMBOL modular_dynamics_arrays
#define NO_IMPORT_ARRAY
#include "loop_kernels.hpp"
#include "recording.hpp"
#include "robot.hpp"
#include "threads.hpp"

using namespace modular_dynamics;

namespace {

struct Loops : LoopRobot {
  const LoopKernels* kernels;
  LoopRequest request, with_friction;
  Memory memory;       // of single calls, which hold the GIL

  Loops(const Description& robot, const LoopsDescription& given, const LoopKernels* chosen)
      : LoopRobot(robot, given), kernels(chosen), request(LoopRobot::request(armature_terms | spring_terms)),
        with_friction(LoopRobot::request(all_terms)), memory(chosen->bytes(request)) {
    kernels->prepare(request, memory.get());
  }
};

AnchorDescription anchor(npy_int64 body, const double* pose) { // rotation row by row, then position
  AnchorDescription one;
  one.body = int(body);
  std::memcpy(&one.R, pose, sizeof one.R);
  one.p = vector_at(pose + 9);
  return one;
}

bool read_loops(PyObject* arrays, const Description& robot, LoopsDescription& loops) {
  typedef npy_int64 I;
  Columns columns{arrays};
  npy_intp n = -1, gears = -1, terms = -1, springs = -1, independent = -1;
  const I count = I(robot.joints.size());
  const I *type = columns.indices("loop_type", 0, 6, n), *bodies = columns.indices("loop_bodies", -1, count, n, 2);
  const double *poses = columns.of<double>("loop_poses", n, 2, 12), *axes = columns.of<double>("loop_axis", n, 3);
  const double* offsets = columns.of<double>("gear_offset", gears);
  const I *gear = columns.indices("term_gear", 0, gears, terms), *gear_joints = columns.indices("term_joint", 0, count, terms);
  const double* ratios = columns.of<double>("term_ratio", terms);
  const I* spring_bodies = columns.indices("spring_bodies", -1, count, springs, 2);
  const double *spring_poses = columns.of<double>("spring_poses", springs, 2, 12), *laws = columns.of<double>("spring_law", springs, 4);
  const I* joints = columns.indices("independent", 0, count, independent);
  if (!columns.good) return false;
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
                           vector_at(axes + 3 * k)});
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
  PyObject* owner = PyTuple_Size(positional) == 1 ? PyTuple_GetItem(positional, 0) : nullptr;
  if (!owner || !PyObject_TypeCheck(owner, robot_type)) {
    PyErr_SetString(PyExc_TypeError, "Loops(robot, loop_type=, ...) is needed, with a Robot");
    return nullptr;
  }
  return new_object<Loops>(type, [&] {
    const Robot& robot = value_of<Robot>(owner);
    LoopsDescription given;
    return read_loops(arrays, robot.description, given) ? std::make_unique<Loops>(robot.description, given, robot.kernels->loops) : nullptr;
  });
}

constexpr int inputs_of(LoopQuantity quantity) { return quantity == LoopQuantity::mass_matrix ? 1 : 3; }

/// Reads inputs, guess, out, coordinates and details; the last two may be None or, of one state, be left out. Only torques have details.
bool read_arrays(const LoopRequest& r, LoopQuantity quantity, PyObject* const* arguments, Py_ssize_t count, bool many, LoopRows& rows, npy_intp& number, bool& each) {
  const npy_intp pq = r.loops.independent_q.count, p = r.loops.independent_v.count, nq = r.loops.nq;
  const bool matrix = quantity == LoopQuantity::mass_matrix;
  auto next = [&](auto*& to, const char* name, bool by_row, std::initializer_list<npy_intp> sizes) {
    npy_intp shape[3];
    int axes = 0;
    if (by_row) shape[axes++] = number;
    for (npy_intp size : sizes) shape[axes++] = size;
    to = data_of<std::remove_reference_t<decltype(*to)>>(*arguments, name, shape, axes);
    ++arguments, --count;
    return to != nullptr;
  };
  PyObject* q = *arguments;
  if (!next(rows.q, "q", many, {pq})) return false;
  if (many) number = PyArray_DIM(as_array(q), 0);
  const char* third = quantity == LoopQuantity::forward_dynamics ? "tau" : "a";
  if (!matrix && !(next(rows.v, "v", many, {p}) && next(rows.third, third, many, {p}))) return false;
  each = many && axes_of(*arguments) == 2;
  if (!next(rows.guess, "guess", each, {nq})) return false;
  if (!(matrix ? next(rows.out, "out", many, {p, p}) : next(rows.out, "out", many, {p}))) return false;
  if (count > 0 && *arguments == Py_None) ++arguments, --count;
  else if (count > 0 && !next(rows.coordinates, "coordinates", many, {nq})) return false;
  if (count <= 0 || *arguments == Py_None) return true;
  if (quantity == LoopQuantity::inverse_dynamics) return next(rows.details, "details", many, {details_of(r)});
  PyErr_SetString(PyExc_TypeError, "details must be None: only inverse dynamics has them");
  return false;
}

/// Reads wrenches from outside, the same in all states; None: there are none.
bool read_loads(const LoopRequest& r, PyObject* argument, LoopRows& rows) {
  if (argument == Py_None) return true;
  rows.loads = data_of<const double>(argument, "loads", {r.whole.joints, 6});
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
  const LoopRequest& request = friction ? loops.with_friction : loops.request;
  return PyLong_FromLong(long(loops.kernels->one[int(quantity)](request, rows, loops.memory.get())));
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
    LoopRows at;
    at.q = rows.q + row * pq, at.v = at.third = rest.data(), at.guess = starts.data() + last;
    at.out = tau.data(), at.coordinates = starts.data() + last + nq;
    kernels.one[int(LoopQuantity::inverse_dynamics)](r, at, memory.get());
  }
  return starts;
}

/// Computes many states. False: memory cannot be allocated.
bool run_rows(const Loops& loops, const LoopRequest& r, LoopQuantity quantity, const LoopRows& rows, long number, bool each, npy_int64* statuses, long threads) {
  std::vector<double> starts;
  try {
    if (!each) starts = starts_of(r, *loops.kernels, rows, number);
  } catch (const std::bad_alloc&) {
    return false;
  }
  RowsOutcome all;
  return on_threads(loops.kernels->bytes(r), number, piece, threads, all, [&](long first, long count, void* memory) -> RowsOutcome {
    const double* guess = each ? rows.guess + first * r.loops.nq : starts.data() + first / piece * r.loops.nq;
    const LoopRows part = rows_from(r, quantity, rows, first, guess);
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
  auto statuses = data_of<npy_int64>(arguments[needed - 3], "statuses", {number});
  if (!statuses) return nullptr;
  const LoopRequest& request = friction ? loops.with_friction : loops.request;
  bool done = true;
  Py_BEGIN_ALLOW_THREADS
  if (!request.undetermined) done = run_rows(loops, request, quantity, rows, number, each, statuses, threads);
  else std::fill_n(statuses, number, npy_int64(LoopStatus::elsewhere));
  Py_END_ALLOW_THREADS
  return done ? Py_NewRef(Py_None) : PyErr_NoMemory();
}

/// (q, v, phi, J, gamma[, wrenches]): rows of all loops and gears, or of springs, at coordinates and velocities of all joints.
template <bool springs> PyObject* constraints(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  Loops& loops = value_of<Loops>(self);
  const LoopModel& model = loops.request.loops;
  const npy_intp m = model.sets[springs].rows, nv = model.nv;
  if (!has_count(count, 5, 6)) return nullptr;
  const double* q = data_of<const double>(arguments[0], "q", {model.nq});
  const double* v = q ? data_of<const double>(arguments[1], "v", {nv}) : nullptr;
  double* phi = v ? data_of<double>(arguments[2], "phi", {m}) : nullptr;
  double* J = phi ? data_of<double>(arguments[3], "J", {m, nv}) : nullptr;
  double* gamma = J ? data_of<double>(arguments[4], "gamma", {m}) : nullptr;
  double* wrenches = gamma && count > 5 ? data_of<double>(arguments[5], "wrenches", {m, 6}) : nullptr;
  if (!gamma || (count > 5 && !wrenches)) return nullptr;
  loops.kernels->constraints(loops.request, springs, q, v, phi, J, gamma, wrenches, loops.memory.get());
  return Py_NewRef(Py_None);
}

/// (q, guess, configurations): all assembly modes; returns how many, or -1.
PyObject* modes(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  Loops& loops = value_of<Loops>(self);
  const LoopModel& model = loops.request.loops;
  if (!has_count(count, 3, 3)) return nullptr;
  const double* q = data_of<const double>(arguments[0], "q", {model.independent_q.count});
  const double* guess = q ? data_of<const double>(arguments[1], "guess", {model.nq}) : nullptr;
  double* out = guess ? data_of<double>(arguments[2], "configurations", {-1, model.nq}) : nullptr;
  if (!out) return nullptr;
  const npy_intp most = PyArray_DIM(as_array(arguments[2]), 0);
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
  const double* near = data_of<const double>(arguments[3], "near", {loops.loops.nq});
  const double* farthest = near ? data_of<const double>(arguments[4], "farthest", {npy_intp(loops.loops.independent_q.size())}) : nullptr;
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
