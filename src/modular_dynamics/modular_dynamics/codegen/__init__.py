"""Straight-line code for one fixed robot, made from the recursions of kernels/: C and CasADi functions.

A recursion is run once in plain Python on symbols (:mod:`.tracing`). The operations that it carries out, with
constants folded (:mod:`.program`), become C (:mod:`.c99`, :mod:`.c_files`) or CasADi functions
(:mod:`.casadi`), from a :class:`.procedure.Procedure`.
"""
