"""The garbage collector is off until the last thread that needs that has ended, then as it was."""

import gc

import pytest

from modular_dynamics_ros.node.threads.collector import without_collector

pytestmark = pytest.mark.ros


@pytest.fixture(params=[True, False], ids=["on", "off"])
def enabled(request):
    before = gc.isenabled()
    (gc.enable if request.param else gc.disable)()
    yield request.param
    (gc.enable if before else gc.disable)()


def test_the_first_to_end_leaves_it_off_for_the_others(enabled):
    first, second = without_collector(), without_collector()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert not gc.isenabled()
    second.__exit__(None, None, None)
    assert gc.isenabled() == enabled


def test_after_an_error(enabled):
    with pytest.raises(ZeroDivisionError), without_collector():
        raise ZeroDivisionError
    assert gc.isenabled() == enabled
