"""That a node which starts, or starts again, hears the others at once: fast_dds.xml, and why it is needed."""

import os
from pathlib import Path

__all__ = ["hurry_discovery"]

PROFILES = "FASTRTPS_DEFAULT_PROFILES_FILE"  # read by Fast DDS 2, which ROS 2 Jazzy has, and by nothing else
IN_THIS_FOLDER = "DEFAULT_FASTRTPS_PROFILES.xml"  # what Fast DDS reads besides
OTHER_DISCOVERY = "ROS_DISCOVERY_SERVER"


def hurry_discovery() -> None:
    """Give this process and its children the profile, unless the user has one; call it before rclpy.init."""
    if not Path(IN_THIS_FOLDER).exists() and OTHER_DISCOVERY not in os.environ:
        os.environ.setdefault(PROFILES, str(Path(__file__).with_name("fast_dds.xml")))
