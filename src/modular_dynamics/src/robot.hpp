// What the Python module keeps of a robot, made of NumPy arrays with a row for each joint.
#pragma once
#include "kernels.hpp"
#include "objects.hpp"

namespace modular_dynamics {

/// A robot as the kernels need it.
struct Robot : RobotModel {
  Description description;
  std::vector<JointNumbers> numbers; ///< of its joints
  struct Single {
    ModelArrays<float> regrouped, whole;
  };
  std::unique_ptr<Single> single; ///< made when it is first needed
  const Kernels* kernels;
  // Memory of calls for one state, as much as those so far have needed. They hold the interpreter's lock from the check of their arguments
  // to the result, and run no Python in between, so that no two of them can meet here; free-threaded Python does not load modules of
  // the limited API.
  Memory memory;
  bool has_memory[algorithms] = {};

  Robot(const Description& given, const Kernels* chosen) : RobotModel(given), description(given), kernels(chosen) {
    for (const JointDescription& joint : description.joints) numbers.push_back(numbers_of(joint));
  }

  /// Memory of a call for one state; nullptr: it cannot be allocated.
  void* memory_of(Algorithm algorithm) {
    if (has_memory[int(algorithm)]) return memory.at_least(0);
    Request<double> largest = request(all_terms);
    largest.loaded = true;
    void* data = memory.at_least(kernels->bytes_of_one[int(algorithm)](largest));
    has_memory[int(algorithm)] = data != nullptr;
    return data;
  }
  int joints() const { return int(description.joints.size()); }
  long number_count() const { return long(joint_numbers) * joints() + 3; }

