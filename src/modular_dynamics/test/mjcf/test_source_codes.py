"""The numbers are MuJoCo's."""

import mujoco
import pytest

from modular_dynamics.mjcf import source as codes

ENUMERATIONS = {
    codes.Joint: (mujoco.mjtJoint, "mjJNT_"),
    codes.Equality: (mujoco.mjtEq, "mjEQ_"),
    codes.Transmission: (mujoco.mjtTrn, "mjTRN_"),
    codes.Wrap: (mujoco.mjtWrap, "mjWRAP_"),
    codes.Object: (mujoco.mjtObj, "mjOBJ_"),
    codes.SameFrame: (mujoco.mjtSameFrame, "mjSAMEFRAME_"),
    codes.Constraint: (mujoco.mjtConstraint, "mjCNSTR_"),
    codes.Jacobian: (mujoco.mjtJacobian, "mjJAC_"),
    codes.Disable: (mujoco.mjtDisableBit, "mjDSBL_"),
}


@pytest.mark.parametrize("code", ENUMERATIONS, ids=lambda code: code.__name__)
def test_numbers_are_those_of_mujoco(code):
    theirs, prefix = ENUMERATIONS[code]
    ours = {name: value for name, value in vars(code).items() if name.isupper() and isinstance(value, int)}
    assert ours
    assert ours == {name: int(getattr(theirs, prefix + name)) for name in ours}


def test_names_of_equalities_are_those_of_mujoco():
    for number, name in enumerate(codes.Equality.NAMES):
        assert int(getattr(mujoco.mjtEq, f"mjEQ_{name.upper()}")) == number
