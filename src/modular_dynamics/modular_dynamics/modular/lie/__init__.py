"""SE(3) and its algebra as matrices: eqs. 1-17 of Meister & Gutenkunst, with converters to dual quaternions.

Poses are homogeneous matrices H_a_b (4, 4), which take coordinates of b to a. Twists are ordered (v, omega),
wrenches (f, m); lengths in metres, angles in radians. Where a shape begins with "...", any leading dimensions
are allowed. All functions check their arguments and raise StateError, which says what is wrong.
"""

from .adjoints import Ad, ad, bracket, dual_Ad, dual_ad
from .conversion import (
    matrix_to_pose,
    pose_to_matrix,
    twist_to_vector,
    vector_to_twist,
    vector_to_wrench,
    wrench_to_vector,
)
from .exponential import exp, log
from .joint_twists import prismatic_twist, revolute_twist, screw_twist
from .matrices import hat, homogeneous, inverse, vee

__all__ = [
    "homogeneous",
    "inverse",
    "hat",
    "vee",
    "exp",
    "log",
    "Ad",
    "ad",
    "bracket",
    "dual_Ad",
    "dual_ad",
    "revolute_twist",
    "prismatic_twist",
    "screw_twist",
    "pose_to_matrix",
    "matrix_to_pose",
    "twist_to_vector",
    "vector_to_twist",
    "wrench_to_vector",
    "vector_to_wrench",
]