  Request<float> request_single(int terms) {
    if (!single) single.reset(new Single{converted<float>(regrouped), converted<float>(whole)});
    return requested(single->regrouped, single->whole, terms);
  }
};

/// Frames fixed in bodies of a robot, in both forms of its model: they are the same.
struct Frames {
  PyObject* robot = nullptr; ///< owned
  std::vector<Frame<double>> frames;
  std::vector<int> bodies; ///< that carry them, as of KinematicsWork
  ~Frames() { Py_XDECREF(robot); }
};

/// Raises ValueError, and returns false, unless each velocity belongs to one joint that mimics no other, and mimic joints to one of them.
inline bool owners_are_clear(const Description& robot) {
  std::vector<int> owners(robot.nv, 0);
  for (const JointDescription& joint : robot.joints) {
    const int count = joint.type == JointType::floating ? 6 : joint.type == JointType::spherical ? 3 : 1;
    for (int k = 0; k < count && !joint.mimics; ++k) ++owners[joint.v + k];
  }
  for (int k = 0; k < robot.nv; ++k)
    if (owners[k] != 1) {
      PyErr_Format(PyExc_ValueError, "velocity %d belongs to %d joints that mimic no other; it must be one", k, owners[k]);
      return false;
    }
  for (std::size_t k = 0; k < robot.joints.size(); ++k) {
    const JointDescription& joint = robot.joints[k];
    if (!joint.mimics) continue;
    bool found = !has_quaternion(joint.type);
    for (const JointDescription& other : robot.joints)
      if (found && !other.mimics && other.v <= joint.v) found = other.v != joint.v || (!has_quaternion(other.type) && other.q == joint.q);
    if (!found) {
      PyErr_Format(PyExc_ValueError, "joint %zu mimics another; both must have one coordinate, q and v of the other", k);
      return false;
    }
  }
  return true;
}

/// Reads a description from a dictionary of arrays, one row for each joint.
inline bool read_description(PyObject* arrays, Description& robot) {
  PyObject* parents = PyDict_GetItemString(arrays, "parent");
  if (!parents || !PyArray_Check(parents) || PyArray_NDIM(as_array(parents)) != 1) {
    PyErr_SetString(PyExc_TypeError, "parent must be a one-dimensional NumPy array");
    return false;
  }
  npy_intp n = PyArray_DIM(as_array(parents), 0), two = 2, three = 3;
  typedef npy_int64 I;
  const I *parent = nullptr, *type = nullptr, *q = nullptr, *v = nullptr, *size = nullptr;
  const npy_bool* mimics = nullptr;
  const double *axis = nullptr, *R = nullptr, *p = nullptr, *mass = nullptr, *com = nullptr, *inertia = nullptr, *multiplier = nullptr,
               *offset = nullptr, *armature = nullptr, *stiffness = nullptr, *rest = nullptr, *damping = nullptr, *friction = nullptr,
               *gravity = nullptr;
  if (!(parent = column<I>(arrays, "parent", NPY_INT64, n)) || !(type = column<I>(arrays, "type", NPY_INT64, n)) ||
      !(q = column<I>(arrays, "q", NPY_INT64, n)) || !(v = column<I>(arrays, "v", NPY_INT64, n)) ||
      !(mimics = column<npy_bool>(arrays, "mimics", NPY_BOOL, n)) || !(axis = column<double>(arrays, "axis", NPY_DOUBLE, n, 3)) ||
      !(R = column<double>(arrays, "R_parent_joint", NPY_DOUBLE, n, 3, 3)) ||
      !(p = column<double>(arrays, "p_parent_joint", NPY_DOUBLE, n, 3)) || !(mass = column<double>(arrays, "mass", NPY_DOUBLE, n)) ||
      !(com = column<double>(arrays, "com", NPY_DOUBLE, n, 3)) || !(inertia = column<double>(arrays, "inertia", NPY_DOUBLE, n, 3, 3)) ||
      !(multiplier = column<double>(arrays, "multiplier", NPY_DOUBLE, n)) || !(offset = column<double>(arrays, "offset", NPY_DOUBLE, n)) ||
      !(armature = column<double>(arrays, "armature", NPY_DOUBLE, n)) || !(stiffness = column<double>(arrays, "stiffness", NPY_DOUBLE, n)) ||
      !(rest = column<double>(arrays, "rest_position", NPY_DOUBLE, n)) || !(damping = column<double>(arrays, "damping", NPY_DOUBLE, n)) ||
      !(friction = column<double>(arrays, "friction", NPY_DOUBLE, n)) || !(gravity = column<double>(arrays, "gravity", NPY_DOUBLE, three)) ||
      !(size = column<I>(arrays, "size", NPY_INT64, two)))
    return false;
  constexpr I most = 20000; // three matrices of so many rows have entries that an int can count
  if (n > most || size[0] < 0 || size[0] > most || size[1] < 0 || size[1] > most) {
    PyErr_Format(PyExc_ValueError, "%zd joints, %lld coordinates and %lld velocities: up to %lld are possible", n, (long long)size[0],
                 (long long)size[1], (long long)most);
    return false;
  }
  robot.nq = int(size[0]), robot.nv = int(size[1]);
  robot.gravity = {gravity[0], gravity[1], gravity[2]};
  for (npy_intp k = 0; k < n; ++k) {
    JointDescription joint;
    if (parent[k] < -1 || parent[k] >= k || type[k] < 0 || type[k] > 3) {
      PyErr_Format(PyExc_ValueError, "joint %zd: parent %lld, type %lld; a parent comes before its children, types are 0 to 3", k,
                   (long long)parent[k], (long long)type[k]);
      return false;
    }
    joint.parent = int(parent[k]), joint.type = JointType(type[k]), joint.mimics = mimics[k];
    const int positions = joint.type == JointType::floating ? 7 : joint.type == JointType::spherical ? 4 : 1;
    const int velocities = joint.type == JointType::floating ? 6 : joint.type == JointType::spherical ? 3 : 1;
    if (q[k] < 0 || q[k] > robot.nq - positions || v[k] < 0 || v[k] > robot.nv - velocities) {
      PyErr_Format(PyExc_ValueError, "joint %zd: q %lld or v %lld is beyond the %d coordinates and %d velocities", k, (long long)q[k],
                   (long long)v[k], robot.nq, robot.nv);
      return false;
    }
    joint.q = int(q[k]), joint.v = int(v[k]);
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
  return owners_are_clear(robot);
}

/// Reads frames=: body=(k,) int64, R=(k, 3, 3), p=(k, 3), poses in the axes of bodies, which are numbered as joints are; -1: the ground.
inline bool read_frames(PyObject* arrays, const Robot& robot, Frames& to) {
  PyObject* bodies = PyDict_GetItemString(arrays, "body");
  if (!bodies || !PyArray_Check(bodies) || PyArray_NDIM(as_array(bodies)) != 1) {
    PyErr_SetString(PyExc_TypeError, "body must be a one-dimensional NumPy array");
    return false;
  }
  npy_intp count = PyArray_DIM(as_array(bodies), 0);
  auto body = column<npy_int64>(arrays, "body", NPY_INT64, count);
  auto R = body ? column<double>(arrays, "R", NPY_DOUBLE, count, 3, 3) : nullptr;
  auto p = R ? column<double>(arrays, "p", NPY_DOUBLE, count, 3) : nullptr;
  if (!p) return false;
  const int n = robot.joints();
  std::vector<int> index(n + 1, 0);
  std::vector<bool> needed(n + 1, false);
  for (int i = 1; i <= n; ++i) index[robot.whole.joints[i - 1] + 1] = i;
  for (npy_intp k = 0; k < count; ++k) {
    if (body[k] < -1 || body[k] >= n) {
      PyErr_Format(PyExc_ValueError, "frame %zd is on body %lld; the robot has %d", k, (long long)body[k], n);
      return false;
    }
    Frame<double> frame;
    frame.body = index[body[k] + 1];
    std::memcpy(&frame.R, R + 9 * k, sizeof frame.R);
    frame.p = {p[3 * k], p[3 * k + 1], p[3 * k + 2]};
    if (frame.body > 0) {
      const Matrix3<double> into = detail::transposed(robot.whole.axes[frame.body - 1]);
      frame.R = into * frame.R, frame.p = into * frame.p;
    }
    to.frames.push_back(frame);
    for (int i = frame.body; i > 0; i = robot.whole.bodies[i].parent) needed[i] = true;
  }
  for (int i = 1; i <= n; ++i)
    if (needed[i]) to.bodies.push_back(i);
  return true;
}

} // namespace modular_dynamics
