"""Names of virtual joints, on which a base may stand."""

import numpy as np
import pytest

from modular_dynamics import JointType, modular
from modular_dynamics.exceptions import ModelError


@pytest.mark.parametrize("name", ["n" * 101, "a b", "a/b", "", None, "a\ud800"], ids=ascii)
def test_virtual_joints_have_names_of_limited_length(name):
    twisted = modular.ModuleJoint(name, JointType.REVOLUTE, "entry", "x", np.array([1.0, 0.0, 0.0]))
    for make in (
        lambda: modular.virtual_joint(name, "prismatic", [1, 0, 0]),
        lambda: modular.Assembly(("v0", "backbone"), mount=[twisted]),
    ):
        with pytest.raises(ModelError, match=r"virtual joint's name is .*at most 100 characters") as raised:
            make()
        assert len(str(raised.value)) < 300
