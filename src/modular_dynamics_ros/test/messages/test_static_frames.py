import numpy as np
import pytest
from geometry_msgs.msg import TransformStamped

from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.messages.static_frames import fixed_frame_from_message

pytestmark = pytest.mark.ros


def transform(parent="tool", child="sensor", position=(0.1, 0.2, 0.3), rotation=(0.0, 0.0, 0.0, 1.0)):
    message = TransformStamped(child_frame_id=child)
    message.header.frame_id = parent
    to = message.transform
    to.translation.x, to.translation.y, to.translation.z = position
    to.rotation.x, to.rotation.y, to.rotation.z, to.rotation.w = rotation
    return message


def test_a_transform_is_the_pose_of_the_child():
    half = np.sqrt(0.5)
    child, parent, H = fixed_frame_from_message(transform(rotation=(0.0, 0.0, 1.001 * half, 1.001 * half)))
    assert (child, parent) == ("sensor", "tool")
    quarter_turn = [[0, -1, 0, 0.1], [1, 0, 0, 0.2], [0, 0, 1, 0.3], [0, 0, 0, 1]]
    assert pytest.approx(np.array(quarter_turn), abs=1e-12) == H


@pytest.mark.parametrize(
    "bad",
    [
        {"child": ""},
        {"parent": ""},
        {"child": "tool"},
        {"position": (0.0, np.nan, 0.0)},
        {"rotation": (0.0, 0.0, 0.0, 0.0)},
        {"rotation": (0.0, 0.0, 0.0, 1.1)},
        {"rotation": (0.0, np.inf, 0.0, 1.0)},
    ],
)
def test_a_transform_that_is_no_pose_is_refused(bad):
    with pytest.raises(BadMessage, match="transform from"):
        fixed_frame_from_message(transform(**bad))
