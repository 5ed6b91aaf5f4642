"""Code for one robot: C, CasADi functions, a C++ header. Made in export/, which the model cannot import."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from numpy.typing import ArrayLike

__all__ = ["DEFAULT_FUNCTIONS", "ExportsCode", "exporter", "register_exporter"]

#: The functions that are exported unless others are named.
DEFAULT_FUNCTIONS = ("inverse_dynamics", "mass_matrix", "forward_dynamics")

F = TypeVar("F", bound=Callable[..., Any])
#: Modules that register functions.
_PACKAGES = {
    "export_c": "export",
    "to_casadi": "export",
    "to_cpp": "export.cpp_model",
    "graph_urdf": "urdf",
}
_exporters: dict[str, Callable[..., Any]] = {}


def register_exporter(function: F) -> F:
    """Register a function of another package, which a method of graphs calls by its name."""
    _exporters[function.__name__] = function
    return function


def exporter(name: str) -> Callable[..., Any]:
    """Return the function that a package registers, which is imported where it is not yet."""
    if name not in _exporters:
        import_module(f"modular_dynamics.{_PACKAGES[name]}")
    return _exporters[name]


class ExportsCode:
    """Methods of a graph that generate code of its dynamics."""

    def export_c(
        self,
        path: str | Path,
        functions: Sequence[str] | None = None,
        links: Sequence[str] = (),
        guess: ArrayLike | None = None,
    ) -> Any:
        """Write C99 code for controllers without Python: see docs/code_for_controllers.md.

        The functions are the core's algorithms, unrolled for this robot with its constants folded. They use
        no library but sin and cos, allocate nothing, keep no static data, and report numbers that are not
        finite. Closed loops must be planar and solved joint by joint (docs/closed_loops.md); their functions
        also call sqrt, atan2 and floor, and report where the loops do not close.

        Args:
            path: of the C file, "folder/NAME.c". NAME.h and NAME_test.c are written beside it, and the names
                of all functions begin with NAME. Existing files are replaced.
            functions: any of "inverse_dynamics", "nonlinear_effects", "gravity_torque", "mass_matrix",
                "forward_dynamics", and of a tree "inverse_dynamics_derivatives", "frame_poses", "jacobian",
                of a robot with loops, by its independent joints, "close_loops",
                "explicit_constraint_jacobian". By default inverse dynamics, mass matrix and forward dynamics,
                and with loops "close_loops".
            links: whose poses, and jacobians in the root link's axes, are computed.
            guess: coordinates of all joints that select the assembly mode, as of `close_loops`. The code has
                this one mode. Passive joints that rotate stay within half a turn of it.

        Returns:
            An `ExportedC`: the files, and the number of operations of each function.

        Raises:
            StateError: a path, function or link that cannot be used, black boxes, or a joint that moves no
                inertia.
            UnsupportedModelError: loops that are not solved in closed form; or no joints.
            ClosureError, SingularityError: the loops do not close, at the guess or at all.
            OSError: a file cannot be written.
        """
        return exporter("export_c")(self, path, functions, links, guess)

    def to_casadi(
        self,
        functions: Sequence[str] | None = None,
        links: Sequence[str] = (),
        guess: ArrayLike | None = None,
    ) -> Any:
        """Return the dynamics as CasADi functions of SX symbols, for optimal control.

        Of the same program as `export_c`; CasADi differentiates them.

        Args:
            functions, links, guess: as of `export_c`.

        Returns:
            `CasadiFunctions`: for each name a casadi.Function, such as inverse_dynamics (q, v, a) -> tau;
            columns, in the order and units of the library. They do not check their arguments; where loops
            do not close, what depends on passive joints is NaN.

        Raises:
            MissingDependencyError: CasADi cannot be imported (extra "symbolic").
            StateError, UnsupportedModelError, ClosureError, SingularityError: as of `export_c`.
        """
        return exporter("to_casadi")(self, functions, links, guess)

    def to_cpp(
        self, path: str | Path | None = None, *, name: str = "robot", guess: ArrayLike | None = None
    ) -> str:
        """The robot as a header for C++17 programs that use the compiled core's own headers: see docs/cpp.md.

        Within namespace ``name``: ``description()``, a `modular_dynamics::Description` with every number in
        full precision; of a robot with closed loops also ``loops()``, and ``closed``, coordinates of all
        joints from which to start. Sizes of vectors are constants, and where each joint's numbers begin in
        them enumerations.

        Args:
            path: where it is written, too. An existing file is replaced.
            name: of the namespace; a C++ identifier.
            guess: coordinates of all joints that select the assembly mode of ``closed``, as of `close_loops`.

        Returns:
            The text.

        Raises:
            StateError: a name that cannot be used, black boxes, or a guess without loops.
            UnsupportedModelError: independent joints and loops do not determine all joints.
            ClosureError, SingularityError: the loops do not close.
            OSError: the file cannot be written.
        """
        text: str = exporter("to_cpp")(self, path, name, guess)
        return text
