// What module.cpp, loops.cpp and reactions.cpp need of each other.
#pragma once
#include "objects.hpp"

#include "modular_dynamics/model.hpp"

namespace modular_dynamics {

/// The description of a Robot of the Python module, and the name of its kernels; nullptr of any other object.
const Description* robot_description(PyObject* object, const char** kernels);

/// Of robots that ask for no others, and of Reactions.
const char* name_of_default_kernels();

/// Add the types Loops and Reactions to the module. Whether that succeeds; else a Python exception is set.
bool add_loops(PyObject* module);
bool add_reactions(PyObject* module);

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
