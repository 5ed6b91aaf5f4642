"""A small study of the four-bar: files in a folder."""

from pathlib import Path

import yaml

from helpers.paths import ROBOTS

#: The crank turns; the rocker (J4) is what a task would ask for.
FOUR_BAR = {
    "name": "four_bar",
    "robot": str(ROBOTS / "four_bar.urdf"),
    "motion": {"rate": 10, "files": {"turn": "turn.yaml", "back": "back.yaml"}},
    "inputs": {
        "coupler": {"range": [0.095, 0.11], "steps": 5, "sets": "loop joint J2 successor x"},
        "mass": {
            "list": [4, 5, 6],
            "sets": ["link output mass", {"parameter": "link crank mass", "factor": 0.3}],
        },
        "motion": {"trajectories": ["turn", "back"]},
    },
    "actuators": {"J1": 1.0},
    "keep": {"strokes": ["J4"], "sine": 0.1},
}
MOTION = "duration: 2.0\nsegments: [{until: 1.0, scale: 1}, {until: 2.0, scale: -1}]\n"


def study_file(folder: Path, **changes: object) -> Path:
    """Write the study, with other values of its keys (None: without the key), and its motions; the path."""
    (folder / "turn.yaml").write_text(f"{MOTION}accelerations: {{J1: 0.5}}\nstart: {{J1: 0.4}}\n")
    (folder / "back.yaml").write_text(f"{MOTION}accelerations: {{J1: -0.7}}\nstart: {{J1: 0.9}}\n")
    data = {key: value for key, value in {**FOUR_BAR, **changes}.items() if value is not None}
    path = folder / "study.yaml"
    path.write_text(yaml.safe_dump(data, sort_keys=False))
    return path
