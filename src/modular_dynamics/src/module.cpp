// The Python module _core: robots as arrays, and the functions of kernels.hpp on NumPy arrays. What is written for Python is in _core.pyi.
//
// Bound by NumPy's and Python's C API, the limited one: it needs no further dependency, one file serves all versions of Python from
// 3.10 on, and a call costs least.
#define PY_ARRAY_UNIQUE_SYMBOL modular_dynamics_arrays
#include "loop_kernels.hpp"
#include "recording.hpp"
#include "robot.hpp"
#include "threads.hpp"

#include "modular_dynamics/recording.hpp"

#include <cstdlib>

using namespace modular_dynamics;

/// The newest, or those that the environment variable names.
const Kernels* modular_dynamics::default_kernels = nullptr;
PyTypeObject* modular_dynamics::robot_type = nullptr;

namespace {

constexpr const char* variable = "MODULAR_DYNAMICS_KERNELS";
PyTypeObject* frames_type = nullptr;

Robot& robot_of(PyObject* self) { return value_of<Robot>(self); }

/// The arguments of a function other than states and result: before them, and after them, where each needs the one before it.
struct Signature {
  Algorithm algorithm;
  bool frames = false, form = false, prescribed = false;
  bool terms = false, loads = false, passing = false;

  constexpr explicit Signature(Algorithm given) : algorithm(given) {
    switch (algorithm) {
      case Algorithm::inverse_dynamics:
      case Algorithm::joint_wrenches: terms = loads = passing = true; break;
      case Algorithm::hybrid_dynamics: prescribed = terms = loads = true; break;
      case Algorithm::forward_dynamics:
      case Algorithm::inverse_dynamics_derivatives:
      case Algorithm::forward_dynamics_derivatives: terms = loads = true; break;
      case Algorithm::mass_matrix: terms = true; break;
      case Algorithm::frame_poses:
      case Algorithm::frame_motions: frames = true; break;
      case Algorithm::frame_velocities:
      case Algorithm::frame_accelerations:
      case Algorithm::jacobian: frames = form = true; break;
      default: break;
    }
  }
};

/// Arguments that are still to be read, from the left.
struct Reader {
  PyObject* const* next;
  Py_ssize_t left;
  PyObject* take() { return left > 0 ? (--left, *next++) : nullptr; }
};

/// Reads the arguments before the arrays.
bool read_first(const Signature& s, PyObject* self, Reader& reader, Request<double>& request) {
  if (s.frames) {
    PyObject* object = reader.take();
    if (!PyObject_TypeCheck(object, frames_type) || value_of<Frames>(object).robot != self) {
      PyErr_SetString(PyExc_TypeError, "the first argument must be Frames of this robot");
      return false;
    }
    const Frames& frames = value_of<Frames>(object);
    if (s.algorithm == Algorithm::jacobian && frames.frames.size() != 1) {
      PyErr_Format(PyExc_ValueError, "a jacobian is of one frame, not of %zu", frames.frames.size());
      return false;
    }
    request.frames = frames.frames.data(), request.frame_count = int(frames.frames.size());
    request.bodies = frames.bodies.data(), request.body_count = int(frames.bodies.size());
    static const int none = 0;
    if (!request.bodies) request.bodies = &none;
  }
  if (s.form) {
    long form = 0;
    if (!read_number(reader.take(), "form", 0, s.algorithm == Algorithm::jacobian ? 1 : s.algorithm == Algorithm::frame_velocities ? 3 : 7, form)) return false;
    request.form = {(form & 1) != 0, (form & 2) != 0, (form & 4) != 0};
  }
  if (s.prescribed) {
    request.prescribed = data_of<const bool>(reader.take(), "prescribed", {request.model.nv});
    if (!request.prescribed) return false;
  }
  return true;
}

/// Reads terms; without an argument the default.
bool read_terms(PyObject* object, long& terms) {
  terms = armature_terms | spring_terms;
  return !object || read_number(object, "terms", 0, all_terms, terms);
}

/// Reads passing (n,): what becomes of joints' wrenches.
bool read_passing(PyObject* object, const Robot& robot, const std::int64_t*& to) {
  if (!object || object == Py_None) return true;
  const npy_int64* given = data_of<const npy_int64>(object, "passing", {robot.joints()});
  if (!given) return false;
  for (int k = 0; k < robot.joints(); ++k)
    if (given[k] < 0 || given[k] > 2) {
      PyErr_Format(PyExc_ValueError, "passing of joint %d is %lld: 0, 1 and 2 are possible", k, (long long)given[k]);
      return false;
    }
  to = given;
  return true;
}

/// The arrays of states and result, and the arguments after them. E is the arrays' number type.
template <class E> struct Call {
  Arguments<E> arrays;
  npy_intp rows = -1; ///< of one state: none
  long threads = 1;

  /// Reads all arguments that are left, of one state or many.
  bool read(const Signature& s, const Robot& robot, const Shape& shape, Reader& reader, bool many, Request<E>& request) {
    PyObject* out = reader.next[shape.inputs];
    long terms = 0;
    if (!read_states(s, robot, shape, reader, many) || (many && !read_number(reader.take(), "threads", 1, 1024, threads)) ||
        !read_terms(s.terms ? reader.take() : nullptr, terms))
      return false;
    request.counted = Robot::counted(robot.whole, int(terms));
    return (!s.loads || read_loads(reader.take(), robot, out, many, request)) && (!s.passing || read_passing(reader.take(), robot, request.passing));
  }

  /// Reads the arrays; rows: of many states. designs: of how many each array has a block of rows, or nullptr.
  bool read_states(const Signature& s, const Robot& robot, const Shape& shape, Reader& reader, bool many, const npy_intp* designs = nullptr) {
    const bool forward = s.algorithm == Algorithm::forward_dynamics || s.algorithm == Algorithm::forward_dynamics_derivatives;
    const char* const names[] = {"q", "v", forward ? "tau" : "a", "tau"};
    const bool in_place = shape.dimensions == 1 && shape.size[0] == robot.description.nv && s.algorithm != Algorithm::joint_wrenches;
    npy_intp sizes[5]; // of an array
    int axes = 0;
    PyObject* given[4];
    for (int k = 0; k < shape.inputs; ++k) {
      given[k] = reader.take();
      if (k > 0 && given[k] == Py_None) continue;
      axes = 0;
      if (designs) sizes[axes++] = *designs;
      if (many) sizes[axes++] = rows;
      sizes[axes++] = k == 0 ? robot.description.nq : robot.description.nv;
      if (!(arrays.inputs[k] = data_of<const E>(given[k], names[k], sizes, axes))) return false;
      if (k == 0 && many) rows = PyArray_DIM(as_array(given[0]), designs ? 1 : 0);
    }
    axes = 0;
    if (designs) sizes[axes++] = *designs;
    if (many) sizes[axes++] = rows;
    for (int d = 0; d < shape.dimensions; ++d) sizes[axes++] = shape.size[d];
    PyObject* out = reader.take();
    if (!(arrays.out = data_of<E>(out, "out", sizes, axes))) return false;
    for (int k = 0; k < shape.inputs; ++k)
      if (given[k] != Py_None && !apart(out, given[k], names[k], in_place)) return false;
    return true;
  }

  /// Reads loads, (n, 6), or (rows, n, 6) of many states.
  bool read_loads(PyObject* object, const Robot& robot, PyObject* out, bool many, Request<E>& request) {
    if (!object || object == Py_None) return true;
    request.loaded = true;
    request.loads_by_row = many && axes_of(object) == 3;
    const npy_intp sizes[] = {rows, robot.joints(), 6};
    arrays.loads = data_of<const E>(object, "loads", sizes + !request.loads_by_row, 2 + request.loads_by_row);
    return arrays.loads && apart(out, object, "loads", false);
  }
};

/// Which algorithm a function runs: torques under wrenches or with black boxes need the masses as they are.
template <class E> Algorithm chosen(Algorithm algorithm, const Request<E>& request) {
  return algorithm == Algorithm::inverse_dynamics && (request.loaded || request.passing) ? Algorithm::inverse_dynamics_loaded : algorithm;
}

/// Number of rows that a thread takes at a time: fewer where results are large.
long piece_of(const Shape& shape) {
  const long rows = (1L << 17) / std::max(shape.numbers(), 1L) / 16 * 16;
  return std::min(std::max(rows, 16L), 256L);
}

PyObject* as_tuple(const RowsOutcome& result) {
  return Py_BuildValue("(ll)", result.rows, long(result.outcome.status) + result.outcome.joint);
}

template <class E>
PyObject* run_many(const Robot& robot, Kernels::Many<E>* const* kernels, Algorithm algorithm, const Shape& shape, const Request<E>& request,
                   const Call<E>& call) {
  const Algorithm run = chosen(algorithm, request);
  Request<double> counting = robot.request(all_terms);
  counting.loaded = request.loaded, counting.frame_count = request.frame_count;
  const std::size_t bytes = robot.kernels->bytes[int(run)](counting);
  const long nq = robot.description.nq, nv = robot.description.nv, results = shape.numbers(), loads = 6L * robot.joints();
  RowsOutcome result{};
  bool done = false;
  Py_BEGIN_ALLOW_THREADS
  done = on_threads(bytes, call.rows, piece_of(shape), call.threads, result, [&](long first, long number, void* memory) {
    Arguments<E> at = call.arrays;
    for (int k = 0; k < 4; ++k)
      if (at.inputs[k]) at.inputs[k] += first * (k == 0 ? nq : nv);
    if (request.loads_by_row) at.loads += first * loads;
    at.out += first * results;
    return kernels[int(run)](request, at, number, memory);
  });
  Py_END_ALLOW_THREADS
  return done ? as_tuple(result) : PyErr_NoMemory();
}

/// One state: ([frames,] [form,] [prescribed,] inputs ..., out[, terms[, loads[, passing]]]) -> status; from 3 on: 3 + joint.
/// Many: with threads behind out -> (rows before the first bad one, its status).
template <Algorithm algorithm, bool many> PyObject* call(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  return or_memory_error([&]() -> PyObject* {
    constexpr Signature s(algorithm);
    Robot& robot = robot_of(self);
    robot.prepare(algorithm);
    Request<double> request = robot.request(armature_terms | spring_terms);
    const Py_ssize_t needed = s.frames + s.form + s.prescribed + shape_of(algorithm, request).inputs + 1 + many;
    if (!has_count(count, needed, needed + s.terms + s.loads + s.passing)) return nullptr;
    Reader reader{arguments, count};
    if (!read_first(s, self, reader, request)) return nullptr;
    const Shape shape = shape_of(algorithm, request);
    if constexpr (many && algorithm == Algorithm::inverse_dynamics) {
      if (PyArray_Check(*reader.next) && PyArray_TYPE(as_array(*reader.next)) == NPY_FLOAT) {
        Call<float> call;
        Request<float> single = robot.request_single(all_terms);
        return call.read(s, robot, shape, reader, true, single) ? run_many(robot, robot.kernels->many_float, algorithm, shape, single, call) : nullptr;
      }
    }
    Call<double> call;
    if (!call.read(s, robot, shape, reader, many, request)) return nullptr;
    if constexpr (many) return run_many(robot, robot.kernels->many, algorithm, shape, request, call);
    const Algorithm run = chosen(algorithm, request);
    const Outcome outcome = robot.kernels->one[int(run)](request, call.arrays, robot.memory_of(run));
    return PyLong_FromLong(long(outcome.status) + outcome.joint);
  });
}

/// inverse_dynamics_designs(numbers, q, v, a, out, threads[, terms]).
PyObject* designs(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  constexpr Signature s(Algorithm::inverse_dynamics);
  const Robot& robot = robot_of(self);
  if (!has_count(count, 6, 7)) return nullptr;
  Reader reader{arguments, count};
  PyObject* given = reader.take();
  const double* numbers = data_of<const double>(given, "numbers", {-1, robot.number_count()});
  if (!numbers) return nullptr;
  const npy_intp designs = PyArray_DIM(as_array(given), 0);
  const Shape shape = shape_of(Algorithm::inverse_dynamics, robot.request(0));
  PyObject* out = reader.next[3];
  Call<double> call;
  long terms = 0;
  if (!call.read_states(s, robot, shape, reader, true, &designs) || !apart(out, given, "numbers", false) ||
      !read_number(reader.take(), "threads", 1, 1024, call.threads) || !read_terms(reader.take(), terms))
    return nullptr;
  const auto bytes = robot.kernels->bytes[int(Algorithm::inverse_dynamics)](robot.request(int(terms)));
  const long nq = robot.description.nq, nv = robot.description.nv, each = call.rows;
  RowsOutcome result{};
  bool done = false;
  std::atomic<bool> without_memory{false};
  Py_BEGIN_ALLOW_THREADS
  const long piece = std::max(1L, 256 / std::max(each, 1L));
  done = on_threads(bytes, each > 0 ? designs : 0, piece, call.threads, result, [&](long first, long number, void* memory) -> RowsOutcome {
    ModelArrays<double> model;
    try {
      model = robot.regrouped;
    } catch (const std::bad_alloc&) {
      without_memory = true;
      return {number, {}};
    }
    const JointNumbers* before = robot.numbers.data();
    for (long design = first; design < first + number; ++design) {
      const double *row = numbers + design * robot.number_count(), *gravity = row + long(joint_numbers) * robot.joints();
      const auto joints = reinterpret_cast<const JointNumbers*>(row);
      set_numbers(joints, before, vector_at(gravity), true, model);
      before = joints;
      Arguments<double> at = call.arrays;
      for (int k = 0; k < 3; ++k)
        if (at.inputs[k]) at.inputs[k] += design * each * (k == 0 ? nq : nv);
      at.out += design * each * nv;
      const Request<double> request = Robot::requested(model, model, int(terms));
      const RowsOutcome own = robot.kernels->many[int(Algorithm::inverse_dynamics)](request, at, each, memory);
      if (own.outcome.status != Status::good) return {design - first, {own.outcome.status, int(own.rows)}};
    }
    return {number, {}};
  });
  Py_END_ALLOW_THREADS
  if (!done || without_memory) return PyErr_NoMemory();
  return Py_BuildValue("(lll)", result.rows, result.rows < designs ? long(result.outcome.joint) : 0L, long(result.outcome.status));
}

/// record(name, inputs[, terms[, frames]]).
PyObject* record(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  if (!has_count(count, 2, 4)) return nullptr;
  Robot& robot = robot_of(self);
  Reader reader{arguments, count};
  const char* name = PyUnicode_AsUTF8AndSize(reader.take(), nullptr);
  long inputs = 0, terms = 0;
  if (!name || !read_number(reader.take(), "inputs", 1, 3, inputs) || !read_terms(reader.take(), terms)) return nullptr;
  Request<double> request = robot.request(int(terms));
  if (reader.left > 0) {
    if (!read_first(Signature(Algorithm::frame_poses), self, reader, request)) return nullptr;
    return recorded(name, request, int(inputs));
  }
  return or_memory_error([&] {
    Robot same(with_short_arms(robot.description), robot.kernels);
    same.prepare(Algorithm::forward_dynamics);
    return recorded(name, same.request(int(terms)), int(inputs));
  });
}

/// numbers(out).
PyObject* numbers(PyObject* self, PyObject* out) {
  const Robot& robot = robot_of(self);
  double* to = data_of<double>(out, "out", {robot.number_count()});
  if (!to) return nullptr;
  if (robot.joints() > 0) std::memcpy(to, robot.numbers.data(), robot.numbers.size() * sizeof(JointNumbers));
  std::memcpy(to + long(joint_numbers) * robot.joints(), &robot.description.gravity, 3 * sizeof(double));
  Py_RETURN_NONE;
}

PyObject* new_robot(PyTypeObject* type, PyObject* positional, PyObject* arrays) {
  if (PyTuple_Size(positional) != 0 || !arrays) {
    PyErr_SetString(PyExc_TypeError, "Robot takes keyword arguments: arrays with a row for each joint");
    return nullptr;
  }
  const Kernels* kernels = default_kernels;
  if (PyObject* chosen = PyDict_GetItemString(arrays, "kernels"); chosen && chosen != Py_None) {
    PyObject* bytes = PyUnicode_AsUTF8String(chosen);
    if (!bytes) return nullptr;
    kernels = kernels_for(PyBytes_AsString(bytes));
    if (!kernels) PyErr_Format(PyExc_ValueError, "kernels '%s': there are none of this name that this processor can run", PyBytes_AsString(bytes));
    Py_DECREF(bytes);
    if (!kernels) return nullptr;
  }
  return new_object<Robot>(type, [&] {
    Description description;
    return read_description(arrays, description) ? std::make_unique<Robot>(description, kernels) : nullptr;
  });
}

PyObject* new_frames(PyTypeObject* type, PyObject* positional, PyObject* arrays) {
  PyObject* owner = PyTuple_Size(positional) == 1 ? PyTuple_GetItem(positional, 0) : nullptr;
  if (!owner || !PyObject_TypeCheck(owner, robot_type) || !arrays) {
    PyErr_SetString(PyExc_TypeError, "Frames(robot, body=, R=, p=) with arrays of as many rows is needed");
    return nullptr;
  }
  return new_object<Frames>(type, [&] {
    auto frames = std::make_unique<Frames>();
    if (!read_frames(arrays, robot_of(owner), *frames)) return std::unique_ptr<Frames>();
    frames->robot = Py_NewRef(owner);
    return frames;
  });
}

PyObject* name_of_kernels(PyObject* self, void*) { return PyUnicode_FromString(robot_of(self).kernels->name); }
PyObject* numbers_of_robot(PyObject* self, void*) { return PyLong_FromLong(robot_of(self).number_count()); }

#define MD_METHODS(name, before, terms)                                                                                                   \
  method(#name, call<Algorithm::name, false>, #name "(" before ", out" terms ") -> status"),                                                      \
      method(#name "_rows", call<Algorithm::name, true>, #name "_rows(" before ", out, threads" terms ") -> (rows, status)")
#define MD_TERMS "[, terms"
#define MD_LOADS MD_TERMS "[, loads]]"
PyMethodDef methods[] = {MD_METHODS(inverse_dynamics, "q, v, a", MD_TERMS "[, loads[, passing]]]"),
                         MD_METHODS(joint_wrenches, "q, v, a", MD_TERMS "[, loads[, passing]]]"),
                         MD_METHODS(forward_dynamics, "q, v, tau", MD_LOADS),
                         MD_METHODS(hybrid_dynamics, "prescribed, q, v, a, tau", MD_LOADS),
                         MD_METHODS(mass_matrix, "q", MD_TERMS "]"),
                         MD_METHODS(coriolis_matrix, "q, v", ""),
                         MD_METHODS(inverse_dynamics_derivatives, "q, v, a", MD_LOADS),
                         MD_METHODS(forward_dynamics_derivatives, "q, v, tau", MD_LOADS),
                         MD_METHODS(frame_poses, "frames, q", ""),
                         MD_METHODS(frame_motions, "frames, q, v, a", ""),
                         MD_METHODS(frame_velocities, "frames, form, q, v", ""),
                         MD_METHODS(frame_accelerations, "frames, form, q, v, a", ""),
                         MD_METHODS(jacobian, "frames, form, q", ""),
                         MD_METHODS(whole_body, "q, v, a", ""),
                         MD_METHODS(momentum_matrix, "q", ""),
                         MD_METHODS(regressor, "q, v, a", ""),
                         method("inverse_dynamics_designs", designs,
                                "inverse_dynamics_designs(numbers, q, v, a, out, threads[, terms]) -> (designs, state, status)"),
                         method("record", record, "record(name, inputs[, terms[, frames]]): the function's operations"),
                         {"numbers", numbers, METH_O, "numbers(out): write the robot's row of numbers, as inverse_dynamics_designs takes them"},
                         {nullptr, nullptr, 0, nullptr}};
PyGetSetDef properties[] = {{"kernels", name_of_kernels, nullptr, "Name of the kernels that the robot's functions run.", nullptr},
                            {"number_count", numbers_of_robot, nullptr, "Length of the array that `numbers` writes.", nullptr},
                            {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot frames_slots[] = {{Py_tp_new, reinterpret_cast<void*>(new_frames)},
                              {Py_tp_dealloc, reinterpret_cast<void*>(destroy<Frames>)},
                              {Py_tp_doc, const_cast<char*>("Frames fixed in bodies of a robot: Frames(robot, body=, R=, p=). Never changed.")},
                              {0, nullptr}};
PyType_Spec frames_spec = {"modular_dynamics._core.Frames", sizeof(Object<Frames>), 0, Py_TPFLAGS_DEFAULT, frames_slots};
PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(new_robot)},
                       {Py_tp_dealloc, reinterpret_cast<void*>(destroy<Robot>)},
                       {Py_tp_methods, methods},
                       {Py_tp_getset, properties},
                       {Py_tp_doc, const_cast<char*>("A robot as the compiled functions read it; see _core.pyi. Never changed.")},
                       {0, nullptr}};
PyType_Spec robot_spec = {"modular_dynamics._core.Robot", sizeof(Object<Robot>), 0, Py_TPFLAGS_DEFAULT, slots};

const char about[] =
    "Dynamics compiled from C++ (include/modular_dynamics): functions of one state, and of many (_rows), on NumPy arrays.\n\n"
    "Arguments by position. Arrays must be C-contiguous, aligned, of float64 and of the exact shape: nothing is converted, errors name the\n"
    "argument. out takes the result. _core.pyi describes all functions, arguments and the status that they return.";

// The size of a state is not -1: then Python would copy the module into a subinterpreter without asking.
PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_core", about, 0, nullptr, nullptr, nullptr, nullptr, nullptr};

} // namespace

PyMODINIT_FUNC PyInit__core() {
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) {
    PyErr_SetString(PyExc_ImportError, "modular_dynamics._core cannot be imported in a subinterpreter: like NumPy it belongs to the main one");
    return nullptr;
  }
  import_array();
  const char* wanted = std::getenv(variable);
  default_kernels = kernels_for(wanted && *wanted ? wanted : nullptr);
  if (!default_kernels) {
    PyErr_Format(PyExc_ImportError, "%s is '%s': there are no kernels of this name that this processor can run", variable, wanted);
    return nullptr;
  }
  PyObject* module = PyModule_Create(&definition);
  if (!module) return nullptr;
  bool good = add_type(module, "Robot", robot_spec, &robot_type) && add_type(module, "Frames", frames_spec, &frames_type) &&
              PyModule_AddStringConstant(module, "processor", default_kernels->name) == 0 &&
              PyModule_AddIntConstant(module, "lanes", default_kernels->lanes) == 0;
  const struct {
    const char* name;
    long value;
  } constants[] = {{"GOOD", long(Status::good)}, {"NOT_FINITE", long(Status::not_finite)}, {"OVERFLOW", long(Status::overflow)},
                   {"NO_INERTIA", long(Status::no_inertia)}, {"ELSEWHERE", long(LoopStatus::elsewhere)}, {"ARMATURE", armature_terms}, {"SPRINGS", spring_terms},
                   {"FRICTION", friction_terms}, {"OWN_AXES", 1}, {"AT_ROOT", 2}, {"SPATIAL", 4},
                   {"WHOLE", long(Passing::whole)}, {"CUT", long(Passing::cut)}, {"UNKNOWN", long(Passing::unknown)}};
  for (const auto& constant : constants) good = good && PyModule_AddIntConstant(module, constant.name, constant.value) == 0;
  const std::vector<const char*> operations(operation_names, operation_names + operation_count);
  std::vector<const char*> names; // of kernels, the newest first
  for (const char* name : {"x86-64-v4", "x86-64-v3", "x86-64-v2", "baseline"})
    if (kernels_for(name)) names.push_back(name);
  good = good && add_loops(module) && add_reactions(module) && PyModule_AddObject(module, "OPERATIONS", list_of(operations)) == 0 &&
         PyModule_AddObject(module, "kernels", list_of(names)) == 0;
  if (!good) Py_CLEAR(module);
  return module;
}
