// Arguments of the Python module by NumPy's C API: strict, nothing is converted or copied. Each translation unit defines PY_ARRAY_UNIQUE_SYMBOL
// before, and all but the one that imports NumPy define NO_IMPORT_ARRAY.
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>

namespace modular_dynamics {

/// The array that an argument must be: type, dimensions, memory.
struct Expected {
  const char* name;
  int type;            ///< NPY_DOUBLE, NPY_FLOAT, NPY_INT64 or NPY_BOOL
  int dimensions;
  npy_intp shape[4];   ///< -1: any
  bool written = false;
};

inline PyArrayObject* as_array(PyObject* object) { return reinterpret_cast<PyArrayObject*>(object); }

/// The data of an array, or nullptr and a Python exception that names the argument.
inline void* data_of(PyObject* object, const Expected& expected) {
  if (!PyArray_Check(object)) {
    PyErr_Format(PyExc_TypeError, "%s must be a NumPy array, not %R", expected.name, (PyObject*)Py_TYPE(object));
    return nullptr;
  }
  PyArrayObject* array = as_array(object);
  if (PyArray_TYPE(array) != expected.type || !PyArray_ISNOTSWAPPED(array)) {
    const char* names[] = {"float64", "float32", "int64", "bool"};
    const int k = expected.type == NPY_DOUBLE ? 0 : expected.type == NPY_FLOAT ? 1 : expected.type == NPY_INT64 ? 2 : 3;
    PyErr_Format(PyExc_TypeError, "%s must have dtype %s, not %S", expected.name, names[k], (PyObject*)PyArray_DESCR(array));
    return nullptr;
  }
  bool fits = PyArray_NDIM(array) == expected.dimensions;
  for (int k = 0; fits && k < expected.dimensions; ++k)
    fits = expected.shape[k] < 0 || PyArray_DIM(array, k) == expected.shape[k];
  if (!fits) {
    PyObject* wanted = PyTuple_New(expected.dimensions);
    for (int k = 0; wanted && k < expected.dimensions; ++k) {
      PyObject* size = expected.shape[k] < 0 ? PyUnicode_FromString("any") : PyLong_FromSsize_t(expected.shape[k]);
      if (!size || PyTuple_SetItem(wanted, k, size) < 0) Py_CLEAR(wanted);
    }
    PyObject* given = wanted ? PyObject_GetAttrString(object, "shape") : nullptr;
    if (given) PyErr_Format(PyExc_ValueError, "%s must have the shape %R, not %R", expected.name, wanted, given);
    Py_XDECREF(given);
    Py_XDECREF(wanted);
    return nullptr;
  }
  if (!PyArray_IS_C_CONTIGUOUS(array) || !PyArray_ISALIGNED(array)) {
    PyErr_Format(PyExc_ValueError, "%s must be C-contiguous and aligned", expected.name);
    return nullptr;
  }
  if (expected.written && !PyArray_ISWRITEABLE(array)) {
    PyErr_Format(PyExc_ValueError, "%s is read-only", expected.name);
    return nullptr;
  }
  return PyArray_DATA(array);
}

/// An array of a dictionary. Its first dimension is `count`, or, where that is -1, any, which is written there.
template <class E> E* column(PyObject* arrays, const char* name, int type, npy_intp& count, npy_intp width = 0, npy_intp height = 0) {
  PyObject* array = arrays ? PyDict_GetItemString(arrays, name) : nullptr; // borrowed
  if (!array) {
    PyErr_Format(PyExc_TypeError, "%s is missing", name);
    return nullptr;
  }
  auto data = static_cast<E*>(data_of(array, {name, type, 1 + (width > 0) + (height > 0), {count, width, height, 0}}));
  if (data) count = PyArray_DIM(as_array(array), 0);
  return data;
}

/// Raises ValueError, and returns false, where a result shares memory with an input; it may be the same memory if `in_place`.
inline bool apart(PyObject* out, PyObject* input, const char* name, bool in_place) {
  const char *a = PyArray_BYTES(as_array(out)), *b = PyArray_BYTES(as_array(input));
  const npy_intp size = PyArray_NBYTES(as_array(out)), other = PyArray_NBYTES(as_array(input));
  if (size == 0 || other == 0 || a >= b + other || b >= a + size || (in_place && a == b && size == other)) return true;
  PyErr_Format(PyExc_ValueError, "out shares memory with %s; an array of its own is needed%s", name, in_place ? ", or one that is q, v or the third input" : "");
  return false;
}

} // namespace modular_dynamics
