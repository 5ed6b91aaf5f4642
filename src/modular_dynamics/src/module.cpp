// The Python module _core: robots as arrays, and the functions of kernels.hpp on NumPy arrays.
//
// Bound by NumPy's and Python's C API, the limited one: it needs no further dependency, one file serves all versions of Python from
// 3.10 on, and a call costs least.
#define PY_ARRAY_UNIQUE_SYMBOL modular_dynamics_arrays
#include "kernels.hpp"
#include "loops.hpp"

#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>
#include <vector>

using namespace modular_dynamics;

namespace {

/// Memory at a multiple of 64.
struct Memory {
  void* data = nullptr;
  explicit Memory(std::size_t bytes) : data(std::aligned_alloc(64, (bytes + 63) / 64 * 64)) {
    if (!data) throw std::bad_alloc();
  }
  ~Memory() { std::free(data); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
};

/// A robot as the kernels need it.
struct Robot {
  Description description;
  ModelArrays<double> regrouped, whole; ///< masses: torques need fewer operations regrouped
  ModelArrays<float> regrouped_float;
  const Kernels* kernels;
  std::size_t bytes = 0; ///< of memory that any call needs
  Memory memory;         ///< of single calls, which hold the GIL

  Robot(Description given, const Kernels* chosen)
      : description(std::move(given)), regrouped(make_model<double>(description, true)),
        whole(make_model<double>(description, false)), regrouped_float(make_model<float>(description, true)), kernels(chosen), bytes(most_bytes()), memory(bytes) {}

  std::size_t most_bytes() const {
    std::size_t most = 0;
    for (int k = 0; k < algorithms; ++k) most = std::max(most, kernels->bytes[k](request(Algorithm(k), false)));
    return most;
  }
  Request<double> request(Algorithm algorithm, bool friction) const {
    return requested(algorithm == Algorithm::inverse_dynamics || algorithm == Algorithm::mass_matrix ||
                             algorithm == Algorithm::inverse_dynamics_derivatives ? regrouped : whole, friction);
  }
  Request<float> request_float(bool friction) const { return requested(regrouped_float, friction); }

  template <class E> static Request<E> requested(const ModelArrays<E>& model, bool friction) {
    Request<E> request;
    request.model = model.view(), request.joints = model.joints.data(), request.body_axes = model.axes.data();
    request.armature = model.has_armature, request.springs = model.has_springs, request.friction = friction && model.has_friction;
    request.mimics = model.has_mimics;
    return request;
  }
};

struct RobotObject {
  PyObject_HEAD
  Robot* robot;
};

/// Runs `function(first, count, memory)` for all rows, in pieces, on threads; the index of the first bad row, or the number of rows.
template <class Function> long on_threads(std::size_t bytes, long rows, int threads, Function function) {
  constexpr long piece = 256;
  std::atomic<long> next{0}, first_bad{rows};
  auto work = [&] {
    Memory memory(bytes);
    for (;;) {
      const long first = next.fetch_add(piece);
      if (first >= rows || first > first_bad.load()) return;
      const long count = first + piece < rows ? piece : rows - first, good = function(first, count, memory.data);
      if (good < count) {
        long known = first_bad.load();
        while (first + good < known && !first_bad.compare_exchange_weak(known, first + good)) {
        }
      }
    }
  };
  std::vector<std::thread> others;
  for (int k = 1; k < threads && k * piece < rows; ++k) others.emplace_back(work);
  work();
  for (std::thread& one : others) one.join();
  return first_bad.load();
}

/// Frames fixed in bodies of a robot, in both forms of its model: they are the same.
struct FramesObject {
  PyObject_HEAD
  std::vector<Frame<double>>* frames;
};

/// Arrays of q, two further inputs as far as they are read, and the result.
template <class E> struct Arrays {
  E* at[4] = {nullptr, nullptr, nullptr, nullptr};
  npy_intp rows = -1;

  bool read(const Robot& robot, Shape shape, PyObject* const* arguments, bool many) {
    const int type = sizeof(E) == 8 ? NPY_DOUBLE : NPY_FLOAT;
    const char* names[] = {"q", "v", "a", "out"};
    for (int k = 0; k < 4; ++k) {
      if (k > 0 && k < 3 && shape.inputs < 3) continue;
      const npy_intp width = k == 0 ? robot.description.nq : k == 3 ? shape.results : robot.description.nv;
      Expected expected{names[k], type, many ? 2 : 1, {many ? rows : width, width, 0}, k == 3};
      if (!(at[k] = static_cast<E*>(data_of(*arguments++, expected)))) return false;
      if (many) rows = PyArray_DIM(reinterpret_cast<PyArrayObject*>(arguments[-1]), 0);
    }
    return true;
  }
};

PyTypeObject *frames_type = nullptr, *robot_type = nullptr;

/// Reads what stands before the arrays: the frames of algorithms that have some. Moves the arguments on.
bool read_frames(Algorithm algorithm, Request<double>& request, PyObject* const*& arguments, Py_ssize_t& count) {
  if (algorithm != Algorithm::frame_poses && algorithm != Algorithm::frame_motions && algorithm != Algorithm::jacobian) return true;
  if (count < 1 || !PyObject_TypeCheck(arguments[0], frames_type)) {
    PyErr_SetString(PyExc_TypeError, "the first argument must be Frames of this robot");
    return false;
  }
  const auto& frames = *reinterpret_cast<FramesObject*>(arguments[0])->frames;
  request.frames = frames.data(), request.frame_count = int(frames.size());
  ++arguments, --count;
  if (algorithm != Algorithm::jacobian) return true;
  const int own_axes = count > 0 ? PyObject_IsTrue(arguments[0]) : 0;
  if (own_axes < 0) return false;
  if (frames.size() != 1) {
    PyErr_SetString(PyExc_ValueError, "a jacobian is of one frame");
    return false;
  }
  request.frame_axes = own_axes;
  ++arguments, --count;
  return true;
}

/// Wrenches on bodies from outside, in the order of a model.
struct Loads {
  std::vector<Wrench<double>> external;
  std::vector<Passing> passing;

