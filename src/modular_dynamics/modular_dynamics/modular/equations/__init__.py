"""Equations of motion in the form of Meister & Gutenkunst: recursive, closed, and symbolic."""

from .closed_form import closed_form
from .kinematics import body_poses, path_poses, paths
from .numeric import ClosedForm, Matrices
from .recursion import RecursionResult, recursion
from .tree import TreeData, tree_data

__all__ = [
    "ClosedForm",
    "Matrices",
    "RecursionResult",
    "TreeData",
    "body_poses",
    "closed_form",
    "path_poses",
    "paths",
    "recursion",
    "tree_data",
]
