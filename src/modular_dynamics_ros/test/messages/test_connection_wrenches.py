import numpy as np
import pytest
from builtin_interfaces.msg import Time

from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.messages.connection_wrenches import (
    ConnectionWrenchesWriter,
    connection_wrenches_from_message,
)

NAMES, LINKS = ("arm", "head"), {"arm_base", "neck"}
WRENCHES = (("arm_base", np.arange(1.0, 7.0)), ("neck", -np.ones(6)))


@pytest.fixture
def message():
    return ConnectionWrenchesWriter(NAMES).write(Time(sec=1), WRENCHES.__getitem__)


def test_wrenches_survive_the_round_trip(message):
    assert message.header.stamp.sec == 1
    assert message.wrenches[0].torque.x == 4.0  # force first, moment second
    read = connection_wrenches_from_message(message, ("head", "arm"), LINKS)
    assert list(read) == ["head", "arm"]
    for name, (link, wrench) in zip(NAMES, WRENCHES, strict=True):
        assert read[name][0] == link
        assert read[name][1].tolist() == wrench.tolist()


def test_only_what_is_needed_is_read(message):
    message.wrenches[1].force.x = float("nan")
    assert list(connection_wrenches_from_message(message, ("arm",), {"arm_base"})) == ["arm"]


def test_what_cannot_be_used_is_refused_by_name(message):
    def refusal():
        with pytest.raises(BadMessage) as caught:
            connection_wrenches_from_message(message, NAMES, LINKS)
        return str(caught.value)

    message.wrenches[1].force.x = float("inf")
    assert "'head' holds NaN or infinite" in refusal()
    message.wrenches[1].force.x = 1e300
    assert "the wrench of 'head' holds 1e+300; sizes of at most 1e+09" in refusal()
    message.frames[0] = "hand_of_another"
    assert "'hand_of_another' of 'arm' is no link" in refusal()
    message.subsystems[0] = "leg"
    assert "no wrench of 'arm'" in refusal()
    message.frames = ["arm_base"]
    assert "different lengths" in refusal()


def test_frames_have_the_prefix_of_tf_and_links_none():
    message = ConnectionWrenchesWriter(NAMES, "left/").write(Time(sec=1), WRENCHES.__getitem__)
    assert message.frames == ["left/arm_base", "left/neck"]
    read = connection_wrenches_from_message(message, NAMES, LINKS, "left/")
    assert [link for link, _ in read.values()] == ["arm_base", "neck"]
