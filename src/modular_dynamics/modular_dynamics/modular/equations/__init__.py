"""Equations of motion in the closed form of Meister & Gutenkunst: of numbers, and symbolic."""

from .closed_form import closed_form
from .numeric import ClosedForm, Matrices, TreeData, tree_data

__all__ = ["ClosedForm", "Matrices", "TreeData", "closed_form", "tree_data"]
