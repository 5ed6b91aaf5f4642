from builtin_interfaces.msg import Time

from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds


def test_stamps_survive_the_round_trip():
    for nanoseconds in (0, 1, 999_999_999, 1_700_000_000_123_456_789):
        assert stamp_nanoseconds(stamp_message(nanoseconds)) == nanoseconds
    assert stamp_message(1_500_000_000) == Time(sec=1, nanosec=500_000_000)
