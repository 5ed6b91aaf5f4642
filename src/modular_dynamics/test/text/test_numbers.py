"""Numbers in text: ASCII decimals only."""

import math

import pytest

import modular_dynamics as md
from helpers.paths import ROBOTS
from modular_dynamics.text.numbers import decimals, real_number

ARM = (ROBOTS / "four_link.urdf").read_text("utf-8")


@pytest.mark.parametrize("text", ["+1", "-1.5", ".5", "1.", "1e3", "1E-3", "007", "1e308", "5e-324", "-0"])
def test_decimals_are_read_as_by_every_other_reader(text):
    assert decimals(f" \t{text}\r\n") == [float(text)]
    assert real_number(text) == float(text)


NO_NUMBERS = (
    *("\u0661", "\uff11", "\u0967", "\u00b2", "\u00bd", "\u22121", "1\u00a0", "1\u2003", "\u200b1"),
    *("1\ufeff", "1,5", "0x10", "1_000", "1e", "e5", "--1", "1d5", "1f", ".", "+", "1;2", "True", "None"),
)


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_what_only_python_reads_is_no_number(text):
    with pytest.raises(ValueError, match="is no number"):
        decimals(text)
    with pytest.raises(md.exceptions.UrdfError, match=r"xyz=.* is not 3 numbers"):
        md.load_urdf(ARM.replace('<axis xyz="0 1 0"', f'<axis xyz="0 1 {text}"', 1))


@pytest.mark.parametrize("value", [True, None, "", "1 2", [1.0], {}, 1j, b"1"])
def test_values_of_yaml_that_are_no_number(value):
    with pytest.raises(ValueError, match="is no number"):
        real_number(value)


def test_a_whole_number_that_no_float_holds_is_infinite():
    assert real_number(-(10**400)) == -math.inf


def test_a_long_text_that_is_no_number_is_refused_at_once():
    with pytest.raises(ValueError, match="is no number"):
        decimals("9" * 1_000_000 + "x")  # 1e12 steps if each digit could belong to two parts


def test_factors_of_chained_mimics_that_overflow_are_refused():
    link = '<link name="l{}"/>'
    joint = '<joint name="j{0}" type="continuous"><parent link="l{1}"/><child link="l{0}"/>{2}</joint>'
    mimic = '<mimic joint="j{}" multiplier="1e8"/>'
    joints = [joint.format(k, k - 1, mimic.format(k - 1) if k > 1 else "") for k in range(1, 60)]
    text = f'<robot name="r">{"".join(map(link.format, range(60)))}{"".join(joints)}</robot>'
    with pytest.raises(
        md.exceptions.UrdfError, match=r"'j3' mimics joint 'j1', by others, with multiplier 1e\+16"
    ):
        md.load_urdf(text)
