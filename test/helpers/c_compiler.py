"""Exported C code, compiled as strictly as its page of the documentation says."""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest

STRICT = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1")

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc compiles the exported C code")


def compiled(exported, *options):
    """The test program of exported code, as an executable file."""
    program = exported.source.with_suffix(".out")
    command = ["gcc", *STRICT, *options, exported.source, exported.test, "-o", program, "-lm"]
    finished = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
    return program


def run(program):
    return subprocess.run([str(program)], capture_output=True, text=True, check=False)


class CFunctions:
    """The functions of exported code, called from Python: ``call(name, shape, *vectors)``."""

    def __init__(self, exported):
        library = exported.source.with_suffix(".so")
        command = ["gcc", *STRICT, "-shared", "-fPIC", exported.source, "-o", library, "-lm"]
        finished = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
        assert finished.returncode == 0, finished.stderr
        self._library, self._prefix = ctypes.CDLL(str(library)), exported.prefix

    def call(self, name, shape, *vectors):
        """(status, result); the function must not write beside the result."""
        size = int(np.prod(shape))
        out = np.full(size + 1, 7.5)
        arrays = [np.array(x, dtype=np.float64) for x in vectors]
        function = getattr(self._library, f"{self._prefix}_{name}")
        status = function(*(ctypes.c_void_p(array.ctypes.data) for array in (*arrays, out)))
        assert out[-1] == 7.5
        return status, out[:-1].reshape(shape)
