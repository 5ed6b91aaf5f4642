"""Arrows as visualization_msgs/Marker, made once and written again and again."""

import numpy as np
from builtin_interfaces.msg import Duration, Time
from geometry_msgs.msg import Point, Vector3
from numpy.typing import NDArray
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

__all__ = ["Colour", "arrow_marker", "set_arrow"]

Array = NDArray[np.float64]
Colour = tuple[float, float, float]
"""r, g, b from 0 to 1."""
SHAFT, HEAD, LENGTH = 0.008, 0.02, 0.03  # [m]
SHORTEST = 1e-4  # [m] a shorter arrow has no visible direction
LIFETIME = Duration(nanosec=500_000_000)  # arrows disappear when the node ends


def arrow_marker(number: int, frame: str, name: str, colour: Colour) -> Marker:
    """Return an arrow in a frame; `number` and `name` identify it in its array."""
    r, g, b = colour
    marker = Marker(
        id=number,
        ns=name,
        type=Marker.ARROW,
        points=[Point(), Point()],
        scale=Vector3(x=SHAFT, y=HEAD, z=LENGTH),
        color=ColorRGBA(r=r, g=g, b=b, a=0.9),
        lifetime=LIFETIME,
    )
    marker.header.frame_id = frame
    marker.pose.orientation.w = 1.0
    return marker


def set_arrow(marker: Marker, stamp: Time, start: Array, arrow: Array) -> None:
    """Draw `arrow` (3,) [m] from the point `start` [m]; one without a visible direction is removed."""
    marker.header.stamp = stamp
    marker.action = Marker.ADD if float(arrow @ arrow) > SHORTEST**2 else Marker.DELETE
    for point, values in zip(marker.points, (start, start + arrow), strict=True):
        point.x, point.y, point.z = values.tolist()
