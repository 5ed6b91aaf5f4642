"""Pinocchio to C by CasADi, compiled: rnea and aba of one robot as shared libraries, kept on disk.

The generator is a C++ program of Pinocchio's templates (its Python package has no CasADi); compiling it takes
a minute, once per machine. The generator and each robot's libraries are kept under a hash of their inputs.
The libraries are called from Python and by a loop in C.
"""

import ctypes
import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
import pinocchio

import modular_dynamics as md
from benchmark.setting.robots import VECTORS, Array, States
from benchmark.setting.timing import Timed

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
            run_command([str(generators[name]), urdf.name, *map(str, graph.gravity)], folder)
            (folder / f"{name}_calls.c").write_text(WRAPPER.format(name=name), encoding="utf-8")
            run_command([_cc(), *C_FLAGS, f"{name}_calls.c", "-o", f"{name}.part", "-lm"], folder)
            (folder / f"{name}.part").rename(library)
        libraries[name] = ctypes.CDLL(str(library))
        if libraries[name].work_size() != 0:
            raise BuildError(f"the generated {name} needs work arrays, which are not provided here")
    return libraries


class CasadiPeer:
    """rnea and aba of a robot in C: the first state by ``call``, many by ``loop``.

    The generator reads the URDF itself, so that the order of joints is that of Pinocchio's parser.

    Raises:
        BuildError: the graph has joints that are not in its URDF, such as a floating base.
    """

    def __init__(self, libraries: dict[str, ctypes.CDLL], graph: md.SubsystemGraph, states: States) -> None:
        self._libraries, self._model = libraries, pinocchio.buildModelFromXML(graph.urdf)
        self._order = order = md.joint_order.from_pinocchio(graph, self._model)
        if order.missing:
            raise BuildError(f"its URDF has no joint {' and no joint '.join(order.missing)}")
        rows = States(order.to_q(states.q), order.to_v(states.v), order.to_a(states.a))
        model, data = self._model, self._model.createData()
        of_rows = zip(rows.q, rows.v, rows.a, strict=True)
        torques = np.array([pinocchio.rnea(model, data, *row) for row in of_rows])
        many, given = rows.repeated(VECTORS), torques[np.arange(VECTORS) % len(torques)]
        self._arrays = {  # kept alive while C has their addresses
            name: (many.q, many.v, given if name == "aba" else many.a, np.empty_like(given))
            for name in libraries
        }
        for name, library in libraries.items():
            library.bind(*self._pointers(name))
            library.call.restype = library.loop.restype = None
            library.loop.argtypes = [ctypes.c_long] * 3 + [ctypes.c_void_p] * 4

    def _pointers(self, name: str) -> list[ctypes.c_void_p]:
        return [ctypes.c_void_p(array.ctypes.data) for array in self._arrays[name]]

    def timed(self) -> Timed:
        """One state by ctypes, and many in C, one thread."""
        sizes = VECTORS, self._model.nq, self._model.nv
        timed: Timed = {}
        for name, library in self._libraries.items():
            call, loop = library.call, partial(library.loop, *sizes, *self._pointers(name))
            # the other libraries are called by a line of Python, too
            timed[f"C {name} (ctypes)"] = (lambda call=call: call(), 1)
            timed[f"C {name} (loop in C)"] = (loop, VECTORS)
        return timed

    def results(self) -> dict[str, Array]:
        """Results for the first state, in the graph's order: quantity -> array."""
        for library in self._libraries.values():
            library.call()
        return {
            "torques": self._order.from_tau(self._arrays["rnea"][3][0]),
            "accelerations": self._order.from_a(self._arrays["aba"][3][0]),
        }


def _generators(cache: Path, tick: Callable[[str], None]) -> dict[str, Path]:
    try:
        casadi_version = version("casadi")
    except PackageNotFoundError:
        raise BuildError("casadi is not installed") from None
    casadi = _folder("casadi/include").parent
    prefix, eigen = header_folders()
    cxx = compiler()
    versions = (pinocchio.__version__, casadi_version, str(prefix), str(eigen), _version(cxx))
    folder = cache / f"generator_{_key(SOURCE.read_text(encoding='utf-8'), *versions, *CXX_FLAGS)}"
    folder.mkdir(parents=True, exist_ok=True)
    programs = {name: folder / name for name in ALGORITHMS}

    def compile_one(name: str) -> None:
        headers = prefix / "include"
        includes = [f"-I{path}" for path in (headers, headers / "urdfdom_headers", casadi / "include", eigen)]
        folders = [flag for path in (prefix / "lib", casadi) for flag in (f"-L{path}", f"-Wl,-rpath,{path}")]
        libraries = ["-lpinocchio_default", "-lpinocchio_parsers", "-lcasadi"]
        command = [cxx, *CXX_FLAGS, f"-DALGORITHM={name}", *includes, str(SOURCE), *folders, *libraries]
        run_command([*command, "-o", f"{name}.part"], folder)
        (folder / f"{name}.part").rename(programs[name])

    missing = [name for name, program in programs.items() if not program.is_file()]
    if missing:
        tick("compiling Pinocchio with CasADi, once on this machine: about a minute")
        with ThreadPoolExecutor(len(missing)) as pool:
            list(pool.map(compile_one, missing))
    return programs


def header_folders() -> tuple[Path, Path]:
    """The prefix of Pinocchio's headers and libraries, and the folder of Eigen's headers."""
    prefix = _folder("cmeel.prefix/include/pinocchio/autodiff").parents[2]
    return prefix, _folder("cmeel.prefix/include/eigen3/Eigen", "/usr/include/eigen3/Eigen").parent


def compiler() -> str:
    """The C++ compiler's command."""
    return os.environ.get("CXX", "c++")


def _folder(*choices: str) -> Path:
    """The first of these folders below an entry of sys.path."""
    for choice in choices:
        for entry in sys.path:
            if (Path(entry) / choice).is_dir():
                return Path(entry) / choice
    raise BuildError(f"there is no folder {' or '.join(choices)} below sys.path")


def _cc() -> str:
    return os.environ.get("CC", "cc")


def _version(compiler: str) -> str:
    return run_command([compiler, "--version"], Path.cwd())


def _key(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]


def run_command(command: list[str], folder: Path) -> str:
    """What a command prints, run in a folder. Raises BuildError."""
    try:
        return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout
    except FileNotFoundError:
        raise BuildError(f"the command {command[0]} is missing") from None
    except subprocess.CalledProcessError as error:
        last = (error.stderr.strip().splitlines() or ["no message"])[-1]
        raise BuildError(f"{Path(command[0]).name} failed: {last}") from None
