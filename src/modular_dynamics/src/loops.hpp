// What module.cpp and loops.cpp need of each other.
#pragma once
#include "arrays.hpp"

#include "modular_dynamics/model.hpp"

namespace modular_dynamics {

/// The description of a Robot of the Python module, and the name of its kernels; nullptr of any other object.
const Description* robot_description(PyObject* object, const char** kernels);

/// Adds the type Loops to the module. Whether it succeeds; else a Python exception is set.
bool add_loops(PyObject* module);

} // namespace modular_dynamics
