"""Serialised joint states that are alike but for their stamp and numbers, as those of one publisher are."""

from collections.abc import Callable

import numpy as np
from modular_dynamics.kernels.alike_messages import AlikeMessages, alike_reader
from numpy.typing import NDArray
from sensor_msgs.msg import JointState

from modular_dynamics_ros.computation.values import LARGEST
from modular_dynamics_ros.messages.joint_state_reader import Layout
from modular_dynamics_ros.messages.serialized.in_place import COUNT, NUMBER, STAMP, places_of

__all__ = ["alike_joint_states"]

REPRESENTATION = 2  # bytes that say how the message is serialised; the two behind them are not used


def alike_joint_states(like: JointState, layout: Layout) -> Callable[..., int]:
    """A function (data, values) -> stamp [ns] that reads joint states as the middleware delivers them.

    It writes positions, then velocities of the joints of the layout to ``values`` (2 k,). The result is
    negative where a joint state is not like the known one, its stamp is negative, or a number is NaN or too
    large, and where the arguments do not fit.

    Args:
        like: has a velocity for each position. layout: of its names.
    """
    count, effort_count = len(like.name), len(like.effort)
    alike = JointState(name=like.name)
    alike.header.frame_id = like.header.frame_id
    lengths = {"position": count, "velocity": count, "effort": effort_count}
    example, stamp, (first, velocities, efforts) = places_of(alike, lengths)
    size = NUMBER * count
    end = velocities + size
    shortest = efforts + NUMBER * effort_count if effort_count else end + COUNT
    same = _same_bytes(alike, stamp + STAMP.size, (first + size, end))
    sources = np.arange(count) if layout.source is None else layout.source
    places = np.concatenate((first + NUMBER * sources, velocities + NUMBER * sources))
    return alike_reader(AlikeMessages(example, same, shortest, stamp, places), LARGEST)


def _same_bytes(message: JointState, strings: int, ends: tuple[int, int]) -> NDArray[np.uint8]:
    """255 for bytes that are the same in all messages alike; 0 for numbers, and gaps, which are arbitrary.

    Args:
        strings: offset of the first one. ends: of positions and velocities, where the next length stands.
    """
    same = np.zeros(ends[-1] + COUNT, np.uint8)
    same[:REPRESENTATION] = 255
    at = strings
    for text in (message.header.frame_id, None, *message.name):  # None: how many names follow
        length = COUNT + (0 if text is None else len(text.encode()) + 1)
        same[at : at + length] = 255
        at += length + -length % COUNT
    for counted in (at, *ends):
        same[counted : counted + COUNT] = 255
    return same
