"""Robot dynamics by composition of subsystems: modular dual-quaternion Newton-Euler.

Lengths in metres, angles in radians, SI throughout; quaternions w x y z; wrenches [force, moment].
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import dynamics, exceptions
from .algebra import DualQuaternion, Quaternion
from .dynamics import *  # noqa: F403  # all of them; dynamics/__init__.py lists them
from .exceptions import *  # noqa: F403  # all of them
from .model import Finding, Joint, JointType, Subsystem, SubsystemGraph, joint_order
from .urdf import load_urdf

if TYPE_CHECKING:
    from . import crosscheck as crosscheck
    from . import loops as loops
    from .composition import (
        ConnectionMotion,
        DualQuaternionAlgebra,
        SpatialVectorAlgebra,
        SpecialEuclideanAlgebra,
        subsystem_graph_dot,
    )
    from .composition.compose import Composition, compose
    from .export import CasadiFunctions, ExportedC
    from .loops import (
        ClosedConfiguration,
        ClosedLoopResult,
        ClosedLoopResults,
        ConstrainedDynamics,
        Simulation,
        StateStatus,
        assemble,
        close_loops,
        constrained_dynamics,
        energy,
        explicit_constraint_jacobian,
        simulate,
    )
    from .mjcf import load_mjcf
    from .motions import filtered_accelerations

__all__ = [
    "CasadiFunctions",
    "ClosedConfiguration",
    "ClosedLoopResult",
    "ClosedLoopResults",
    "Composition",
    "ConnectionMotion",
    "ConstrainedDynamics",
    "DualQuaternion",
    "DualQuaternionAlgebra",
    "ExportedC",
    "Finding",
    "Joint",
    "JointType",
    "Quaternion",
    "Simulation",
    "SpatialVectorAlgebra",
    "SpecialEuclideanAlgebra",
    "StateStatus",
    "Subsystem",
    "SubsystemGraph",
    "assemble",
    "close_loops",
    "compose",
    "constrained_dynamics",
    "crosscheck",
    "energy",
    "explicit_constraint_jacobian",
    "filtered_accelerations",
    "load_mjcf",
    "load_urdf",
    "joint_order",
    "simulate",
    "subsystem_graph_dot",
]
__all__ += dynamics.__all__
__all__ += exceptions.__all__

__version__ = "0.1.0"


#: Packages that are imported when one of their names is used first. A robot without loops needs none of them
#: for its torques, and a process that is started again answers sooner; crosscheck needs Pinocchio. A name is
#: looked for in one after the other: the one that is imported soonest comes first.
_LATER = ("composition", "export", "loops", "mjcf", "motions", "crosscheck")


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return import_module(f".{name}", __name__)
    if name in __all__:
        for package in map(import_module, (f"{__name__}.{one}" for one in _LATER[:5])):
            if name in package.__all__:
                value = globals()[name] = getattr(package, name)
                return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_LATER})
