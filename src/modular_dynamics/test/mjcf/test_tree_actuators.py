"""What joints get from actuators."""

import pytest

import modular_dynamics as md
from helpers.robots.mjcf_text import two_arms

TENDON = '<tendon><fixed name="t"><joint joint="a" coef="1"/><joint joint="c" coef="2"/></fixed></tendon>'


def loaded(actuators, joint=""):
    return md.load_mjcf(two_arms(joints=(joint, ""), more=f"{TENDON}<actuator>{actuators}</actuator>"))


@pytest.mark.parametrize(
    ("actuators", "joint", "effort"),
    [
        ('<motor joint="a" gear="-5" forcerange="-3 2"/>', "", 15.0),
        ('<motor joint="a" gear="5"/>', "", None),
        ('<motor joint="a" forcerange="-3 3"/><motor jointinparent="a" forcerange="-4 4"/>', "", 7.0),
        ('<motor joint="a" forcerange="-3 3"/><motor tendon="t" forcerange="-4 4"/>', "", None),
        ('<motor joint="a" forcerange="-3 3"/>', 'actuatorfrcrange="-1 1"', 1.0),
    ],
)
def test_the_effort_is_what_actuators_can_exert(actuators, joint, effort):
    assert loaded(actuators, joint).joint("a").limits.effort == effort


def test_armature_and_damping_of_actuators_count_by_the_gear_squared():
    graph = loaded(
        '<motor joint="a" gear="3" armature="0.2" damping="0.5"/><motor joint="a" armature="0.1"/>',
        'armature="1" damping="2"',
    )
    joint = graph.joint("a")
    assert joint.armature == pytest.approx(1.0 + 9.0 * 0.2 + 0.1)
    assert joint.damping == pytest.approx(2.0 + 9.0 * 0.5)


def test_armature_of_an_actuator_at_a_tendon_is_refused():
    with pytest.raises(md.UnsupportedModelError, match="tendon 't' has armature"):
        loaded('<motor tendon="t" armature="0.2"/>')
