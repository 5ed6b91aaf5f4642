// The type Reactions of the Python module: rules that share reactions, on NumPy arrays.
#define PY_ARRAY_UNIQUE_SYMBOL modular_dynamics_arrays
#define NO_IMPORT_ARRAY
#include "loops.hpp"

#include "loop_kernels.hpp"

using namespace modular_dynamics;

namespace {

/// The memory of ReactionRules.
struct Reactions {
  std::vector<int> bodies, required;
  std::vector<ReactionJoint> joints;
  std::vector<ReactionComponent> components;
  std::vector<ReactionBalance> balances;
  std::vector<double> signs, weights, later, required_signs;
  ReactionRules rules;
  const LoopKernels* kernels = loop_kernels_for(name_of_default_kernels());

  void set_rules(int links) {
    auto list = [](const auto& v) { return List<std::decay_t<decltype(v[0])>>{v.data(), int(v.size())}; };
    rules = {list(bodies), list(joints), list(components), list(balances), list(required),
             signs.data(), weights.data(), later.data(), required_signs.data(), links};
  }
};

bool read_rules(PyObject* arrays, Reactions& to) {
  typedef npy_int64 I;
  npy_intp one = 1, b = -1, w = -1, j = -1, n = -1, r = -1;
  const I *links = nullptr, *bodies = nullptr, *required = nullptr, *axes_links = nullptr, *point_links = nullptr,
          *joint = nullptr, *axis = nullptr, *moment = nullptr, *body = nullptr, *frame = nullptr, *balance_axis = nullptr,
          *about = nullptr, *balance_moment = nullptr;
  const double *points = nullptr, *along = nullptr, *signs = nullptr, *weights = nullptr, *later = nullptr, *required_signs = nullptr;
  if (!(links = column<I>(arrays, "links", NPY_INT64, one)) || !(bodies = column<I>(arrays, "body_links", NPY_INT64, b)) ||
      !(required = column<I>(arrays, "required_links", NPY_INT64, w)) || !(axes_links = column<I>(arrays, "axes_links", NPY_INT64, j)) ||
      !(point_links = column<I>(arrays, "point_links", NPY_INT64, j, 2)) || !(points = column<double>(arrays, "points", NPY_DOUBLE, j, 2, 3)) ||
      !(joint = column<I>(arrays, "component_joint", NPY_INT64, n)) || !(axis = column<I>(arrays, "component_axis", NPY_INT64, n)) ||
      !(moment = column<I>(arrays, "component_moment", NPY_INT64, n)) || !(along = column<double>(arrays, "component_along", NPY_DOUBLE, n)) ||
      !(body = column<I>(arrays, "balance_body", NPY_INT64, r)) || !(frame = column<I>(arrays, "balance_frame", NPY_INT64, r)) ||
      !(balance_axis = column<I>(arrays, "balance_axis", NPY_INT64, r)) || !(about = column<I>(arrays, "balance_about", NPY_INT64, r)) ||
      !(balance_moment = column<I>(arrays, "balance_moment", NPY_INT64, r)) || !(signs = column<double>(arrays, "signs", NPY_DOUBLE, b, n)) ||
      !(weights = column<double>(arrays, "weights", NPY_DOUBLE, r, n)) || !(later = column<double>(arrays, "later", NPY_DOUBLE, r, n)) ||
      !(required_signs = column<double>(arrays, "required_signs", NPY_DOUBLE, b, w)))
    return false;
  if (!in_range(links, 1, 1, 1000000, "links") || !in_range(bodies, b, 0, *links, "body_links") || !in_range(required, w, 0, *links, "required_links") ||
      !in_range(axes_links, j, 0, *links, "axes_links") || !in_range(point_links, 2 * j, 0, *links, "point_links") ||
      !in_range(joint, n, 0, j, "component_joint") || !in_range(axis, n, -1, 3, "component_axis") || !in_range(body, r, 0, b, "balance_body") ||
      !in_range(frame, r, 0, j, "balance_frame") || !in_range(balance_axis, r, 0, 3, "balance_axis") || !in_range(about, r, 0, j, "balance_about"))
    return false;
  to.bodies.assign(bodies, bodies + b), to.required.assign(required, required + w);
  for (npy_intp k = 0; k < j; ++k) {
    const double* p = points + 6 * k;
    to.joints.push_back({int(axes_links[k]), {int(point_links[2 * k]), int(point_links[2 * k + 1])}, {{p[0], p[1], p[2]}, {p[3], p[4], p[5]}}});
  }
  for (npy_intp k = 0; k < n; ++k) to.components.push_back({int(joint[k]), int(axis[k]), moment[k] != 0, along[k]});
  for (npy_intp k = 0; k < r; ++k)
    to.balances.push_back({int(body[k]), int(frame[k]), int(balance_axis[k]), int(about[k]), balance_moment[k] != 0});
  to.signs.assign(signs, signs + b * n), to.weights.assign(weights, weights + r * n), to.later.assign(later, later + r * n);
  to.required_signs.assign(required_signs, required_signs + b * w);
  to.set_rules(int(*links));
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
  const Reactions& reactions = value_of<Reactions>(self);
  const ReactionRules& rules = reactions.rules;
  if (!has_count(count, 7, 7)) return nullptr;
  npy_intp rows = -1;
  const char* names[] = {"poses", "required", "components", "wrenches", "points", "residual"};
  const npy_intp widths[] = {16 * rules.links, 6 * rules.required.count, rules.components.count,
                             6 * rules.joints.count, 6 * rules.joints.count, 6 * rules.bodies.count};
  double* data[6];
  for (int k = 0; k < 6; ++k) {
    if (!(data[k] = static_cast<double*>(data_of(arguments[k], {names[k], NPY_DOUBLE, 2, {rows, widths[k], 0}, k > 1})))) return nullptr;
    rows = PyArray_DIM(as_array(arguments[k]), 0);
  }
  auto shared = static_cast<bool*>(data_of(arguments[6], {"shared", NPY_BOOL, 1, {rows, 0, 0}, true}));
  if (!shared) return nullptr;
  try {
    const Memory memory(reactions.kernels->bytes_of_rules(rules));
    Py_BEGIN_ALLOW_THREADS
    reactions.kernels->share(rules, {data[0], data[1], data[2], data[3], data[4], data[5]}, rows, shared, memory.get());
    Py_END_ALLOW_THREADS
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
  return Py_NewRef(Py_None);
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
