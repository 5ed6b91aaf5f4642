import pytest
from rclpy.validate_full_topic_name import validate_full_topic_name

from modular_dynamics_ros.exceptions import RobotError
from modular_dynamics_ros.node.topic_names import LONGEST_PART, topic_name, topic_names

pytestmark = pytest.mark.ros

NAMES = [
    "arm",
    "hand left",
    "hand right",
    "左",
    "右",
    "1st",
    "²",
    "a/b~{c}",
    "-",
    "__",
    "ä",
    "x" * LONGEST_PART,
]


def test_every_name_has_a_legal_topic_of_its_own():
    parts = topic_names("subsystem", NAMES)
    assert len(set(parts.values())) == len(NAMES)
    for part in parts.values():
        validate_full_topic_name(f"/dynamics_node/connections/{part}/wrench")
        assert part.isascii()
    assert [parts[name] for name in ("arm", "hand left", "左", "1st")] == [
        "arm",
        "hand_left",
        "u5de6",
        "_1st",
    ]
    assert topic_name("hand left") == "hand_left"


@pytest.mark.parametrize("pair", [("hand left", "hand-left"), ("左", "u5de6"), ("1", "_1")])
def test_names_that_would_share_a_topic_are_refused_by_name(pair):
    with pytest.raises(RobotError, match=f"'{pair[0]}' and '{pair[1]}' would share"):
        topic_names("subsystem", ["arm", *pair])


def test_a_name_that_is_no_topic_is_refused():
    for name in ("", "x" * 300, "左" * 40):
        with pytest.raises(RobotError, match="1 to 150 are possible"):
            topic_names("joint", [name])
