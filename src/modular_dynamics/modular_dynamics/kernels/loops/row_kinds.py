"""Kinds of constraint rows: the first entry of a row of indices (:class:`.structures.RowArrays`)."""

__all__ = ["ABOUT", "ACROSS", "ALIGNED", "ALONG", "COUPLING", "DISTANCE"]

ALONG, ACROSS, DISTANCE, COUPLING, ALIGNED, ABOUT = range(6)
