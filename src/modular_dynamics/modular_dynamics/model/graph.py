"""The graph of subsystems: a robot, constant after construction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from numpy.typing import ArrayLike

from ..exceptions import StateError
from . import configuration
from .changes.attach import attach
from .changes.bodies import payloads_of, with_payload
from .changes.lock import lock
from .changes.removal import without
from .parameters import parameters_of, with_parameters
from .structure import Structure, closing_elements
from .subsystem import tree_lines

#: Functions that `export_c` and `to_casadi` export unless others are named.
DEFAULT_FUNCTIONS = ("inverse_dynamics", "mass_matrix", "forward_dynamics")

#: By function, the module that has it: these depend on the model, which so cannot import them at its start.
_WRITERS = {
    "export_c": "export.c_code",
    "to_casadi": "export.c_code",
    "to_cpp": "export.cpp_model",
    "graph_urdf": "urdf",
}

T = TypeVar("T")
#: Largest number of results that a graph keeps; at more it forgets all of them.
MOST_KEPT = 1024


@dataclass(frozen=True, eq=False)
class SubsystemGraph(Structure):
    """A robot as a tree of subsystems.

    Joints and bodies stand in topological order, subsystem by subsystem: body k is moved by joint k and
    ``parents[k]`` is the body that carries joint k (None: the ground).

    Attributes:
        joint_names: joints with coordinates of their own, in the order of q and v: document order within
            each subsystem. Mimic joints have none; their torque goes to their driver.
        joints, bodies, parents: the authoritative ones: subsystems are given these joints and bodies.
        gravity: gravitational acceleration in the root link's frame [m/s^2], shape (3,).
        ground: the root link with everything fixed to it.
        independent: joints that the user chose as independent; None: all except passive and geared ones.
        urdf: the text from which it was read; empty after a change.
        floating_base: whether a floating root joint was added.
        warnings: what was accepted although it looks wrong, one value each. notes: decisions of the reader,
            and what is unusual but right.
        sources: the texts from which its links were read, also after changes; see :meth:`to_urdf`.
    """

    def with_independent_joints(self, *names: str) -> SubsystemGraph:
        """Return the same mechanism with other independent joints.

        Args:
            names: the joints, as separate arguments, in any order.

        Raises:
            StateError: a name that is no joint's, or is there twice.
        """
        known, given = {*self.joint_names}, set[str]()
        for name in names:
            if not isinstance(name, str):
                raise StateError(f"independent joint {name!r}: names are needed, one argument each")
            if name not in known:
                raise StateError(
                    f"independent joint '{name}' is no joint of '{self.name}' with coordinates of its own; "
                    f"its joints: {', '.join(self.joint_names)}"
                )
            if name in given:
                raise StateError(f"independent joint '{name}' of '{self.name}' is named twice")
            given.add(name)
        return replace(self, independent=tuple(name for name in self.joint_names if name in given))

    @cached_property
    def tree(self) -> SubsystemGraph:
        """The open tree: without loop joints, gears and springs, with all joints actuated."""
        bare: dict[str, Any] = dict.fromkeys(("loop_joints", "passive_joints", "gears", "springs"), ())
        return replace(self, **bare, independent=None)

    # positions, limits, and vectors by joint name: configuration.py
    integrate = configuration.integrate
    difference = configuration.difference
    random_configuration = configuration.random_configuration
    pack = configuration.pack
    unpack = configuration.unpack
    position_limits = cached_property(configuration.position_limits)
    velocity_limits = cached_property(configuration.velocity_limits)
    effort_limits = cached_property(configuration.effort_limits)

    @cached_property
    def _kept(self) -> dict[Any, Any]:
        """Results of `once`, by function and arguments."""
        return {}

    def once(self, make: Callable[..., T], *arguments: Any) -> T:
        """Return ``make(self, *arguments)``, computed at the first call and kept: the graph is constant.

        Args:
            arguments: hashable.
        """
        key = (make, arguments) if arguments else make
        try:
            made: T = self._kept[key]
        except KeyError:
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            made = self._kept[key] = make(self, *arguments)
        return made

    # new graphs: changes/ and parameters.py
    attach = attach
    lock = lock
    with_parameters = with_parameters
    with_payload = with_payload
    without = without
    parameters = cached_property(parameters_of)
    payloads = property(payloads_of)

    def to_urdf(self) -> str:
        """Return the robot as it is now, as URDF text with tags (docs/reference/urdf_tags.md).

        ``md.load_urdf(graph.to_urdf())`` is the same robot: names, order of q, torques, loops, subsystems.
        Payloads are part of the links that carry them, and a revolute joint without limits is continuous.
        ``warnings`` and ``notes`` are not written.

        Visuals, collisions and materials, and all else that the library does not read (``<gazebo>``,
        ``<ros2_control>``, ``<transmission>``), are taken from the texts from which the links were read, also
        after changes; those of an attached robot under its prefix. Robots that were not read from a URDF have
        none.

        Raises:
            UnsupportedModelError: something that a URDF with tags cannot express; names it.
        """
        text: str = _writer("graph_urdf")(self)
        return text

    def export_c(
        self,
        path: str | Path,
        functions: Sequence[str] | None = None,
        links: Sequence[str] = (),
        guess: ArrayLike | None = None,
    ) -> Any:
        """Write C99 code for controllers without Python: see docs/how_to/code_for_controllers.md.

        The functions are the core's algorithms, unrolled for this robot with its constants folded. They use
        no library but sin and cos, allocate nothing, keep no static data, and report numbers that are not
        finite. Closed loops must be planar and solved joint by joint (docs/how_to/closed_loops.md); their
        functions also call sqrt, atan2 and floor, and report where the loops do not close.

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
        return _writer("export_c")(self, path, functions, links, guess)

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
        return _writer("to_casadi")(self, functions, links, guess)

    def to_cpp(
        self, path: str | Path | None = None, *, name: str = "robot", guess: ArrayLike | None = None
    ) -> str:
        """Return the robot as a header for C++17 programs using the core's headers (docs/reference/cpp.md).

        Within namespace ``name``: ``description()``, a `modular_dynamics::Description` with every number in
        full precision; of a robot with closed loops also ``loops()``, and ``closed``, coordinates of all
        joints from which to start. Sizes of vectors are constants, and where each joint's numbers begin in
        them enumerations.

        Args:
            path: file that the text is also written to. An existing file is replaced.
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
        text: str = _writer("to_cpp")(self, path, name, guess)
        return text

    def __str__(self) -> str:
        closing = (f"{kind}: {', '.join(names)}" for kind, names in closing_elements(self).items())
        return "\n".join([self._heading(), *tree_lines(self.subsystems), *closing])

    def __repr__(self) -> str:
        return f"<SubsystemGraph {self._heading()}>"

    def _heading(self) -> str:
        known = [one for one in self.subsystems if not one.black_box]  # masses of others are unknown
        mass = sum(self.bodies[k].mass for one in known for k in one.indices)
        return (
            f"{self.name}: {len(self.subsystems)} subsystems, {len(self.joints)} moving joints, "
            f"nq = {self.nq}, nv = {self.nv}, moving mass {mass:.6g} kg"
        )


def _writer(name: str) -> Callable[..., Any]:
    """Return the function with this name in `_WRITERS`."""
    function: Callable[..., Any] = getattr(import_module(f"modular_dynamics.{_WRITERS[name]}"), name)
    return function
