"""Kinds of constraint rows: the first entry of a row of indices (:class:`.structures.RowArrays`).

ALONG: no displacement of the successor's point along an axis of the predecessor. ACROSS: two axes stay
perpendicular. DISTANCE: two points keep their distance. COUPLING: a gear. ALIGNED: an axis keeps its
direction. ABOUT: no rotation about an axis. :mod:`.orientation_rows` has the equations of orientations.
"""

__all__ = ["ABOUT", "ACROSS", "ALIGNED", "ALONG", "COUPLING", "DISTANCE"]

ALONG, ACROSS, DISTANCE, COUPLING, ALIGNED, ABOUT = range(6)
