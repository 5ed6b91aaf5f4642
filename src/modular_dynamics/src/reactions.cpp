// The type Reactions of the Python module: rules that share reactions, on NumPy arrays.
#define PY_ARRAY_UNIQUE_SYMBOL modular_dynamics_arrays
#define NO_IMPORT_ARRAY
#include "loop_kernels.hpp"
#include "robot.hpp"

using namespace modular_dynamics;

namespace {

/// Rules, and their memory.
struct Reactions : ReactionLists<Vector> {
  ReactionRules rules;
};

bool read_rules(PyObject* arrays, Reactions& to) {
  typedef npy_int64 I;
  Columns columns{arrays};
  npy_intp one = 1, b = -1, w = -1, j = -1, n = -1, r = -1;
  const I *counted = columns.indices("links", 1, 1000000, one), links = counted ? *counted : 0;
  const I *bodies = columns.indices("body_links", 0, links, b), *required = columns.indices("required_links", 0, links, w);
  const I *axes_links = columns.indices("axes_links", 0, links, j), *point_links = columns.indices("point_links", 0, links, j, 2);
  const double* points = columns.of<double>("points", j, 2, 3);
  const I *joint = columns.indices("component_joint", 0, j, n), *axis = columns.indices("component_axis", -1, 3, n);
  const I* moment = columns.of<I>("component_moment", n);
  const double* along = columns.of<double>("component_along", n);
  const I *body = columns.indices("balance_body", 0, b, r), *frame = columns.indices("balance_frame", 0, j, r);
  const I *balance_axis = columns.indices("balance_axis", 0, 3, r), *about = columns.indices("balance_about", 0, j, r);
  const I* balance_moment = columns.of<I>("balance_moment", r);
  const double *signs = columns.of<double>("signs", b, n), *weights = columns.of<double>("weights", r, n);
  const double *later = columns.of<double>("later", r, n), *required_signs = columns.of<double>("required_signs", b, w);
  if (!columns.good) return false;
  to.links = int(links);
  to.bodies.assign(bodies, bodies + b), to.required.assign(required, required + w);
  for (npy_intp k = 0; k < j; ++k)
    to.joints.push_back({int(axes_links[k]), {int(point_links[2 * k]), int(point_links[2 * k + 1])}, {vector_at(points + 6 * k), vector_at(points + 6 * k + 3)}});
  for (npy_intp k = 0; k < n; ++k) to.components.push_back({int(joint[k]), int(axis[k]), moment[k] != 0, along[k]});
  for (npy_intp k = 0; k < r; ++k)
    to.balances.push_back({int(body[k]), int(frame[k]), int(balance_axis[k]), int(about[k]), balance_moment[k] != 0});
  to.signs.assign(signs, signs + b * n), to.weights.assign(weights, weights + r * n), to.later.assign(later, later + r * n);
  to.required_signs.assign(required_signs, required_signs + b * w);
  to.rules = {list(to.bodies), list(to.joints), list(to.components), list(to.balances), list(to.required),
              list(to.signs), list(to.weights), list(to.later), list(to.required_signs), to.links};
  return true;
}

PyObject* new_reactions(PyTypeObject* type, PyObject* positional, PyObject* arrays) {
  if (PyTuple_Size(positional) != 0) {
    PyErr_SetString(PyExc_TypeError, "Reactions(links=, ...) takes arrays by name");
    return nullptr;
  }
  return new_object<Reactions>(type, [&] {
    auto made = std::make_unique<Reactions>();
    return read_rules(arrays, *made) ? std::move(made) : nullptr;
  });
}

/// Rows of arrays, flat: (poses, required, components, wrenches, points, residual, shared).
PyObject* share(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  const ReactionRules& rules = value_of<Reactions>(self).rules;
  if (!has_count(count, 7, 7)) return nullptr;
  npy_intp rows = -1;
  ReactionRows at;
  auto read = [&](auto*& to, int k, const char* name, npy_intp width) {
    to = data_of<std::remove_reference_t<decltype(*to)>>(arguments[k], name, {rows, width});
    if (to) rows = PyArray_DIM(as_array(arguments[k]), 0);
    return to != nullptr;
  };
  const npy_intp joints = rules.joints.count;
  if (!read(at.poses, 0, "poses", 16 * rules.links) || !read(at.required, 1, "required", 6 * rules.required.count) ||
      !read(at.components, 2, "components", rules.components.count) || !read(at.wrenches, 3, "wrenches", 6 * joints) ||
      !read(at.points, 4, "points", 6 * joints) || !read(at.residual, 5, "residual", 6 * rules.bodies.count))
    return nullptr;
  bool* shared = data_of<bool>(arguments[6], "shared", {rows});
  if (!shared) return nullptr;
  return or_memory_error([&] {
    const Memory memory(default_kernels->loops->bytes_of_rules(rules));
    Py_BEGIN_ALLOW_THREADS
    default_kernels->loops->share(rules, at, rows, shared, memory.get());
    Py_END_ALLOW_THREADS
    return Py_NewRef(Py_None);
  });
}

PyMethodDef methods[] = {method("share", share, "share(poses, required, components, wrenches, points, residual, shared)"),
                         {nullptr, nullptr, 0, nullptr}};
PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(new_reactions)},
                       {Py_tp_dealloc, reinterpret_cast<void*>(destroy<Reactions>)},
                       {Py_tp_methods, methods},
                       {Py_tp_doc, const_cast<char*>("Rules that share the reactions of an over-constrained mechanism.")},
                       {0, nullptr}};
PyType_Spec spec = {"modular_dynamics._core.Reactions", sizeof(Object<Reactions>), 0, Py_TPFLAGS_DEFAULT, slots};

} // namespace

bool modular_dynamics::add_reactions(PyObject* module) { return add_type(module, "Reactions", spec); }