  /// Reads loads=(n, 6), [force, moment] on each joint's body in its axes, or None, and what becomes of joints' wrenches, (n,) 0: whole,
  /// 1: cut, 2: unknown, or None.
  bool read(const Robot& robot, PyObject* wrenches, PyObject* passings, Request<double>& request) {
    const npy_intp n = npy_intp(robot.description.joints.size());
    if (wrenches && wrenches != Py_None) {
      auto given = static_cast<double*>(data_of(wrenches, {"loads", NPY_DOUBLE, 2, {n, 6, 0}}));
      if (!given) return false;
      external.resize(n + 1);
      for (npy_intp i = 1; i <= n; ++i) {
        const double* w = given + 6 * robot.whole.joints[i - 1];
        const Matrix3<double> into = detail::transposed(robot.whole.axes[i - 1]);
        external[i] = {into * Vector3<double>{w[0], w[1], w[2]}, into * Vector3<double>{w[3], w[4], w[5]}};
      }
      request.external = external.data();
    }
    if (passings && passings != Py_None) {
      auto given = static_cast<npy_int64*>(data_of(passings, {"passing", NPY_INT64, 1, {n, 0, 0}}));
      if (!given) return false;
      passing.assign(n + 1, Passing::whole);
      for (npy_intp i = 1; i <= n; ++i) {
        const npy_int64 value = given[robot.whole.joints[i - 1]];
        if (value < 0 || value > 2) {
          PyErr_Format(PyExc_ValueError, "passing is %lld: 0, 1 and 2 are possible", (long long)value);
          return false;
        }
        passing[i] = Passing(value);
      }
      request.passing = passing.data();
    }
    return true;
  }
};

/// One state: ([frames, [own axes,]] inputs ..., out[, friction[, loads[, passing]]]) -> 0: good, 1: an argument is not finite, 2: a result is not, 3: some
/// motion moves no inertia.
template <Algorithm algorithm> PyObject* one(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  Robot& robot = *reinterpret_cast<RobotObject*>(self)->robot;
  Request<double> request = robot.request(algorithm, false);
  if (!read_frames(algorithm, request, arguments, count)) return nullptr;
  const Shape shape = shape_of(algorithm, request);
  const Py_ssize_t arrays = shape.inputs + 1;
  if (count < arrays || count > arrays + 3) {
    PyErr_Format(PyExc_TypeError, "%zd arrays are needed, and perhaps friction, loads and passing; %zd arguments were given", arrays, count);
    return nullptr;
  }
  Loads loads;
  if (count > arrays) {
    const int friction = PyObject_IsTrue(arguments[arrays]);
    if (friction < 0) return nullptr;
    request.friction = friction && robot.whole.has_friction;
    if (!loads.read(robot, count > arrays + 1 ? arguments[arrays + 1] : nullptr, count > arrays + 2 ? arguments[arrays + 2] : nullptr, request))
      return nullptr;
  }
  Arrays<double> x;
  if (!x.read(robot, shape, arguments, false)) return nullptr;
  const Status status = robot.kernels->one[int(algorithm)](request, x.at[0], x.at[1], x.at[2], x.at[3], robot.memory.data);
  return PyLong_FromLong(long(status));
}

/// Many states, float64 or float32: ([frames, [own axes,]] inputs ..., out, friction, threads) -> the number of rows before the first
/// ones that are not good.
template <Algorithm algorithm> PyObject* many(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  const Robot& robot = *reinterpret_cast<RobotObject*>(self)->robot;
  Request<double> request = robot.request(algorithm, false);
  if (!read_frames(algorithm, request, arguments, count)) return nullptr;
  const Shape shape = shape_of(algorithm, request);
  const Py_ssize_t arrays = shape.inputs + 1;
  if (count < arrays + 2 || count > arrays + 4) {
    PyErr_Format(PyExc_TypeError, "%zd arrays, friction and threads are needed, and perhaps loads and passing; %zd arguments were given", arrays,
                 count);
    return nullptr;
  }
  Loads loads;
  if (!loads.read(robot, count > arrays + 2 ? arguments[arrays + 2] : nullptr, count > arrays + 3 ? arguments[arrays + 3] : nullptr, request))
    return nullptr;
  const int friction = PyObject_IsTrue(arguments[arrays]);
  const long threads = PyLong_AsLong(arguments[arrays + 1]);
  if (friction < 0 || (threads == -1 && PyErr_Occurred())) return nullptr;
  if (threads < 1 || threads > 1024) {
    PyErr_Format(PyExc_ValueError, "threads is %ld: 1 to 1024 are possible", threads);
    return nullptr;
  }
  const auto in_single = robot.kernels->many_float[int(algorithm)];
  const bool single = in_single && PyArray_Check(arguments[0]) && PyArray_TYPE(reinterpret_cast<PyArrayObject*>(arguments[0])) == NPY_FLOAT;
  Arrays<double> x;
  Arrays<float> y;
  if (single ? !y.read(robot, shape, arguments, true) : !x.read(robot, shape, arguments, true)) return nullptr;
  request.friction = friction && robot.whole.has_friction;
  const Request<float> request_float = robot.request_float(friction);
  const long nq = robot.description.nq, nv = robot.description.nv, results = shape.results;
  // results may need more memory than the robot has put by, with many frames
  const std::size_t bytes = std::max(robot.bytes, robot.kernels->bytes[int(algorithm)](request));
  long good = 0;
  bool memory_failed = false;
  Py_BEGIN_ALLOW_THREADS
  auto of = [&](auto kernel, auto& of_robot, auto& arrays) {
    return [&, kernel](long first, long number, void* memory) {
      return kernel(of_robot, number, arrays.at[0] + first * nq, arrays.at[1] ? arrays.at[1] + first * nv : nullptr,
                    arrays.at[2] ? arrays.at[2] + first * nv : nullptr, arrays.at[3] + first * results, memory);
    };
  };
  try {
    if (single) good = on_threads(bytes, y.rows, int(threads), of(in_single, request_float, y));
    else good = on_threads(bytes, x.rows, int(threads), of(robot.kernels->many[int(algorithm)], request, x));
  } catch (const std::exception&) {
    memory_failed = true;
  }
  Py_END_ALLOW_THREADS
  return memory_failed ? PyErr_NoMemory() : PyLong_FromLong(good);
}

template <class E> E* column(PyObject* arrays, const char* name, int type, npy_intp count, npy_intp width = 0, npy_intp height = 0) {
  PyObject* array = PyDict_GetItemString(arrays, name); // borrowed
  if (!array) {
    PyErr_Format(PyExc_TypeError, "%s is missing", name);
    return nullptr;
  }
  return static_cast<E*>(data_of(array, {name, type, 1 + (width > 0) + (height > 0), {count, width, height}}));
}

/// Reads a description from a dictionary of arrays, one row for each joint.
bool read_description(PyObject* arrays, Description& robot) {
  PyObject* parents = PyDict_GetItemString(arrays, "parent");
  if (!parents || !PyArray_Check(parents) || PyArray_NDIM(reinterpret_cast<PyArrayObject*>(parents)) != 1) {
    PyErr_SetString(PyExc_TypeError, "parent must be a one-dimensional NumPy array");
    return false;
  }
  const npy_intp n = PyArray_DIM(reinterpret_cast<PyArrayObject*>(parents), 0);
  typedef npy_int64 I;
  const I *parent = nullptr, *type = nullptr, *q = nullptr, *v = nullptr;
  const npy_bool* mimics;
  const double *axis, *R, *p, *mass, *com, *inertia, *multiplier, *offset, *armature, *stiffness, *rest, *damping, *friction, *gravity;
  const I* size;
  if (!(parent = column<I>(arrays, "parent", NPY_INT64, n)) || !(type = column<I>(arrays, "type", NPY_INT64, n)) ||
      !(q = column<I>(arrays, "q", NPY_INT64, n)) || !(v = column<I>(arrays, "v", NPY_INT64, n)) ||
      !(mimics = column<npy_bool>(arrays, "mimics", NPY_BOOL, n)) || !(axis = column<double>(arrays, "axis", NPY_DOUBLE, n, 3)) ||
      !(R = column<double>(arrays, "R_parent_joint", NPY_DOUBLE, n, 3, 3)) ||
      !(p = column<double>(arrays, "p_parent_joint", NPY_DOUBLE, n, 3)) || !(mass = column<double>(arrays, "mass", NPY_DOUBLE, n)) ||
      !(com = column<double>(arrays, "com", NPY_DOUBLE, n, 3)) || !(inertia = column<double>(arrays, "inertia", NPY_DOUBLE, n, 3, 3)) ||
      !(multiplier = column<double>(arrays, "multiplier", NPY_DOUBLE, n)) || !(offset = column<double>(arrays, "offset", NPY_DOUBLE, n)) ||
      !(armature = column<double>(arrays, "armature", NPY_DOUBLE, n)) || !(stiffness = column<double>(arrays, "stiffness", NPY_DOUBLE, n)) ||
      !(rest = column<double>(arrays, "rest_position", NPY_DOUBLE, n)) || !(damping = column<double>(arrays, "damping", NPY_DOUBLE, n)) ||
      !(friction = column<double>(arrays, "friction", NPY_DOUBLE, n)) || !(gravity = column<double>(arrays, "gravity", NPY_DOUBLE, 3)) ||
      !(size = column<I>(arrays, "size", NPY_INT64, 2)))
    return false;
  robot.nq = int(size[0]), robot.nv = int(size[1]);
  robot.gravity = {gravity[0], gravity[1], gravity[2]};
  for (npy_intp k = 0; k < n; ++k) {
    JointDescription joint;
    if (parent[k] < -1 || parent[k] >= k || type[k] < 0 || type[k] > 3) {
      PyErr_Format(PyExc_ValueError, "joint %zd: parent %lld, type %lld; a parent comes before its children, types are 0 to 3", k,
                   (long long)parent[k], (long long)type[k]);
      return false;
    }
    joint.parent = int(parent[k]), joint.type = JointType(type[k]), joint.q = int(q[k]), joint.v = int(v[k]), joint.mimics = mimics[k];
    const int positions = joint.type == JointType::floating ? 7 : joint.type == JointType::spherical ? 4 : 1;
    const int velocities = joint.type == JointType::floating ? 6 : joint.type == JointType::spherical ? 3 : 1;
    if (q[k] < 0 || q[k] + positions > robot.nq || v[k] < 0 || v[k] + velocities > robot.nv) {
      PyErr_Format(PyExc_ValueError, "joint %zd: q %lld or v %lld is beyond the %d coordinates and %d velocities", k, (long long)q[k],
                   (long long)v[k], robot.nq, robot.nv);
      return false;
    }
    joint.axis = {axis[3 * k], axis[3 * k + 1], axis[3 * k + 2]};
    std::memcpy(&joint.R_parent_joint, R + 9 * k, sizeof joint.R_parent_joint);
    joint.p_parent_joint = {p[3 * k], p[3 * k + 1], p[3 * k + 2]};
    joint.mass = mass[k], joint.com = {com[3 * k], com[3 * k + 1], com[3 * k + 2]};
    const double* I = inertia + 9 * k;
    joint.inertia = {I[0], I[4], I[8], 0.5 * (I[1] + I[3]), 0.5 * (I[2] + I[6]), 0.5 * (I[5] + I[7])};
    joint.multiplier = multiplier[k], joint.offset = offset[k];
    joint.armature = armature[k], joint.stiffness = stiffness[k], joint.rest_position = rest[k];
    joint.damping = damping[k], joint.friction = friction[k];
    robot.joints.push_back(joint);
  }
  return true;
}

PyObject* new_robot(PyTypeObject* type, PyObject* positional, PyObject* arrays) {
  if (PyTuple_Size(positional) != 0 || !arrays) {
    PyErr_SetString(PyExc_TypeError, "Robot takes keyword arguments: arrays with a row for each joint");
    return nullptr;
  }
  const char* name = nullptr;
  if (PyObject* chosen = PyDict_GetItemString(arrays, "kernels"); chosen && chosen != Py_None) {
    PyObject* bytes = PyUnicode_AsUTF8String(chosen);
    if (!bytes) return nullptr;
    name = PyBytes_AsString(bytes);
    const Kernels* found = kernels_for(name);
    if (!found) PyErr_Format(PyExc_ValueError, "kernels '%s': there are none of this name that this processor can run", name);
    Py_DECREF(bytes);
    if (!found) return nullptr;
    name = found->name;
  }
  try {
    Description description;
    if (!read_description(arrays, description)) return nullptr;
    auto allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
    PyObject* object = allocate(type, 0);
    if (!object) return nullptr;
    reinterpret_cast<RobotObject*>(object)->robot = new Robot(std::move(description), kernels_for(name));
    return object;
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
}

void destroy_robot(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  delete reinterpret_cast<RobotObject*>(object)->robot;
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

/// Frames(robot, body=(k,) int64, R=(k, 3, 3), p=(k, 3)): poses in the axes of bodies, which are numbered as joints are; -1: the ground.
PyObject* new_frames(PyTypeObject* type, PyObject* positional, PyObject* arrays) {
  PyObject* owner = PyTuple_Size(positional) == 1 ? PyTuple_GetItem(positional, 0) : nullptr;
  PyObject* bodies = arrays ? PyDict_GetItemString(arrays, "body") : nullptr;
  if (!owner || !PyObject_TypeCheck(owner, robot_type) || !bodies || !PyArray_Check(bodies) ||
      PyArray_NDIM(reinterpret_cast<PyArrayObject*>(bodies)) != 1) {
    PyErr_SetString(PyExc_TypeError, "Frames(robot, body=, R=, p=) with arrays of as many rows is needed");
    return nullptr;
  }
  const Robot& robot = *reinterpret_cast<RobotObject*>(owner)->robot;
  const npy_intp count = PyArray_DIM(reinterpret_cast<PyArrayObject*>(bodies), 0);
  auto body = column<npy_int64>(arrays, "body", NPY_INT64, count);
  auto R = body ? column<double>(arrays, "R", NPY_DOUBLE, count, 3, 3) : nullptr;
  auto p = R ? column<double>(arrays, "p", NPY_DOUBLE, count, 3) : nullptr;
  if (!p) return nullptr;
  try {
    std::vector<int> index(robot.description.joints.size() + 1, 0);
    for (std::size_t i = 0; i < robot.whole.joints.size(); ++i) index[robot.whole.joints[i] + 1] = int(i) + 1;
    std::vector<Frame<double>> frames(count);
    for (npy_intp k = 0; k < count; ++k) {
      if (body[k] < -1 || body[k] >= npy_int64(robot.description.joints.size())) {
        PyErr_Format(PyExc_ValueError, "frame %zd is on body %lld; the robot has %zd", k, (long long)body[k], robot.description.joints.size());
        return nullptr;
      }
      Frame<double>& frame = frames[k];
      frame.body = index[body[k] + 1];
      std::memcpy(&frame.R, R + 9 * k, sizeof frame.R);
      frame.p = {p[3 * k], p[3 * k + 1], p[3 * k + 2]};
      if (frame.body > 0) {
        const Matrix3<double> into = detail::transposed(robot.whole.axes[frame.body - 1]);
        frame.R = into * frame.R, frame.p = into * frame.p;
      }
    }
    auto allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
    PyObject* object = allocate(type, 0);
    if (object) reinterpret_cast<FramesObject*>(object)->frames = new std::vector<Frame<double>>(std::move(frames));
    return object;
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
}

void destroy_frames(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  delete reinterpret_cast<FramesObject*>(object)->frames;
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

PyMethodDef method(const char* name, PyObject* (*function)(PyObject*, PyObject* const*, Py_ssize_t), const char* text) {
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(function)), METH_FASTCALL, text};
}
#define MD_METHODS(name, arguments)                                                                                             \
  method(#name, one<Algorithm::name>, #name "(" arguments ", out[, friction]) -> status"),                                      \
      method(#name "_rows", many<Algorithm::name>, #name "_rows(" arguments ", out, friction, threads) -> number of good rows")
PyMethodDef methods[] = {MD_METHODS(inverse_dynamics, "q, v, a"),
                         MD_METHODS(inverse_dynamics_loaded, "q, v, a"),
                         MD_METHODS(mass_matrix, "q"),
                         MD_METHODS(inverse_dynamics_derivatives, "q, v, a"),
                         MD_METHODS(forward_dynamics, "q, v, tau"),
                         MD_METHODS(frame_poses, "frames, q"),
                         MD_METHODS(frame_motions, "frames, q, v, a"),
                         MD_METHODS(jacobian, "frames, own_axes, q"),
                         MD_METHODS(whole_body, "q, v, a"),
                         MD_METHODS(momentum_matrix, "q"),
                         MD_METHODS(regressor, "q, v, a"),
                         {nullptr, nullptr, 0, nullptr}};
PyType_Slot frames_slots[] = {{Py_tp_new, reinterpret_cast<void*>(new_frames)},
                              {Py_tp_dealloc, reinterpret_cast<void*>(destroy_frames)},
                              {Py_tp_doc, const_cast<char*>("Frames fixed in bodies of a robot.")},
                              {0, nullptr}};
PyType_Spec frames_spec = {"modular_dynamics._core.Frames", sizeof(FramesObject), 0, Py_TPFLAGS_DEFAULT, frames_slots};
PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(new_robot)},
                       {Py_tp_dealloc, reinterpret_cast<void*>(destroy_robot)},
                       {Py_tp_methods, methods},
                       {Py_tp_doc, const_cast<char*>("A robot as the compiled functions read it.")},
                       {0, nullptr}};
PyType_Spec robot_spec = {"modular_dynamics._core.Robot", sizeof(RobotObject), 0, Py_TPFLAGS_DEFAULT, slots};

PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_core", "Dynamics compiled from C++: see include/modular_dynamics.", -1, nullptr,
                          nullptr, nullptr, nullptr, nullptr};

} // namespace

const Description* modular_dynamics::robot_description(PyObject* object, const char** kernels) {
  if (!PyObject_TypeCheck(object, robot_type)) return nullptr;
  const Robot& robot = *reinterpret_cast<RobotObject*>(object)->robot;
  *kernels = robot.kernels->name;
  return &robot.description;
}

PyMODINIT_FUNC PyInit__core() {
  import_array();
  PyObject* module = PyModule_Create(&definition);
  if (!module) return nullptr;
  robot_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&robot_spec));
  frames_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&frames_spec));
  if (!robot_type || !frames_type || PyModule_AddObject(module, "Robot", Py_NewRef(reinterpret_cast<PyObject*>(robot_type))) < 0 ||
      PyModule_AddObject(module, "Frames", Py_NewRef(reinterpret_cast<PyObject*>(frames_type))) < 0 ||
      PyModule_AddStringConstant(module, "processor", kernels_for()->name) < 0 || !add_loops(module) || !add_reactions(module)) {
    Py_DECREF(module);
    return nullptr;
  }
  PyObject* names = PyList_New(0); // the newest first
  for (const char* name : {"x86-64-v4", "x86-64-v3", "x86-64-v2", "baseline"}) {
    if (!names || !kernels_for(name)) continue;
    PyObject* text = PyUnicode_FromString(name);
    if (!text || PyList_Append(names, text) < 0) Py_CLEAR(names);
    Py_XDECREF(text);
  }
  if (!names || PyModule_AddObject(module, "kernels", names) < 0) {
    Py_XDECREF(names);
    Py_DECREF(module);
    return nullptr;
  }
  return module;
}
