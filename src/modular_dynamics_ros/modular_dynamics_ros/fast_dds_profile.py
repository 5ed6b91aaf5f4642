"""The Fast DDS profile with which a node that is started again hears the others at once.

What it changes, and why: config/fast_dds_quick_discovery.xml.
"""

import os
from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_share_directory

__all__ = ["PROFILES", "QUICK_DISCOVERY", "quick_discovery_variables"]

#: Where Fast DDS 2 looks for a profile, as the ROS 2 distributions name it. Other middleware reads neither.
PROFILES = "FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE"
QUICK_DISCOVERY = "fast_dds_quick_discovery.xml"  # in config/


def quick_discovery_variables() -> dict[str, str]:
    """Of the environment of a node's process; none where the user has chosen a profile."""
    if any(name in os.environ for name in PROFILES):
        return {}
    try:
        share = Path(get_package_share_directory("modular_dynamics_bringup"))
    except PackageNotFoundError:  # the nodes can be installed without it
        return {}
    return {PROFILES[0]: str(share / "config" / QUICK_DISCOVERY)}
