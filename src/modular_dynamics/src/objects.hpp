// Python objects that own a C++ value, and what functions of the module share beside arrays: counts, numbers, lists.
#pragma once
#include "arrays.hpp"

#include <memory>
#include <new>
#include <vector>

namespace modular_dynamics {

template <class Value> struct Object {
  PyObject_HEAD
  Value* value;
};
template <class Value> Value& value_of(PyObject* self) { return *reinterpret_cast<Object<Value>*>(self)->value; }

/// What `function()` returns; nullptr, and a MemoryError: there is no memory.
template <class Function> PyObject* or_memory_error(Function function) {
  try {
    return function();
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
}

/// A new object that owns what `make` returns: a std::unique_ptr, nullptr where a Python exception is set.
template <class Value, class Make> PyObject* new_object(PyTypeObject* type, Make make) {
  return or_memory_error([&] {
    std::unique_ptr<Value> value = make();
    PyObject* object = value ? reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc))(type, 0) : nullptr;
    if (object) reinterpret_cast<Object<Value>*>(object)->value = value.release();
    return object;
  });
}
template <class Value> void destroy(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  delete reinterpret_cast<Object<Value>*>(object)->value;
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

inline PyMethodDef method(const char* name, PyObject* (*function)(PyObject*, PyObject* const*, Py_ssize_t), const char* text) {
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(function)), METH_FASTCALL, text};
}

/// Adds a type under its name to the module, and writes where it is. False, and a Python exception: that fails.
inline bool add_type(PyObject* module, const char* name, PyType_Spec& spec, PyTypeObject** to = nullptr) {
  PyObject* type = PyType_FromSpec(&spec);
  if (to) *to = reinterpret_cast<PyTypeObject*>(type); // the module keeps it
  if (type && PyModule_AddObject(module, name, type) == 0) return true;
  Py_XDECREF(type);
  return false;
}

/// Whether a function is given as many arguments as it takes; else a Python exception is set.
inline bool has_count(Py_ssize_t given, Py_ssize_t least, Py_ssize_t most) {
  if (given >= least && given <= most) return true;
  if (least == most) PyErr_Format(PyExc_TypeError, "%zd arguments are needed, %zd were given", least, given);
  else PyErr_Format(PyExc_TypeError, "%zd to %zd arguments are needed, %zd were given", least, most, given);
  return false;
}

/// A whole number from `least` to `most`.
inline bool read_number(PyObject* object, const char* name, long least, long most, long& to) {
  to = PyLong_AsLong(object);
  if (to == -1 && PyErr_Occurred()) return false;
  if (to >= least && to <= most) return true;
  PyErr_Format(PyExc_ValueError, "%s is %ld: %ld to %ld are possible", name, to, least, most);
  return false;
}

inline PyObject* as_object(int value) { return PyLong_FromLong(value); }
inline PyObject* as_object(const char* text) { return PyUnicode_FromString(text); }
template <class Item> PyObject* list_of(const std::vector<Item>& items) {
  PyObject* list = PyList_New(Py_ssize_t(items.size()));
  for (std::size_t k = 0; list && k < items.size(); ++k) {
    PyObject* object = as_object(items[k]);
    if (!object || PyList_SetItem(list, Py_ssize_t(k), object) < 0) Py_CLEAR(list);
  }
  return list;
}

} // namespace modular_dynamics
