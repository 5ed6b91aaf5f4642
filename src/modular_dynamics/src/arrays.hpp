// Arguments of the Python module by NumPy's C API: strict, nothing is converted or copied. Each translation unit defines PY_ARRAY_UNIQUE_SYMBOL
// before, and all but the one that imports NumPy define NO_IMPORT_ARRAY.
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>

#include <initializer_list>
#include <type_traits>

namespace modular_dynamics {

template <class E> struct NumPyType;
template <> struct NumPyType<double> { static constexpr int number = NPY_DOUBLE; static constexpr const char* name = "float64"; };
template <> struct NumPyType<float> { static constexpr int number = NPY_FLOAT; static constexpr const char* name = "float32"; };
template <> struct NumPyType<npy_int64> { static constexpr int number = NPY_INT64; static constexpr const char* name = "int64"; };
template <> struct NumPyType<bool> { static constexpr int number = NPY_BOOL; static constexpr const char* name = "bool"; };

inline PyArrayObject* as_array(PyObject* object) { return reinterpret_cast<PyArrayObject*>(object); }

/// The number of axes of an array; 0 of other objects.
inline int axes_of(PyObject* object) { return PyArray_Check(object) ? PyArray_NDIM(as_array(object)) : 0; }

/// Whether an object is an array of this type and shape (-1: any size); else a Python exception names the argument.
inline bool is_array(PyObject* object, const char* name, int type, const char* type_name, const npy_intp* shape, int axes, bool written) {
  if (!PyArray_Check(object)) {
    PyErr_Format(PyExc_TypeError, "%s must be a NumPy array, not %R", name, (PyObject*)Py_TYPE(object));
    return false;
  }
  PyArrayObject* array = as_array(object);
  if (PyArray_TYPE(array) != type || !PyArray_ISNOTSWAPPED(array)) {
    PyErr_Format(PyExc_TypeError, "%s must have dtype %s, not %S", name, type_name, (PyObject*)PyArray_DESCR(array));
    return false;
  }
  bool fits = PyArray_NDIM(array) == axes;
  for (int k = 0; fits && k < axes; ++k) fits = shape[k] < 0 || PyArray_DIM(array, k) == shape[k];
  if (!fits) {
    PyObject* wanted = PyTuple_New(axes);
    for (int k = 0; wanted && k < axes; ++k) {
      PyObject* size = shape[k] < 0 ? PyUnicode_FromString("any") : PyLong_FromSsize_t(shape[k]);
      if (!size || PyTuple_SetItem(wanted, k, size) < 0) Py_CLEAR(wanted);
    }
    PyObject* given = wanted ? PyObject_GetAttrString(object, "shape") : nullptr;
    if (given) PyErr_Format(PyExc_ValueError, "%s must have the shape %R, not %R", name, wanted, given);
    Py_XDECREF(given);
    Py_XDECREF(wanted);
  } else if (!PyArray_IS_C_CONTIGUOUS(array) || !PyArray_ISALIGNED(array)) {
    PyErr_Format(PyExc_ValueError, "%s must be C-contiguous and aligned", name);
    fits = false;
  } else if (written && !PyArray_ISWRITEABLE(array)) {
    PyErr_Format(PyExc_ValueError, "%s is read-only", name);
    fits = false;
  }
  return fits;
}

/// The data of an array of this shape; nullptr, and a Python exception: the argument is none. E: its numbers' type, const where they are only
/// read.
template <class E> E* data_of(PyObject* object, const char* name, const npy_intp* shape, int axes) {
  typedef NumPyType<std::remove_const_t<E>> Type;
  const bool fits = is_array(object, name, Type::number, Type::name, shape, axes, !std::is_const_v<E>);
  return fits ? static_cast<E*>(PyArray_DATA(as_array(object))) : nullptr;
}
template <class E> E* data_of(PyObject* object, const char* name, std::initializer_list<npy_intp> shape) {
  return data_of<E>(object, name, shape.begin(), int(shape.size()));
}

/// Arrays of a dictionary, by their names. After the first one that does not fit, `good` is false, and a Python exception names it.
struct Columns {
  PyObject* arrays;
  bool good = true;

  /// Its first axis has `count` numbers, or, where that is -1, any number, which is written there; of width or height 0 there is no such axis.
  template <class E> const E* of(const char* name, npy_intp& count, npy_intp width = 0, npy_intp height = 0) {
    PyObject* array = good && arrays ? PyDict_GetItemString(arrays, name) : nullptr; // borrowed
    if (good && !array) PyErr_Format(PyExc_TypeError, "%s is missing", name);
    const npy_intp shape[] = {count, width, height};
    const E* data = array ? data_of<const E>(array, name, shape, 1 + (width > 0) + (height > 0)) : nullptr;
    good = data;
    if (data) count = PyArray_DIM(as_array(array), 0);
    return data;
  }
  /// Whole numbers from `least` on and below `stop`.
  const npy_int64* indices(const char* name, npy_int64 least, npy_int64 stop, npy_intp& count, npy_intp width = 0) {
    const npy_int64* values = of<npy_int64>(name, count, width);
    for (npy_intp k = 0; good && k < count * (width > 0 ? width : 1); ++k)
      if (values[k] < least || values[k] >= stop) {
        PyErr_Format(PyExc_ValueError, "%s[%zd] is %lld: %lld to %lld are possible", name, k, (long long)values[k], (long long)least, (long long)(stop - 1));
        good = false;
      }
    return values;
  }
};

/// Raises ValueError, and returns false, where a result shares memory with an input; it may be the same memory if `in_place`.
inline bool apart(PyObject* out, PyObject* input, const char* name, bool in_place) {
  const char *a = PyArray_BYTES(as_array(out)), *b = PyArray_BYTES(as_array(input));
  const npy_intp size = PyArray_NBYTES(as_array(out)), other = PyArray_NBYTES(as_array(input));
  if (size == 0 || other == 0 || a >= b + other || b >= a + size || (in_place && a == b && size == other)) return true;
  PyErr_Format(PyExc_ValueError, "out shares memory with %s; an array of its own is needed%s", name, in_place ? ", or one that is q, v or the third input" : "");
  return false;
}

} // namespace modular_dynamics
