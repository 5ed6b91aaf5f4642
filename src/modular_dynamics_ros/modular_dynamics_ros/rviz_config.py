"""The configuration of rviz2 for one robot: its model, its frames, the wrenches of dynamics_node."""

from typing import Any

import yaml

WRENCH_MARKERS = "dynamics_node/markers"  # arrows of all subsystems, at a rate that eyes can follow
TOOLS = "MoveCamera", "Select", "FocusCamera"
VIEW = {
    "Class": "rviz_default_plugins/Orbit",
    "Name": "Current View",
    "Distance": 3.5,  # [m]
    "Focal Point": {"X": 0, "Y": 0, "Z": 0.5},
    "Pitch": 0.3,  # [rad]
    "Yaw": 0.8,  # [rad]
}


def rviz_config(fixed_frame: str, description: str, markers: str = "", frame_prefix: str = "") -> str:
    """Return the content of a .rviz file.

    Args:
        fixed_frame: name in TF of a frame that does not move. description: topic of the URDF.
        markers: topic of a further MarkerArray; empty: none. frame_prefix: of the links in TF.

    Raises:
        ValueError: the prefix does not end in "/", which rviz2 puts between the prefix and a link.
    """
    if frame_prefix and (frame_prefix == "/" or frame_prefix.strip("/") + "/" != frame_prefix):
        raise ValueError(
            f"frame_prefix is '{frame_prefix}': rviz2 shows the robot if it ends in '/' and does not "
            f"begin with one, such as '{frame_prefix.strip('/_')}/'"
        )
    model: dict[str, Any] = {
        "Class": "rviz_default_plugins/RobotModel",
        "Name": "Robot",
        "Alpha": 0.5,  # the arrows start inside the links
        "Description Source": "Topic",
        "Description Topic": {"Value": description, "Depth": 1, "Durability Policy": "Transient Local"},
        "TF Prefix": frame_prefix.rstrip("/"),
    }
    displays = [{"Class": "rviz_default_plugins/Grid", "Name": "Grid"}, model]
    for name, topic in (("Wrenches on subsystems", WRENCH_MARKERS), ("Markers", markers)):
        if topic:
            source = {"Value": topic, "Depth": 1, "Reliability Policy": "Reliable"}
            displays.append({"Class": "rviz_default_plugins/MarkerArray", "Name": name, "Topic": source})
    frames = {"Class": "rviz_default_plugins/TF", "Name": "Frames", "Enabled": False, "Value": False}
    manager = {
        "Class": "",
        "Global Options": {"Background Color": "48; 48; 48", "Fixed Frame": fixed_frame, "Frame Rate": 30},
        "Displays": [*({**one, "Enabled": True, "Value": True} for one in displays), frames],
        "Tools": [{"Class": f"rviz_default_plugins/{name}"} for name in TOOLS],
        "Views": {"Current": VIEW},
    }
    panels = [{"Class": "rviz_common/Displays", "Name": "Displays"}]
    window = {"Width": 1280, "Height": 900}
    content = {"Panels": panels, "Visualization Manager": manager, "Window Geometry": window}
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True)
