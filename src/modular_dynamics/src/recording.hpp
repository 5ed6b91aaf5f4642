// What recording.cpp offers to the rest of the module: functions of a robot as lists of operations (modular_dynamics/recording.hpp).
//
// The first `inputs` of q, v and a third vector are arrays 0, 1, 2 of the list; the others are zeros. Returned is a tuple as _core.pyi
// describes it, or nullptr and a Python exception.
#pragma once
#include "kernels.hpp"
#include "loop_kernels.hpp"
#include "objects.hpp"

namespace modular_dynamics {

/// The same robot with origins of revolute joints moved along their axes to where most components of arms are zero: zeros fold away.
/// Coordinates, torques and accelerations are the same; frames of bodies are not.
Description with_short_arms(Description robot);

/// Of a tree. name: of an Algorithm, whose request it is.
PyObject* recorded(const char* name, const Request<double>& request, int inputs);

/// Of independent coordinates. name: "coordinates" or "projection" of all joints, or of a LoopQuantity. springs: whether those at joints and
/// between links count. near (nq): closed coordinates, whose assembly mode it is. farthest: how far each coordinate may be from there.
PyObject* recorded(const char* name, const LoopRequest& request, int inputs, bool springs, const double* near, const double* farthest);

} // namespace modular_dynamics
