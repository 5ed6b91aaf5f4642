"""The interval of Python's threads is back where it was when the last user has ended."""

import sys

import pytest

from modular_dynamics_ros.node.threads.short_turns import SWITCH_INTERVAL, short_turns

pytestmark = pytest.mark.ros


def test_several_users():
    usual = sys.getswitchinterval()
    first, second = short_turns(), short_turns()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert sys.getswitchinterval() == pytest.approx(SWITCH_INTERVAL)
    second.__exit__(None, None, None)
    assert sys.getswitchinterval() == usual != pytest.approx(SWITCH_INTERVAL)


def test_after_an_error():
    usual = sys.getswitchinterval()
    with pytest.raises(ZeroDivisionError), short_turns():
        raise ZeroDivisionError
    assert sys.getswitchinterval() == usual
