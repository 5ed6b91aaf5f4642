"""Functions of one fixed robot in other languages.

The core runs its algorithms on a number type that records operations, with the robot's constants folded
(include/modular_dynamics/recording.hpp). The recorded lists (:mod:`.program`) are written as C (:mod:`.c99`,
:mod:`.c_files`) or as CasADi functions (`export`).
"""
