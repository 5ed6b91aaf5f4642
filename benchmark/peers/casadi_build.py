"""Pinocchio to C by CasADi, compiled: rnea and aba of one robot as shared libraries, kept on disk.

The generator is a C++ program of Pinocchio's templates (its Python package has no CasADi); compiling it takes
a minute, once per machine. The generator and each robot's libraries are kept under a hash of their inputs.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pinocchio

import modular_dynamics as md

__all__ = ["ALGORITHMS", "BuildError", "C_FLAGS", "built"]

ALGORITHMS = ("rnea", "aba")
C_FLAGS = ("-O3", "-march=native", "-shared", "-fPIC")
#: Pinocchio has more joint types than Boost's lists hold by default; its CMake files set the same.
CXX_FLAGS = (
    *("-std=c++17", "-O0", "-w", "-DPINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION"),
    *("-DBOOST_FUSION_INVOKE_MAX_ARITY=10", "-DBOOST_MPL_LIMIT_LIST_SIZE=30"),
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
)
SOURCE = Path(__file__).with_name("generator.cpp")
#: Calls without arguments, so that ctypes converts none; and a loop over states in C.
WRAPPER = """
#include "{name}.c"
static const double *arguments[3]; static double *results[1];
void bind(const double *q, const double *v, const double *given, double *result)
{{ arguments[0] = q; arguments[1] = v; arguments[2] = given; results[0] = result; }}
void call(void) {{ {name}(arguments, results, 0, 0, 0); }}
void loop(long count, long nq, long nv, const double *q, const double *v, const double *given, double *result)
{{
  for (long k = 0; k < count; ++k) {{
    const double *in[3] = {{q + k * nq, v + k * nv, given + k * nv}};
    double *out[1] = {{result + k * nv}};
    {name}(in, out, 0, 0, 0);
  }}
}}
long work_size(void)
{{ casadi_int arg, res, iw, w; {name}_work(&arg, &res, &iw, &w); return arg > 3 || res > 1 ? -1 : iw + w; }}
"""


class BuildError(Exception):
    """The C code could not be generated or compiled; the text says why."""


def built(graph: md.SubsystemGraph, cache: Path, tick: Callable[[str], None]) -> dict[str, ctypes.CDLL]:
    """The libraries of a robot: algorithm -> ``bind``, ``call``, ``loop``."""
    generators = _generators(cache, tick)
    key = _key(graph.urdf, str(graph.gravity), generators["rnea"].parent.name, *C_FLAGS, _version(_cc()))
    folder = cache / f"{graph.name}_{key}"
    folder.mkdir(parents=True, exist_ok=True)
    urdf = folder / "robot.urdf"
    urdf.write_text(graph.urdf, encoding="utf-8")
    libraries = {}
    for name in ALGORITHMS:
        library = folder / f"{name}.so"
        if not library.is_file():
            tick(f"generating and compiling {name} in C")
            _run([str(generators[name]), urdf.name, *map(str, graph.gravity)], folder)
            (folder / f"{name}_calls.c").write_text(WRAPPER.format(name=name), encoding="utf-8")
            _run([_cc(), *C_FLAGS, f"{name}_calls.c", "-o", f"{name}.part", "-lm"], folder)
            (folder / f"{name}.part").rename(library)
        libraries[name] = ctypes.CDLL(str(library))
        if libraries[name].work_size() != 0:
            raise BuildError(f"the generated {name} needs work arrays, which are not provided here")
    return libraries


def _generators(cache: Path, tick: Callable[[str], None]) -> dict[str, Path]:
    casadi_version = _casadi_version()
    theirs = _folder("casadi/include").parent
    prefix = _folder("cmeel.prefix/include/pinocchio/autodiff").parents[2]
    eigen = _folder("cmeel.prefix/include/eigen3/Eigen", "/usr/include/eigen3/Eigen").parent
    cxx = os.environ.get("CXX", "c++")
    versions = (pinocchio.__version__, casadi_version, str(prefix), str(eigen), _version(cxx))
    folder = cache / f"generator_{_key(SOURCE.read_text(encoding='utf-8'), *versions, *CXX_FLAGS)}"
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {name: folder / name for name in ALGORITHMS}

    def compile_one(name: str) -> None:
        headers = prefix / "include"
        includes = [f"-I{path}" for path in (headers, headers / "urdfdom_headers", theirs / "include", eigen)]
        folders = [flag for path in (prefix / "lib", theirs) for flag in (f"-L{path}", f"-Wl,-rpath,{path}")]
        libraries = ["-lpinocchio_default", "-lpinocchio_parsers", "-lcasadi"]
        command = [cxx, *CXX_FLAGS, f"-DALGORITHM={name}", *includes, str(SOURCE), *folders, *libraries]
        _run([*command, "-o", f"{name}.part"], folder)
        (folder / f"{name}.part").rename(wanted[name])

    missing = [name for name, program in wanted.items() if not program.is_file()]
    if missing:
        tick("compiling Pinocchio with CasADi, once on this machine: about a minute")
        with ThreadPoolExecutor(len(missing)) as pool:
            list(pool.map(compile_one, missing))
    return wanted


def _folder(*choices: str) -> Path:
    """The first of these folders below an entry of sys.path."""
    for choice in choices:
        for entry in sys.path:
            if (Path(entry) / choice).is_dir():
                return Path(entry) / choice
    raise BuildError(f"there is no folder {' or '.join(choices)} below sys.path")


def _casadi_version() -> str:
    try:
        return version("casadi")
    except PackageNotFoundError:
        raise BuildError("casadi is not installed") from None


def _cc() -> str:
    return os.environ.get("CC", "cc")


def _version(compiler: str) -> str:
    return _run([compiler, "--version"], Path.cwd())


def _key(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]


def _run(command: list[str], folder: Path) -> str:
    try:
        return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout
    except FileNotFoundError:
        raise BuildError(f"the command {command[0]} is missing") from None
    except subprocess.CalledProcessError as error:
        last = (error.stderr.strip().splitlines() or ["no message"])[-1]
        raise BuildError(f"{Path(command[0]).name} failed: {last}") from None
