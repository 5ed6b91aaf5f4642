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

  /// Memory of a call for one state. Throws std::bad_alloc.
  void* memory_of(Algorithm algorithm) {
    if (!has_memory[int(algorithm)]) {
      Request<double> largest = request(all_terms);
      largest.loaded = true;
      if (!memory.at_least(kernels->bytes_of_one[int(algorithm)](largest))) throw std::bad_alloc();
      has_memory[int(algorithm)] = true;
    }
    return memory.get();
  }
  int joints() const { return int(description.joints.size()); }
  long number_count() const { return long(joint_numbers) * joints() + 3; }

  Request<float> request_single(int terms) {
    if (!single) single.reset(new Single{converted<float>(regrouped), converted<float>(whole)});
    return requested(single->regrouped, single->whole, terms);
  }
};

/// The type of robots in the module, and the kernels of those that ask for no others, and of Reactions.
extern PyTypeObject* robot_type;
extern const Kernels* default_kernels;

/// Add the types Loops and Reactions to the module. Whether that succeeds; else a Python exception is set.
bool add_loops(PyObject* module);
bool add_reactions(PyObject* module);

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
    for (int k = 0; k < velocities_of(joint.type) && !joint.mimics; ++k) ++owners[joint.v + k];
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
  typedef npy_int64 I;
  Columns columns{arrays};
  npy_intp n = -1, two = 2, three = 3;
  const I *parent = columns.of<I>("parent", n), *type = columns.of<I>("type", n), *q = columns.of<I>("q", n), *v = columns.of<I>("v", n);
  const bool* mimics = columns.of<bool>("mimics", n);
  const double *axis = columns.of<double>("axis", n, 3), *R = columns.of<double>("R_parent_joint", n, 3, 3);
  const double *p = columns.of<double>("p_parent_joint", n, 3), *mass = columns.of<double>("mass", n), *com = columns.of<double>("com", n, 3);
  const double *inertia = columns.of<double>("inertia", n, 3, 3), *multiplier = columns.of<double>("multiplier", n);
  const double *offset = columns.of<double>("offset", n), *armature = columns.of<double>("armature", n);
  const double *stiffness = columns.of<double>("stiffness", n), *rest = columns.of<double>("rest_position", n);
  const double *damping = columns.of<double>("damping", n), *friction = columns.of<double>("friction", n);
  const double* gravity = columns.of<double>("gravity", three);
  const I* size = columns.of<I>("size", two);
  if (!columns.good) return false;
  constexpr I most = 20000; // three matrices of so many rows have entries that an int can count
  if (n > most || size[0] < 0 || size[0] > most || size[1] < 0 || size[1] > most) {
    PyErr_Format(PyExc_ValueError, "%zd joints, %lld coordinates and %lld velocities: up to %lld are possible", n, (long long)size[0],
                 (long long)size[1], (long long)most);
    return false;
  }
  robot.nq = int(size[0]), robot.nv = int(size[1]);
  robot.gravity = vector_at(gravity);
  for (npy_intp k = 0; k < n; ++k) {
    JointDescription joint;
    if (parent[k] < -1 || parent[k] >= k || type[k] < 0 || type[k] > 3) {
      PyErr_Format(PyExc_ValueError, "joint %zd: parent %lld, type %lld; a parent comes before its children, types are 0 to 3", k,
                   (long long)parent[k], (long long)type[k]);
      return false;
    }
    joint.parent = int(parent[k]), joint.type = JointType(type[k]), joint.mimics = mimics[k];
    if (q[k] < 0 || q[k] > robot.nq - coordinates_of(joint.type) || v[k] < 0 || v[k] > robot.nv - velocities_of(joint.type)) {
      PyErr_Format(PyExc_ValueError, "joint %zd: q %lld or v %lld is beyond the %d coordinates and %d velocities", k, (long long)q[k],
                   (long long)v[k], robot.nq, robot.nv);
      return false;
    }
    joint.q = int(q[k]), joint.v = int(v[k]);
    std::memcpy(&joint.R_parent_joint, R + 9 * k, sizeof joint.R_parent_joint);
    joint.axis = vector_at(axis + 3 * k), joint.p_parent_joint = vector_at(p + 3 * k);
    joint.mass = mass[k], joint.com = vector_at(com + 3 * k);
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
  Columns columns{arrays};
  npy_intp count = -1;
  const npy_int64* body = columns.of<npy_int64>("body", count);
  const double *R = columns.of<double>("R", count, 3, 3), *p = columns.of<double>("p", count, 3);
  if (!columns.good) return false;
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
    frame.p = vector_at(p + 3 * k);
    if (frame.body > 0) {
      const Matrix3<double> into = transposed(robot.whole.axes[frame.body - 1]);
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
