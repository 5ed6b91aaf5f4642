"""Joints that can be locked, and what is said of the others."""

import pytest

import modular_dynamics as md
from modular_dynamics_ros.computation.changes import edits
from modular_dynamics_ros.computation.changes.lock import Lock
from modular_dynamics_ros.exceptions import NumbersError, UnknownError

MIMIC = "<mimic joint='j1' multiplier='2'/>"


@pytest.fixture
def mimicking(chain):
    """Joints j1, j2 and j3, which follows j1; without a black box."""
    return md.load_urdf(chain("a", MIMIC).replace(" black_box='true'", ""))


@pytest.mark.parametrize(
    ("joints", "measured"), [(["j3"], {}), (["j3"], {"j1": 0.1, "j2": 0.2}), (["j1", "j3"], {"j1": 0.1})]
)
def test_a_joint_that_follows_another_says_so_at_once(mimicking, joints, measured):
    with pytest.raises(NumbersError, match="position of 'j3' follows from 'j1': lock 'j1' alone"):
        edits.locked(mimicking, (), joints, measured, measured=True)
    changes = edits.locked(mimicking, (), ["j1"], {"j1": 0.1}, measured=True)
    assert changes[0].apply(mimicking).joint_names == ("j2",)


def test_a_joint_that_gears_move_says_so_at_once(chain):
    gear = "<gear joint='j3' driver='j1' ratio='2'/></modular_dynamics>"
    urdf = chain("a").replace(" black_box='true'", "").replace("</modular_dynamics>", gear)
    with pytest.raises(NumbersError, match="position of 'j3' follows from 'j1'"):
        edits.locked(md.load_urdf(urdf), (), ["j3"], {}, measured=True)


def test_only_joints_that_can_be_locked_are_offered(mimicking, chain):
    with pytest.raises(UnknownError, match=r"no joint 'j4' in 'chain'; these can be locked: 'j1', 'j2'$"):
        edits.locked(mimicking, (), ["j4"], {})
    with pytest.raises(UnknownError, match=r"these can be locked: 'j1', 'j3'$"):  # j2 is in a black box
        edits.locked(md.load_urdf(chain("a")), (), ["j4"], {})
    with pytest.raises(UnknownError, match=r"these can be locked: 'j2'$"):
        edits.locked(mimicking, (Lock({"j1": 0.1}),), ["j4"], {})


def test_a_joint_that_does_not_move_any_more_says_so(mimicking):
    changes = edits.locked(mimicking, (), ["j1"], {"j1": 0.1}, measured=True)
    with pytest.raises(UnknownError, match=r"'j3' does not move in .* it is locked together with another"):
        edits.locked(mimicking, changes, ["j3"], {"j3": 0.2}, measured=True)
