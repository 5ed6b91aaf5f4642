"""The configuration of rviz2 for one robot: its model, its frames, the wrenches of dynamics_node."""

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import yaml

import modular_dynamics as md
from modular_dynamics.exceptions import ModelWarning
from modular_dynamics_ros.messages.markers import arrow_scales
from modular_dynamics_ros.node.topic_names import topic_name

WRENCH_MARKERS = "dynamics_node/markers"  # arrows of all subsystems, at a rate that eyes can follow


class WrenchDisplay(NamedTuple):
    """The arrows of one wrench.

    Attributes:
        name: in rviz's list of displays. topic: relative to rviz2's namespace, or absolute.
        scales: lengths of arrows, of forces [m/N] and of moments [m/(N m)].
    """

    name: str
    topic: str
    scales: tuple[float, float]


def robot_displays(description: str, partition: str | None) -> tuple[str, list[WrenchDisplay]]:
    """Return a robot's root link, and the wrench display of each subsystem's connection point.

    Args:
        description: URDF. partition: path of a YAML file.

    Raises:
        UrdfError: as `load_urdf`; what it warns of is dynamics_node's to say.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        graph = md.load_urdf(description, partition)
    scales = arrow_scales(graph)
    topics = {
        one.name: f"dynamics_node/connections/{topic_name(one.name)}/wrench" for one in graph.subsystems
    }
    return graph.links[0], [WrenchDisplay(f"Wrench on {n}", topic, scales) for n, topic in topics.items()]


def rviz_config(
    fixed_frame: str,
    description: str,
    wrenches: Sequence[WrenchDisplay],
    markers: str = "",
    frame_prefix: str = "",
) -> str:
    """Return the content of a .rviz file.

    Args:
        fixed_frame: that does not move, with the prefix. description: topic of the URDF.
        markers: topic of a further MarkerArray; empty: none.

    Raises:
        ValueError: rviz2 puts a "/" between the prefix and the link, and this prefix does not end in one.
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
    shown = [{"Class": "rviz_default_plugins/Grid", "Name": "Grid"}, model]
    for name, topic in (("Wrenches on subsystems", WRENCH_MARKERS), ("Markers", markers)):
        if topic:
            of = {"Value": topic, "Depth": 1, "Reliability Policy": "Reliable"}
            shown.append({"Class": "rviz_default_plugins/MarkerArray", "Name": name, "Topic": of})
    # the same wrenches, one by one: each is sent with every answer
    hidden = [*map(_wrench, wrenches), {"Class": "rviz_default_plugins/TF", "Name": "Frames"}]
    tools = ("MoveCamera", "Select", "FocusCamera")
    manager = {
        "Class": "",
        "Global Options": {
            "Background Color": "48; 48; 48",
            "Fixed Frame": fixed_frame,
            "Frame Rate": 30,
        },
        "Displays": [
            *({**one, "Enabled": True, "Value": True} for one in shown),
            *({**one, "Enabled": False, "Value": False} for one in hidden),
        ],
        "Tools": [{"Class": f"rviz_default_plugins/{name}"} for name in tools],
        "Views": {"Current": VIEW},
    }
    panels = [{"Class": "rviz_common/Displays", "Name": "Displays"}]
    window = {"Width": 1280, "Height": 900}
    content = {"Panels": panels, "Visualization Manager": manager, "Window Geometry": window}
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True)


VIEW = {
    "Class": "rviz_default_plugins/Orbit",
    "Name": "Current View",
    "Distance": 3.5,  # [m]
    "Focal Point": {"X": 0, "Y": 0, "Z": 0.5},
    "Pitch": 0.3,  # [rad]
    "Yaw": 0.8,  # [rad]
}


def _wrench(display: WrenchDisplay) -> dict[str, Any]:
    return {
        "Class": "rviz_default_plugins/Wrench",
        "Name": display.name,
        "Topic": {"Value": display.topic, "Depth": 5, "Reliability Policy": "Best Effort"},
        "Force Arrow Scale": display.scales[0],
        "Torque Arrow Scale": display.scales[1],
        "Arrow Width": 0.2,
        "Force Color": "204; 51; 51",
        "Torque Color": "204; 204; 51",
    }
