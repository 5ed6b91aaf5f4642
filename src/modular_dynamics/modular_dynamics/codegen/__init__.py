"""Functions of one fixed robot in other languages.

The core's algorithms, run on a number that records (include/modular_dynamics/recording.hpp), become lists of
operations with the robot's constants folded (:mod:`.program`); these become C (:mod:`.c99`, :mod:`.c_files`)
or CasADi functions (`export`).
"""
