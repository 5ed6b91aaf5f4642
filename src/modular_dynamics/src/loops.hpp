// What module.cpp, loops.cpp and reactions.cpp need of each other.
#pragma once
#include "arrays.hpp"

#include <cstdint>
#include <cstdlib>
#include <new>

#include "modular_dynamics/model.hpp"

namespace modular_dynamics {

/// The description of a Robot of the Python module, and the name of its kernels; nullptr of any other object.
const Description* robot_description(PyObject* object, const char** kernels);

/// Add the types Loops and Reactions to the module. Whether that succeeds; else a Python exception is set.
bool add_loops(PyObject* module);
bool add_reactions(PyObject* module);

/// Memory at a multiple of 64.
struct Memory {
  void* data;
  explicit Memory(std::size_t bytes) : data(std::aligned_alloc(64, (bytes + 63) / 64 * 64)) {
    if (!data) throw std::bad_alloc();
  }
  ~Memory() { std::free(data); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
};

/// An array of a dictionary. Its first dimension is `count`, or, where that is -1, any, which is written there.
template <class E> inline const E* column(PyObject* arrays, const char* name, int type, npy_intp& count, npy_intp width = 0, npy_intp height = 0) {
  PyObject* array = arrays ? PyDict_GetItemString(arrays, name) : nullptr; // borrowed
  if (!array) {
    PyErr_Format(PyExc_TypeError, "%s is missing", name);
    return nullptr;
  }
  auto data = static_cast<const E*>(data_of(array, {name, type, 1 + (width > 0) + (height > 0), {count, width, height}}));
  if (data) count = PyArray_DIM(reinterpret_cast<PyArrayObject*>(array), 0);
  return data;
}

/// Whether all values are from least on and below stop; else a Python exception names the first that is not.
inline bool in_range(const npy_int64* values, npy_intp count, npy_int64 least, npy_int64 stop, const char* name) {
  for (npy_intp k = 0; k < count; ++k)
    if (values[k] < least || values[k] >= stop) {
      PyErr_Format(PyExc_ValueError, "%s[%zd] is %lld: %lld to %lld are possible", name, k, (long long)values[k], (long long)least, (long long)(stop - 1));
      return false;
    }
  return true;
}

} // namespace modular_dynamics
