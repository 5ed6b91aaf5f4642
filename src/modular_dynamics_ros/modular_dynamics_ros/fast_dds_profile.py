"""The Fast DDS profile with which a node that is started again hears the others at once.

What the profiles change, and why: config/fast_dds_quick_discovery.xml and config/fast_dds_loopback.xml.
"""

import os
from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_share_directory

__all__ = ["PROFILES", "quick_discovery_profile", "quick_discovery_variables"]

#: Where Fast DDS 2 looks for a profile, as the ROS 2 distributions name it. Other middleware reads neither.
PROFILES = "FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE"


def quick_discovery_profile(config: Path) -> Path:
    """The profile in this folder that suits the discovery range of the environment.

    The one for several computers announces all network interfaces, so not where only this one is wanted.
    """
    discovery_range = os.environ.get("ROS_AUTOMATIC_DISCOVERY_RANGE")
    local = discovery_range in ("LOCALHOST", "OFF") or os.environ.get("ROS_LOCALHOST_ONLY") == "1"
    return config / ("fast_dds_loopback.xml" if local else "fast_dds_quick_discovery.xml")


def quick_discovery_variables() -> dict[str, str]:
    """Of the environment of a node's process; none where the user has chosen a profile."""
    if any(name in os.environ for name in PROFILES):
        return {}
    try:
        share = Path(get_package_share_directory("modular_dynamics_bringup"))
    except PackageNotFoundError:  # the nodes can be installed without it
        return {}
    return {PROFILES[0]: str(quick_discovery_profile(share / "config"))}
