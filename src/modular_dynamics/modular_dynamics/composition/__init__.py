"""The algorithm of Silva & Adorno to be read: one line per equation, every intermediate value kept."""

from .algebras import Algebra, DualQuaternionAlgebra, SpatialVectorAlgebra, SpecialEuclideanAlgebra
from .compose import Composition, compose
from .edges import edges, subsystem_graph_dot
from .motion import ConnectionMotion
from .wrenches import path_to

__all__ = [
    "Algebra",
    "Composition",
    "ConnectionMotion",
    "DualQuaternionAlgebra",
    "SpatialVectorAlgebra",
    "SpecialEuclideanAlgebra",
    "compose",
    "edges",
    "path_to",
    "subsystem_graph_dot",
]
