"""Random quaternions, dual quaternions and poses for hypothesis."""

import numpy as np
from hypothesis import strategies as st

import modular_dynamics as md
from modular_dynamics.algebra import from_xyz_rpy

#: Products of a dozen numbers of size 10 in double precision.
ROUNDING = 1e-11
numbers = st.floats(-10.0, 10.0, allow_subnormal=False)
vectors = st.tuples(numbers, numbers, numbers).map(np.array)
quaternions = st.builds(md.Quaternion, numbers, numbers, numbers, numbers)
duals = st.builds(md.DualQuaternion, quaternions, quaternions)
pures = st.builds(md.DualQuaternion.pure, vectors, vectors)
angles = st.tuples(*[st.floats(-3.0, 3.0)] * 3).map(np.array)
poses = st.builds(from_xyz_rpy, vectors, angles)


def assert_close(a: md.DualQuaternion, b: md.DualQuaternion, tolerance: float = ROUNDING) -> None:
    scale = max(1.0, float(np.abs(a.vec8()).max()), float(np.abs(b.vec8()).max()))
    assert np.abs(a.vec8() - b.vec8()).max() <= tolerance * scale
