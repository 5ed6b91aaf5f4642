"""Exported C code, compiled as strictly as its page of the documentation says."""

import ctypes
import re
import shutil
import subprocess

import numpy as np
import pytest

STRICT = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1")

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc compiles the exported C code")


def compiled(exported, *options):
    """The test program of exported code, as an executable file."""
    program = exported.source.with_suffix(".out")
    # with options of its own the functions are compiled again: those of `CFunctions` have none
    functions = exported.source if options else _functions(exported)
    _gcc(*options, functions, exported.test, "-o", program, "-lm")
    return program


def run(program):
    return subprocess.run([str(program)], capture_output=True, text=True, check=False)


def assert_agrees(exported, functions=None):
    """The test program passes; it prints a line for each of these functions, if they are given."""
    finished = run(compiled(exported))
    assert finished.returncode == 0, finished.stdout
    lines = finished.stdout.splitlines()
    assert all(line.endswith(": ok") for line in lines)
    assert functions is None or [line.split(":")[0] for line in lines] == list(functions)


def called_functions(exported):
    """Names of the functions that the code calls and does not define."""
    text = exported.source.read_text()
    called = set(re.findall(r"\b(\w+)\(", text[text.index("static void fill_with_nan") :]))
    own = rf"{exported.prefix}_\w+|\w+_part_\d+|all_finite|fill_with_nan"
    return {name for name in called if not re.fullmatch(own, name)}


def _functions(exported):
    """The functions, compiled once for the test program and for `CFunctions`."""
    compiled_file = exported.source.with_suffix(".o")
    is_newest = compiled_file.exists() and (
        compiled_file.stat().st_mtime_ns > exported.source.stat().st_mtime_ns
    )
    if not is_newest:
        _gcc("-c", "-fPIC", exported.source, "-o", compiled_file)
    return compiled_file


def _gcc(*words):
    finished = subprocess.run(["gcc", *STRICT, *map(str, words)], capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr


class CFunctions:
    """The functions of exported code, called from Python: ``call(name, shape, *vectors)``."""

    def __init__(self, exported):
        library = exported.source.with_suffix(".so")
        _gcc("-shared", _functions(exported), "-o", library, "-lm")
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
